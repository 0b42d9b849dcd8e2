//! Comments in lines of source text, as every tool reads them.

/// Returns the line without its comment and without blanks at its end. A comment begins with `;` or `//` outside
/// quotes, or with `#` as the first character that is no blank.
pub fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with('#') {
        return "";
    }
    let mut quoted = false;
    let mut last = 0;
    for (i, byte) in line.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b';' if !quoted => return line[..i].trim_end(),
            b'/' if !quoted && last == b'/' => return line[..i - 1].trim_end(),
            _ => {}
        }
        last = byte;
    }
    line.trim_end()
}
