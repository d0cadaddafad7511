//! Recorded and invented replies, damaged at random: the product and the reference must agree about all of them, and it
//! must not matter in which pieces they come.

use crate::diary::heard_within;
use crate::recorded::recordings;
use crate::reference::expected;
use warwolf_http::Limits;

/// A small generator of random numbers (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(crate) fn pick<'a, T: ?Sized>(&mut self, among: &[&'a T]) -> &'a T {
        among[self.below(among.len())]
    }
}

/// Pieces that matter to the protocol.
pub(crate) const WORDS: &[&[u8]] = &[
    b"\r\n",
    b"\n",
    b"\r",
    b"\r\n\r\n",
    b" ",
    b"\t",
    b":",
    b";",
    b",",
    b"\0",
    b"\x7f",
    b"\x80",
    b"0",
    b"5",
    b"ff",
    b"7fffffffffffffff",
    b"8000000000000000",
    b"9223372036854775807",
    b"9223372036854775808",
    b"HTTP/1.1 200 OK\r\n",
    b"HTTP/1.0 200\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\n",
    b"HTTP/1.1 204 x\n\n",
    b"HTTP/2 200\r\n",
    b"Content-Length: 5\r\n",
    b"Content-Length: 5, 5\r\n",
    b"content-length : 3\r\n",
    b"Content-Length: -1\r\n",
    b"Content-Length: +1\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: gzip, chunked\r\n",
    b"Transfer-Encoding: gzip\r\n",
    b"Transfer-Encoding: identity\r\n",
    b"Transfer-Encoding:\r\n chunked\r\n",
    b"Connection: close\r\n",
    b"Connection: keep-alive\r\n",
    b"5\r\nhello\r\n",
    b"0\r\n\r\n",
    b"0\r\nA: b\r\n\r\n",
];

/// Replies that no server was at hand for.
pub(crate) const INVENTED: &[&[u8]] = &[
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
    b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b;c\r\nhello\r\n0\r\nT: u\r\n v\r\n\r\n",
    b"HTTP/1.0 200 OK\nConnection: keep-alive\nContent-Length: 2\n\nhi",
    b"HTTP/1.1 200\r\nFolded: a\r\n b\r\n\tc\r\nContent-Length:\r\n 1\r\n\r\nx",
    b"\r\n\nHTTP/1.1   404   Not  Found \r\nA:\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0000000000000000000000000000000001 \r\nx\r\n0\r\n\r\n",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n\r\nuntil the end",
    b"SSH-2.0-OpenSSH_9.2p1\r\n",
];

/// Damages `bytes` in one to four places.
pub(crate) fn damage(bytes: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        let end = at + random.below((bytes.len() - at).min(40) + 1);
        match random.below(7) {
            0 if at < bytes.len() => bytes[at] = random.next() as u8,
            1 => drop(bytes.drain(at..end)),
            2 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            3 => bytes.truncate(at),
            4 => {
                let other = &others[random.below(others.len())];
                bytes.splice(at..at, other.iter().copied());
            }
            _ => {
                let word = random.pick(WORDS);
                bytes.splice(at..at, word.iter().copied());
            }
        }
    }
}

/// All recorded and invented replies.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let recorded = recordings().into_iter().map(|(_, _, bytes, _)| bytes);
    recorded.chain(INVENTED.iter().map(|bytes| bytes.to_vec())).collect()
}

/// Cuts `bytes` into up to eight pieces.
fn cut<'a>(bytes: &'a [u8], random: &mut Random) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    let mut rest = bytes;
    for _ in 0..random.below(8) {
        let (piece, behind) = rest.split_at(random.below(rest.len() + 1));
        pieces.push(piece);
        rest = behind;
    }
    pieces.push(rest);
    pieces
}

#[test]
fn damaged_replies_are_read_as_the_reference_reads_them_in_any_pieces() {
    compare(0..6_000);
}

#[test]
#[ignore = "nightly: a million replies"]
fn a_million_damaged_replies_are_read_as_the_reference_reads_them() {
    compare(1_000_000..2_000_000);
}

fn compare(seeds_of_random: std::ops::Range<u64>) {
    let seeds = seeds();
    let methods: &[&[&str]] = &[&["GET"], &["HEAD"], &["CONNECT"], &["GET", "HEAD", "GET", "POST"]];
    let tight = Limits { max_head: 200, max_headers: 6, ..Limits::default() };
    for seed in seeds_of_random {
        let random = &mut Random(seed);
        let mut bytes = seeds[random.below(seeds.len())].clone();
        damage(&mut bytes, &seeds, random);
        let methods = random.pick(methods);
        let limits = if random.below(3) == 0 { tight } else { Limits::default() };
        let shown = bytes.escape_ascii();
        let wanted = expected(methods, &bytes, &limits);
        let whole = heard_within(methods, [bytes.as_slice()], limits);
        assert_eq!(whole, wanted, "seed {seed}: {methods:?} {limits:?} {shown}");
        let pieces = cut(&bytes, random);
        let in_pieces = heard_within(methods, pieces.iter().copied(), limits);
        assert_eq!(in_pieces, wanted, "seed {seed} in pieces {pieces:?}");
        let bytewise = heard_within(methods, bytes.chunks(1), limits);
        assert_eq!(bytewise, wanted, "seed {seed} in single bytes: {shown}");
    }
}
