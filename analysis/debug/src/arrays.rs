//! Elements of the arrays of kernels, as a person names them.

use crate::operand::DebugOperand;
use cp2_analysis::arrays::SizedArray;
use cp2_analysis::location::Location;
use cp2_asm::interface::{ElementPosition, WordPart};
use cp2_isa::{Section, WordAddress};

/// Returns an element by its indices, of the copy in a section if every section has one.
///
/// # Errors
/// There are too few or too many indices, one is too large, or the section does not have the element.
pub(crate) fn element(
    array: &SizedArray,
    indices: &[usize],
    wanted: Option<Section>,
) -> Result<DebugOperand, String> {
    let shape: Vec<String> = array.shape.iter().map(usize::to_string).collect();
    let shape = shape.join(" x ");
    if indices.len() != array.shape.len() {
        return Err(format!(
            "{} has {} of {shape} elements; {} given",
            array.name,
            counted(array.shape.len(), "axis", "axes"),
            counted(indices.len(), "index is", "indices are")
        ));
    }
    for (index, size) in indices.iter().zip(&array.shape) {
        if index >= size {
            return Err(format!(
                "{}{}: there is no index {index}; the array has {shape} elements, and this axis 0 to {}",
                array.name,
                brackets(indices),
                size - 1
            ));
        }
    }
    let Some(ElementPosition { section, word, part }) = array.position(indices) else {
        return Err(format!("{}{}: there is no such element", array.name, brackets(indices)));
    };
    let own = section.and_then(Section::new);
    if let (Some(own), Some(wanted)) = (own, wanted)
        && own != wanted
    {
        return Err(format!(
            "{}{} is in section {own}, not in {wanted}",
            array.name,
            brackets(indices)
        ));
    }
    let mut name = format!("{}{}", array.name, brackets(indices));
    if let (None, Some(wanted)) = (own, wanted) {
        name += &format!(".s{wanted}");
    }
    let section = own.or(wanted).unwrap_or(Section::FIRST);
    let word = WordAddress::from_index(word);
    let part = if part == WordPart::Both { WordPart::High } else { part };
    Ok(DebugOperand::element(name, (Location::Word(word, section), part), array.element))
}

/// Returns a number with its noun.
fn counted(n: usize, one: &str, more: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { more })
}

/// Returns indices as they are written.
pub(crate) fn brackets(indices: &[usize]) -> String {
    indices.iter().map(|index| format!("[{index}]")).collect()
}

/// Text of an expression, taken apart: `x[3][4].re.s2:hex`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ArrayText<'a> {
    /// Name of the array.
    pub(crate) name: &'a str,
    /// Indices; a range has its first index and the one behind its last.
    pub(crate) indices: Vec<(usize, Option<usize>)>,
    /// Whether the real part (true) or the imaginary part is asked for.
    pub(crate) part: Option<bool>,
    /// Section whose copy is asked for.
    pub(crate) section: Option<Section>,
    /// Type behind a colon.
    pub(crate) kind: Option<&'a str>,
}

impl<'a> ArrayText<'a> {
    /// Takes a text apart.
    ///
    /// # Errors
    /// The text is no array with indices; the sentence says what one is.
    pub(crate) fn read(text: &'a str) -> Result<Self, String> {
        const FORM: &str = "write an element as x[7], x[2][3], x[7].re, x[7].s2 or x[0..4]";
        let refused = || format!("`{text}` is no element of an array; {FORM}");
        let (place, kind) = match text.split_once(':') {
            Some((place, kind)) => (place.trim(), Some(kind.trim())),
            None => (text.trim(), None),
        };
        let end = place.find(['[', '.']).unwrap_or(place.len());
        let (name, mut rest) = place.split_at(end);
        let mut read = Self { name, kind, ..Self::default() };
        if !cp2_asm::is_identifier(name) {
            return Err(refused());
        }
        while let Some(behind) = rest.strip_prefix('[') {
            let (index, behind) = behind.split_once(']').ok_or_else(refused)?;
            read.indices.push(index_range(index).ok_or_else(refused)?);
            rest = behind;
        }
        for word in rest.split('.').skip(1) {
            let section = word.strip_prefix('s').and_then(|n| n.parse().ok());
            match (word, section.and_then(Section::new)) {
                ("re", _) if read.part.is_none() => read.part = Some(true),
                ("im", _) if read.part.is_none() => read.part = Some(false),
                (_, Some(section)) if read.section.is_none() => read.section = Some(section),
                _ => return Err(refused()),
            }
        }
        match rest.is_empty() || rest.starts_with('.') {
            true => Ok(read),
            false => Err(refused()),
        }
    }
}

fn index_range(text: &str) -> Option<(usize, Option<usize>)> {
    match text.split_once("..") {
        Some((first, end)) => Some((first.trim().parse().ok()?, Some(end.trim().parse().ok()?))),
        None => Some((text.trim().parse().ok()?, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_taken_apart() {
        let read = ArrayText::read("x[3][4..6].re.s2:hex").expect("an element");
        assert_eq!((read.name, read.part, read.kind), ("x", Some(true), Some("hex")));
        assert_eq!(read.indices, [(3, None), (4, Some(6))]);
        assert_eq!(read.section, Section::new(2));
        assert_eq!(ArrayText::read("x").map(|read| read.indices), Ok(Vec::new()));
        for text in
            ["", "[3]", "x[", "x[a]", "x[1]y", "x[-1]", "x.q", "x[1..]", "x[1].re.im", "x y"]
        {
            assert!(ArrayText::read(text).is_err(), "{text}");
        }
    }
}
