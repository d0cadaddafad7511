//! The captured runs, and the files and variables they had.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use warwolf_compat::siege::World;

/// Directives of the shipped 4.0.7 rc file, and how the rc files of the captures differ from it.
const SHIPPED: &str = "verbose = true\ncolor = on\nquiet = false\njson_output = true\nshow-logfile = true\n\
    logging = false\ngmethod = HEAD\nparser = true\nnofollow = ad.doubleclick.net\n\
    nofollow = pagead2.googlesyndication.com\nnofollow = ads.pubsqrd.com\nnofollow = ib.adnxs.com\nlimit = 255\n\
    protocol = HTTP/1.1\nchunked = true\ncache = false\nconnection = close\nconcurrent = 25\ndelay = 0.0\n\
    internet = false\nbenchmark = false\naccept-encoding = gzip, deflate\nurl-escaping = true\nunique = true\n";
const CLASSIC: &str = "color = off\njson_output = false\n";
const PLAIN: &str = "verbose = false\ncolor = off\njson_output = false\nparser = false\n";
const RC_FILES: [(&str, &str, &str); 28] = [
    ("classic", CLASSIC, ""),
    ("c17", CLASSIC, ""),
    ("quietish", CLASSIC, "verbose = false\n"),
    ("plain", PLAIN, ""),
    ("plainid", PLAIN, "display-id = true\n"),
    ("color", "json_output = false\n", ""),
    ("timeout2", PLAIN, "timeout = 2\n"),
    ("fail5", PLAIN, "failures = 5\n"),
    ("ka", PLAIN, "connection = keep-alive\n"),
    ("cache", PLAIN, "cache = true\n"),
    ("cachep", CLASSIC, "cache = true\n"),
    ("csv", CLASSIC, "csv = true\n"),
    ("csvid", CLASSIC, "csv = true\ndisplay-id = true\n"),
    ("id", CLASSIC, "display-id = true\n"),
    ("ts", CLASSIC, "timestamp = true\n"),
    ("full", CLASSIC, "fullurl = true\n"),
    ("auth", PLAIN, "login = jeff:secret:Admin\n"),
    (
        "login",
        PLAIN,
        "login-url = http://127.0.0.1:18090/login?u=1 POST name=jeff&pass=foo\n\
         login-url = http://127.0.0.1:18090/login?u=2\n",
    ),
    ("proxy", PLAIN, "proxy-host = 127.0.0.1\nproxy-port = 18090\n"),
    ("h10", PLAIN, "protocol = HTTP/1.0\n"),
    ("gmget", CLASSIC, "gmethod = GET\n"),
    ("zero", PLAIN, "zero-data-ok = false\n"),
    ("noesc", PLAIN, "url-escaping = false\n"),
    ("nochunk", PLAIN, "chunked = false\n"),
    ("misc", PLAIN, "header = X-Rc: 1\nattempts = 2\nexpire-session = true\nreps = 2\nconcurrent=1\n"),
    (
        "var",
        PLAIN,
        "VAR = 7\ntimeout = $(VAR)\nlogfile = ${HOME}/x.log\nuser-agent = $(VAR)-agent\ntime = 3\n",
    ),
    ("logq", PLAIN, "show-logfile = false\nlogfile = $WORK/run/q.log\nlogging = true\n"),
    ("urlrc", PLAIN, "url = http://127.0.0.1:18080/small.txt\n"),
];

/// One captured run.
pub(crate) struct Capture {
    pub(crate) name: String,
    pub(crate) argv: Vec<String>,
    pub(crate) code: u8,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    rc: Option<String>,
}

/// The text of a capture's file.
pub(crate) fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/siege").join(file);
    let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Every captured run whose files are there.
pub(crate) fn all() -> Vec<Capture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/siege");
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".cmd.txt").map(str::to_owned))
        .collect();
    names.sort();
    names.iter().map(|name| Capture::read(name)).collect()
}

