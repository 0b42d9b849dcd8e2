//! Reuse of work by runs of one kind after another, such as those of a sweep: assembled programs, by their content,
//! shared by all threads; engines with the code that they translated, and reference transforms by their inputs, each
//! kept by one thread. What outlives the process is in `store`. Reuse changes no result: assembling is a function of
//! core and text, a reference one of its inputs, and an engine keeps nothing of a machine ([`cp2_emu::Engine`]).

use crate::error::KernelError;
use cp2_asm::Sources;
use cp2_asm::image::Image;
use cp2_emu::trace::Observer;
use cp2_emu::{Engine, Goal, Machine, Pause, cp2::Fault};
use cp2_isa::CoreNumbers;
use num_complex::{Complex32, Complex64};
use std::collections::HashMap;
use std::hash::Hasher as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use twox_hash::XxHash64;

/// Programs that a shelf holds unless its maker says otherwise: enough for the workloads of a sweep, in bounded memory.
const MOST_PROGRAMS: usize = 128;
/// Engines that a thread keeps.
const MOST_ENGINES: usize = 2;

/// Numbers of reference transforms that a thread keeps; more, and all are forgotten.
const MOST_NUMBERS: usize = 1 << 21;

/// All that a program depends on.
#[derive(Clone, Copy)]
pub(crate) struct ProgramKey<'k> {
    pub(crate) core: &'k CoreNumbers,
    pub(crate) name: &'k str,
    pub(crate) text: &'k str,
    /// Schedules that are known from outside, as [`cp2_asm::sched`] writes them.
    pub(crate) known: &'k str,
}

/// An assembled program with its digest.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) image: Arc<Image>,
    pub(crate) sources: Arc<Sources>,
    pub(crate) digest: u64,
}

/// A place for a program; whoever makes it holds the lock, so that others wait instead of making it too.
type ShelfSlot = Arc<Mutex<Option<Arc<Program>>>>;

/// Programs of a core and a name: each with its text, the schedules that were known, and its place.
type OfName = Vec<(String, String, ShelfSlot)>;

/// Programs of a shelf.
#[derive(Debug, Default)]
struct Held {
    by_name: HashMap<(CoreNumbers, String), OfName>,
    number: usize,
}

/// Programs that were assembled in this process, shared by the threads of a sweep so that each is assembled once. An
/// [`Environment`](crate::Environment) takes from a shelf that [`Environment::reusing`](crate::Environment::reusing)
/// gives it. A shelf holds a number of programs, and as many texts of generators; when another one comes, all are
/// forgotten.
#[derive(Debug)]
pub struct Shelf {
    programs: Mutex<Held>,
    texts: Mutex<HashMap<(CoreNumbers, String), String>>,
    /// Most programs, and most texts, that are held.
    most: usize,
    assembled: AtomicU64,
}

/// A shelf that holds 128 programs.
impl Default for Shelf {
    fn default() -> Self {
        Self::holding(MOST_PROGRAMS)
    }
}

impl Shelf {
    /// Creates a shelf that holds at most this number of programs, at least 1. A program takes up to some 100 KiB.
    pub fn holding(programs: usize) -> Self {
        let most = programs.max(1);
        Self {
            programs: Mutex::default(),
            texts: Mutex::default(),
            most,
            assembled: AtomicU64::new(0),
        }
    }

    /// Returns the number of programs that were assembled since the shelf was made, because the shelf did not have
    /// them.
    pub fn assembled(&self) -> u64 {
        self.assembled.load(Ordering::Relaxed)
    }

    fn place(&self, ProgramKey { core, name, text, known }: ProgramKey<'_>) -> ShelfSlot {
        let mut held = lock(&self.programs);
        let key = (*core, name.to_owned());
        // Texts are long: comparing one is faster than a hash of it.
        let is_it = |one: &&(String, String, ShelfSlot)| one.0 == text && one.1 == known;
        if let Some((_, _, place)) = held.by_name.get(&key).and_then(|all| all.iter().find(is_it)) {
            return Arc::clone(place);
        }
        if held.number >= self.most {
            *held = Held::default();
        }
        held.number += 1;
        let place = ShelfSlot::default();
        let one = (text.to_owned(), known.to_owned(), Arc::clone(&place));
        held.by_name.entry(key).or_default().push(one);
        place
    }

    /// Returns the text that is held for a core under a name; `None` if there is none.
    pub(crate) fn text(&self, core: &CoreNumbers, name: &str) -> Option<String> {
        lock(&self.texts).get(&(*core, name.to_owned())).cloned()
    }

