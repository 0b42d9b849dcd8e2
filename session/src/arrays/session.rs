//! Preparation of a machine for a run, from what a user gives: arguments go into registers, arrays into local memory,
//! and the words in which results will lie are found.

use super::arguments::{self, Value};
use super::placed::{PlacedArray, kind_of};
use super::ready::{ArrayRequest, LaidArray, Ready, StoredArray, kernel_at};
use super::transfer::{ArrayTarget, FileTransfer};
use super::{Problem, convert, fit};
use crate::npy::{Array as Values, NumberType, shape_text};
use cp2_asm::image::Image;
use cp2_asm::interface::{ArgumentRegister, ArrayBase, DeclaredArray, ElementType, Interface};
use cp2_asm::nearest;
use cp2_emu::Cp2;
use cp2_isa::{BundleAddress, Core};
use std::collections::BTreeMap;

/// Sets arguments and loads arrays before a run, in a CP2 into which the program `image` has been loaded, and returns
/// what was set and which arrays can be taken after the run. `entry` is the bundle at which the run starts; its kernel
/// declares the arguments and arrays.
///
/// # Errors
/// The first argument or array that is unknown, missing, does not fit or breaks what the kernel declares. CP2 may have
/// been changed by then.
pub fn prepare(
    cp2: &mut Cp2,
    image: &Image,
    entry: BundleAddress,
    request: &ArrayRequest,
) -> Result<Ready, Problem> {
    let (kernel, interface) = kernel_at(image, entry);
    let core = *cp2.core();
    let kernel = kernel.unwrap_or("the program").to_owned();
    let mut session =
        Session { core, image, interface: &interface, kernel, request, known: BTreeMap::new() };
    session.run(cp2)
}

/// A request on its way into a machine.
pub(super) struct Session<'a> {
    pub(super) core: Core,
    pub(super) image: &'a Image,
    pub(super) interface: &'a Interface,
    pub(super) kernel: String,
    request: &'a ArrayRequest,
    /// Whole-numbered arguments.
    known: BTreeMap<String, i64>,
}

/// An array that the kernel declares, with its place.
struct Known<'a> {
    array: &'a DeclaredArray,
    placed: PlacedArray,
}

