//! `warwolf import`: what curl sends is what the plan of its command line sends.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use warwolf_e2e::peer::{Peer, read_head};
use warwolf_e2e::{Warwolf, path};

/// Command lines. `URL` is the capture server, `HOST` its name and port, `DIR` a folder with the files of [`files`].
const LINES: [&str; 64] = [
    "curl URL/",
    "curl URL",
    "curl 'URL/a?b=c&d=%20e'",
    "curl URL/a/../b/./c",
    "curl --path-as-is URL/a/../b",
    "curl 'URL/p#frag'",
    "curl 'URL/q?a=|^\"<>{}&b={{c}}' -g",
    "curl -X DELETE URL/item/1",
    "curl -X POST URL/nothing",
    "curl --request PATCH -d '{\"a\":1}' URL/p",
    "curl -I URL/h",
    "curl -d a=1 -d b=2 URL/f",
    "curl --data 'x=y z' URL/f",
    "curl --data-raw '@no' URL/f",
    "curl --data-ascii a URL/f",
    "curl -d @DIR/lines.txt URL/f",
    "curl --data-binary @DIR/lines.txt URL/f",
    "curl --data-binary $'a\\r\\nb\\x41\\u00e9' URL/f",
    "curl --data-binary @DIR/pic.png -H 'Content-Type: image/png' URL/f",
    "curl --data-urlencode 'q=a b&c' --data-urlencode '=x/y' URL/f",
    "curl --data-urlencode name@DIR/lines.txt URL/f",
    "curl --data-urlencode 'ü é~' URL/f",
    "curl --json '{\"a\": \"{{b}}\"}' URL/j",
    "curl --json '{\"a\":' --json '1}' URL/j",
    "curl --json @DIR/data.json URL/j",
    "curl -d '' URL/f",
    "curl -G -d a=1 -d b=2 URL/g",
    "curl -G --data-urlencode 'q=ü b' 'URL/g?x=1'",
    "curl --url-query 'a=b c' URL/g",
    "curl -H 'X-A: 1' -H 'X-B:2' -H 'X-A: {{3}}' URL/",
    "curl -H 'X-Empty;' URL/",
    "curl -H 'Accept: text/html' URL/",
    "curl -H 'Content-Type: text/plain' -d hi URL/",
    "curl -H 'Content-Type:' -d hi URL/",
    "curl -H 'Host: shop.test' URL/",
    "curl -H @DIR/fields.txt URL/",
    "curl -A 'agent/1 (x)' URL/",
    "curl -H 'User-Agent: me' URL/",
    "curl -e 'http://ref.test/;auto' URL/",
    "curl -u ann:s3cret URL/",
    "curl -u 'ann:pä ss:x' URL/",
    "curl http://bob:p%40ss@HOST/u",
    "curl --oauth2-bearer tok URL/",
    "curl -b 'a=1; b=2' URL/",
    "curl -b a=1 -b b=2 URL/",
    "curl -r 0-99 URL/",
    "curl --compressed URL/",
    "curl -0 URL/ten",
    "curl -H 'Connection: close' URL/",
    "curl -F a=1 -F 'b=two words' URL/m",
    "curl -F f=@DIR/note.txt URL/m",
    "curl -F 'f=@DIR/data.json;type=application/json' -F x=y URL/m",
    "curl -F f=@DIR/pic.png URL/m",
    "curl --form-string 'a=@b;c' URL/m",
    "curl -F 't=<DIR/note.txt' URL/m",
    "curl -F 'we\"ird=1;type=text/x' -F 'f=@DIR/note.txt;filename=o.txt' URL/m",
    "curl -T DIR/note.txt URL/up/",
    "curl -T DIR/note.txt -X POST URL/up/name",
    "curl 'URL/{a,b}/[1-2]'",
    "curl URL/1 URL/2 --next -d x URL/3",
    "curl -sSfLkv -o /dev/null -w '%{http_code}' --max-time 5 --connect-timeout 2 --retry 1 URL/",
    "curl -XPOST -HX-A:1 -da=b URL/",
    "curl --request-target '/o/../p?q' URL/x",
    "curl --resolve 'shop.test:PORT:127.0.0.1' http://shop.test:PORT/r \\\n  -H 'X-A: b' | cat > /dev/null",
];

/// The files that the command lines name.
fn files(folder: &Path) {
    let png = [0x89, b'P', b'N', b'G', 0, 1, 0xff, 0xfe, b'\r', b'\n'];
    for (name, content) in [
        ("lines.txt", &b"one=1\r\ntwo 2\n"[..]),
        ("note.txt", b"a note\n"),
        ("data.json", b"{\"a\":\r\n 1}\n"),
        ("fields.txt", b"X-One: 1\nX-Two: 2\n"),
        ("pic.png", &png),
    ] {
        std::fs::write(folder.join(name), content).unwrap();
    }
}

