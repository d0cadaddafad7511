//! The options of curl, and what each means for a plan.

/// An option that a plan can express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Agent,
    Basic,
    Bearer,
    CaCert,
    Cert,
    Ciphers,
    Compressed,
    ConnectTimeout,
    Cookie,
    CookieJar,
    Data,
    DataBinary,
    DataRaw,
    DataUrlencode,
    Digest,
    Fail,
    Form,
    FormString,
    Get,
    Globoff,
    Head,
    Header,
    Http10,
    Http11,
    Insecure,
    Interface,
    Ipv4,
    Ipv6,
    Json,
    Key,
    Location,
    MaxRedirs,
    MaxTime,
    Next,
    PathAsIs,
    Proxy,
    ProxyUser,
    Range,
    Referer,
    Request,
    RequestTarget,
    Resolve,
    TlsMax,
    Tls12,
    Tls13,
    UnixSocket,
    Upload,
    Url,
    UrlQuery,
    User,
    /// It changes nothing that a load test sends: the reason.
    Dropped(&'static str),
    /// The request would be another one without it: what to do instead.
    Refused(&'static str),
}

/// An option.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) long: &'static str,
    pub(super) short: Option<char>,
    /// Whether a value follows.
    pub(super) takes_value: bool,
    pub(super) meaning: Meaning,
}

const fn flag(long: &'static str, short: char, meaning: Meaning) -> Known {
    Known { long, short: if short == ' ' { None } else { Some(short) }, takes_value: false, meaning }
}

const fn with_value(long: &'static str, short: char, meaning: Meaning) -> Known {
    Known { takes_value: true, ..flag(long, short, meaning) }
}

const OUTPUT: Meaning = Meaning::Dropped("the report is the result of a load test");
const HTTP2: Meaning = Meaning::Dropped("requests are sent over HTTP/1.1");
const REPEATED: Meaning = Meaning::Dropped("a load test counts failures and does not repeat requests");
const RATE: Meaning = Meaning::Dropped("set the rate of the test in the plan");
const TCP: Meaning = Meaning::Dropped("the plan sets socket options: see `network`");
const FILES: Meaning = Meaning::Dropped("the file is not used by a load test");
const NAMES: Meaning =
    Meaning::Dropped("names are resolved by the system before the test; use `network.resolve`");
const CERTIFICATES: Meaning =
    Meaning::Dropped("certificates are checked against the system's roots or a PEM file");
const AUTH: Meaning =
    Meaning::Refused("only Basic, Digest and bearer tokens are supported; use a header field");
const SOCKS: Meaning = Meaning::Refused("SOCKS proxies are not supported; use an HTTP proxy (`-x http://…`)");
const STATE: Meaning = Meaning::Refused("it depends on earlier runs; write the header field with -H");

