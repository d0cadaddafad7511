//! Servers that reply with damaged bytes, at random. Whatever arrives, the run ends and everything is accounted for.

use super::*;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

/// A small generator of random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn pick<'a>(&mut self, among: &[&'a str]) -> &'a str {
        among[self.below(among.len())]
    }
}

const ELSEWHERE: &str = "HTTP/1.1 302 Found\r\nLocation: http://10.0.0.2/there\r\nContent-Length: 0\r\n\r\n";
/// Leads to a name whose lookup never ends.
const UNKNOWN: &str = "HTTP/1.1 302 Found\r\nLocation: http://slow.test/\r\nContent-Length: 0\r\n\r\n";
const REPLIES: [&str; 11] = [
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nT: u\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "HTTP/1.0 200 OK\r\n\r\nuntil the end",
    "HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 204 No Content\r\nSet-Cookie: a=b; Path=/\r\n\r\n",
    "HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 2\r\n\r\nhi",
    "HTTP/1.1 401 No\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 34\r\n\r\n<img src=/a><img src=//10.0.0.3/b>",
    ELSEWHERE,
    UNKNOWN,
];
/// Pieces that matter to protocol and sessions.
const WORDS: [&str; 12] = [
    "\r\n",
    "\r\n\r\n",
    "\0",
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.1 100 Continue\r\n\r\n",
    "Content-Length: 7\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Connection: close\r\n",
    "Location: http://[/\r\n",
    "Set-Cookie: c=d; Max-Age=9\r\n",
    "ffffffffffffffff",
    "0\r\n\r\n",
];

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len() + 1);
        let end = at + random.below((bytes.len() - at).min(30) + 1);
        match random.below(5) {
            0 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            1 => drop(bytes.drain(at..end)),
            2 => bytes.extend_from_within(at..end),
            3 => bytes.truncate(at),
            _ => drop(bytes.splice(at..at, random.pick(&WORDS).bytes()).count()),
        }
    }
}

/// What a server did that the run must show.
#[derive(Default)]
struct Done {
    /// Replies that may lead to a name without an address.
    unknown: u64,
    /// Whole replies on kept connections with bytes behind them.
    extra: u64,
}

/// A server whose replies are damaged now and then, and what it did.
fn hostile(seed: u64) -> (Server, Arc<Mutex<Done>>) {
    let done = Arc::new(Mutex::new(Done::default()));
    let (random, noted) = (Mutex::new(Random(seed)), Arc::clone(&done));
    let server = Server::new(move |_| {
        let (mut random, mut done) = (random.lock().unwrap(), noted.lock().unwrap());
        let text = random.pick(&REPLIES);
        let mut bytes = text.as_bytes().to_vec();
        let ending = match random.below(12) {
            _ if text == REPLIES[3] => Ending::CloseSilently,
            0 => Ending::Close,
            1 => Ending::CloseSilently,
            2 => Ending::Reset,
            3 if random.one_in(4) => Ending::Silence,
            _ => Ending::Keep,
        };
        match random.below(6) {
            0 | 1 => damage(&mut bytes, &mut random),
            2 if text == REPLIES[0] && ending == Ending::Keep => {
                done.extra += 1;
                bytes.extend_from_slice(random.pick(&[REPLIES[0], "x", "\r\n"]).as_bytes());
            }
            _ => {}
        }
        // A damaged path can become a host: `/\again`.
        let leads_away = text.contains("//") || bytes.windows(7).any(|part| part == b"ocation");
        done.unknown += u64::from(leads_away && (text == UNKNOWN || bytes != text.as_bytes()));
        Reply::raw(bytes).then(ending).after(Duration::from_micros(random.below(900) as u64))
    });
    (server, done)
}

/// A closed loop with whatever follows replies, over one origin or two.
fn plan_of(random: &mut Random) -> Plan {
    let users = 1 + random.below(3) as u32;
    let mut plan = closed(users, 20);
    if random.one_in(2) {
        plan.requests.push(Request::get("http://10.0.0.2/").unwrap());
    }
    if random.one_in(3) {
        plan.requests[0].method = "POST".into();
    }
    plan.session.redirects = RedirectPolicy::up_to(random.below(3) as u32);
    if random.one_in(2) {
        plan.session.cookies = CookiePolicy::Jar;
    }
    if random.one_in(3) {
        plan.session.resources = Some(warwolf_plan::Resources::up_to(3));
    }
    if random.one_in(2) {
        plan.connections.ownership = Ownership::Sticky;
    }
    plan.connections.limit = if random.one_in(2) { users } else { 100 };
    plan.connections.pipeline = if random.one_in(3) { 4 } else { 1 };
    plan.timeouts.call = Some(millis(300));
    // The roots of the system are slow to load.
    plan.tls.verify = Verify::Off;
    plan
}

/// One run against a hostile server; [`run_prepared`] checks that the accounting adds up.
fn survive(seed: u64) {
    let random = &mut Random(seed.wrapping_mul(31));
    let plan = plan_of(random).check().unwrap();
    let mut prepared = Prepared::new(&plan, &Arc::default()).unwrap();
    let (never, silence) = channel::<()>();
    let silence = Mutex::new(silence);
    prepared.resolver = Arc::new(move |_, _| {
        let _ = silence.lock().unwrap().recv();
        Vec::new()
    });
    let (server, done) = hostile(seed);
    let (mut scenario, log) = logged(server);
    scenario.seed = seed;
    scenario.segment_max = random.one_in(2).then_some(9);
    let is_whole = scenario.segment_max.is_none();
    let tally = run_prepared(&plan, &prepared, Shard::WHOLE, scenario, None);
    drop(never);
    let (done, counters) = (done.lock().unwrap(), tally.counters());
    let context =
        || format!("seed {seed}: {:?} of {:?} {:?}", outcomes(&tally), plan.connections, plan.session);
    let waited = tally.outcome(Outcome::ConnectTimeout);
    // A page leads to several names, and a call that is sent again behind one that timed out may be close to its deadline.
    let moved = if plan.connections.pipeline > 1 { counters.resent } else { 0 };
    assert!(waited <= 3 * done.unknown + moved, "a call waits for a connection: {}", context());
    let received = log.exchanges().len() as u64;
    assert!(received <= counters.requests + counters.resent, "{received} received: {}", context());
    if is_whole && plan.connections.pipeline == 1 {
        assert!(counters.unexpected_bytes >= done.extra, "{} with more bytes: {}", done.extra, context());
    }
}

#[test]
fn runs_survive_damaged_replies() {
    (0..1_500).for_each(survive);
}

/// Some million replies.
#[test]
#[ignore = "nightly: a million replies"]
fn runs_survive_a_million_damaged_replies() {
    (0..50_000).for_each(|seed| survive(1_000_000 + seed));
}
