//! HTTPS against real servers: who is trusted, which version is spoken, and why a handshake failed.

use std::path::PathBuf;

use tempfile::TempDir;
use warwolf_e2e::certificate::{Authority, Pair, Validity};
use warwolf_e2e::process::{Process, free_port};
use warwolf_e2e::server::{Nginx, OpenSsl, PAGE};
use warwolf_e2e::{Told, Warwolf};

/// An authority, and a folder with its certificate as a file.
struct Trust {
    authority: Authority,
    folder: TempDir,
}

impl Trust {
    fn new() -> Self {
        let (authority, folder) = (Authority::new(), tempfile::tempdir().unwrap());
        std::fs::write(folder.path().join("ca.pem"), authority.pem()).unwrap();
        Self { authority, folder }
    }

    fn server(&self, extra: &str) -> Nginx {
        let pair = self.authority.issue("localhost", Validity::Now);
        Nginx::start_tls(&pair.certificate, &pair.key, extra)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path: PathBuf = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Runs with this authority trusted.
    fn run(&self, words: &[&str]) -> Told {
        let trust = self.folder.path().join("ca.pem");
        let mut all = vec!["--cacert", trust.to_str().unwrap()];
        all.extend(words);
        Warwolf::run(&all)
    }
}

/// Ten calls must all have failed, as `outcome`.
fn all_fail(told: Told, outcome: &str) {
    let told = told.exits(1);
    assert_eq!((told.account("failed"), told.outcome(outcome)), (10, 10), "{outcome}: {told:#?}");
}

const TEN: [&str; 4] = ["-n", "10", "-c", "2"];

fn ten<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    TEN.iter().copied().chain(rest.iter().copied()).collect()
}

#[test]
fn both_versions_are_spoken_and_bodies_are_whole() {
    let trust = Trust::new();
    let server = trust.server("");
    for (version, name) in [("1.2", "TLSv1.2"), ("1.3", "TLSv1.3")] {
        let words =
            ["-n", "200", "-c", "4", "--tls-min", version, "--tls-max", version, &server.https("/page")];
        let told = trust.run(&words).all_well(200);
        assert_eq!(told.number("/bytes/body"), 200 * PAGE);
        assert_eq!(told.number("/connections/opened"), 4);
        assert!(told.nanoseconds("tls", "count") >= 4);
        assert_eq!(server.hits().iter().filter(|hit| hit.tls == name).count(), 200);
    }
}

#[test]
fn pipelining_and_uploads_over_tls() {
    let trust = Trust::new();
    let server = trust.server("");
    trust.run(&["-n", "800", "-c", "2", "--pipeline", "8", &server.https("/small")]).all_well(800);
    let body = format!("@{}", trust.file("body", &"x".repeat(2_000_000)));
    trust.run(&["-n", "10", "-c", "2", "-b", &body, &server.https("/upload")]).all_well(10);
    assert_eq!(server.hits().iter().filter(|hit| hit.request_bytes > 2_000_000).count(), 10);
}

#[test]
fn nobody_is_trusted_unless_told() {
    let trust = Trust::new();
    let server = trust.server("");
    all_fail(Warwolf::run(&ten(&[&server.https("/small")])), "tls_unknown_issuer");
    Warwolf::run(&ten(&["-k", &server.https("/small")])).all_well(10);
}

#[test]
fn a_certificate_must_be_of_this_name_and_this_time() {
    let trust = Trust::new();
    for (name, validity, outcome) in [
        ("localhost", Validity::Past, "tls_expired"),
        ("localhost", Validity::Future, "tls_not_yet_valid"),
        ("elsewhere.test", Validity::Now, "tls_name_mismatch"),
    ] {
        let pair = trust.authority.issue(name, validity);
        let server = Nginx::start_tls(&pair.certificate, &pair.key, "");
        all_fail(trust.run(&ten(&[&server.https("/small")])), outcome);
        Warwolf::run(&ten(&["-k", &server.https("/small")])).all_well(10);
    }
}

#[test]
fn a_version_the_server_does_not_speak_fails() {
    let trust = Trust::new();
    let server = trust.server("ssl_protocols TLSv1.2;");
    let told = trust.run(&ten(&["--tls-min", "1.3", &server.https("/small")])).exits(1);
    // The server says so with an alert; either name is the truth.
    let named = told.outcome("tls_no_shared_version") + told.outcome("tls_alert");
    assert_eq!(named, 10, "{told:#?}");
    trust.run(&ten(&[&server.https("/small")])).all_well(10);
}

#[test]
fn a_plain_server_is_not_tls() {
    let trust = Trust::new();
    let server = Nginx::start("");
    all_fail(trust.run(&ten(&[&format!("https://localhost:{}/small", server.port())])), "tls_not_tls");
}

#[test]
fn a_client_certificate_opens_the_door() {
    let trust = Trust::new();
    let ca = trust.file("clients.pem", &trust.authority.pem());
    let server = trust.server(&format!("ssl_client_certificate {ca}; ssl_verify_client on;"));
    let told = trust.run(&ten(&[&server.https("/small")]));
    assert_eq!(told.status(400), 10, "{told:#?}");

    let Pair { certificate, key } = trust.authority.issue_client("trial");
    let (cert, key) = (trust.file("client.pem", &certificate), trust.file("client.key", &key));
    trust.run(&ten(&["--cert", &cert, "--key", &key, &server.https("/small")])).all_well(10);
}