/// The options that are known, by name.
pub(super) const OPTIONS: &[Known] = &[
    with_value("request", 'X', Meaning::Request),
    with_value("header", 'H', Meaning::Header),
    with_value("data", 'd', Meaning::Data),
    with_value("data-ascii", ' ', Meaning::Data),
    with_value("data-raw", ' ', Meaning::DataRaw),
    with_value("data-binary", ' ', Meaning::DataBinary),
    with_value("data-urlencode", ' ', Meaning::DataUrlencode),
    with_value("json", ' ', Meaning::Json),
    with_value("form", 'F', Meaning::Form),
    with_value("form-string", ' ', Meaning::FormString),
    with_value("user", 'u', Meaning::User),
    with_value("oauth2-bearer", ' ', Meaning::Bearer),
    flag("basic", ' ', Meaning::Basic),
    flag("digest", ' ', Meaning::Digest),
    with_value("cookie", 'b', Meaning::Cookie),
    with_value("cookie-jar", 'c', Meaning::CookieJar),
    with_value("user-agent", 'A', Meaning::Agent),
    with_value("referer", 'e', Meaning::Referer),
    with_value("range", 'r', Meaning::Range),
    flag("get", 'G', Meaning::Get),
    flag("head", 'I', Meaning::Head),
    flag("insecure", 'k', Meaning::Insecure),
    flag("location", 'L', Meaning::Location),
    flag("location-trusted", ' ', Meaning::Location),
    with_value("max-redirs", ' ', Meaning::MaxRedirs),
    flag("compressed", ' ', Meaning::Compressed),
    flag("fail", 'f', Meaning::Fail),
    flag("fail-with-body", ' ', Meaning::Fail),
    with_value("resolve", ' ', Meaning::Resolve),
    with_value("connect-timeout", ' ', Meaning::ConnectTimeout),
    with_value("max-time", 'm', Meaning::MaxTime),
    flag("http1.0", '0', Meaning::Http10),
    flag("http1.1", ' ', Meaning::Http11),
    with_value("proxy", 'x', Meaning::Proxy),
    with_value("proxy-user", 'U', Meaning::ProxyUser),
    with_value("cacert", ' ', Meaning::CaCert),
    with_value("capath", ' ', Meaning::CaCert),
    with_value("cert", 'E', Meaning::Cert),
    with_value("key", ' ', Meaning::Key),
    with_value("ciphers", ' ', Meaning::Ciphers),
    with_value("tls-max", ' ', Meaning::TlsMax),
    flag("tlsv1.2", ' ', Meaning::Tls12),
    flag("tlsv1.3", ' ', Meaning::Tls13),
    with_value("upload-file", 'T', Meaning::Upload),
    with_value("url", ' ', Meaning::Url),
    with_value("url-query", ' ', Meaning::UrlQuery),
    with_value("request-target", ' ', Meaning::RequestTarget),
    flag("path-as-is", ' ', Meaning::PathAsIs),
    flag("globoff", 'g', Meaning::Globoff),
    flag("next", ':', Meaning::Next),
    with_value("unix-socket", ' ', Meaning::UnixSocket),
    with_value("interface", ' ', Meaning::Interface),
    flag("ipv4", '4', Meaning::Ipv4),
    flag("ipv6", '6', Meaning::Ipv6),
    // Output.
    flag("silent", 's', OUTPUT),
    flag("show-error", 'S', OUTPUT),
    flag("verbose", 'v', OUTPUT),
    flag("include", 'i', OUTPUT),
    with_value("output", 'o', OUTPUT),
    with_value("output-dir", ' ', OUTPUT),
    flag("remote-name", 'O', OUTPUT),
    flag("remote-name-all", ' ', OUTPUT),
    flag("remote-header-name", 'J', OUTPUT),
    flag("remote-time", 'R', OUTPUT),
    flag("remove-on-error", ' ', OUTPUT),
    flag("create-dirs", ' ', OUTPUT),
    flag("clobber", ' ', OUTPUT),
    with_value("write-out", 'w', OUTPUT),
    with_value("dump-header", 'D', OUTPUT),
    with_value("trace", ' ', OUTPUT),
    with_value("trace-ascii", ' ', OUTPUT),
    flag("trace-time", ' ', OUTPUT),
    with_value("stderr", ' ', OUTPUT),
    with_value("libcurl", ' ', OUTPUT),
    flag("progress-bar", '#', OUTPUT),
    flag("progress-meter", ' ', OUTPUT),
    flag("buffer", 'N', OUTPUT),
    flag("styled-output", ' ', OUTPUT),
    flag("suppress-connect-headers", ' ', OUTPUT),
    flag("xattr", ' ', OUTPUT),
    flag("raw", ' ', OUTPUT),
    with_value("max-filesize", ' ', OUTPUT),
    flag("fail-early", ' ', OUTPUT),
    // Versions.
    flag("http2", ' ', HTTP2),
    flag("http2-prior-knowledge", ' ', HTTP2),
    flag("http3", ' ', HTTP2),
    flag("http3-only", ' ', HTTP2),
    flag("alpn", ' ', HTTP2),
    flag("npn", ' ', HTTP2),
    flag("http0.9", ' ', Meaning::Dropped("replies without a head are failures")),
    // Pace and repetition.
    with_value("retry", ' ', REPEATED),
    flag("retry-all-errors", ' ', REPEATED),
    flag("retry-connrefused", ' ', REPEATED),
    with_value("retry-delay", ' ', REPEATED),
    with_value("retry-max-time", ' ', REPEATED),
    flag("parallel", 'Z', RATE),
    flag("parallel-immediate", ' ', RATE),
    with_value("parallel-max", ' ', RATE),
    with_value("rate", ' ', RATE),
    with_value("limit-rate", ' ', Meaning::Dropped("`network.receive_rate` limits the rate of a connection")),
    with_value("speed-limit", 'Y', Meaning::Dropped("`timeouts` limit the time of a request")),
    with_value("speed-time", 'y', Meaning::Dropped("`timeouts` limit the time of a request")),
    with_value("expect100-timeout", ' ', Meaning::Dropped("bodies are sent without waiting for 100")),
    with_value("happy-eyeballs-timeout-ms", ' ', NAMES),
    // Sockets and names.
    flag("tcp-nodelay", ' ', TCP),
    flag("tcp-fastopen", ' ', TCP),
    flag("keepalive", ' ', TCP),
    with_value("keepalive-time", ' ', TCP),
    with_value("local-port", ' ', TCP),
    with_value("dns-interface", ' ', NAMES),
    with_value("dns-ipv4-addr", ' ', NAMES),
    with_value("dns-ipv6-addr", ' ', NAMES),
    with_value("dns-servers", ' ', NAMES),
    with_value("doh-url", ' ', NAMES),
    flag("doh-insecure", ' ', NAMES),
    with_value("noproxy", ' ', Meaning::Dropped("`network.proxy` applies to all requests")),
    with_value("proto", ' ', Meaning::Dropped("only http and https are imported")),
    with_value("proto-default", ' ', Meaning::Dropped("only http and https are imported")),
    with_value("proto-redir", ' ', Meaning::Dropped("only http and https are followed")),
    with_value("alt-svc", ' ', FILES),
    with_value("hsts", ' ', FILES),
    with_value("etag-save", ' ', FILES),
    flag("junk-session-cookies", 'j', Meaning::Dropped("sessions begin without cookies")),
    flag("post301", ' ', Meaning::Dropped("301 and 302 after a POST are followed with GET")),
    flag("post302", ' ', Meaning::Dropped("301 and 302 after a POST are followed with GET")),
    flag("post303", ' ', Meaning::Dropped("303 is followed with GET")),
    flag("disable", 'q', Meaning::Dropped("the configuration of curl is not read")),
    flag("disallow-username-in-url", ' ', Meaning::Dropped("it changes no request")),
    flag("ignore-content-length", ' ', Meaning::Dropped("replies end where the protocol has it")),
    // Certificates.
    with_value("cert-type", ' ', CERTIFICATES),
    with_value("key-type", ' ', CERTIFICATES),
    flag("cert-status", ' ', CERTIFICATES),
    with_value("crlfile", ' ', CERTIFICATES),
    with_value("curves", ' ', CERTIFICATES),
    with_value("engine", ' ', CERTIFICATES),
    flag("false-start", ' ', CERTIFICATES),
    with_value("pinnedpubkey", ' ', CERTIFICATES),
    flag("sessionid", ' ', Meaning::Dropped("`tls.resumption` sets whether TLS sessions are resumed")),
    with_value("tls13-ciphers", ' ', CERTIFICATES),
    flag("tlsv1", '1', Meaning::Dropped("TLS 1.2 and 1.3 are offered")),
    flag("tlsv1.0", ' ', Meaning::Dropped("TLS 1.2 and 1.3 are offered")),
    flag("tlsv1.1", ' ', Meaning::Dropped("TLS 1.2 and 1.3 are offered")),
    flag("ssl", ' ', CERTIFICATES),
    flag("ssl-reqd", ' ', CERTIFICATES),
    flag("ssl-no-revoke", ' ', CERTIFICATES),
    flag("ssl-revoke-best-effort", ' ', CERTIFICATES),
    flag("ssl-allow-beast", ' ', CERTIFICATES),
    flag("proxy-insecure", ' ', CERTIFICATES),
    flag("proxy-basic", ' ', Meaning::Dropped("Basic is what proxies are sent")),
    flag("proxytunnel", 'p', Meaning::Dropped("only https requests go through a tunnel")),
    // What would change the request and cannot be expressed.
    with_value("pass", ' ', Meaning::Refused("keys with a pass phrase are not supported; decrypt the key")),
    with_value("config", 'K', Meaning::Refused("options in files are not read; write them here")),
    flag("netrc", 'n', Meaning::Refused("`.netrc` is not read; use -u")),
    with_value("netrc-file", ' ', Meaning::Refused("`.netrc` is not read; use -u")),
    flag("netrc-optional", ' ', Meaning::Refused("`.netrc` is not read; use -u")),
    flag("anyauth", ' ', AUTH),
    flag("ntlm", ' ', AUTH),
    flag("ntlm-wb", ' ', AUTH),
    flag("negotiate", ' ', AUTH),
    with_value("aws-sigv4", ' ', Meaning::Refused("signatures that depend on the time are not supported")),
    flag("proxy-anyauth", ' ', AUTH),
    flag("proxy-digest", ' ', AUTH),
    flag("proxy-ntlm", ' ', AUTH),
    flag("proxy-negotiate", ' ', AUTH),
    with_value("proxy-header", ' ', Meaning::Refused("header fields for proxies are not supported")),
    with_value("proxy1.0", ' ', Meaning::Refused("use an HTTP/1.1 proxy (`-x http://…`)")),
    with_value("preproxy", ' ', SOCKS),
    with_value("socks4", ' ', SOCKS),
    with_value("socks4a", ' ', SOCKS),
    with_value("socks5", ' ', SOCKS),
    with_value("socks5-hostname", ' ', SOCKS),
    with_value("abstract-unix-socket", ' ', Meaning::Refused("use --unix-socket with a path")),
    with_value("connect-to", ' ', Meaning::Refused("use --resolve HOST:PORT:ADDRESS")),
    with_value("continue-at", 'C', Meaning::Refused("use -r FIRST-")),
    with_value("time-cond", 'z', STATE),
    with_value("etag-compare", ' ', STATE),
    flag("crlf", ' ', Meaning::Refused("convert the lines of the file instead")),
    flag("append", 'a', Meaning::Refused("it is for FTP and SFTP; only HTTP is imported")),
    flag("use-ascii", 'B', Meaning::Refused("it is for FTP; only HTTP is imported")),
    flag("list-only", 'l', Meaning::Refused("it is for FTP; only HTTP is imported")),
    with_value("quote", 'Q', Meaning::Refused("it is for FTP; only HTTP is imported")),
    with_value("ftp-port", 'P', Meaning::Refused("it is for FTP; only HTTP is imported")),
    with_value("telnet-option", 't', Meaning::Refused("it is for Telnet; only HTTP is imported")),
    with_value("mail-from", ' ', Meaning::Refused("it is for mail; only HTTP is imported")),
    with_value("mail-rcpt", ' ', Meaning::Refused("it is for mail; only HTTP is imported")),
    flag("haproxy-protocol", ' ', Meaning::Refused("the PROXY protocol is not supported")),
    flag("tr-encoding", ' ', Meaning::Refused("transfer encodings but `chunked` are not supported")),
    flag("form-escape", ' ', Meaning::Refused("names of parts are percent-encoded; leave it out")),
    with_value("variable", ' ', Meaning::Refused("write the value in its place")),
    flag("help", 'h', Meaning::Refused("it sends no request")),
    flag("manual", 'M', Meaning::Refused("it sends no request")),
    flag("version", 'V', Meaning::Refused("it sends no request")),
];

/// The option of this long name. A prefix that fits one option only means that option, as in curl.
pub(super) fn long(name: &str) -> Option<(Known, bool)> {
    let exact = |name: &str| OPTIONS.iter().find(|known| known.long == name).copied();
    if let Some(known) = exact(name) {
        return Some((known, true));
    }
    let negated = name.strip_prefix("no-").and_then(exact).filter(|known| !known.takes_value);
    if let Some(known) = negated {
        return Some((known, false));
    }
    let mut likely = OPTIONS.iter().filter(|known| known.long.starts_with(name));
    match (likely.next(), likely.next()) {
        (Some(known), None) => Some((*known, true)),
        _ => None,
    }
}

/// The option of this letter.
pub(super) fn short(letter: char) -> Option<Known> {
    OPTIONS.iter().find(|known| known.short == Some(letter)).copied()
}
