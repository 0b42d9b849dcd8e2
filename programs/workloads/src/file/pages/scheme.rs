//! The pages that follow from the passes of a workload file, for a program.

use super::expression::Names;
use super::read::SECTION;
use super::{FileCall, FilePart, FilePass};
use crate::file::arrays::FileArray;
use crate::file::{Variant, WorkloadFile};
use cp2_asm::interface::{ArrayBase, ArrayDirection, DeclaredArray, Interface};
use cp2_isa::{Bundle, BundleAddress, Effects, Exch, SECTIONS, decode};
use cp2_procedures::paged::{
    ArrayPart, LocalArray, PagedCall, PagedPass, PagedProcedure, PlannedPage, SystemArray,
};
use cp2_session::Program;
use cp2_session::arrays::{Problem, kernel_at, kind_of};
use cp2_session::error::KernelError;
use cp2_session::npy::shape_text;

/// Most pages of a procedure.
const MOST_PAGES: usize = 1 << 20;

/// The procedure of a file that is being made.
struct Scheme<'a> {
    file: &'a WorkloadFile,
    variant: &'a Variant,
    program: &'a Program,
    entry: BundleAddress,
    arrays: Vec<SystemArray>,
    locals: Vec<LocalArray>,
    /// Numbers of the local arrays that are parts of the pages of a pass, and not of others.
    parts: Vec<usize>,
    /// Shapes of the arrays of a file without passes, which are in local memory all at once.
    whole: Option<Vec<(String, Vec<usize>)>>,
}

impl WorkloadFile {
    /// Returns the procedure of a variant whose program starts at `entry`.
    ///
    /// # Errors
    /// A kernel or an array that the passes name does not exist, has another type than the kernel takes, or a number of
    /// a page cannot be computed.
    pub(in crate::file) fn procedure(
        &self,
        variant: &Variant,
        program: &Program,
        entry: BundleAddress,
    ) -> Result<PagedProcedure, KernelError> {
        let (arrays, locals, parts) = (Vec::new(), Vec::new(), Vec::new());
        let is_whole = !self.passes.iter().any(|pass| pass.is_for(&variant.name));
        let whole = is_whole.then(|| self.shapes(variant, program, entry)).transpose()?;
        let mut scheme =
            Scheme { file: self, variant, program, entry, arrays, locals, parts, whole };
        let one = FilePass::whole();
        let mut passes: Vec<&FilePass> =
            self.passes.iter().filter(|pass| pass.is_for(&variant.name)).collect();
        if passes.is_empty() {
            passes.push(&one);
        }
        let passes: Vec<PagedPass> =
            passes.into_iter().map(|pass| scheme.paged_pass(pass)).collect::<Result<_, _>>()?;
        scheme.check_taken(&passes)?;
        let Scheme { arrays, locals, .. } = scheme;
        Ok(PagedProcedure { arrays, locals, passes })
    }

    /// Returns the error about something in a file.
    pub(in crate::file) fn wrong(&self, place: &str, message: impl Into<String>) -> KernelError {
        let place = format!("{}: {place}", self.path);
        KernelError::Array(Problem { place, message: message.into() })
    }
}

impl FilePass {
    /// Returns the pass of a file that names none: one page with all arrays.
    fn whole() -> Self {
        Self {
            name: "the pass".to_owned(),
            loops: Vec::new(),
            parts: Vec::new(),
            calls: Vec::new(),
            buffers: None,
            waits: Vec::new(),
            turns_between: false,
            variants: Vec::new(),
        }
    }
}

