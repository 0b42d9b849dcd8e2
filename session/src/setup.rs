//! Setup of a run of a program: how it is to be run, and the machine that is ready for it.

use crate::arrays::{self, ArrayRequest, FileTransfer, Problem, Ready};
use crate::engine::Engine;
use crate::failure::Error;
use crate::load;
use crate::npy::Array;
use crate::program::Program;
use crate::sanitizer::Sanitizer;
use cp2_emu::state::State;
use cp2_emu::{Cp2, Machine, MachineConfig};
use cp2_isa::{BundleAddress, Core, Filed, Storage};
use cp2_recording::Recorder;
use serde_json::Value;

/// Number of cycles of CP2 after which a run is ended if the setup says nothing else: a second of a machine at 100 MHz.
pub const MOST_CYCLES: u64 = 100_000_000;

/// The setup of a run of a program: machine, engine, start, arguments and arrays, limit, checks. The default runs the
/// first kernel on CP2 alone, as it is after reset, on the fast engine.
///
/// ```
/// use cp2_session::npy::Array;
/// use cp2_session::{Environment, Program, Setup};
/// let source = "
///     .kernel double
///     .arg    n, g1, min=1
///     .array  x, inout, float32, 4*n, layout=blocks, pack=both
///     seti    a0, x
///     .linear
///     .loop   g1, min=1
///     lwo     %x, (r0)
///     psadd   %x, %x, %x
///     swo     %x, (r0)+1
///     .endloop
///     .endlinear
///     stopi   0
///     .lmem   all
/// x:  .zero   64";
/// let environment = Environment::new();
/// let setup = Setup::default();
/// let program = Program::from_source(&environment, setup.core(), "double.s", source)?;
/// let x = Array::from_floats(vec![8], &[1., 2., 3., 4., 5., 6., 7., 8.]);
/// let setup = setup.load("x", x)?.store("x")?;
/// let outcome = program.run(&environment, &setup)?;
/// assert_eq!(outcome.array("x")?.to_floats(), [2., 4., 6., 8., 10., 12., 14., 16.]);
/// # Ok::<(), cp2_session::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Setup {
    /// Machine around CP2: DMA channel and system memory. `None` for CP2 alone, which has neither.
    pub machine: Option<MachineConfig>,
    /// Core of CP2 alone. If there is a machine, its core counts in place of this one.
    pub core: Core,
    /// Address of the bundle at which the run starts ([`Program::entry`] finds it by name); `None` for the first
    /// kernel.
    pub entry: Option<BundleAddress>,
    /// State of an earlier run, from which registers and memories are copied before the program is loaded. It may be of
    /// another core: only the registers and words that this core has are copied. Instruction memory is left out. A
    /// checked run takes what is copied as written, whether or not the earlier run wrote it.
    pub carried: Option<Box<State>>,
    /// Values, in the form of state files, to which registers and memories are set after the program has been loaded.
    pub state: Option<Value>,
    /// Arguments of the kernel, and arrays that are loaded before the run and wanted after it.
    pub arrays: ArrayRequest,
    /// Whether a kernel that declares arguments or arrays may be given nothing at all; it then runs on registers and
    /// memory as they are. If not, that is an error.
    pub may_lack: bool,
    /// Engine that runs the program; the results of all are the same.
    pub engine: Engine,
    /// Number of cycles of CP2 after which the run is ended.
    pub max_cycles: u64,
    /// Whether the run is checked for uses of values that nothing has written, stores outside of arrays, and broken
    /// promises of linear code.
    pub is_checked: bool,
    /// Whether cycles are counted for every bundle, as the profile of the machine.
    pub is_profiled: bool,
    /// Recorder that writes a recording of the run; `None` if the run is not recorded.
    pub recorder: Option<Recorder>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            machine: None,
            core: Core::default(),
            entry: None,
            carried: None,
            state: None,
            arrays: ArrayRequest::default(),
            may_lack: false,
            engine: Engine::default(),
            max_cycles: MOST_CYCLES,
            is_checked: false,
            is_profiled: false,
            recorder: None,
        }
    }
}

