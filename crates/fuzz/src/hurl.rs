//! Hurl files of any bytes.

/// Hurl files of any bytes: they are parsed, or refused at a position that is in the text.
pub fn hurl(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let lines = text.split('\n').count();
    if let Err(error) = warwolf_hurl::parse(text) {
        assert!((1..=lines).contains(&(error.pos.line as usize)), "{error}");
        assert!(error.pos.column >= 1 && !error.message.is_empty(), "{error}");
    }
}