impl Scheme<'_> {
    fn paged_pass(&mut self, pass: &FilePass) -> Result<PagedPass, KernelError> {
        let one =
            FileCall { entry: None, arguments: Vec::new(), arrays: Vec::new(), is_inverse: false };
        let calls = if pass.calls.is_empty() { std::slice::from_ref(&one) } else { &pass.calls };
        let first = self.locals.len();
        for part in &pass.parts {
            self.parts.push(self.locals.len());
            self.locals.push(LocalArray { name: part.name.clone(), array: None });
        }
        let parts = first..self.locals.len();
        let mut made = Vec::new();
        for call in calls {
            made.push(self.call(pass, call, first)?);
        }
        for local in parts {
            let is_taken = made.iter().flat_map(|call| &call.arrays).any(|(_, of)| *of == local);
            if !is_taken {
                let place = format!("{}, array {}", pass.name, self.locals[local].name);
                return Err(self.file.wrong(&place, "no kernel of the pass declares it"));
            }
        }
        let pages = self.pages(pass, first)?;
        let (name, buffers, turns_between) = (pass.name.clone(), pass.buffers, pass.turns_between);
        Ok(PagedPass { name, pages, calls: made, buffers, turns_between })
    }

    fn call(
        &mut self,
        pass: &FilePass,
        call: &FileCall,
        first: usize,
    ) -> Result<PagedCall, KernelError> {
        let entry = match &call.entry {
            Some(name) => {
                let place = format!("{}, entry", pass.name);
                let entry = self.program.entry(Some(name));
                entry.map_err(|error| self.file.no_entry(&place, &error))?
            }
            None => self.entry,
        };
        let (kernel, interface) = kernel_at(self.program.image(), entry);
        let kernel = kernel.unwrap_or("the program").to_owned();
        if call.is_inverse && !self.may_be_transform(entry) {
            let message = format!(
                "inverse = true, and `{kernel}` is no transform: it uses no Fourier coefficient"
            );
            return Err(self.file.wrong(&pass.name, message));
        }
        if let Some((name, _)) =
            call.arrays.iter().find(|(name, _)| interface.array(name).is_none())
        {
            let names = interface.arrays.iter().map(|array| array.name.as_str());
            let near = cp2_asm::nearest(name, names);
            let help = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            let message = format!("`{kernel}` declares no array `{name}`{help}");
            return Err(self.file.wrong(&pass.name, message));
        }
        let mut arrays = Vec::new();
        for declared in &interface.arrays {
            let renamed = call.arrays.iter().find(|(name, _)| *name == declared.name);
            let name = renamed.map_or(&declared.name, |(_, to)| to).clone();
            if self.is_of_program(pass, &name, declared) {
                continue;
            }
            arrays.push((declared.name.clone(), self.local(pass, &name, declared, first)?));
        }
        let arguments = self.arguments(call, &interface);
        Ok(PagedCall { entry, arguments, arrays, is_inverse: call.is_inverse })
    }

    /// Whether the kernel with a bundle uses Fourier coefficients, or goes where they may be used.
    fn may_be_transform(&self, entry: BundleAddress) -> bool {
        let Some(kernel) = self.program.image().kernel_at(entry) else { return true };
        kernel.words.iter().any(|&word| match decode(word, self.program.core()) {
            Ok(Bundle { arith, exch, .. }) => {
                let is_call = matches!(exch.op, Exch::Calli | Exch::Call | Exch::Jump);
                is_call || arith.op.row().effects.contains(Effects::COEFFICIENT)
            }
            Err(_) => true,
        })
    }

    /// Whether an array can only be data of the program: a kernel reads it at fixed words, the file does not have it, and
    /// no kernel before has it. If the program has no data there, the kernel is refused when its call is prepared.
    fn is_of_program(&self, pass: &FilePass, name: &str, declared: &DeclaredArray) -> bool {
        let is_read = declared.direction == ArrayDirection::In;
        let is_fixed = matches!(declared.base, ArrayBase::Word(_));
        let of_file = self.file.array(name).filter(|array| array.is_for(&self.variant.name));
        let is_known = pass.parts.iter().any(|part| part.name == name)
            || self.locals.iter().any(|local| local.name == name);
        is_read && is_fixed && of_file.is_none() && !is_known
    }

    /// Refuses arguments and arrays of the file that no kernel takes.
    fn check_taken(&self, passes: &[PagedPass]) -> Result<(), KernelError> {
        let calls = || passes.iter().flat_map(|pass| &pass.calls);
        let given = self.variant.arguments.iter().chain(&self.file.arguments);
        let is_taken =
            |name: &str| calls().any(|call| call.arguments.iter().any(|(of, _)| of == name));
        if let Some((name, _)) = given.into_iter().find(|(name, _)| !is_taken(name)) {
            let message = "no kernel of the passes declares it; a register is given in the \
                           `arguments` of a [[pass.call]]";
            return Err(self.file.wrong(&format!("arguments.{name}"), message));
        }
        let arrays = self.file.arrays.iter().filter(|array| array.is_for(&self.variant.name));
        for array in arrays {
            if !self.arrays.iter().any(|known| known.name == array.name) {
                let names = calls().flat_map(|call| &call.arrays).map(|(name, _)| name.as_str());
                let names = names.filter(|name| *name != array.name);
                let near = cp2_asm::nearest(&array.name, names);
                let help = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                let message = format!("no kernel of the passes takes it{help}");
                return Err(self.file.wrong(&format!("array.{}", array.name), message));
            }
        }
        Ok(())
    }

    /// Returns the values of the arguments of a call: its own, and of those of variant and file what its kernel declares.
    fn arguments(&self, call: &FileCall, interface: &Interface) -> Vec<(String, String)> {
        let mut all = call.arguments.clone();
        let given = self.variant.arguments.iter().chain(&self.file.arguments);
        for (name, value) in given {
            // Registers stand for arguments of one kernel only where there is one.
            let is_known = interface.argument(name).is_some() || self.file.passes.is_empty();
            if is_known && !all.iter().any(|(of, _)| of == name) {
                all.push((name.clone(), value.clone()));
            }
        }
        all
    }

    /// Returns the number of the local array that a kernel declares and that has this name in the file: a part of the
    /// page, an array of the file, or one that is only in local memory.
    fn local(
        &mut self,
        pass: &FilePass,
        name: &str,
        declared: &DeclaredArray,
        first: usize,
    ) -> Result<usize, KernelError> {
        if let Some(k) = pass.parts.iter().position(|part| part.name == name) {
            let array = self.array(&pass.name, &pass.parts[k].array, declared)?;
            self.locals[first + k].array = Some(array);
            return Ok(first + k);
        }
        let is_it = |k: &usize| self.locals[*k].name == name && !self.parts.contains(k);
        let known = (0..self.locals.len()).find(is_it);
        let of_file = self.file.array(name).filter(|array| array.is_for(&self.variant.name));
        // Without passes, what the kernel writes is a result.
        let array = match of_file.is_some() || self.whole.is_some() {
            true => Some(self.array(&pass.name, name, declared)?),
            false => None,
        };
        match known {
            Some(local) => Ok(local),
            None => {
                self.locals.push(LocalArray { name: name.to_owned(), array });
                Ok(self.locals.len() - 1)
            }
        }
    }

    /// Returns the number of the array in system memory that the file has under a name and a kernel takes.
    fn array(
        &mut self,
        pass: &str,
        name: &str,
        declared: &DeclaredArray,
    ) -> Result<usize, KernelError> {
        let place = format!("{pass}, array {name}");
        let of_file = self.file.array(name).filter(|array| array.is_for(&self.variant.name));
        if of_file.is_none() && self.whole.is_none() {
            return Err(self.file.wrong(&place, format!("there is no [array.{name}]")));
        }
        let is_written = declared.direction != ArrayDirection::In;
        if let Some(known) = self.arrays.iter().position(|array| array.name == name) {
            let array = &mut self.arrays[known];
            array.is_wanted |= is_written;
            if array.element != declared.element {
                let (one, other) = (array.element.name(), declared.element.name());
                let message = format!("one kernel takes it as {one}, another as {other}");
                return Err(self.file.wrong(&place, message));
            }
            return Ok(known);
        }
        let values = of_file.and_then(|array| array.values.as_ref());
        let kind = kind_of(declared.element);
        if let Some(values) = values.filter(|values| values.kind != kind) {
            let message = format!(
                "a kernel takes it as {kind}, and the file has {}; `type = \"{kind}\"` converts it",
                values.kind
            );
            return Err(self.file.wrong(&place, message));
        }
        let shape = of_file.and_then(FileArray::shape).map(<[usize]>::to_vec);
        let Some(shape) = shape.or_else(|| self.shape_of(declared)) else {
            let message = "its shape is not known; give `shape`, or `expected`";
            return Err(self.file.wrong(&place, message));
        };
        self.arrays.push(SystemArray {
            name: name.to_owned(),
            element: declared.element,
            shape,
            values: values.cloned(),
            edge: of_file.and_then(|array| array.edge),
            is_wanted: is_written || of_file.is_some_and(|array| array.expected.is_some()),
        });
        Ok(self.arrays.len() - 1)
    }

    /// Returns the shape of an array that the kernel declares by numbers, or that all arrays at once tell.
    fn shape_of(&self, declared: &DeclaredArray) -> Option<Vec<usize>> {
        if let Some(whole) = &self.whole {
            let (_, shape) = whole.iter().find(|(name, _)| *name == declared.name)?;
            return Some(shape.clone());
        }
        let size = |extent: &cp2_asm::interface::Extent| {
            extent.value(&|_: &str| None).and_then(|n| usize::try_from(n).ok())
        };
        declared.shape.iter().map(size).collect()
    }

    /// Returns the pages of a pass.
    fn pages(&self, pass: &FilePass, first: usize) -> Result<Vec<PlannedPage>, KernelError> {
        let mut counts = Vec::new();
        for (name, count) in &pass.loops {
            let place = format!("{}, loop {name}", pass.name);
            let count = count.value(&|_| None).map_err(|e| self.file.wrong(&place, e))?;
            if count < 1 {
                let message = format!("it has {count} turns; a loop has at least 1");
                return Err(self.file.wrong(&place, message));
            }
            counts.push(count);
        }
        let all = counts.iter().try_fold(1_i64, |all, &count| all.checked_mul(count));
        let Some(all) = all.and_then(|all| usize::try_from(all).ok()).filter(|n| *n <= MOST_PAGES)
        else {
            let message = format!("its loops make more than {MOST_PAGES} pages");
            return Err(self.file.wrong(&pass.name, message));
        };
        (0..all).map(|number| self.page(pass, (number, &counts), first)).collect()
    }

    fn page(
        &self,
        pass: &FilePass,
        (number, counts): (usize, &[i64]),
        first: usize,
    ) -> Result<PlannedPage, KernelError> {
        let mut rest = number as i64;
        let mut turns = vec![0; counts.len()];
        for (turn, count) in turns.iter_mut().zip(counts).rev() {
            *turn = rest % count;
            rest /= count;
        }
        let names: Vec<&str> = pass.loops.iter().map(|(name, _)| name.as_str()).collect();
        let words = names.iter().zip(&turns).map(|(name, turn)| format!("{name} = {turn}"));
        let name = words.collect::<Vec<_>>().join(", ");
        let turn = |of: &str| names.iter().position(|name| *name == of).map(|k| turns[k]);
        let mut parts = Vec::new();
        for (k, part) in pass.parts.iter().enumerate() {
            let place = || format!("{}, page {number} ({name}), array {}", pass.name, part.name);
            let local = first + k;
            let array = self.locals[local].array.map(|array| &self.arrays[array]);
            let shape = array.map_or(&[][..], |array| &array.shape);
            let part = part.boxes(shape, &turn).map_err(|e| self.file.wrong(&place(), e))?;
            parts.push((local, part));
        }
        // A turn of a loop begins where all loops within it do.
        let begins = |of: &String| {
            let within = names.iter().position(|name| name == of).map_or(0, |k| k + 1);
            turns[within..].iter().all(|turn| *turn == 0)
        };
        let waits = number > 0 && pass.waits.iter().any(begins);
        Ok(PlannedPage { name, parts, waits })
    }
}

