//! What runs of one kind after another need not make anew: assembled programs, by their content, for all threads;
//! engines with what they translated and reference transforms, by their inputs, each for its thread. What outlives the
//! process is in `store`. No result changes:
//! assembling is a function of core and text, a reference one of its inputs, and an engine keeps nothing of a machine
//! ([`cp2_emu::Engine`]).

use crate::error::KernelError;
use cp2_asm::Sources;
use cp2_asm::image::Image;
use cp2_emu::trace::Observer;
use cp2_emu::{Engine, Goal, Machine, Pause, cp2::Fault};
use cp2_isa::{Core, CoreNumbers};
use num_complex::{Complex32, Complex64};
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::Hasher as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use twox_hash::XxHash64;

/// Programs, and texts of generators, that are kept; more, and all are forgotten, to bound the memory.
const MOST_PROGRAMS: usize = 128;
/// Engines that a thread keeps.
const MOST_ENGINES: usize = 2;

/// Numbers of reference transforms that a thread keeps; more, and all are forgotten.
const MOST_NUMBERS: usize = 1 << 21;

/// What a program depends on: the core, its name, its text.
type Key = (CoreNumbers, String, String);

/// An assembled program with its digest.
#[derive(Debug)]
struct Program {
    image: Image,
    sources: Sources,
    digest: u64,
}

/// A place for a program; whoever makes it holds the lock, so that others wait instead of making it too.
type Place = Arc<Mutex<Option<Arc<Program>>>>;

/// Programs that threads share.
#[derive(Debug, Default)]
pub struct Shelf {
    programs: Mutex<HashMap<Key, Place>>,
    texts: Mutex<HashMap<(CoreNumbers, String), String>>,
    assembled: AtomicU64,
}

impl Shelf {
    /// How many programs were assembled, their loops scheduled, since it was made.
    pub fn assembled(&self) -> u64 {
        self.assembled.load(Ordering::Relaxed)
    }

    fn place(&self, key: Key) -> Place {
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if programs.len() >= MOST_PROGRAMS && !programs.contains_key(&key) {
            programs.clear();
        }
        Arc::clone(programs.entry(key).or_default())
    }

    fn program(
        &self,
        key: Key,
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
        let program = Arc::new(Program { image, sources, digest });
        *place = Some(Arc::clone(&program));
        Ok(program)
    }
}

/// XXH64 of the bundles of an image.
fn digest(image: &Image) -> u64 {
    let mut hash = XxHash64::with_seed(0);
    for kernel in &image.kernels {
        hash.write_u64(kernel.range().start as u64);
        kernel.words.iter().for_each(|word| hash.write(&word.to_le_bytes()));
    }
    hash.finish()
}

/// What a thread reuses.
#[derive(Debug)]
struct Bench {
    shelf: Arc<Shelf>,
    engines: Vec<Box<dyn Engine>>,
    /// Digests of the programs of the run at hand.
    used: Vec<u64>,
    references: References,
}

