//! Procedures whose page scheme is data: which part of each array every page has, and which kernels compute it. From
//! that follow the places of the arrays in both memories, the transfers, and the pages of [`pages`](crate::host::pages).
//!
//! - `kernels`: calls of kernels, and the sizes that their declarations ask for; `registers`: what the host sets for a
//!   call; `occupancy`: from which page to which a part is in local memory; `places`: where;
//! - `order`: whether every page finds what it reads, and nothing is lost;
//! - `system`: arrays in system memory; `moves`: the transfers of a part; `stream`, `transfers`: beats, and the
//!   descriptors that move them;
//! - `plan`: all that as pages; `run`: a run of them; `host_program`: what a host does in it, as data.

mod host_program;
mod kernels;
mod moves;
mod occupancy;
mod order;
mod places;
mod plan;
mod registers;
mod run;
mod stream;
mod system;
#[cfg(test)]
mod tests;
mod transfers;

pub use host_program::{
    HostCommand, HostPass, HostPlace, HostProgram, HostStep, HostTransfer, PlaceContent,
    SystemAxis, SystemForm,
};
pub use run::{PagedRun, run};

use cp2_asm::interface::ElementType;
use cp2_isa::{BundleAddress, SECTIONS};
use cp2_session::arrays::Problem;
use cp2_session::error::KernelError;
use cp2_session::npy::Array;
use std::fmt;
use std::ops::Range;

/// Values of an array beyond its edges, for pages whose parts reach there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Zeros.
    Zero,
    /// Values of the other side: the array is periodic.
    Wrap,
    /// Values of the nearest element.
    Nearest,
}

/// An array in system memory.
#[derive(Clone, Debug)]
pub struct SystemArray {
    /// Name of the array, for messages and reports.
    pub name: String,
    /// Type of the elements.
    pub element: ElementType,
    /// Number of elements along each axis, at least one axis; the last index varies fastest.
    pub shape: Vec<usize>,
    /// Values before the run; `None` for an array that only results are stored in.
    pub values: Option<Array>,
    /// Values beyond the edges; `None` if no part may reach there.
    pub edge: Option<Edge>,
    /// Whether the array is wanted after the run.
    pub is_wanted: bool,
}

/// The part of an array that a page has in local memory, as boxes of elements. The range of each axis may reach beyond
/// an edge that has values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayPart {
    /// Index ranges along all axes: one box, whose elements the layout of the kernel deals to the sections, or a box of
    /// the same size for each of the four sections.
    pub boxes: Vec<Vec<Range<i64>>>,
}

impl ArrayPart {
    /// Returns the part that is a whole array of this shape.
    pub fn whole(shape: &[usize]) -> Self {
        Self { boxes: vec![shape.iter().map(|&size| 0..size as i64).collect()] }
    }

    /// Whether the two parts have an element in common.
    fn meets(&self, other: &Self) -> bool {
        let meet = |(a, b): (&Range<i64>, &Range<i64>)| a.start < b.end && b.start < a.end;
        let boxes = |a: &Vec<Range<i64>>, b: &Vec<Range<i64>>| a.iter().zip(b).all(meet);
        self.boxes.iter().any(|a| other.boxes.iter().any(|b| boxes(a, b)))
    }

    /// Returns the part as a box for each section, if it is one box with an index of the first axis for each, else the part
    /// itself.
    fn by_sections(&self) -> Self {
        if self.boxes.len() > 1 || self.sizes().next() != Some(SECTIONS) {
            return self.clone();
        }
        let of_section = |section: i64| {
            let mut ranges = self.boxes[0].clone();
            let begin = ranges[0].start + section;
            ranges[0] = begin..begin + 1;
            ranges
        };
        Self { boxes: (0..SECTIONS as i64).map(of_section).collect() }
    }

    /// Whether each section has a box of its own.
    pub fn is_by_section(&self) -> bool {
        self.boxes.len() > 1
    }

    /// Returns the number of elements of a box along each axis.
    pub fn sizes(&self) -> impl Iterator<Item = usize> + '_ {
        let ranges = self.boxes.first().into_iter().flatten();
        ranges.map(|range| usize::try_from(range.end - range.start).unwrap_or(0))
    }
}

/// An array in local memory, by whose declaration the kernels find it.
#[derive(Clone, Debug)]
pub struct LocalArray {
    /// Name of the array in the page scheme.
    pub name: String,
    /// Number of the system array that it has parts of; `None` for one that is only in local memory.
    pub array: Option<usize>,
}

/// A call of a kernel that every page of a pass makes.
#[derive(Clone, Debug)]
pub struct PagedCall {
    /// Address of the first bundle of the kernel.
    pub entry: BundleAddress,
    /// Values of arguments: the name of an argument or a register, and the text of its value.
    pub arguments: Vec<(String, String)>,
    /// The arrays that the kernel declares: their names there, and the numbers of the local arrays.
    pub arrays: Vec<(String, usize)>,
    /// Whether transforms of the kernel are inverse ones.
    pub is_inverse: bool,
}

/// A page of a pass.
#[derive(Clone, Debug, Default)]
pub struct PlannedPage {
    /// Words that tell which page it is, such as `z = 0, y = 3`; empty if there is one.
    pub name: String,
    /// Parts of arrays, with the numbers of the local arrays that have them. A local array of a system array that the
    /// page does not name has all of it.
    pub parts: Vec<(usize, ArrayPart)>,
    /// Whether everything before is stored before the page is loaded.
    pub waits: bool,
}

/// Pages that make the same calls.
#[derive(Clone, Debug)]
pub struct PagedPass {
    /// Name of the pass, for messages and reports.
    pub name: String,
    /// Pages in their order.
    pub pages: Vec<PlannedPage>,
    /// Calls that every page makes, in order.
    pub calls: Vec<PagedCall>,
    /// Number of places in local memory through which the parts of an array go in turn; `None` for two, or one if a kernel
    /// has its arrays at fixed words.
    pub buffers: Option<usize>,
    /// Whether the host does its work for a page between the pages, and not while the page before is computed.
    pub turns_between: bool,
}

/// A procedure whose page scheme is data.
#[derive(Clone, Debug)]
pub struct PagedProcedure {
    /// Arrays in system memory.
    pub arrays: Vec<SystemArray>,
    /// Arrays in local memory.
    pub locals: Vec<LocalArray>,
    /// Passes in their order.
    pub passes: Vec<PagedPass>,
}

/// Counts an index up by one within ranges, the last axis first; `false` if it was the last, and the first is there again.
fn advance(index: &mut [i64], ranges: &[Range<i64>]) -> bool {
    for (place, range) in index.iter_mut().zip(ranges).rev() {
        *place += 1;
        if *place < range.end {
            return true;
        }
        *place = range.start;
    }
    false
}

/// Returns the error about an array, at a place such as a page.
fn wrong(place: impl fmt::Display, message: impl Into<String>) -> KernelError {
    KernelError::Array(Problem { place: place.to_string(), message: message.into() })
}

impl PagedProcedure {
    /// Returns words that tell which page of which pass is meant, and which local array.
    fn place(&self, pass: usize, page: usize, local: usize) -> String {
        let name = &self.locals[local].name;
        format!("{}, array {name}", self.page_name(pass, page))
    }

    /// Returns words that tell which page of which pass is meant.
    fn page_name(&self, pass: usize, page: usize) -> String {
        let PagedPass { name, pages, .. } = &self.passes[pass];
        let of = &pages[page].name;
        let loops = if of.is_empty() { String::new() } else { format!(" ({of})") };
        format!("{name}, page {page}{loops}")
    }
}