impl Capture {
    pub(crate) fn read(name: &str) -> Self {
        let command = text(&format!("{name}.cmd.txt"));
        let code = command.split_once("exit=").map_or(0, |(_, rest)| rest.trim().parse().unwrap_or(0));
        let rc_line = command.lines().find_map(|line| line.strip_prefix("rc="));
        let in_line =
            command.split_once("SIEGERC=").map(|(_, rest)| rest.split(' ').next().unwrap_or_default());
        let rc = rc_line.or(in_line).filter(|rc| *rc != "-").map(str::to_owned);
        let line = command.lines().find_map(|line| line.strip_prefix("$ ").or(in_line.and(Some(line))));
        let line = line.unwrap_or_else(|| panic!("{name}: no command"));
        let line =
            line.split_once("siege ").map_or("", |(_, rest)| rest).split(" ; ").next().unwrap_or_default();
        let mut argv = vec!["siege".to_owned()];
        argv.extend(words(line));
        let stream = |stream: &str| text(&format!("{name}.{stream}.txt"));
        Self { name: name.to_owned(), argv, code, stdout: stream("stdout"), stderr: stream("stderr"), rc }
    }

    /// The command line with our words for "as it was": its version, its defects included.
    pub(crate) fn argv_of_old(&self) -> Vec<String> {
        let version = if self.name.contains("v417") { "4.1.7" } else { "4.0.7" };
        let mut argv = self.argv.clone();
        argv.splice(1..1, ["--quirks".to_owned(), "--as".to_owned(), version.to_owned()]);
        argv
    }

    pub(crate) fn world(&self) -> Captured {
        let mut world = Captured::default();
        let home = if self.name.contains("v417") { "$WORK/run/home17" } else { "$WORK/run/home" };
        world.variables.insert("HOME".to_owned(), home.to_owned());
        world.variables.insert("WORK".to_owned(), "$WORK".to_owned());
        if let Some(rc) = &self.rc {
            world.variables.insert("SIEGERC".to_owned(), rc.clone());
        }
        world
    }
}

/// Words of a shell's line in which everything special has a backslash before it.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => words.last_mut().unwrap().extend(letters.next()),
            ' ' => words.push(String::new()),
            letter => words.last_mut().unwrap().push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What the captured runs could read.
#[derive(Default)]
pub(crate) struct Captured {
    variables: HashMap<String, String>,
}

impl World for Captured {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let missing = || io::Error::other("No such file or directory");
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let in_nowhere = path.starts_with("/nonexistent") || path.starts_with("/etc");
        if in_nowhere {
            return Err(missing());
        }
        let list =
            |paths: &[&str]| paths.iter().map(|path| format!("http://127.0.0.1:18090{path}\n")).collect();
        let content: String = match name {
            "siege.conf" => SHIPPED.to_owned(),
            "empty.conf" | "empty.txt" => String::new(),
            "u1.txt" => text("100-urls.txt"),
            "u4.txt" => list(&["/a", "/b", "/c", "/d"]),
            "mix.txt" => list(&["/sleep0.05", "/r302", "/e404", "/e500", "/small.txt", "/close"]),
            "long.txt" => format!("http://127.0.0.1:18090/{}\n", "x".repeat(40_000)),
            "ujson.txt" => concat!(
                "http://127.0.0.1:18090/j POST {\"user\": \"jojo\", \"s\": \"a big apple\"}\n",
                "http://127.0.0.1:18090/j POST {\"user\": \"weehaa\", \"s\": \"costs $10 per mile\"}\n",
                "http://127.0.0.1:18090/j post x=1\n",
                "http://127.0.0.1:18090/a b/c d\n"
            )
            .to_owned(),
            "data.txt" => "\nx=1&y=2\n".to_owned(),
            "data.json" => "{\"a\":1}\n".to_owned(),
            other => RC_FILES
                .iter()
                .find(|(name, _, _)| other.strip_suffix(".conf") == Some(name))
                .map(|(_, base, more)| [SHIPPED, base, more].concat())
                .ok_or_else(missing)?,
        };
        Ok(content.into_bytes())
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn seconds(&self) -> u64 {
        // 2026-11-21.
        1_795_225_438
    }
}

/// The path of a request's body, as the request's test reads it.
pub(crate) fn body(path: &Path) -> Vec<u8> {
    Captured::default().read(&PathBuf::from(path)).unwrap()
}