/// Which transform, and whether it is the inverse.
type Transform = (&'static str, bool);

/// A reference transform that was computed.
#[derive(Debug)]
struct Known {
    transform: Transform,
    input: Vec<Complex32>,
    result: Arc<Vec<Complex64>>,
}

/// Reference transforms by a hash of their inputs; an input is compared as a whole.
#[derive(Debug, Default)]
struct References {
    by_hash: HashMap<u64, Known>,
    numbers: usize,
}

impl References {
    fn get(&self, hash: u64, of: Transform, input: &[Complex32]) -> Option<Arc<Vec<Complex64>>> {
        let same = |(a, b): (&Complex32, &Complex32)| bits(*a) == bits(*b);
        let known = self.by_hash.get(&hash)?;
        let is_it = known.transform == of && known.input.len() == input.len();
        (is_it && known.input.iter().zip(input).all(same)).then(|| Arc::clone(&known.result))
    }

    fn put(&mut self, hash: u64, of: Transform, input: &[Complex32], result: &Arc<Vec<Complex64>>) {
        if self.numbers > MOST_NUMBERS {
            *self = Self::default();
        }
        self.numbers += input.len();
        let (input, result) = (input.to_vec(), Arc::clone(result));
        self.by_hash.insert(hash, Known { transform: of, input, result });
    }
}

fn bits(x: Complex32) -> u64 {
    u64::from(x.re.to_bits()) << 32 | u64::from(x.im.to_bits())
}

thread_local! {
    static BENCH: RefCell<Option<Bench>> = const { RefCell::new(None) };
}

/// Does work on this thread that takes programs from a shelf and lends engines from run to run.
pub fn reusing<R>(shelf: &Arc<Shelf>, work: impl FnOnce() -> R) -> R {
    /// Clears the bench even where the work panics.
    struct Clear;
    impl Drop for Clear {
        fn drop(&mut self) {
            BENCH.with(|bench| bench.take());
        }
    }
    let bench = Bench {
        shelf: Arc::clone(shelf),
        engines: Vec::new(),
        used: Vec::new(),
        references: References::default(),
    };
    BENCH.with(|place| place.replace(Some(bench)));
    let _clear = Clear;
    work()
}

/// Whether this thread reuses.
pub fn is_on() -> bool {
    shelf().is_some()
}

/// Does two things of one run, at once unless this thread reuses: its bench is for it alone, and a sweep has a thread
/// for every core of the host.
pub fn both<A, B: Send>(first: impl FnOnce() -> A, beside: impl FnOnce() -> B + Send) -> (A, B) {
    if is_on() {
        return (first(), beside());
    }
    std::thread::scope(|scope| {
        let beside = scope.spawn(beside);
        let first = first();
        match beside.join() {
            Ok(beside) => (first, beside),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Does what is done beside another thread, which keeps one core of the host for itself; where this thread reuses there is
/// no other one.
pub fn on_other_cores<A: Send>(work: impl FnOnce() -> A + Send) -> A {
    if is_on() {
        return work();
    }
    let others = rayon::current_num_threads().saturating_sub(1).max(1);
    match rayon::ThreadPoolBuilder::new().num_threads(others).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

/// A digest of the programs that this thread assembled or took since the last call, and forgets them; none outside
/// of [`reusing`].
pub fn programs_used() -> Option<u64> {
    BENCH.with(|bench| {
        let mut used = std::mem::take(&mut bench.borrow_mut().as_mut()?.used);
        used.sort_unstable();
        used.dedup();
        let mut hash = XxHash64::with_seed(0);
        used.iter().for_each(|digest| hash.write_u64(*digest));
        Some(hash.finish())
    })
}

/// The program of a text for a core, from the shelf where there is one.
pub fn program(
    core: &Core,
    name: &str,
    text: &str,
    make: impl FnOnce() -> Result<(Image, Sources), KernelError>,
) -> Result<(Image, Sources), KernelError> {
    let Some(shelf) = shelf() else { return make() };
    let program = shelf.program((*core.numbers(), name.to_owned(), text.to_owned()), make)?;
    BENCH.with(|bench| {
        if let Some(bench) = bench.borrow_mut().as_mut() {
            bench.used.push(program.digest);
        }
    });
    Ok((program.image.clone(), program.sources.clone()))
}

/// The reference transform of an input, as `make` makes it.
pub fn reference(
    of: Transform,
    input: &[Complex32],
    make: impl FnOnce() -> Vec<Complex64>,
) -> Arc<Vec<Complex64>> {
    let mut hash = XxHash64::with_seed(u64::from(of.1));
    input.iter().for_each(|x| hash.write_u64(bits(*x)));
    let hash = hash.finish();
    let known = BENCH.with(|bench| bench.borrow().as_ref()?.references.get(hash, of, input));
    known.unwrap_or_else(|| {
        let result = Arc::new(make());
        BENCH.with(|bench| {
            if let Some(bench) = bench.borrow_mut().as_mut() {
                bench.references.put(hash, of, input, &result);
            }
        });
        result
    })
}

/// The text that a generator of this name makes for a core: nothing else may go into it.
pub fn text(
    core: &Core,
    name: &str,
    make: impl FnOnce() -> Result<String, KernelError>,
) -> Result<String, KernelError> {
    let Some(shelf) = shelf() else { return make() };
    let key = (*core.numbers(), name.to_owned());
    let known = || shelf.texts.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(text) = known().get(&key) {
        return Ok(text.clone());
    }
    let text = make()?;
    let mut texts = known();
    if texts.len() >= MOST_PROGRAMS {
        texts.clear();
    }
    texts.insert(key, text.clone());
    Ok(text)
}

/// The shelf that this thread takes from.
fn shelf() -> Option<Arc<Shelf>> {
    BENCH.with(|bench| Some(Arc::clone(&bench.borrow().as_ref()?.shelf)))
}

/// An engine that goes back to its thread's bench; where there is none, what `make` makes.
pub fn engine(make: impl FnOnce() -> Box<dyn Engine>) -> Box<dyn Engine> {
    let kept = BENCH.with(|bench| Some(bench.borrow_mut().as_mut()?.engines.pop()));
    match kept {
        Some(engine) => Box::new(Lent(Some(engine.unwrap_or_else(make)))),
        None => make(),
    }
}

/// An engine that is lent.
#[derive(Debug)]
struct Lent(Option<Box<dyn Engine>>);

impl Engine for Lent {
    fn name(&self) -> &'static str {
        self.0.as_ref().map_or("", |engine| engine.name())
    }

    fn go_on(
        &mut self,
        machine: &mut Machine,
        goal: Goal,
        observer: &mut dyn Observer,
    ) -> Result<Pause, Fault> {
        match &mut self.0 {
            Some(engine) => engine.go_on(machine, goal, observer),
            None => cp2_emu::Reference.go_on(machine, goal, observer),
        }
    }

    fn leave(&mut self, machine: &mut Machine) {
        if let Some(engine) = &mut self.0 {
            engine.leave(machine);
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let engine = self.0.take();
        // The thread may be ending.
        let _ = BENCH.try_with(|bench| {
            if let (Ok(mut bench), Some(engine)) = (bench.try_borrow_mut(), engine)
                && let Some(bench) =
                    bench.as_mut().filter(|bench| bench.engines.len() < MOST_ENGINES)
            {
                bench.engines.push(engine);
            }
        });
    }
}
