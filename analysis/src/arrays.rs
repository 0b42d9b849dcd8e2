//! Arrays that kernels declare, as the run of a kernel has them: the sizes and places come from the arguments with which it
//! began. `names` tells by them what a word of local memory is.

mod names;
mod runs;

pub use names::WordNames;
pub use runs::{KernelWords, NamedArray, WordsInTime};

use cp2_emu::state::State;
use cp2_ir::interface::{
    ArgumentRegister, ArrayBase, DeclaredArray, ElementPosition, ElementType, Extent, Half,
    Interface, Layout,
};
use cp2_isa::{Core, SECTIONS, Section, StorageCell};
use std::ops::Range;

/// An array of a kernel with its sizes and its place in local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizedArray {
    /// Name of the array in its declaration.
    pub name: String,
    /// Type of the elements of the array.
    pub element: ElementType,
    /// Layout of the elements over sections, words and halves.
    pub layout: Layout,
    /// Address of its first word in local memory.
    pub base: usize,
    /// Number of elements along each axis.
    pub shape: Vec<usize>,
}

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
    ///
    /// # Errors
    /// Its shape or its place with the arguments of the kernel is none; the sentence says why.
    pub fn new(
        array: &DeclaredArray,
        interface: &Interface,
        state: &State,
        core: &Core,
    ) -> Result<Self, String> {
        let value = |name: &str| argument_value(interface.argument(name)?.register, state, core);
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
        let base = match array.base {
            ArrayBase::Word(word) => usize::from(word),
            ArrayBase::Register(register) => argument_value(register, state, core)
                .and_then(|base| usize::try_from(base).ok())
                .unwrap_or(usize::MAX),
        };
        let Some(sized) = Self::placed(array, base, &value) else {
            return Err(format!("{}: {}, which is no size", array.name, told()));
        };
        if !sized.fits(core) {
            return Err(format!(
                "{}: {} and begins at word {base}: local memory ends before word {}",
                array.name,
                told(),
                core.lmem_words()
            ));
        }
        Ok(sized)
    }

    /// Returns a declared array whose place and sizes are numbers; `None` for one that needs arguments.
    fn fixed(array: &DeclaredArray, core: &Core) -> Option<Self> {
        let ArrayBase::Word(word) = array.base else { return None };
        Self::placed(array, word.into(), &|_| None).filter(|sized| sized.fits(core))
    }

    /// Returns an array at a word, with the sizes that it has by values of arguments; `None` if one of them is no size.
    fn placed(
        array: &DeclaredArray,
        base: usize,
        value: &dyn Fn(&str) -> Option<i64>,
    ) -> Option<Self> {
        let size = |extent: &Extent| {
            let size = extent.value(value).filter(|size| (1..=Extent::LARGEST).contains(size))?;
            usize::try_from(size).ok()
        };
        let shape: Vec<usize> = array.shape.iter().map(size).collect::<Option<_>>()?;
        shape.iter().try_fold(1_usize, |count, size| count.checked_mul(*size))?;
        let (name, element, layout) = (array.name.clone(), array.element, array.layout);
        Some(Self { name, element, layout, base, shape })
    }

    fn fits(&self, core: &Core) -> bool {
        let words = self.layout.words(self.element, self.count());
        self.base.checked_add(words).is_some_and(|end| end <= core.lmem_words())
    }

    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns type, shape and place as text.
    pub fn text(&self) -> String {
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

    /// Returns the words of local memory that the array takes, in every section that has some of it.
    pub fn words(&self) -> Range<usize> {
        self.base..self.base + self.layout.words(self.element, self.count())
    }

    /// Returns the position of an element by its indices, with the word counted from the begin of local memory; `None` if
    /// there is no such element.
    pub fn position(&self, indices: &[usize]) -> Option<ElementPosition> {
        let is_inside = indices.iter().zip(&self.shape).all(|(index, size)| index < size);
        let flat =
            indices.iter().zip(&self.shape).fold(0, |flat, (index, size)| flat * size + index);
        let is_known = is_inside && indices.len() == self.shape.len();
        let position =
            self.layout.position(self.element, self.count(), flat).filter(|_| is_known)?;
        Some(ElementPosition { word: self.base + position.word, ..position })
    }

    /// Returns the indices along each axis of the elements that lie in words of local memory, in one section or in all, in
    /// ascending order.
    pub fn elements(&self, words: Range<usize>, section: Option<Section>) -> Vec<Vec<usize>> {
        let own = self.words();
        let sections = section.map_or(0..SECTIONS, |s| s.index()..s.index() + 1);
        let places = words.filter(|word| own.contains(word));
        let places = places.flat_map(|word| sections.clone().map(move |s| (word - own.start, s)));
        let mut flat: Vec<usize> = places
            .flat_map(|place| self.layout.elements(self.element, self.count(), place))
            .collect();
        flat.sort_unstable();
        flat.dedup();
        flat.into_iter().map(|number| self.indices(number)).collect()
    }

    /// Returns the indices of an element by its number.
    fn indices(&self, mut number: usize) -> Vec<usize> {
        let mut indices: Vec<usize> = Vec::new();
        for size in self.shape.iter().rev() {
            indices.push(number % size);
            number /= size;
        }
        indices.reverse();
        indices
    }
}