    /// Holds the text of a generator for a core under a name.
    pub(crate) fn hold_text(&self, core: &CoreNumbers, name: &str, text: &str) {
        let mut texts = lock(&self.texts);
        if texts.len() >= self.most {
            texts.clear();
        }
        texts.insert((*core, name.to_owned()), text.to_owned());
    }

    pub(crate) fn program(
        &self,
        key: ProgramKey<'_>,
        make: impl FnOnce() -> Result<(Image, Sources), KernelError>,
    ) -> Result<Arc<Program>, KernelError> {
        let place = self.place(key);
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = &*place {
            return Ok(Arc::clone(program));
        }
        let (image, sources) = make()?;
        self.assembled.fetch_add(1, Ordering::Relaxed);
        let digest = digest(&image);
        let (image, sources) = (Arc::new(image), Arc::new(sources));
        let program = Arc::new(Program { image, sources, digest });
        *place = Some(Arc::clone(&program));
        Ok(program)
    }
}

/// Returns the XXH64 of the kernels of an image: of their begins and their bundles.
fn digest(image: &Image) -> u64 {
    let mut hash = XxHash64::with_seed(0);
    for kernel in &image.kernels {
        hash.write_u64(kernel.range().start as u64);
        kernel.words.iter().for_each(|word| hash.write(&word.to_le_bytes()));
    }
    hash.finish()
}

/// The kind of a Fourier transform that is computed as a reference for results of CP2: its name, which tells the way of
/// computing it, such as `definition`, and whether it is the inverse transform.
pub type Transform = (&'static str, bool);

/// A reference transform that was computed.
#[derive(Debug)]
struct Known {
    transform: Transform,
    input: Vec<Complex32>,
    result: Arc<Vec<Complex64>>,
}

/// Reference transforms by a hash of their inputs; an input is compared as a whole.
#[derive(Debug, Default)]
pub(crate) struct References {
    by_hash: HashMap<u64, Known>,
    numbers: usize,
}

impl References {
    pub(crate) fn get(
        &self,
        hash: u64,
        of: Transform,
        input: &[Complex32],
    ) -> Option<Arc<Vec<Complex64>>> {
        let same = |(a, b): (&Complex32, &Complex32)| bits(*a) == bits(*b);
        let known = self.by_hash.get(&hash)?;
        let is_it = known.transform == of && known.input.len() == input.len();
        (is_it && known.input.iter().zip(input).all(same)).then(|| Arc::clone(&known.result))
    }

    pub(crate) fn insert(
        &mut self,
        hash: u64,
        of: Transform,
        input: &[Complex32],
        result: &Arc<Vec<Complex64>>,
    ) {
        if self.numbers > MOST_NUMBERS {
            *self = Self::default();
        }
        self.numbers += input.len();
        let (input, result) = (input.to_vec(), Arc::clone(result));
        self.by_hash.insert(hash, Known { transform: of, input, result });
    }
}

pub(crate) fn bits(x: Complex32) -> u64 {
    u64::from(x.re.to_bits()) << 32 | u64::from(x.im.to_bits())
}

/// The engines, programs and references that one thread reuses from run to run.
#[derive(Debug)]
pub(crate) struct Bench {
    pub(crate) shelf: Arc<Shelf>,
    pub(crate) engines: Mutex<Vec<Box<dyn Engine>>>,
    /// Digests of the programs of the run at hand.
    pub(crate) used: Mutex<Vec<u64>>,
    pub(crate) references: Mutex<References>,
}

impl Bench {
    pub(crate) fn new(shelf: &Arc<Shelf>) -> Self {
        Self {
            shelf: Arc::clone(shelf),
            engines: Mutex::default(),
            used: Mutex::default(),
            references: Mutex::default(),
        }
    }
}

/// Locks a mutex, also after a panic of another thread: what is kept is whole at any time.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An engine that is lent.
#[derive(Debug)]
pub(crate) struct Lent(pub(crate) Option<Box<dyn Engine>>, pub(crate) Arc<Bench>);

impl Engine for Lent {
    fn name(&self) -> &'static str {
        self.0.as_ref().map_or("", |engine| engine.name())
    }

    fn run_kernel_to(
        &mut self,
        machine: &mut Machine,
        goal: Goal,
        observer: &mut dyn Observer,
    ) -> Result<Pause, Fault> {
        match &mut self.0 {
            Some(engine) => engine.run_kernel_to(machine, goal, observer),
            None => cp2_emu::ReferenceEngine.run_kernel_to(machine, goal, observer),
        }
    }

    fn release(&mut self, machine: &mut Machine) {
        if let Some(engine) = &mut self.0 {
            engine.release(machine);
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut engines = lock(&self.1.engines);
        if engines.len() < MOST_ENGINES {
            engines.extend(self.0.take());
        }
    }
}
