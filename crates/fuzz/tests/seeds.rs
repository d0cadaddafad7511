//! Every seed of every fuzz target is replayed: a change that breaks one fails here, long before anybody fuzzes.
#![forbid(unsafe_code)]

use std::path::Path;

/// Mutated inputs of each target in every test run, and in `cargo xtask nightly`.
const MUTATIONS: u64 = 2_000;
const MUTATIONS_AT_NIGHT: u64 = 1_000_000;

/// Calls `check` with each seed in the folder of this name.
fn replay(name: &str, check: impl Fn(&[u8])) {
    for (seed, bytes) in seeds(name) {
        println!("{seed}");
        check(&bytes);
    }
}

/// Calls `check` with `count` inputs made of the seeds in the folder of this name, the same ones in every run.
fn mutate(name: &str, count: u64, check: impl Fn(&[u8])) {
    let seeds = seeds(name);
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for number in 0..count {
        let mut bytes = seeds[numbers.below(seeds.len())].1.clone();
        for _ in 0..=numbers.below(4) {
            numbers.change(&mut bytes, &seeds);
        }
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&bytes)));
        assert!(result.is_ok(), "{name}, input {number}: {:?}", String::from_utf8_lossy(&bytes));
    }
}

/// A xorshift generator (Marsaglia 2003): mutations need no better one.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// Makes one change: of a byte, or of a piece that is left out, doubled, or taken from another seed.
    fn change(&mut self, bytes: &mut Vec<u8>, seeds: &[(String, Vec<u8>)]) {
        const TOKENS: [&[u8]; 12] = [
            b"\0",
            b"\r\n",
            b"\n",
            b"$(A)",
            b"-1",
            b"99999999999999999999",
            b"=",
            b"\"",
            b"\\",
            b"\xff",
            b" ",
            b"://",
        ];
        let at = self.below(bytes.len() + 1);
        let end = at + self.below((bytes.len() - at).min(64) + 1);
        match self.below(6) {
            0 => bytes.extend_from_slice(TOKENS[self.below(TOKENS.len())]),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            3 => {
                let other = &seeds[self.below(seeds.len())].1;
                let from = self.below(other.len() + 1);
                let piece = other[from..(from + 64).min(other.len())].to_vec();
                bytes.splice(at..end, piece);
            }
            4 => {
                bytes.splice(at..at, TOKENS[self.below(TOKENS.len())].iter().copied());
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = self.next() as u8;
                }
            }
        }
    }
}

/// The seeds in the folder of this name, with their paths.
fn seeds(name: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut seeds: Vec<_> = entries.map(|entry| entry.expect("an entry of a folder").path()).collect();
    seeds.sort();
    assert!(!seeds.is_empty(), "{name} has no seed");
    let read = |seed: &std::path::PathBuf| std::fs::read(seed).expect("a seed is a file");
    seeds.iter().map(|seed| (seed.display().to_string(), read(seed))).collect()
}

macro_rules! targets {
    ($($name:ident),*) => {
        $(#[test]
        fn $name() {
            replay(stringify!($name), warwolf_fuzz::$name);
        })*

        mod mutated {
            $(#[test]
            fn $name() {
                super::mutate(stringify!($name), super::MUTATIONS, warwolf_fuzz::$name);
            })*
        }

        mod mutated_for_long {
            $(#[test]
            #[ignore = "takes minutes"]
            fn $name() {
                super::mutate(stringify!($name), super::MUTATIONS_AT_NIGHT, warwolf_fuzz::$name);
            })*
        }

        #[test]
        fn every_target_is_replayed() {
            let targets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/targets");
            let mut names: Vec<_> = std::fs::read_dir(targets)
                .expect("the folder of targets")
                .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_string_lossy().into_owned()))
                .collect();
            names.sort();
            let mut replayed = vec![$(stringify!($name).to_owned()),*];
            replayed.sort();
            assert_eq!(replayed, names);
        }
    };
}

targets!(
    ftp,
    h1_api,
    h1_body,
    h1_head,
    http_load,
    httperf,
    hurl,
    import_curl,
    import_har,
    import_http,
    import_openapi,
    import_postman,
    import_vegeta,
    log,
    plan,
    reply,
    run_file,
    scan,
    siege
);
