//! What it costs to look at a reply. `cargo bench -p warwolf-scan`.

use divan::Bencher;
use divan::counter::BytesCount;
use std::time::Duration;
use warwolf_plan::query::{Capture, Check};
use warwolf_plan::template::Template;
use warwolf_scan::{End, Scanner, Values};

fn main() {
    divan::main();
}

struct Nothing;

impl Values for Nothing {
    fn write(&self, _: &Template, _: &mut Vec<u8>) -> bool {
        false
    }

    fn variable(&self, _: &str, _: &mut Vec<u8>) -> bool {
        false
    }
}

fn scanner(captures: &[&str], checks: &[&str]) -> Scanner {
    let captures: Vec<Capture> =
        captures.iter().map(|text| Capture::parse("capture", "c", text).expect("a capture")).collect();
    let checks: Vec<Check> =
        checks.iter().map(|text| Check::parse("check", text).expect("a check")).collect();
    Scanner::new(&captures, &checks).expect("a scanner")
}

fn bench(bencher: Bencher<'_, '_>, scanner: &Scanner, body: &[u8]) {
    let mut scan = scanner.scan();
    bencher.counter(BytesCount::of_slice(body)).bench_local(|| {
        scan.begin(scanner, &Nothing);
        scan.head(
            scanner,
            200,
            "HTTP/1.1",
            &mut [(&b"content-type"[..], &b"application/json"[..])].into_iter(),
        );
        body.chunks(16 * 1024).for_each(|piece| scan.body(scanner, piece));
        let end = End { latency: Duration::ZERO, url: "", body_bytes: body.len() as u64 };
        scan.end(scanner, &end, &Nothing);
    });
}

/// A list of objects as APIs send them.
fn items() -> Vec<u8> {
    let item = |number: usize| {
        format!(
            "{{\"id\":{number},\"name\":\"Item number {number}\",\"description\":\"A text of some length, as shops have it.\",\
             \"price\":{number}.99,\"tags\":[\"red\",\"large\"],\"stock\":{{\"here\":true,\"there\":null}}}}"
        )
    };
    let items: Vec<String> = (0..10_000).map(item).collect();
    format!("{{\"items\":[{}],\"next\":\"token\"}}", items.join(",")).into_bytes()
}

const SMALL: &[u8] =
    b"{\"token\":\"0123456789abcdef\",\"expires\":3600,\"user\":{\"id\":7,\"name\":\"Ann\"},\"ok\":true}";

#[divan::bench]
fn json_skipped(bencher: Bencher<'_, '_>) {
    bench(bencher, &scanner(&["json $.next"], &[]), &items());
}

#[divan::bench]
fn json_items(bencher: Bencher<'_, '_>) {
    bench(bencher, &scanner(&["json $.items[*].id | last"], &[]), &items());
}

#[divan::bench]
fn json_small(bencher: Bencher<'_, '_>) {
    bench(bencher, &scanner(&["json $.token"], &["status == 200", "json $.ok == true"]), SMALL);
}

#[divan::bench]
fn text_found(bencher: Bencher<'_, '_>) {
    bench(bencher, &scanner(&[], &["body contains \"not there\""]), &items());
}

#[divan::bench]
fn regex_matched(bencher: Bencher<'_, '_>) {
    bench(bencher, &scanner(&[], &["body matches \"not \\d+ there\""]), &items());
}

#[divan::bench]
fn sha256(bencher: Bencher<'_, '_>) {
    bench(bencher, &scanner(&["sha256"], &[]), &items());
}
