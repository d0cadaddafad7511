//! Captures and checks over bodies of any bytes.

use std::time::Duration;
use warwolf_plan::query::{Capture, Check};
use warwolf_plan::template::Template;
use warwolf_scan::{End, Found, Scan, Scanner, Values};

/// Every value is `7`.
struct Seven;

impl Values for Seven {
    fn write(&self, _: &Template, out: &mut Vec<u8>) -> bool {
        out.push(b'7');
        true
    }

    fn variable(&self, _: &str, out: &mut Vec<u8>) -> bool {
        out.push(b'7');
        true
    }
}

/// Captures and checks, one a line, an empty line, and a body: how the body is cut changes nothing, nothing that is found is
/// longer than allowed, and a path finds the same in a document that streams and in one that is kept.
pub fn scan(bytes: &[u8]) {
    let end = bytes.windows(2).position(|pair| pair == b"\n\n");
    let (head, body) = end.map_or((bytes, &[][..]), |end| (&bytes[..end], &bytes[end + 2..]));
    let head = String::from_utf8_lossy(head);
    let mut captures = Vec::new();
    let mut checks = Vec::new();
    let mut pairs = Vec::new();
    for line in head.lines().take(8) {
        if let Ok(capture) = Capture::parse("capture", "c", line) {
            captures.push(capture);
            // The same by a filter is not evaluated while the body streams.
            let kept = format!("body | utf8_encode | utf8_decode | {line}");
            if let (true, Ok(kept)) = (line.starts_with("json "), Capture::parse("capture", "c", &kept)) {
                pairs.push(captures.len());
                captures.push(kept);
            }
        } else if let Ok(check) = Check::parse("check", line) {
            checks.push(check);
        }
    }
    let Ok(scanner) = Scanner::new(&captures, &checks) else { return };
    let mut scan = scanner.scan();
    run(&scanner, &mut scan, body, body.len().max(1));
    let whole = results(&scan, captures.len(), checks.len());
    for kept in pairs {
        let [one, other] = [&whole[kept - 1], &whole[kept]];
        let are_values = one.starts_with("Value") && other.starts_with("Value");
        assert!(!are_values || one == other, "{:?}: {one}, kept {other}", captures[kept - 1]);
    }
    for size in [1, 3, 64] {
        run(&scanner, &mut scan, body, size);
        assert_eq!(results(&scan, captures.len(), checks.len()), whole, "in pieces of {size} bytes");
    }
}

fn run(scanner: &Scanner, scan: &mut Scan, body: &[u8], size: usize) {
    scan.begin(scanner, &Seven);
    let coding: &[u8] = match body {
        [0x1F, 0x8B, ..] => b"gzip",
        [0x78, ..] => b"deflate",
        _ => b"identity",
    };
    let fields = [
        (&b"content-encoding"[..], coding),
        (b"vary", b"a"),
        (b"vary", b"b"),
        (b"set-cookie", b"a=1; Path=/"),
    ];
    scan.head(scanner, 200, "HTTP/1.1", &mut fields.into_iter());
    body.chunks(size).for_each(|piece| scan.body(scanner, piece));
    let end =
        End { latency: Duration::from_millis(1), url: "http://a.test/?a=b", body_bytes: body.len() as u64 };
    scan.end(scanner, &end, &Seven);
}

fn results(scan: &Scan, captures: usize, checks: usize) -> Vec<String> {
    let captured = (0..captures).map(|index| {
        let found = scan.capture(index);
        if let Found::Value(value) = found {
            assert!(value.len() <= Capture::MAX as usize, "{} bytes", value.len());
        }
        format!("{found:?}")
    });
    let checked = (0..checks).map(|index| {
        let found = scan.found(index);
        assert!(found.len() <= 128, "{found}");
        format!("{} {found}", scan.holds(index))
    });
    captured.chain(checked).collect()
}
