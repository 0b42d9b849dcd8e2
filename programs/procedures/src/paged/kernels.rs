//! The kernels that pages call: what they declare, the sizes that follow from the parts of a page, and the registers that
//! the host sets for a call.

use super::registers::CallRegisters;
use super::{ArrayPart, PagedCall, PagedProcedure, wrong};
use cp2_asm::interface::{
    ArrayBase, ArrayDirection, DeclaredArray, ElementType, Interface, Layout, Spread,
};
use cp2_isa::{BundleBits, SECTIONS};
use cp2_session::arrays::{PlacedArray, Problem, kernel_at, kind_of};
use cp2_session::error::KernelError;
use cp2_session::npy::{Array, shape_text};
use cp2_session::{Error, Program, Setup};
use std::collections::HashMap;

/// A local array as the kernels declare it that take it.
#[derive(Clone, Debug)]
pub(super) struct LocalUse {
    pub(super) element: ElementType,
    pub(super) layout: Layout,
    /// First word of the array, if the program fixes it.
    pub(super) fixed: Option<u16>,
    /// First and last pass whose kernels take the array.
    pub(super) passes: [usize; 2],
}

/// Use of a local array by the kernels of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PassUse {
    pub(super) local: usize,
    /// Whether the first kernel that takes the array reads it.
    pub(super) is_read_first: bool,
    /// Whether some kernel writes it.
    pub(super) is_written: bool,
}

/// Call of a kernel: what it sets, and where it finds its arrays.
#[derive(Clone, Debug)]
pub(super) struct PreparedCall {
    /// Values of `g0`, `g1` and on, as many as the kernel takes.
    pub(super) arguments: Vec<u16>,
    /// Bundles that set other registers.
    pub(super) setup: Vec<BundleBits>,
    /// The arrays that have words, each with its number among those of the call.
    pub(super) arrays: Vec<(usize, PlacedArray)>,
}

/// The kernels of a procedure.
pub(super) struct Kernels<'a> {
    procedure: &'a PagedProcedure,
    program: &'a Program,
    /// Interfaces of the kernels, by pass and call, with their names.
    interfaces: Vec<Vec<(String, Interface)>>,
    /// Numbers of the calls, by pass and call; equal for calls that differ in local arrays alone.
    kinds: Vec<Vec<usize>>,
    /// Local arrays as kernels take them; `None` for one that no kernel takes.
    pub(super) uses: Vec<Option<LocalUse>>,
    /// Calls that were prepared, by kind, shapes and places.
    prepared: HashMap<CallKey, PreparedCall>,
    /// Shapes of local arrays in the page that was looked at last, for passes that read what is only in local memory.
    pub(super) written: Vec<Option<Vec<usize>>>,
    /// Words that calls need in local memory for arguments.
    pub(super) constants: Vec<u64>,
    /// First word of these in local memory, once they have a place.
    pub(super) constants_at: Option<usize>,
}

/// All on which the preparation of a call depends: its kind, of each array the shape and the place, and the place of
/// constants.
type CallKey = (usize, Vec<(Option<Vec<usize>>, Option<usize>)>, Option<usize>);

/// Returns a number for each call of each pass, which is equal for calls of the same kernel with the same arguments and
/// names of arrays.
fn kinds(procedure: &PagedProcedure) -> Vec<Vec<usize>> {
    let mut known = HashMap::new();
    let mut kind = |call: &PagedCall| {
        let names: Vec<String> = call.arrays.iter().map(|(name, _)| name.clone()).collect();
        let next = known.len();
        *known.entry((call.entry, call.arguments.clone(), names)).or_insert(next)
    };
    let passes = procedure.passes.iter();
    passes.map(|pass| pass.calls.iter().map(&mut kind).collect()).collect()
}

impl<'a> Kernels<'a> {
    /// Finds what the kernels declare.
    ///
    /// # Errors
    /// A call lacks an array that its kernel declares, names one that it does not, or kernels take one local array in
    /// different ways.
    pub(super) fn new(
        procedure: &'a PagedProcedure,
        program: &'a Program,
    ) -> Result<Self, KernelError> {
        let of = |call: &PagedCall| {
            let (name, interface) = kernel_at(program.image(), call.entry);
            (name.unwrap_or("the program").to_owned(), interface)
        };
        let passes = procedure.passes.iter();
        let interfaces = passes.map(|pass| pass.calls.iter().map(of).collect()).collect();
        let uses = vec![None; procedure.locals.len()];
        let mut kernels = Self {
            procedure,
            program,
            interfaces,
            kinds: kinds(procedure),
            uses,
            prepared: HashMap::new(),
            written: vec![None; procedure.locals.len()],
            constants: Vec::new(),
            constants_at: None,
        };
        for (pass, of_pass) in procedure.passes.iter().enumerate() {
            for (number, call) in of_pass.calls.iter().enumerate() {
                kernels.find_uses(pass, number, call)?;
            }
        }
        Ok(kernels)
    }

