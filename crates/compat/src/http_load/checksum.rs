//! A checksum of bodies, which detects changes that leave the length unchanged.

/// Continues a 16-bit checksum over `bytes`, starting from zero: for each byte the sum is rotated right by one bit,
/// then the byte is added (the `sum` of BSD). The result depends on the order of the bytes, not on how they are split.
#[must_use]
pub(super) const fn rotate_add(mut sum: u16, bytes: &[u8]) -> u16 {
    let mut place = 0;
    while place < bytes.len() {
        sum = sum.rotate_right(1).wrapping_add(bytes[place] as u16);
        place += 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_sum_of_bsd() {
        // The output of `sum -r` for these inputs.
        let rows: [(&[u8], u16); 4] = [
            (b"", 0),
            (b"a", 97),
            (b"hello\n", 36_979),
            (b"The quick brown fox jumps over the lazy dog", 50_542),
        ];
        for (bytes, expected) in rows {
            assert_eq!(rotate_add(0, bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn pieces_make_no_difference_and_order_does() {
        let whole = rotate_add(0, b"more or less");
        assert_eq!(rotate_add(rotate_add(0, b"more "), b"or less"), whole);
        assert_ne!(rotate_add(0, b"less or more"), whole);
    }
}