#[test]
fn openssl_demands_a_client_certificate_in_the_handshake() {
    let trust = Trust::new();
    let ca = trust.file("clients.pem", &trust.authority.pem());
    let pair = trust.authority.issue("localhost", Validity::Now);
    let server = OpenSsl::start(
        &pair.certificate,
        &pair.key,
        &["-Verify", "1", "-verify_return_error", "-CAfile", &ca],
    );
    let told = trust.run(&["-n", "3", "-c", "1", "-4", "--tls-max", "1.2", &server.https("/small")]).exits(1);
    assert_eq!(told.account("failed"), 3, "{told:#?}");

    let Pair { certificate, key } = trust.authority.issue_client("trial");
    let (cert, key) = (trust.file("client.pem", &certificate), trust.file("client.key", &key));
    trust
        .run(&["-n", "3", "-c", "1", "-4", "--cert", &cert, "--key", &key, &server.https("/small")])
        .all_well(3);
}

#[test]
fn sessions_are_resumed_unless_told_not_to() {
    let trust = Trust::new();
    for version in ["1.2", "1.3"] {
        let server = trust.server("ssl_session_cache shared:trial:1m;");
        let words =
            ["-n", "40", "-c", "1", "--disable-keepalive", "--tls-max", version, &server.https("/small")];
        trust.run(&words).all_well(40);
        let resumed = server.hits().iter().filter(|hit| hit.resumed).count();
        assert!(resumed >= 30, "{resumed} of 40 resumed over TLS {version}");

        let server = trust.server("ssl_session_cache shared:trial:1m;");
        let words =
            ["-n", "40", "-c", "1", "--disable-keepalive", "--no-resumption", &server.https("/small")];
        trust.run(&words).all_well(40);
        assert_eq!(server.hits().iter().filter(|hit| hit.resumed).count(), 0);
    }
}

#[test]
fn one_cipher_is_chosen_or_none_is_shared() {
    let trust = Trust::new();
    let server = trust.server("ssl_protocols TLSv1.2; ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256;");
    let suite = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
    trust.run(&ten(&["--tls-max", "1.2", "--ciphers", suite, &server.https("/small")])).all_well(10);
    let suite = "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256";
    let told = trust.run(&ten(&["--tls-max", "1.2", "--ciphers", suite, &server.https("/small")])).exits(1);
    assert_eq!(told.account("failed"), 10, "{told:#?}");
}

/// Replies to one request per connection with a body that ends with it, with a closing alert or without.
const UNTIL_CLOSE: &str = "
import socket, ssl, sys
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[2], sys.argv[3])
listener = socket.create_server(('127.0.0.1', int(sys.argv[1])))
while True:
    plain, _ = listener.accept()
    try:
        secure = context.wrap_socket(plain, server_side=True)
        secure.recv(4096)
        secure.sendall(b'HTTP/1.1 200 OK\\r\\n\\r\\nuntil the end')
        if sys.argv[4] == 'alert':
            secure.unwrap()
        secure.close()
    except OSError:
        pass
";

#[test]
fn a_body_that_ends_without_a_closing_alert_is_noted() {
    let trust = Trust::new();
    let pair = trust.authority.issue("localhost", Validity::Now);
    let (certificate, key) =
        (trust.file("server.pem", &pair.certificate), trust.file("server.key", &pair.key));
    for (end, unclosed) in [("alert", 0), ("none", 10)] {
        let port = free_port();
        let _server = Process::start("python3", |command| {
            command.args(["-c", UNTIL_CLOSE, &port.to_string(), &certificate, &key, end]);
        })
        .ready_at(([127, 0, 0, 1], port).into());
        let told = trust.run(&ten(&["-4", &format!("https://localhost:{port}/")])).all_well(10);
        assert_eq!(told.number("/connections/tls_unclosed"), unclosed, "{end}: {told:#?}");
        assert_eq!(told.number("/bytes/body"), 130);
        let notes = told.report().pointer("/health/reasons").and_then(|notes| notes.as_array()).unwrap();
        assert_eq!(
            notes.iter().any(|note| note["cause"] == "tls_unclosed"),
            unclosed > 0,
            "{end}: {told:#?}"
        );
    }
}

#[test]
fn files_and_names_that_cannot_be_used_are_usage_errors() {
    let trust = Trust::new();
    let (one, other) = (trust.authority.issue_client("one"), trust.authority.issue_client("other"));
    let (cert, key) = (trust.file("one.pem", &one.certificate), trust.file("other.key", &other.key));
    let text = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIGb\n-----END ENCRYPTED PRIVATE KEY-----\n";
    let encrypted = trust.file("encrypted.key", text);
    let empty = trust.file("empty.pem", "");
    let suites = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256";
    for (words, expected) in [
        (vec!["--cert", &cert, "--key", &key], "other.key: the client certificate and its key do not belong"),
        (
            vec!["--cert", &cert, "--key", &encrypted],
            "encrypted.key: the client's key is encrypted; decrypt it",
        ),
        (vec!["--cert", &cert, "--key", &empty], "empty.pem: the client's key is not PEM"),
        (vec!["--cert", &empty, "--key", &key], "empty.pem: the client certificate is not PEM"),
        (vec!["--cacert", &empty], "empty.pem: the trusted certificates are not PEM"),
        (vec!["--ciphers", "RC4"], "--ciphers: unknown cipher suite `RC4`: use one of"),
        (vec!["--ciphers", suites, "--tls-min", "1.3"], "--ciphers: no cipher suite left"),
    ] {
        let told = Warwolf::run(&ten(&[&words[..], &["https://127.0.0.1:9/"]].concat())).exits(2);
        assert!(told.stderr.contains(expected) && told.stderr.lines().count() == 1, "{expected}: {told:#?}");
    }
}