    fn find_uses(
        &mut self,
        pass: usize,
        number: usize,
        call: &PagedCall,
    ) -> Result<(), KernelError> {
        let (kernel, interface) = &self.interfaces[pass][number];
        let of_pass = &self.procedure.passes[pass].name;
        for declared in &interface.arrays {
            // What a kernel reads at fixed words may be data of the program.
            let may_be_data = declared.direction == ArrayDirection::In
                && matches!(declared.base, ArrayBase::Word(_));
            if !may_be_data && !call.arrays.iter().any(|(name, _)| *name == declared.name) {
                let message = format!("`{kernel}` declares it, and the call gives no array for it");
                return Err(wrong(format!("{of_pass}, array {}", declared.name), message));
            }
        }
        for (name, local) in &call.arrays {
            let Some(declared) = interface.array(name) else {
                let names: Vec<&str> = interface.arrays.iter().map(|a| a.name.as_str()).collect();
                let near = cp2_asm::nearest(name, names.iter().copied());
                let help = near.map(|near| format!("; did you mean `{near}`?"));
                let message =
                    format!("`{kernel}` declares no array `{name}`{}", help.unwrap_or_default());
                return Err(wrong(of_pass, message));
            };
            let fixed = match declared.base {
                ArrayBase::Word(word) => Some(word),
                ArrayBase::Register(_) => None,
            };
            let DeclaredArray { element, layout, .. } = *declared;
            let found = LocalUse { element, layout, fixed, passes: [pass, pass] };
            match &mut self.uses[*local] {
                place @ None => *place = Some(found),
                Some(known) => {
                    known.passes[1] = pass;
                    let are_same = (known.element, known.layout) == (element, layout)
                        && (known.fixed == fixed || known.fixed.is_none() || fixed.is_none());
                    known.fixed = known.fixed.or(fixed);
                    if !are_same {
                        let name = &self.procedure.locals[*local].name;
                        let message = format!(
                            "`{kernel}` takes it as {} {layout}, and a kernel before as {} {}, or \
                             both have it at fixed words",
                            element.name(),
                            known.element.name(),
                            known.layout
                        );
                        return Err(wrong(format!("{of_pass}, array {name}"), message));
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the type and the layout of a local array, if a kernel takes it.
    pub(super) fn layout(&self, local: usize) -> Option<(ElementType, Layout)> {
        self.uses[local].as_ref().map(|of| (of.element, of.layout))
    }

    /// Returns what the kernels of a pass do with their local arrays, each once.
    pub(super) fn uses_of_pass(&self, pass: usize) -> Vec<PassUse> {
        let mut uses: Vec<PassUse> = Vec::new();
        for (call, (_, interface)) in
            self.procedure.passes[pass].calls.iter().zip(&self.interfaces[pass])
        {
            for (name, local) in &call.arrays {
                let Some(declared) = interface.array(name) else { continue };
                let is_written = declared.direction != ArrayDirection::In;
                let is_read_first = declared.direction.is_read();
                match uses.iter_mut().find(|of| of.local == *local) {
                    Some(known) => known.is_written |= is_written,
                    None => uses.push(PassUse { local: *local, is_read_first, is_written }),
                }
            }
        }
        uses
    }

    /// Returns the shape in which a kernel takes the part of a page, by the number of axes that it declares.
    ///
    /// # Errors
    /// The part has another number of axes, or boxes for the sections where the kernel does not take blocks.
    pub(super) fn shape(
        &self,
        (pass, page): (usize, usize),
        local: usize,
        part: &ArrayPart,
    ) -> Result<Vec<usize>, KernelError> {
        let declared = self.declared(pass, local);
        let mut sizes: Vec<usize> = part.sizes().collect();
        let axes = declared.map_or(sizes.len(), |array| array.shape.len());
        let spread = declared.map_or(Spread::All, |array| array.layout.spread);
        let place = || self.procedure.place(pass, page, local);
        if part.is_by_section() {
            if spread != Spread::Blocks {
                let message = format!(
                    "each section has a range of its own, so the kernel has to declare \
                     layout=blocks, and it declares layout={spread}"
                );
                return Err(wrong(place(), message));
            }
            match axes {
                axes if axes == sizes.len() => sizes[0] *= SECTIONS,
                _ => sizes.insert(0, SECTIONS),
            }
        }
        while sizes.len() > axes.max(1) && sizes[0] == 1 {
            sizes.remove(0);
        }
        if axes != sizes.len() && axes != 1 {
            let message = format!(
                "the part of the page has shape {}, and the kernel declares {}",
                shape_text(&sizes),
                declared.map_or(String::new(), DeclaredArray::shape_text)
            );
            return Err(wrong(place(), message));
        }
        Ok(sizes)
    }

    /// Returns the declaration of a local array by the first kernel of a pass that takes it.
    fn declared(&self, pass: usize, local: usize) -> Option<&DeclaredArray> {
        let calls = self.procedure.passes[pass].calls.iter().zip(&self.interfaces[pass]);
        let mut all = calls.flat_map(|(call, (_, interface))| {
            call.arrays.iter().map(move |(name, of)| (name, of, interface))
        });
        all.find(|(_, of, _)| **of == local).and_then(|(name, _, interface)| interface.array(name))
    }

    /// Prepares a call of a page: `shape` returns the shape of a local array, if it is known, and `base` its first word,
    /// once it has a place.
    ///
    /// # Errors
    /// The shapes do not fit the kernel, an argument is missing, or the host cannot set a register.
    pub(super) fn prepare(
        &mut self,
        (pass, page): (usize, usize),
        number: usize,
        shape: &dyn Fn(usize) -> Option<Vec<usize>>,
        base: &dyn Fn(usize) -> Option<usize>,
    ) -> Result<&PreparedCall, KernelError> {
        let call = &self.procedure.passes[pass].calls[number];
        let known = call.arrays.iter().map(|(_, local)| (shape(*local), base(*local)));
        let key = (self.kinds[pass][number], known.collect::<Vec<_>>(), self.constants_at);
        if !self.prepared.contains_key(&key) {
            let made = self.made((pass, page), number, &key.1)?;
            self.prepared.insert(key.clone(), made);
        }
        self.prepared.get(&key).ok_or(KernelError::Internal("a prepared call is missing"))
    }

    fn made(
        &mut self,
        (pass, page): (usize, usize),
        number: usize,
        known: &[(Option<Vec<usize>>, Option<usize>)],
    ) -> Result<PreparedCall, KernelError> {
        let call = &self.procedure.passes[pass].calls[number];
        let (kernel, interface) = &self.interfaces[pass][number];
        let place = || format!("{}, kernel {kernel}", self.procedure.page_name(pass, page));
        let core = *self.program.core();
        let mut setup = Setup { core, entry: Some(call.entry), ..Setup::default() };
        for (name, value) in &call.arguments {
            setup = setup.argument(name, value);
        }
        for ((name, _), (shape, base)) in call.arrays.iter().zip(known) {
            let Some(declared) = interface.array(name) else { continue };
            if let (Some(base), ArrayBase::Register(register)) = (base, declared.base) {
                setup = setup.argument(&register.to_string(), base);
            }
            let given = match (shape, declared.direction.is_read()) {
                (Some(shape), true) => setup.load(name, zeros(declared.element, shape)),
                (Some(shape), false) => {
                    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
                    setup.store(&format!("{name}:shape={}", sizes.join("x")))
                }
                (None, _) => setup.store(name),
            };
            setup = given.map_err(|e| refused(&place(), e))?;
        }
        let prepared = self.program.prepare(&setup).map_err(|e| refused(&place(), e))?;
        let arrays = prepared.arrays.laid.iter().filter_map(|laid| {
            let k = call.arrays.iter().position(|(name, _)| *name == laid.name)?;
            Some((k, laid.placed.clone()))
        });
        let arrays = arrays.collect();
        let state = &prepared.machine.cp2.state;
        let registers = CallRegisters::new(state, &prepared.arrays.registers);
        let registers = registers.map_err(|message| wrong(place(), message))?;
        for constant in registers.constants() {
            if !self.constants.contains(&constant) {
                self.constants.push(constant);
            }
        }
        // Before the constants have a place, only sizes are asked for.
        let first = self.constants_at.unwrap_or(0);
        let setup = registers.setup(&core, (&self.constants, first))?;
        Ok(PreparedCall { arguments: registers.general, setup, arrays })
    }
}

/// Returns an array of zeros.
fn zeros(element: ElementType, shape: &[usize]) -> Array {
    let count = shape.iter().product();
    Array::from_bits(kind_of(element), shape.to_vec(), std::iter::repeat_n(0, count))
}

/// Returns the error of a call that cannot be prepared.
fn refused(place: &str, error: Error) -> KernelError {
    match error {
        Error::Array(Problem { place: of, message }) => {
            let (name, _) = of.split_once('=').unwrap_or((&of, ""));
            let name = match name.rsplit_once(' ') {
                Some(("--arg", name)) => format!("argument {name}"),
                Some(("argument", _)) => name.to_owned(),
                Some((_, name)) => format!("array {name}"),
                None => format!("array {name}"),
            };
            // What a user of `cp2 run` would do.
            let message = message.split("; give --load").next().unwrap_or(&message);
            wrong(format!("{place}, {name}"), message)
        }
        Error::Program(error) => KernelError::Program(Box::new(error)),
        Error::Entry(error) => KernelError::Entry(error),
        Error::Kernel(error) => error,
        Error::Promise(broken) => KernelError::Promise(broken),
        other => wrong(place, other.to_string()),
    }
}
