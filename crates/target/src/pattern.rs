//! The content of bodies: repeated lines of 64 bytes, so that the offset of a byte determines its value.

/// Returns `length` bytes of a body from offset `from`, in pieces of up to 64 KiB.
pub(crate) fn pieces(from: u64, length: u64) -> impl Iterator<Item = &'static [u8]> {
    let (mut at, end) = (from, from + length);
    std::iter::from_fn(move || {
        let start = (at % PATTERN.len() as u64) as usize;
        let piece = (end - at).min((PATTERN.len() - start) as u64);
        at += piece;
        (piece > 0).then(|| &PATTERN[start..start + piece as usize])
    })
}

static PATTERN: [u8; 64 << 10] = {
    let mut bytes = [0; 64 << 10];
    let mut at = 0;
    while at < bytes.len() {
        bytes[at] = LINE[at % LINE.len()];
        at += 1;
    }
    bytes
};

const LINE: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_add_up_and_follow_the_offset() {
        for length in [0, 1, 13, 65_535, 65_536, 65_537, 200_000] {
            for from in [0, 5, 65_535] {
                let body: Vec<u8> = pieces(from, length).flatten().copied().collect();
                assert_eq!(body.len() as u64, length);
                let offsets = (from as usize..).zip(&body);
                assert!(offsets.into_iter().all(|(at, byte)| *byte == LINE[at % 64]), "{from} {length}");
            }
        }
    }
}