impl FilePart {
    /// Returns the boxes of a page of an array of this shape.
    fn boxes(&self, shape: &[usize], turn: Names<'_>) -> Result<ArrayPart, String> {
        let mut is_by_section = false;
        for expression in self.ranges.iter().flat_map(|range| range.expressions()) {
            expression.names(&mut |name| {
                is_by_section |= *name == super::Expression::Name(SECTION.to_owned());
            });
        }
        let of_section = |section: usize| {
            let names = |name: &str| match name {
                SECTION => Some(section as i64),
                _ => turn(name),
            };
            let ranges = self.ranges.iter().zip(shape);
            ranges.map(|(range, &size)| range.indices(size, &names)).collect::<Result<Vec<_>, _>>()
        };
        let sections = if is_by_section { SECTIONS } else { 1 };
        let boxes = (0..sections).map(of_section).collect::<Result<Vec<_>, _>>()?;
        let size = |ranges: &[std::ops::Range<i64>]| {
            ranges.iter().map(|range| range.end - range.start).collect::<Vec<i64>>()
        };
        let has_empty = |ranges: &&Vec<std::ops::Range<i64>>| ranges.iter().any(|r| r.is_empty());
        let empty =
            boxes.iter().find(has_empty).and_then(|ranges| ranges.iter().find(|r| r.is_empty()));
        if let Some(std::ops::Range { start, end }) = empty.filter(|_| is_by_section) {
            return Err(format!("the range {start} : {end} of a section has no element"));
        }
        if let Some(other) = boxes.iter().find(|ranges| size(ranges) != size(&boxes[0])) {
            let shape = |ranges| {
                let sizes = size(ranges).into_iter().map(|n| usize::try_from(n).unwrap_or(0));
                shape_text(&sizes.collect::<Vec<_>>())
            };
            return Err(format!(
                "sections have parts of shapes {} and {}; they have to be equal",
                shape(&boxes[0]),
                shape(other)
            ));
        }
        Ok(ArrayPart { boxes })
    }
}
