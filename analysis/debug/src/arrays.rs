//! Arrays that kernels declare, as the run of a kernel has them: the sizes come from the arguments with which it began.

use crate::operand::DebugOperand;
use cp2_analysis::location::Location;
use cp2_asm::interface::{
    ArgumentRegister, ArrayBase, DeclaredArray, ElementPosition, ElementType, Extent, Half,
    Interface, Layout, WordPart,
};
use cp2_emu::state::State;
use cp2_isa::{Core, Cycle, Section, StorageCell, WordAddress};

/// Array of a kernel with its sizes and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SizedArray {
    /// Name of the array in its declaration.
    pub(crate) name: String,
    element: ElementType,
    layout: Layout,
    /// Address of its first word.
    base: usize,
    /// Number of elements along each axis.
    pub(crate) shape: Vec<usize>,
}

/// Run of a kernel: the cycle of its first bundle, and its arrays, each with its name and with the sentence that says why it has
/// no place.
#[derive(Clone, Debug)]
pub(crate) struct KernelRun {
    /// First cycle of the run, and the latest that is known to belong to it.
    pub(crate) first: Cycle,
    pub(crate) last: Cycle,
    pub(crate) arrays: Vec<NamedArray>,
}

/// Name of an array with its sizes, or with the sentence that says why it has none.
pub(crate) type NamedArray = (String, Result<SizedArray, String>);

/// Value of an argument as a whole number.
fn argument_value(register: ArgumentRegister, state: &State, core: &Core) -> Option<i64> {
    let ArgumentRegister { storage, number, half } = register;
    let cell = StorageCell { storage, number, section: Section::FIRST };
    let bits = state.get(cell)?;
    let bits = match half {
        Some(Half::High) => bits >> 32,
        Some(Half::Low) => bits & 0xffff_ffff,
        None => bits,
    };
    let unused = 64 - register.bits(core).clamp(1, 64);
    Some(((bits << unused) as i64) >> unused)
}

impl SizedArray {
    /// Returns a declared array as a kernel has it that begins in a state.
    pub(crate) fn new(
        array: &DeclaredArray,
        interface: &Interface,
        state: &State,
        core: &Core,
    ) -> Result<Self, String> {
        let value = |name: &str| argument_value(interface.argument(name)?.register, state, core);
        let size = |extent: &Extent| {
            let size = extent.value(&value).filter(|size| (1..=Extent::LARGEST).contains(size));
            size.and_then(|size| usize::try_from(size).ok())
        };
        let shape: Option<Vec<usize>> = array.shape.iter().map(size).collect();
        let count = shape.as_ref().and_then(|shape| {
            shape.iter().try_fold(1_usize, |count, size| count.checked_mul(*size))
        });
        let told = || {
            let values = interface.arguments.iter().filter(|argument| {
                array.shape.iter().any(|extent| extent.arguments().contains(&&*argument.name))
            });
            let values: Vec<String> = values
                .map(|argument| {
                    let value = value(&argument.name).unwrap_or_default();
                    format!("{} = {value} in {}", argument.name, argument.register)
                })
                .collect();
            format!("its shape is {} with {}", array.shape_text(), values.join(", "))
        };
        let (Some(shape), Some(count)) = (shape, count) else {
            return Err(format!("{}: {}, which is no size", array.name, told()));
        };
        let base = match array.base {
            ArrayBase::Word(word) => usize::from(word),
            ArrayBase::Register(register) => argument_value(register, state, core)
                .and_then(|base| usize::try_from(base).ok())
                .unwrap_or(usize::MAX),
        };
        let words = array.layout.words(array.element, count);
        if base.checked_add(words).is_none_or(|end| end > core.lmem_words()) {
            return Err(format!(
                "{}: {} and begins at word {base}: local memory ends before word {}",
                array.name,
                told(),
                core.lmem_words()
            ));
        }
        let (name, element, layout) = (array.name.clone(), array.element, array.layout);
        Ok(Self { name, element, layout, base, shape })
    }

    /// Returns the number of elements.
    pub(crate) fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns type, shape and place as text.
    pub(crate) fn text(&self) -> String {
        let shape: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        let end = self.base + self.layout.words(self.element, self.count()) - 1;
        format!(
            "{} {}, words {} to {end}, layout {}",
            self.element.name(),
            shape.join(" x "),
            self.base,
            self.layout
        )
    }

    /// Returns an element by its indices, of the copy in a section if every section has one.
    ///
    /// # Errors
    /// There are too few or too many indices, one is too large, or the section does not have the element.
    pub(crate) fn element(
        &self,
        indices: &[usize],
        wanted: Option<Section>,
    ) -> Result<DebugOperand, String> {
        let shape: Vec<String> = self.shape.iter().map(usize::to_string).collect();
        let shape = shape.join(" x ");
        if indices.len() != self.shape.len() {
            return Err(format!(
                "{} has {} of {shape} elements; {} given",
                self.name,
                counted(self.shape.len(), "axis", "axes"),
                counted(indices.len(), "index is", "indices are")
            ));
        }
        for (index, size) in indices.iter().zip(&self.shape) {
            if index >= size {
                return Err(format!(
                    "{}{}: there is no index {index}; the array has {shape} elements, and this axis 0 to {}",
                    self.name,
                    brackets(indices),
                    size - 1
                ));
            }
        }
        let flat =
            indices.iter().zip(&self.shape).fold(0, |flat, (index, size)| flat * size + index);
        let position = self.layout.position(self.element, self.count(), flat);
        let Some(ElementPosition { section, word, part }) = position else {
            return Err(format!("{}{}: there is no such element", self.name, brackets(indices)));
        };
        let own = section.and_then(Section::new);
        if let (Some(own), Some(wanted)) = (own, wanted)
            && own != wanted
        {
            return Err(format!(
                "{}{} is in section {own}, not in {wanted}",
                self.name,
                brackets(indices)
            ));
        }
        let mut name = format!("{}{}", self.name, brackets(indices));
        if let (None, Some(wanted)) = (own, wanted) {
            name += &format!(".s{wanted}");
        }
        let section = own.or(wanted).unwrap_or(Section::FIRST);
        let word = WordAddress::from_index(self.base + word);
        let part = if part == WordPart::Both { WordPart::High } else { part };
        Ok(DebugOperand::element(name, (Location::Word(word, section), part), self.element))
    }
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