impl Session<'_> {
    fn run(&mut self, cp2: &mut Cp2) -> Result<Ready, Problem> {
        let given = self.given()?;
        self.check_names()?;
        let arrays =
            self.request.loads.iter().map(|(transfer, values)| self.typed(transfer, values));
        let arrays: Vec<Values> = arrays.collect::<Result<_, _>>()?;
        self.infer(&arrays)?;
        let values = self.arguments(cp2, &given)?;
        let mut registers: Vec<ArgumentRegister> =
            values.iter().map(|(register, _)| *register).collect();
        for (register, bits) in values {
            arguments::set_register(&mut cp2.state, &self.core, &register, bits);
        }
        let known = self.places(cp2)?;
        if !self.request.is_set {
            registers.extend(known.iter().filter_map(|known| match known.array.base {
                ArrayBase::Register(register) => Some(register),
                ArrayBase::Word(_) => None,
            }));
        }
        let mut loaded: Vec<(&FileTransfer, PlacedArray)> = Vec::new();
        for ((transfer, _), array) in self.request.loads.iter().zip(&arrays) {
            let placed = self.placed(&known, transfer, Some(array))?;
            if let Some((other, _)) = loaded.iter().find(|(_, other)| other.meets(&placed)) {
                let message = format!("it would overwrite words that {other} has loaded");
                return Err(Problem::new(transfer, message));
            }
            placed.write(&mut cp2.state.lmem, array);
            loaded.push((transfer, placed));
        }
        let store = |transfer: &FileTransfer| {
            let placed = self.placed(&known, transfer, None)?;
            Ok(StoredArray { transfer: transfer.clone(), placed })
        };
        let stores = self.request.stores.iter().map(store).collect::<Result<_, _>>()?;
        let loaded = loaded.into_iter().map(|(_, placed)| placed).collect();
        let laid = self.laid(cp2);
        let is_all_laid = laid.len() == self.interface.arrays.len();
        Ok(Ready { stores, laid, is_all_laid, loaded, registers })
    }

    /// Returns all arrays of known sizes, where the registers say that they begin.
    fn laid(&self, cp2: &Cp2) -> Vec<LaidArray> {
        let one = |array: &DeclaredArray| {
            let shape = self.shape(array).ok().flatten()?;
            let base = match array.base {
                ArrayBase::Word(word) => usize::from(word),
                ArrayBase::Register(register) => {
                    let held = arguments::held(&cp2.state, &register)?;
                    usize::try_from(held).ok()?
                }
            };
            let placed = PlacedArray { element: array.element, layout: array.layout, base, shape };
            let fits = placed.range().end <= self.core.lmem_words();
            fits.then(|| LaidArray { name: array.name.clone(), direction: array.direction, placed })
        };
        self.interface.arrays.iter().filter_map(one).collect()
    }

    /// Returns the values that `--arg` gives, by register.
    fn given(&mut self) -> Result<Vec<(ArgumentRegister, Value)>, Problem> {
        let mut all: Vec<(ArgumentRegister, Value)> = Vec::new();
        for (name, text) in &self.request.arguments {
            let place = format!("--arg {name}={text}");
            let wrong = |message| Problem::new(&place, message);
            let declared = self.interface.argument(name);
            let (register, value) = match (declared, ArgumentRegister::from_name(name, &self.core))
            {
                (Some(argument), _) => {
                    let value = arguments::read(argument, &self.core, text);
                    (argument.register, value.map_err(wrong)?)
                }
                (None, Some(register)) => {
                    let value = arguments::read_register(&register, &self.core, text);
                    (register, value.map_err(wrong)?)
                }
                (None, None) => {
                    return Err(wrong(self.no_argument(name)));
                }
            };
            if all.iter().any(|(other, _)| other.meets(&register)) {
                return Err(wrong(format!("{register} is given twice")));
            }
            let of_register = |a: &&cp2_asm::interface::Argument| a.register == register;
            if let (Some(argument), Some(n)) =
                (self.interface.arguments.iter().find(of_register), value.whole)
            {
                self.known.insert(argument.name.clone(), i64::try_from(n).unwrap_or(i64::MAX));
            }
            all.push((register, value));
        }
        Ok(all)
    }

    /// Returns the message about an argument that does not exist.
    fn no_argument(&self, name: &str) -> String {
        let names = self.interface.arguments.iter().map(|argument| argument.name.as_str());
        let help = match (self.interface.array(name), nearest(name, names)) {
            (Some(_), _) => format!("it is an array: --load {name}=FILE.npy; "),
            (None, Some(near)) => format!("did you mean `{near}`? "),
            (None, None) => String::new(),
        };
        let list = arguments::list(self.interface);
        format!("`{}` has no argument `{name}`; {help}{list}", self.kernel)
    }

    fn known(&self) -> impl Fn(&str) -> Option<i64> + '_ {
        |name| self.known.get(name).copied()
    }

    /// Returns the elements of a file in the type that memory takes.
    fn typed(&self, transfer: &FileTransfer, values: &Values) -> Result<Values, Problem> {
        let name = transfer.target.to_string();
        let declared = self.interface.array(&name).map(|array| kind_of(array.element));
        let kind = declared.or(transfer.converted).unwrap_or(values.kind);
        let wrong = |message: String| Problem::new(transfer, message);
        values.check_shape().map_err(wrong)?;
        if ElementType::from_name(kind.name()).is_none() {
            let names = ElementType::ALL.map(ElementType::name).join(", ");
            return Err(wrong(format!(
                "local memory cannot hold {kind}, but {names}; convert it with `:as=TYPE`, such as `:as=float32`"
            )));
        }
        match transfer.converted {
            Some(asked) if asked != kind => {
                return Err(wrong(format!(
                    "`{}` takes {name} as {kind}, not {asked}",
                    self.kernel
                )));
            }
            None if values.kind != kind => {
                return Err(wrong(format!(
                    "`{}` takes {name} as {kind}, and the array has {}; `:as={kind}` converts it",
                    self.kernel, values.kind
                )));
            }
            _ => {}
        }
        convert(values, kind, transfer.takes_nan).map_err(|unfit| wrong(unfit.to_string()))
    }

    /// Refuses arrays that there are not, before their sizes are missed.
    fn check_names(&self) -> Result<(), Problem> {
        let loads = self.request.loads.iter().map(|(transfer, _)| transfer);
        let all = loads.chain(&self.request.stores);
        let unknown = |t: &&FileTransfer| self.interface.array(&t.target.to_string()).is_none();
        all.filter(unknown).try_for_each(|transfer| self.base(transfer).map(drop))
    }

    /// Finds arguments from the sizes of arrays, as far as they are not given, and refuses sizes that none gives.
    fn infer(&mut self, arrays: &[Values]) -> Result<(), Problem> {
        let loads = self.request.loads.iter().zip(arrays);
        let loads = loads.map(|((transfer, _), array)| (transfer, array.shape.clone()));
        let stores = self.request.stores.iter();
        let stores = stores.filter_map(|t| t.shape.clone().map(|shape| (t, shape)));
        let all: Vec<(&FileTransfer, Vec<usize>)> = loads.chain(stores).collect();
        let shapes: Vec<_> =
            all.iter().map(|(t, shape)| (t.target.to_string(), shape.clone())).collect();
        let found = fit::infer(&self.kernel, self.interface, &shapes, &mut self.known);
        found.map_err(|(number, message)| Problem::new(all[number].0, message))
    }

    /// Returns the values of all arguments: given, found, by default, or as the registers are.
    fn arguments(
        &mut self,
        cp2: &Cp2,
        given: &[(ArgumentRegister, Value)],
    ) -> Result<Vec<(ArgumentRegister, u64)>, Problem> {
        let mut all: Vec<(ArgumentRegister, u64)> =
            given.iter().map(|(r, v)| (*r, v.bits)).collect();
        for argument in &self.interface.arguments {
            let name = &argument.name;
            let promise = &argument.promise;
            let is_given = all.iter().any(|(register, _)| *register == argument.register);
            let is_found = !is_given && self.known.contains_key(name);
            let default =
                promise.default.filter(|_| !is_given && !is_found && !self.request.is_set);
            let held = arguments::held(&cp2.state, &argument.register)
                .filter(|_| self.request.is_set && !is_given && !is_found);
            let value = self.known.get(name).copied().or(default);
            if !is_given && value.is_none() && held.is_none() {
                let is_loaded = |array: &&DeclaredArray| {
                    self.request.loads.iter().any(|(t, _)| t.target.to_string() == array.name)
                };
                let arrays = self.interface.arrays.iter().filter(|array| !is_loaded(array));
                let mut telling =
                    arrays.filter(|a| a.shape.iter().any(|e| e.arguments().contains(&&**name)));
                let hint = telling.next().map_or(String::new(), |array| {
                    format!(", or load {}, whose size gives it", array.name)
                });
                let list = arguments::list(self.interface);
                let message =
                    format!("`{}` needs it; give --arg {name}=VALUE{hint}; {list}", self.kernel);
                return Err(Problem::new(format!("argument {name}"), message));
            }
            let value = value.or(held.and_then(|n| i64::try_from(n).ok()));
            let is_whole =
                !matches!(argument.element, ElementType::Float32 | ElementType::Complex64);
            if let Some(value) = value.filter(|_| is_whole) {
                let place = match is_found {
                    true => {
                        format!(
                            "argument {name} = {value}, which follows from the sizes of the arrays"
                        )
                    }
                    false => format!("argument {name} = {value}"),
                };
                if let Some(broken) = promise.broken_by(value.into()).filter(|_| held.is_none()) {
                    let message = format!("`{}` declares {broken} for it", self.kernel);
                    return Err(Problem::new(place, message));
                }
                if !is_given && held.is_none() {
                    let read = arguments::read(argument, &self.core, &value.to_string());
                    let value = read.map_err(|message| Problem::new(place, message))?;
                    all.push((argument.register, value.bits));
                }
                self.known.insert(name.clone(), value);
            }
        }
        Ok(all)
    }

    /// Returns the places of all arrays that the kernel declares and whose sizes are known. Arrays whose addresses the
    /// kernel takes in registers follow the program's data.
    fn places(&self, cp2: &mut Cp2) -> Result<Vec<Known<'_>>, Problem> {
        let chunks = self.image.data.iter().map(|c| c.start.index() + c.words.len());
        let mut all: Vec<Known<'_>> = Vec::new();
        let loads = self.request.loads.iter().map(|(transfer, _)| transfer);
        let asked: Vec<String> =
            loads.chain(&self.request.stores).map(|transfer| transfer.target.to_string()).collect();
        for array in &self.interface.arrays {
            // What has been set otherwise is nobody's business here.
            if self.request.is_set && !asked.contains(&array.name) {
                continue;
            }
            let Some(shape) = self.shape(array)? else { continue };
            let base = match array.base {
                ArrayBase::Word(word) => usize::from(word),
                ArrayBase::Register(_) => 0,
            };
            let placed = PlacedArray { element: array.element, layout: array.layout, base, shape };
            self.check_count(&array.name, &placed)?;
            all.push(Known { array, placed });
        }
        let is_fixed = |known: &&Known<'_>| matches!(known.array.base, ArrayBase::Word(_));
        let fixed = all.iter().filter(is_fixed).map(|known| known.placed.range().end);
        let mut next = fixed.chain(chunks).max().unwrap_or(0);
        for known in &mut all {
            if let ArrayBase::Register(register) = known.array.base {
                self.allocate(cp2, known, register, &mut next)?;
            }
        }
        for (k, known) in all.iter().enumerate() {
            let name = &known.array.name;
            self.check_space(&format!("array {name}"), name, &known.placed)?;
            let other = all[..k]
                .iter()
                .find(|o| o.placed.meets(&known.placed) && o.placed.base != known.placed.base);
            if let Some(other) = other {
                let [a, b] = [&known.placed, &other.placed].map(|p| p.range());
                let message = format!(
                    "it takes words {} to {}, and {} takes {} to {}; arrays of a kernel do not overlap \
                     unless they begin at one word",
                    a.start,
                    a.end - 1,
                    other.array.name,
                    b.start,
                    b.end - 1
                );
                return Err(Problem::new(format!("array {name}"), message));
            }
            self.check_given(known)?;
        }
        Ok(all)
    }

    /// Gives an array whose address goes into a register its place.
    fn allocate(
        &self,
        cp2: &mut Cp2,
        known: &mut Known<'_>,
        register: ArgumentRegister,
        next: &mut usize,
    ) -> Result<(), Problem> {
        let named = |(name, _): &&(String, String)| *name == register.to_string();
        let is_placed = self.request.is_set || self.request.arguments.iter().any(|a| named(&a));
        if is_placed {
            let held = arguments::held(&cp2.state, &register).unwrap_or(0);
            known.placed.base = usize::try_from(held).unwrap_or(usize::MAX);
            return Ok(());
        }
        // Double loads begin at even words.
        known.placed.base = next.next_multiple_of(2);
        *next = known.placed.range().end;
        arguments::set_register(&mut cp2.state, &self.core, &register, known.placed.base as u64);
        Ok(())
    }

    /// Returns the shape of an array; `None` where an argument that the shape needs is not a known number.
    fn shape(&self, array: &DeclaredArray) -> Result<Option<Vec<usize>>, Problem> {
        let mut shape = Vec::new();
        for extent in &array.shape {
            if extent.arguments().into_iter().any(|name| !self.known.contains_key(name)) {
                return Ok(None);
            }
            let size = extent.value(&self.known()).and_then(|n| usize::try_from(n).ok());
            let Some(size) = size.filter(|size| *size <= 1 << 32) else {
                let message = format!("its size {extent} is {}", fit::no_size(array, &self.known));
                return Err(Problem::new(format!("array {}", array.name), message));
            };
            shape.push(size);
        }
        Ok(Some(shape))
    }

    fn check_count(&self, place: &str, placed: &PlacedArray) -> Result<(), Problem> {
        let count = placed.count();
        match placed.layout.takes(count) {
            true => Ok(()),
            false => {
                let message = format!(
                    "{count} elements cannot be divided into four equal blocks; pad them to {}",
                    count.next_multiple_of(4)
                );
                Err(Problem::new(place, message))
            }
        }
    }

    /// Refuses an input that is neither loaded nor in the program.
    fn check_given(&self, known: &Known<'_>) -> Result<(), Problem> {
        let Known { array, placed } = known;
        let is_loaded = self
            .request
            .loads
            .iter()
            .any(|(t, _)| t.target == ArrayTarget::Name(array.name.clone()));
        let range = placed.range();
        let is_own = self.image.data.iter().any(|chunk| {
            let start = chunk.start.index();
            let words = chunk.words.iter().enumerate().map(|(k, word)| (start + k, *word));
            words.into_iter().any(|(at, word)| word != 0 && range.contains(&at))
        });
        let in_register = matches!(array.base, ArrayBase::Register(_));
        if !array.direction.is_read()
            || is_loaded
            || self.request.is_set
            || (is_own && !in_register)
        {
            return Ok(());
        }
        let message = format!(
            "`{}` reads it, but nothing is loaded; give --load {}=FILE.npy, {} {}",
            self.kernel,
            array.name,
            array.element.name(),
            array.shape_text()
        );
        Err(Problem::new(format!("array {}", array.name), message))
    }

    /// Returns the place in local memory of a transfer.
    fn placed(
        &self,
        known: &[Known<'_>],
        transfer: &FileTransfer,
        values: Option<&Values>,
    ) -> Result<PlacedArray, Problem> {
        let place = transfer.to_string();
        let name = transfer.target.to_string();
        let declared = self.interface.array(&name);
        if let Some(array) = declared {
            return self.declared(known, array, transfer, values);
        }
        let base = self.base(transfer)?;
        let layout = transfer.layout();
        let kind = values.map(|values| values.kind).or(transfer.kind);
        let element = kind.and_then(|kind: NumberType| ElementType::from_name(kind.name()));
        let shape = match (values, &transfer.shape) {
            (Some(values), None) => Some(values.shape.clone()),
            (Some(values), Some(shape)) if *shape != values.shape => {
                let (has, asked) = (values.shape_text(), shape_text(shape));
                return Err(Problem::new(place, format!("the array has shape {has}, not {asked}")));
            }
            (_, shape) => shape.clone(),
        };
        let (Some(element), Some(shape)) = (element, shape) else {
            let names = ElementType::ALL.map(ElementType::name).join(", ");
            let message = format!(
                "the program does not declare `{name}`; give its type and shape, such as \
                 :float32:shape=4x256; the types are {names}"
            );
            return Err(Problem::new(place, message));
        };
        let placed = PlacedArray { element, layout, base, shape };
        self.check_count(&place, &placed)?;
        self.check_space(&place, &name, &placed)?;
        Ok(placed)
    }

    fn declared(
        &self,
        known: &[Known<'_>],
        array: &DeclaredArray,
        transfer: &FileTransfer,
        values: Option<&Values>,
    ) -> Result<PlacedArray, Problem> {
        let wrong = |message| Err(Problem::new(transfer, message));
        let DeclaredArray { name, layout, element, .. } = array;
        let differs = transfer.spread.is_some_and(|spread| spread != layout.spread)
            || transfer.packing.is_some_and(|packing| packing != layout.packing)
            || transfer.kind.is_some_and(|kind| kind != kind_of(*element));
        if differs {
            return wrong(format!(
                "`{}` declares {name} as {} in layout {layout}; leave the type and the layout out",
                self.kernel,
                element.name()
            ));
        }
        let Some(known) = known.iter().find(|known| known.array.name == *name) else {
            return wrong(format!(
                "its shape {} is not known; give the arguments; {}",
                array.shape_text(),
                arguments::list(self.interface)
            ));
        };
        let mut placed = known.placed.clone();
        let shape = values.map(|values| &values.shape).or(transfer.shape.as_ref());
        if let Some(shape) = shape {
            // An array of one axis takes any shape of so many elements.
            let count = shape.iter().product::<usize>();
            if *shape != placed.shape && (placed.shape.len() != 1 || count != placed.count()) {
                return wrong(format!(
                    "the array has shape {}, and `{}` takes {name} of {}{}",
                    shape_text(shape),
                    self.kernel,
                    array.shape_text(),
                    fit::with_values(array, &self.known)
                ));
            }
            placed.shape.clone_from(shape);
        }
        Ok(placed)
    }
}