impl Setup {
    /// Creates the setup of a run on a machine, with the machine's core, and with defaults for everything else.
    pub fn on(machine: MachineConfig) -> Self {
        Self { core: *machine.core(), machine: Some(machine), ..Self::default() }
    }

    /// Returns the core for which a program has to be made that runs with this setup: that of the machine, or `core`
    /// without one.
    pub fn core(&self) -> &Core {
        self.machine.as_ref().map_or(&self.core, MachineConfig::core)
    }

    /// Gives a value to an argument that the kernel declares, or to a register, by its name. The value is kept as text;
    /// [`Program::prepare`] reads it.
    #[must_use]
    pub fn argument(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        self.arrays.arguments.push((name.to_owned(), value.to_string()));
        self
    }

    /// Loads an array before the run. `place` is the name of an array that the kernel declares, a label of local memory
    /// or a word address; behind it may stand options with colons between, such as `x:blocks:as=float32` for the layout
    /// in local memory and the type to which it is converted.
    ///
    /// # Errors
    /// [`Error::Array`] if `place` is empty or no such address, or has an option that there is not.
    pub fn load(mut self, place: &str, array: Array) -> Result<Self, Error> {
        self.arrays.loads.push((transfer(arrays::FileDirection::Load, place)?, array));
        Ok(self)
    }

    /// Asks for an array after the run, to be taken by [`Outcome::array`](crate::Outcome::array). `place` is a name or
    /// an address as for [`Setup::load`], with options behind it such as `y:float32:shape=4x256`.
    ///
    /// # Errors
    /// [`Error::Array`] if `place` is empty or no such address, or has an option that there is not.
    pub fn store(mut self, place: &str) -> Result<Self, Error> {
        self.arrays.stores.push(transfer(arrays::FileDirection::Store, place)?);
        Ok(self)
    }
}

/// Returns the transfer of an array that is in no file: the place stands for its name.
fn transfer(direction: arrays::FileDirection, place: &str) -> Result<FileTransfer, Error> {
    let (name, options) = place.find(':').map_or((place, ""), |at| place.split_at(at));
    let wrong = |message| Error::Array(Problem { place: place.to_owned(), message });
    FileTransfer::read(direction, &format!("{name}={name}{options}")).map_err(wrong)
}

/// A machine that is ready for a run: with a program in it, the bundle at which it starts, and the arguments and arrays
/// that were given. [`Program::prepare`] makes it, [`Run::new`](crate::Run::new) begins the run.
#[derive(Clone, Debug)]
pub struct Prepared<'a> {
    /// The program that is to run.
    pub program: &'a Program,
    /// The machine, with the program in its instruction memory, and with what has been given to it.
    pub machine: Machine,
    /// Address of the bundle at which the run starts.
    pub entry: BundleAddress,
    /// Arrays and registers that were set, and arrays that can be taken after the run.
    pub arrays: Ready,
    /// Registers and memories that were set: one of a kind, or all of it.
    given: Vec<(Storage, Option<usize>)>,
    /// Registers and words that were copied from an earlier state: how many of a kind, from number 0 on.
    carried: Vec<(Storage, usize)>,
    /// Whether registers or memories were set otherwise than by arguments and arrays.
    is_set: bool,
}

impl<'a> Prepared<'a> {
    /// Creates a machine after reset, or CP2 alone if `machine` is `None`, with the program loaded. The run is to start
    /// at the bundle `entry`. Registers and memories are copied from the state `carried`, if there is one, as far as
    /// the core has them.
    pub fn new(
        program: &'a Program,
        machine: Option<&MachineConfig>,
        entry: BundleAddress,
        carried: Option<&State>,
    ) -> Self {
        let core = program.core();
        let mut machine = match machine {
            Some(config) => Machine::new(config),
            None => Machine::alone(Cp2::new(*core)),
        };
        let is_set = carried.is_some();
        let carried =
            carried.map_or_else(Vec::new, |from| carry(from, &mut machine.cp2.state, core));
        load::load(program.image(), &mut machine.cp2);
        let (arrays, given) = (Ready::default(), Vec::new());
        Self { program, machine, entry, arrays, given, carried, is_set }
    }