/// Requests that a server received, whole.
type Received = Arc<Mutex<Vec<Vec<u8>>>>;

/// A server that keeps what it receives and answers 200.
fn capture() -> (Peer, Received) {
    let received = Received::default();
    let kept = Arc::clone(&received);
    let peer = Peer::start(move |_, mut connection| {
        while let Some(request) = read_request(&mut connection) {
            kept.lock().unwrap().push(request);
            if connection.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").is_err() {
                break;
            }
        }
    });
    (peer, received)
}

fn read_request(connection: &mut TcpStream) -> Option<Vec<u8>> {
    let mut request = read_head(connection)?;
    let head = String::from_utf8_lossy(&request).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    if head.contains("expect: 100-continue") {
        connection.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").ok()?;
    }
    let mut body = vec![0; length.unwrap_or(0)];
    connection.read_exact(&mut body).ok()?;
    request.extend_from_slice(&body);
    Some(request)
}

/// A request without what may differ: the order of fields and the blanks around their values, the boundary of a form and with it
/// the length, the default user agents, `Expect`, with which curl asks before uploads, a length of zero, and the case of
/// percent-encoding.
fn compared(request: &[u8]) -> (String, Vec<String>, String) {
    let text: String = request.iter().map(|byte| char::from(*byte)).collect();
    let boundary =
        text.split("boundary=").nth(1).and_then(|rest| rest.split("\r\n").next()).map(str::to_owned);
    let text = boundary.map_or(text.clone(), |boundary| text.replace(&boundary, "BOUNDARY"));
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let mut lines = head.split("\r\n");
    let first = lines.next().unwrap_or_default().replace("%c3%bc", "%C3%BC");
    let field = |line: &str| {
        let (name, value) = line.split_once(':').expect("a field");
        let value = value.trim();
        let is_default = match name {
            "User-Agent" => value.starts_with("curl/") || value.starts_with("warwolf/"),
            "Expect" => true,
            "Content-Length" => body.is_empty(),
            _ => false,
        };
        let value = if name == "Content-Length" { body.len().to_string() } else { value.to_owned() };
        (!is_default).then(|| format!("{name}: {value}"))
    };
    let mut fields: Vec<String> = lines.filter_map(field).collect();
    fields.sort();
    (first, fields, body.to_owned())
}

#[test]
fn plans_of_curl_commands_send_what_curl_sends() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path());
    let (peer, received) = capture();
    let taken = || -> Vec<(String, Vec<String>, String)> {
        std::mem::take(&mut *received.lock().unwrap()).iter().map(|request| compared(request)).collect()
    };
    let host = peer.address().to_string();
    let mut differing = BTreeMap::new();
    for line in LINES {
        let line = line
            .replace("URL", &format!("http://{host}"))
            .replace("HOST", &host)
            .replace("PORT", &peer.address().port().to_string())
            .replace("DIR", folder.path().to_str().unwrap());
        let mut bash = Command::new("bash");
        let status = bash.arg("-c").arg(&line).stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(status.is_ok_and(|status| status.success()), "curl must be installed: {line}");
        let expected = taken();
        assert!(!expected.is_empty(), "{line}");
        let plan = path(folder.path(), "plan.toml");
        let told = Warwolf::new(&["import", &line, "-o", &plan]).told();
        if told.code != 0 {
            differing.insert(line, told.stderr);
            continue;
        }
        // One session, which runs each step once.
        let told = Warwolf::run(&["--plan", &plan, "-n", "1"]);
        let sent = taken();
        if sent != expected {
            differing.insert(line, format!("curl {expected:#?}\nwarwolf {sent:#?}\n{}", told.stderr));
        }
    }
    println!("{} of {} command lines send what curl sends", LINES.len() - differing.len(), LINES.len());
    assert!(
        differing.is_empty(),
        "{}",
        differing.iter().map(|(line, how)| format!("{line}\n{how}\n")).collect::<String>()
    );
}

#[test]
fn bad_input_is_one_line_and_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content, expected) in [
        (
            "a.txt",
            "hello",
            "the format is not known; give it with --from: curl, har, http, openapi, postman, vegeta",
        ),
        ("a.sh", "\n curl --nope http://a/", "line 2, column 7: curl has no option `--nope`"),
        ("a.har", "{\"log\": ", "line 1, column 8: invalid JSON"),
        ("a.yaml", "openapi: 3.0.0\n a: b: c", "line 2, column"),
        ("a.http", "GET http://a/\nno field", "line 2: `no field` is no header field"),
    ] {
        let file = path(folder.path(), name);
        std::fs::write(&file, content).unwrap();
        let told = Warwolf::new(&["import", &file]).told().exits(2);
        assert!(told.stderr.contains(expected) && told.stdout.is_empty(), "{told:#?}");
        assert_eq!(told.stderr.lines().count(), 1, "{told:#?}");
    }
    Warwolf::new(&["import", &path(folder.path(), "none.har")]).told().exits(2);
}
