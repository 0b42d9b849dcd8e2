//! Pages of HTML that need no other file: a template whose parts are filled in, and texts that are safe within it.

use serde_json::Value;

/// Returns a template in which the names of parts are replaced by what they stand for. What a part holds is not looked at again.
pub fn filled(template: &str, parts: &[(&str, &str)]) -> String {
    let mut page = String::new();
    let mut rest = template;
    while let Some((before, part, behind)) = next_part(rest, parts) {
        page += before;
        page += part;
        rest = behind;
    }
    page + rest
}

/// Returns the text before the first place of a part, the part, and the text behind.
fn next_part<'a>(text: &'a str, parts: &[(&str, &'a str)]) -> Option<(&'a str, &'a str, &'a str)> {
    let found = parts.iter().filter_map(|(name, part)| Some((text.find(name)?, *name, *part)));
    let (at, name, part) = found.min_by_key(|(at, ..)| *at)?;
    Some((&text[..at], part, &text[at + name.len()..]))
}

/// Returns a text as it is written between elements, or in quotes as the value of an attribute.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Returns a value as it is written in an element `script` of the type `application/json`, which it cannot end.
pub fn in_script(data: &Value) -> String {
    data.to_string().replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parts_are_put_in_once() {
        let parts = [("@A@", "one @B@"), ("@B@", "two")];
        assert_eq!(filled("<@A@|@B@|@A@>", &parts), "<one @B@|two|one @B@>");
        assert_eq!(filled("nothing", &parts), "nothing");
    }

    #[test]
    fn data_cannot_end_their_element() {
        let data = in_script(&json!({ "text": "</script><!--" }));
        assert!(!data.contains('<'), "{data}");
        let read: Value = serde_json::from_str(&data).expect("JSON");
        assert_eq!(read["text"], "</script><!--");
        assert_eq!(escaped("a < \"b\" & c>"), "a &lt; &quot;b&quot; &amp; c&gt;");
    }
}
