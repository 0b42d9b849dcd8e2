//! Settings of a run of a program, and the machine that is ready for it.

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

/// Cycles after which a program that nothing else limits ends: a second of a machine at 100 MHz.
pub const MOST_CYCLES: u64 = 100_000_000;

/// Settings of a run of a program. The default is the first kernel on CP2 alone as it is after reset, on the fast engine.
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
    /// The machine around CP2; none for CP2 alone, which has no channel and no system memory.
    pub machine: Option<MachineConfig>,
    /// The core of CP2 alone. That of a machine is the machine's.
    pub core: Core,
    /// Bundle at which the run starts ([`Program::entry`]); none for the first kernel.
    pub entry: Option<BundleAddress>,
    /// State from which registers and memories are carried over before the program is loaded: a state of this core or another
    /// one, of which is taken what this one has. Bundles are left out.
    pub carried: Option<Box<State>>,
    /// Values to which registers and memories are set when the program has been loaded, in the form of state files.
    pub state: Option<Value>,
    /// Arguments, and arrays before and after the run.
    pub arrays: ArrayRequest,
    /// Whether a kernel that declares something may be given nothing at all: it then runs on registers and memory as they
    /// are.
    pub may_lack: bool,
    /// Engine that runs the program; the results of all are the same.
    pub engine: Engine,
    /// Number of cycles after which the run ends.
    pub max_cycles: u64,
    /// Whether the run is checked: reads of what nothing has written, stores outside of arrays, broken promises of linear
    /// code.
    pub is_checked: bool,
    /// Whether cycles are counted for every bundle.
    pub is_profiled: bool,
    /// Recorder of the run, if it is recorded.
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
    /// Creates the setup of a run on a machine, with its core, and defaults for all else.
    pub fn on(machine: MachineConfig) -> Self {
        Self { core: *machine.core(), machine: Some(machine), ..Self::default() }
    }

    /// Returns the core for which programs have to be made that run with this setup.
    pub fn core(&self) -> &Core {
        self.machine.as_ref().map_or(&self.core, MachineConfig::core)
    }

    /// Gives an argument that the kernel declares, or a register by its name.
    #[must_use]
    pub fn argument(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        self.arrays.arguments.push((name.to_owned(), value.to_string()));
        self
    }

    /// Loads an array into one that the kernel declares, or to a label. Behind the name may stand the layout of the array and
    /// the type to which it is converted, as behind the file of `--load`: `x:blocks:as=float32`.
    ///
    /// # Errors
    /// There is no such layout or type.
    pub fn load(mut self, place: &str, array: Array) -> Result<Self, Error> {
        self.arrays.loads.push((transfer(arrays::FileDirection::Load, place)?, array));
        Ok(self)
    }

    /// Asks for an array after the run, with options behind the name as for [`Setup::load`]: `y:float32:shape=4x256`.
    ///
    /// # Errors
    /// There is no such layout or type.
    pub fn store(mut self, place: &str) -> Result<Self, Error> {
        self.arrays.stores.push(transfer(arrays::FileDirection::Store, place)?);
        Ok(self)
    }
}

/// Returns the transfer of an array that is in no file: the place stands for its name.
fn transfer(way: arrays::FileDirection, place: &str) -> Result<FileTransfer, Error> {
    let (name, options) = place.find(':').map_or((place, ""), |at| place.split_at(at));
    let wrong = |message| Error::Array(Problem { place: place.to_owned(), message });
    FileTransfer::read(way, &format!("{name}={name}{options}")).map_err(wrong)
}

/// A machine with a program, the bundle at which it starts, and what has been given to it: all that a run begins with.
#[derive(Clone, Debug)]
pub struct Prepared<'a> {
    /// The program that is to run.
    pub program: &'a Program,
    /// The machine, with the program in its instruction memory, and with what has been given to it.
    pub machine: Machine,
    /// Address of the bundle at which the run starts.
    pub entry: BundleAddress,
    /// Places of the arrays, and the registers that were set.
    pub arrays: Ready,
    /// Registers and memories that were set: one of a kind, or all of it.
    given: Vec<(Storage, Option<usize>)>,
    /// Whether registers or memories were set otherwise than by arguments and arrays.
    is_set: bool,
}

impl<'a> Prepared<'a> {
    /// Creates a machine after reset, CP2 alone if none is described, with the program loaded.
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
        if let Some(from) = carried {
            carry(from, &mut machine.cp2.state, core);
        }
        load::load(program.image(), &mut machine.cp2);
        let (arrays, given) = (Ready::default(), Vec::new());
        Self { program, machine, entry, arrays, given, is_set: carried.is_some() }
    }

    /// Sets registers and memories to what a state file holds.
    ///
    /// # Errors
    /// The first value that the core does not have.
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

    /// Sets arguments and loads arrays.
    ///
    /// # Errors
    /// An argument or an array is unknown, missing, does not fit or breaks what the kernel declares.
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

    /// Whether registers or memories were set otherwise than by arguments and arrays, so that these may be missing.
    pub fn is_set(&self) -> bool {
        self.is_set
    }

    /// Creates a check of the run, which knows what has been given.
    pub fn check(&self) -> Sanitizer<'a> {
        let mut sanitizer = Sanitizer::new(self.program.image(), self.program.core());
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

/// Gives a state what another one holds, as far as its core has it; bundles are left out.
fn carry(from: &State, to: &mut State, core: &Core) {
    for storage in Storage::ALL.into_iter().filter(|s| s.info().filed != Filed::No) {
        for place in from.cells(storage) {
            if let Some(value) = from.get(place) {
                to.set(core, place, value);
            }
        }
    }
}

impl Program {
    /// Makes a machine ready for a run of this program; nothing runs yet.
    ///
    /// # Errors
    /// A part of the setup does not fit the program or the core.
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
