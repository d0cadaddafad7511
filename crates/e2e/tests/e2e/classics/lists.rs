//! Long lists of URLs: a URL must not cost much more than its text.

use std::path::Path;
use std::time::Duration;
use warwolf_e2e::{Warwolf, target};
use warwolf_target::{Handle, Options};

const URLS: usize = 50_000;

/// The most memory that the program takes with `words`, in bytes.
fn peak(words: &[&str]) -> u64 {
    let running = Warwolf::new(words).start();
    let status = format!("/proc/{}/status", running.id());
    let mut peak = 0;
    // A process that has ended has no such line.
    while let Some(kilobytes) = std::fs::read_to_string(&status).ok().and_then(|text| high_water(&text)) {
        peak = kilobytes * 1_024;
        std::thread::sleep(Duration::from_millis(2));
    }
    running.told().exits(0);
    peak
}

fn high_water(status: &str) -> Option<u64> {
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// A list of `count` URLs for each program, with different folders and names.
fn list(folder: &Path, server: &Handle, count: usize, is_nul_separated: bool) -> String {
    let path = folder.join(format!("{count}-{is_nul_separated}"));
    let page = |number: usize| format!("/dir{}/page{number}.html", number % 100);
    let text: String = match is_nul_separated {
        true => (0..count).map(|number| format!("{}\0", page(number))).collect(),
        false => (0..count).map(|number| format!("{}\n", target::url(server, &page(number)))).collect(),
    };
    std::fs::write(&path, text).expect("a new file");
    path.to_str().expect("a plain path").to_owned()
}

#[test]
fn a_url_of_a_long_list_costs_little_more_than_its_text() {
    let server = target::start(Options::default());
    let folder = tempfile::tempdir().expect("a new folder");
    let port = server.addr().port().to_string();
    // Bytes a URL at the most. The originals take 840, 300 and 80.
    let rows: [(&str, u64, bool); 4] = [
        ("siege -b -q -c 2 -r 5 -f LIST", 900, false),
        ("http_load -p 2 -f 10 LIST", 450, false),
        ("httperf --server 127.0.0.1 --port PORT --wlog=y,LIST --num-conns 10", 220, true),
        ("run --quiet -c 2 -n 10 --urls LIST", 2_200, false),
    ];
    for (words, most, is_nul_separated) in rows {
        let [short, long] = [1, URLS].map(|count| {
            let list = list(folder.path(), &server, count, is_nul_separated);
            let words: Vec<String> =
                words.split(' ').map(|word| word.replace("LIST", &list).replace("PORT", &port)).collect();
            peak(&words.iter().map(String::as_str).collect::<Vec<_>>())
        });
        let each = long.saturating_sub(short) / URLS as u64;
        println!("{words}: {each} bytes a URL");
        assert!(each <= most, "{words}: {each} bytes a URL");
    }
}
