//! What must hold for the files that people write for the classics.

use std::io;
use std::path::Path;
use warwolf_compat::siege::World;
use warwolf_compat::{http_load as classic_http_load, httperf as classic_httperf, siege as classic_siege};
use warwolf_plan::{CheckedPlan, Plan};

/// The files of siege: an rc file up to the first zero byte, and a list of URLs behind it.
struct Files<'a> {
    rc: &'a [u8],
    list: &'a [u8],
}

impl World for Files<'_> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match path.to_str() {
            Some("rc") => Ok(self.rc.to_vec()),
            Some("list") => Ok(self.list.to_vec()),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn variable(&self, name: &str) -> Option<String> {
        (name == "HOME").then(|| "/home/jeff".to_owned())
    }

    fn seconds(&self) -> u64 {
        1_795_365_619
    }
}

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

/// A plan that a classic has made from `bytes` is valid, or refused with a message, and its text means the same plan. Texts take
/// a hundred times as long as the rest, so every sixteenth is compared.
fn classic(plan: Plan, bytes: &[u8]) {
    if let Ok(plan) = plan.check()
        && bytes.len().is_multiple_of(16)
    {
        same(&plan);
    }
}

fn same(plan: &CheckedPlan) {
    let text = warwolf_plan::text::to_text(plan);
    assert_eq!(warwolf_plan::text::parse(&text).as_ref(), Ok(plan), "{text}");
}

/// rc files and lists of URLs of siege, in three versions: none panics, and variables do not grow without limit.
pub fn siege(bytes: &[u8]) {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    let (rc, list) = (&bytes[..end], bytes.get(end + 1..).unwrap_or_default());
    let files = Files { rc, list };
    for line in
        ["siege -R rc -f list", "siege --quirks --as 4.1.7 -r once -R rc -f list", "siege --as 1.00 -f list"]
    {
        if let Ok(classic_siege::Classic { plan: Some(plan), .. }) =
            classic_siege::parse(&words(line), &files)
        {
            classic(plan, bytes);
        }
    }
}

/// Files of `--wsesslog` and `--wlog` of httperf.
pub fn httperf(bytes: &[u8]) {
    for line in
        ["httperf --wsesslog=5,0,file", "httperf --wlog=y,file --num-conns=3", "httperf --servers=file"]
    {
        let read = |_: &Path| Ok(bytes.to_vec());
        if let Ok(made) = classic_httperf::parse(&words(line), &read) {
            classic(made.plan, bytes);
        }
    }
}

/// Lists of URLs of http_load.
pub fn http_load(bytes: &[u8]) {
    let machine = classic_http_load::Machine { connections: 1_000, seed: 1 };
    for line in ["http_load -p 2 -f 5 file", "http_load -r 5 -s 1 -proxy p.test:3128 file"] {
        if let Ok(made) = classic_http_load::parse(&words(line), machine, &|_| Ok(bytes.to_vec())) {
            classic(made.plan, bytes);
        }
    }
}
