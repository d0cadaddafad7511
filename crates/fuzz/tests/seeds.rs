//! Every seed of every fuzz target is replayed: a change that breaks one fails here, long before anybody fuzzes.
#![forbid(unsafe_code)]

use std::path::Path;

/// Calls `check` with each seed in the folder of this name.
fn replay(name: &str, check: impl Fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut seeds: Vec<_> = entries.map(|entry| entry.expect("an entry of a folder").path()).collect();
    seeds.sort();
    assert!(!seeds.is_empty(), "{name} has no seed");
    for seed in seeds {
        println!("{}", seed.display());
        check(&std::fs::read(&seed).expect("a seed is a file"));
    }
}

macro_rules! targets {
    ($($name:ident),*) => {
        $(#[test]
        fn $name() {
            replay(stringify!($name), warwolf_fuzz::$name);
        })*

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

targets!(ftp, h1_api, h1_body, h1_head, log, plan, reply, run_file);
