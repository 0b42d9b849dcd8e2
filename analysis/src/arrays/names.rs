//! Names of words of local memory: elements of arrays with their indices, and words behind labels.

use super::SizedArray;
use cp2_emu::dma::Beat;
use cp2_emu::trace::LocalAccess;
use cp2_ir::image::{Image, SymbolKind};
use cp2_isa::{Core, Section, SectionMask, WordAddress};
use std::fmt::Write as _;
use std::ops::Range;

/// Most elements that are named one by one.
const MOST: usize = 4;

/// A label of local memory with the words that belong to it: up to the next label or the end of its data.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LabelledRange {
    words: Range<usize>,
    name: String,
}

/// The names of the words of local memory: elements of arrays, such as `grid[3][4]`, else labels with the distance in words,
/// such as `table+5`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WordNames {
    arrays: Vec<SizedArray>,
    /// Whether the arrays are those of one kernel, so that a word may be an element of several.
    is_of_kernel: bool,
    labels: Vec<LabelledRange>,
}

impl WordNames {
    /// Returns the names that a program gives by itself: labels, and the arrays whose places and sizes are numbers.
    pub fn of(image: &Image, core: &Core) -> Self {
        let declared = image.interfaces.values().flat_map(|interface| &interface.arrays);
        let arrays = declared.filter_map(|array| SizedArray::fixed(array, core)).collect();
        Self { arrays, is_of_kernel: false, labels: labels(image, core) }
    }

    /// Returns the names while a kernel of a program runs, which has these arrays.
    pub fn of_kernel(image: &Image, core: &Core, arrays: Vec<SizedArray>) -> Self {
        Self { arrays, is_of_kernel: true, labels: labels(image, core) }
    }

    /// Returns whether no word has a name.
    pub fn is_empty(&self) -> bool {
        self.arrays.is_empty() && self.labels.is_empty()
    }

    /// Returns the name of neighbouring words in one section or in all of them: the elements that lie in them, else the label
    /// before them. Several indices along an axis are a range or a list: `x[0..4][7]`, `x[4, 20, 36, 52]`.
    pub fn name(&self, words: Range<usize>, section: Option<Section>) -> Option<String> {
        let elements = |array: &SizedArray| {
            let indices = array.elements(words.clone(), section);
            (!indices.is_empty()).then(|| elements_text(&array.name, &indices))
        };
        let mut texts: Vec<String> = self.arrays.iter().filter_map(elements).collect();
        texts.dedup();
        if texts.len() == 1 || self.is_of_kernel && !texts.is_empty() {
            return Some(texts.join(", "));
        }
        let before = self.labels.partition_point(|label| label.words.start <= words.start);
        let label = self.labels.get(before.checked_sub(1)?)?;
        if !label.words.contains(&words.start) {
            return None;
        }
        let distance = words.start - label.words.start;
        Some(match (distance, words.len()) {
            (0, 0 | 1) => label.name.clone(),
            (_, 0 | 1) => format!("{}+{distance}", label.name),
            (_, n) => format!("{}+{distance}..{}", label.name, distance + n),
        })
    }

    /// Returns the word of an element that is written as `grid[3][4]`, and the section that has it; `None` for the section if
    /// every section has a copy. `None` for any other text.
    pub fn place(&self, text: &str) -> Option<(WordAddress, Option<Section>)> {
        let (name, mut rest) = text.split_at(text.find('[')?);
        let mut indices: Vec<usize> = Vec::new();
        while let Some(behind) = rest.strip_prefix('[') {
            let (index, behind) = behind.split_once(']')?;
            indices.push(index.trim().parse().ok()?);
            rest = behind;
        }
        let array = self.arrays.iter().find(|array| array.name == name && rest.is_empty())?;
        let position = array.position(&indices)?;
        let section = position.section.and_then(Section::new);
        Some((WordAddress::from_index(position.word), section))
    }

    /// Returns the names of the words of local memory that a beat of the channel moved; `None` if they have none, or it moved none.
    pub fn beat_name(&self, beat: &Beat) -> Option<String> {
        let first = beat.local?.index();
        let mut sections = SectionMask::from_bits(beat.sections).iter();
        let only = sections.next().filter(|_| sections.next().is_none());
        self.name(first..first + usize::from(beat.bytes / 8).max(1), only)
    }

    /// Returns the name of the words that an operation accesses.
    pub fn access_name(&self, access: &LocalAccess) -> Option<String> {
        let words = |first: usize| first..first + usize::from(access.words.max(1));
        let Some(own) = access.own else {
            return self.name(words(access.word.index()), None);
        };
        let of =
            |(word, section): (WordAddress, Section)| self.name(words(word.index()), Some(section));
        let mut names: Vec<String> = own.into_iter().zip(Section::ALL).filter_map(of).collect();
        names.dedup();
        (!names.is_empty()).then(|| names.join(", "))
    }
}