    /// Sets registers and memories to the values of a state file.
    ///
    /// # Errors
    /// [`Error::State`] for the first value that the core has no place for.
    pub fn set_state(&mut self, state: &Value) -> Result<(), Error> {
        self.machine.cp2.state.load_json(self.program.core(), state).map_err(Error::State)?;
        for key in state.as_object().into_iter().flat_map(|object| object.keys()) {
            // What stands in a state is all of its kind: a dump leaves words of zeros out.
            let all = Storage::from_key(key).map(|storage| (storage, None));
            let one = || Storage::from_name(key).map(|(storage, number)| (storage, Some(number)));
            self.given.extend(all.or_else(one));
        }
        self.is_set = true;
        Ok(())
    }

    /// Sets arguments and loads arrays. `may_lack` says whether a kernel that declares some may be given nothing at
    /// all.
    ///
    /// # Errors
    /// [`Error::Array`] for the first argument or array that is unknown, missing, does not fit or breaks what the
    /// kernel declares.
    pub fn give(&mut self, request: &ArrayRequest, may_lack: bool) -> Result<(), Error> {
        let is_nothing =
            request.arguments.is_empty() && request.loads.is_empty() && request.stores.is_empty();
        let is_alone = !self.is_set && is_nothing && may_lack;
        let is_set = request.is_set || self.is_set || is_alone;
        let request = ArrayRequest { is_set, ..request.clone() };
        let image = self.program.image();
        let ready = arrays::prepare(&mut self.machine.cp2, image, self.entry, &request);
        self.arrays = ready.map_err(Error::Array)?;
        if is_alone {
            // Registers tell nothing of arrays that nobody has given.
            self.arrays.laid.clear();
        }
        Ok(())
    }

    /// Whether registers or memories were set by [`Prepared::set_state`] or copied from an earlier state, so that
    /// arguments and arrays of the kernel may be missing.
    pub fn is_set(&self) -> bool {
        self.is_set
    }

    /// Creates the check of the run ([`Sanitizer`]), which reports uses of registers and words of local memory that
    /// nothing has written, stores outside of arrays, and broken promises. The data of the program, arguments and
    /// arrays, what [`Prepared::set_state`] set, and what was copied from an earlier state count as written. Stores to
    /// words that were only copied are outside of arrays as before.
    pub fn check(&self) -> Sanitizer<'a> {
        let mut sanitizer = Sanitizer::new(self.program.image(), self.program.core());
        for &(storage, count) in &self.carried {
            sanitizer.carry(storage, count);
        }
        sanitizer.take(&self.arrays);
        for &(storage, number) in &self.given {
            match number {
                Some(number) => sanitizer.give((storage, number), None, None),
                None => sanitizer.give_all(storage),
            }
        }
        sanitizer
    }
}

/// Gives a state what another one holds, as far as its core has it; bundles are left out. Returns how many registers or
/// words of each kind were copied, from number 0 on.
fn carry(from: &State, to: &mut State, core: &Core) -> Vec<(Storage, usize)> {
    let kinds = Storage::ALL.into_iter().filter(|s| s.info().filed != Filed::No);
    let copied = |storage: Storage| {
        let mut count = 0;
        for place in from.cells(storage) {
            if let Some(value) = from.get(place)
                && to.set(core, place, value)
            {
                count = count.max(place.number + 1);
            }
        }
        (storage, count)
    };
    kinds.map(copied).collect()
}

impl Program {
    /// Makes a machine ready for a run of this program, as the setup says. Nothing runs yet.
    ///
    /// # Errors
    /// [`Error::Core`] if the program was made for another core; [`Error::State`] or [`Error::Array`] if the state, an
    /// argument or an array does not fit.
    pub fn prepare(&self, setup: &Setup) -> Result<Prepared<'_>, Error> {
        let entry = match setup.entry {
            Some(entry) => entry,
            None => self.entry(None).map_err(Error::Entry)?,
        };
        if self.core() != setup.core() {
            return Err(Error::Core);
        }
        let carried = setup.carried.as_deref();
        let mut prepared = Prepared::new(self, setup.machine.as_ref(), entry, carried);
        if let Some(state) = &setup.state {
            prepared.set_state(state)?;
        }
        prepared.give(&setup.arrays, setup.may_lack)?;
        Ok(prepared)
    }
}
