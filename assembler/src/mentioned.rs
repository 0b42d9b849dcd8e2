//! Arrays that the lines of a text declare, before it is assembled.

use crate::interface::ArrayDirection;
use crate::parse::{self, Cursor};
use crate::without_comment;

/// An array that a line declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MentionedArray {
    /// Name of the array.
    pub name: String,
    /// Whether the kernel reads or writes the array.
    pub direction: ArrayDirection,
}

/// Returns the arrays that lines of a text declare, those in macros and in parts that a condition leaves out included;
/// `None` for a line that does not tell name or direction, such as one with a macro's parameter in their place.
pub fn mentioned_arrays(text: &str) -> impl Iterator<Item = Option<MentionedArray>> {
    text.lines().filter_map(|line| of_line(without_comment(line)))
}

fn of_line(code: &str) -> Option<Option<MentionedArray>> {
    let Some((word, at, _)) = parse::keyword(code) else {
        let may_declare = code.contains('\\') && code.contains(".array");
        return may_declare.then_some(None);
    };
    (word == "array").then(|| {
        let arguments = Cursor::at(code, at + 1 + word.len());
        let (_, (name, direction)) = parse::array_head(arguments).ok()?;
        let direction = ArrayDirection::from_name(&direction.text)?;
        Some(MentionedArray { name: name.text, direction })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_tells_name_and_direction_or_that_it_does_not() {
        let found = |text| -> Vec<_> {
            let all = mentioned_arrays(text);
            all.map(|array| array.map(|a| (a.name, a.direction))).collect()
        };
        let (x, y) = ("x".to_owned(), "y".to_owned());
        let text = "
            .array x, in, float32, 4*n, layout=blocks
    here: there: .array\ty , inout, \\kind, n    ; .array z, in, float32, 4
            ; .array z, in, float32, 4
            # .array z, in, float32, 4
            // .array z, in, float32, 4
            .arrays z, in
            .arg z, g0";
        let known = [Some((x, ArrayDirection::In)), Some((y, ArrayDirection::Inout))];
        assert_eq!(found(text), known);
        for unknown in [
            ".array \\x, in, float32, 4",
            ".array x, \\way, float32, 4",
            "\\at: .array x, in, float32, 4",
            ".array x",
        ] {
            assert_eq!(found(unknown), [None], "{unknown}");
        }
    }
}