/// Returns the labels of local memory in the order of their addresses.
fn labels(image: &Image, core: &Core) -> Vec<LabelledRange> {
    let symbols = image.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Word);
    let mut labels: Vec<(usize, &str)> = symbols
        .filter_map(|symbol| Some((usize::try_from(symbol.value).ok()?, symbol.name.as_str())))
        .filter(|(word, _)| *word < core.lmem_words())
        .collect();
    labels.sort_by_key(|(word, _)| *word);
    labels.dedup_by_key(|(word, _)| *word);
    let next = labels.iter().skip(1).map(|(word, _)| *word).chain([core.lmem_words()]);
    let ends: Vec<usize> = next.collect();
    let ranged = labels.into_iter().zip(ends).map(|((start, name), next)| {
        let chunks = image.data.iter().map(|chunk| {
            let start = chunk.start.index();
            start..start + chunk.words.len()
        });
        let own = chunks.filter(|chunk| chunk.contains(&start)).map(|chunk| chunk.end).max();
        LabelledRange { words: start..own.map_or(next, |end| end.min(next)), name: name.to_owned() }
    });
    ranged.collect()
}

/// Returns the text of elements: one name with ranges of indices where these are all combinations, else some of them one by
/// one.
fn elements_text(name: &str, elements: &[Vec<usize>]) -> String {
    let axes = elements.first().map_or(0, Vec::len);
    let values = |axis: usize| {
        let mut values: Vec<usize> =
            elements.iter().filter_map(|indices| indices.get(axis).copied()).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let all: Vec<Vec<usize>> = (0..axes).map(values).collect();
    if all.iter().map(Vec::len).product::<usize>() == elements.len() {
        return all.iter().fold(name.to_owned(), |text, values| text + &values_text(values));
    }
    let single = |indices: &Vec<usize>| {
        indices.iter().fold(name.to_owned(), |mut text, index| {
            let _ = write!(text, "[{index}]");
            text
        })
    };
    let shown: Vec<String> = elements.iter().take(MOST).map(single).collect();
    match elements.len().checked_sub(MOST) {
        Some(more @ 1..) => format!("{} and {more} more", shown.join(", ")),
        _ => shown.join(", "),
    }
}

/// Returns indices along an axis in brackets: neighbours as a range whose end is excluded.
fn values_text(values: &[usize]) -> String {
    let runs = values.chunk_by(|a, b| a + 1 == *b).filter_map(|run| {
        let (first, last) = (run.first()?, run.last()?);
        Some(if first == last { first.to_string() } else { format!("{first}..{}", last + 1) })
    });
    format!("[{}]", runs.collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
        .lmem   all
        .org    0
table:  .quad   1, 2, 3
        .kernel one
        .array  x, in, float32, 4, 6, at=100
        .array  z, in, complex64, 4, 5, layout=blocks, at=200
        .array  w, in, float32, 40, layout=interleaved/4, at=300
        .array  y, out, complex64, 20, at=400
        stop    g0
        .kernel two
        .array  v, in, int64, 20, at=400
        stop    g0
";

    fn names() -> WordNames {
        let core = Core::CP2;
        let image = cp2_asm::assemble_str("names.s", TEXT).expect("it assembles");
        WordNames::of(&image, &core)
    }

    #[test]
    fn elements_have_their_indices() {
        let names = names();
        let name = |word: usize| names.name(word..word + 1, None);
        let of = |word: usize, s: usize| names.name(word..word + 1, Section::new(s));
        assert_eq!(name(100).as_deref(), Some("x[0][0..2]"));
        let across = names.name(102..104, None);
        assert_eq!(across.as_deref(), Some("x[0][4], x[0][5], x[1][0], x[1][1]"));
        assert_eq!(name(203).as_deref(), Some("z[0..4][3]"));
        assert_eq!(of(203, 2).as_deref(), Some("z[2][3]"));
        assert_eq!(name(301).as_deref(), Some("w[2..4, 6..8, 10..12, 14..16]"));
        assert_eq!(of(301, 3).as_deref(), Some("w[14..16]"));
    }

    #[test]
    fn elements_are_found_by_their_indices() {
        let names = names();
        let place = |text: &str| names.place(text).map(|(word, section)| (word.0, section));
        assert_eq!(place("x[1][0]"), Some((103, None)));
        assert_eq!(place("z[2][3]"), Some((203, Section::new(2))));
        for text in ["x", "x[1]", "x[4][0]", "q[1]", "x[1][0].re", "[100]", "x[1", "x[-1][0]"] {
            assert_eq!(place(text), None, "{text}");
        }
    }

    #[test]
    fn words_outside_arrays_have_the_label_before_them() {
        let names = names();
        let name = |words: Range<usize>| names.name(words, None);
        assert_eq!(name(0..1).as_deref(), Some("table"));
        assert_eq!(name(1..3).as_deref(), Some("table+1..3"));
        // Behind its data a label names nothing, and two kernels do not agree on word 400.
        assert_eq!((name(3..4), name(400..401)), (None, None));
    }
}
