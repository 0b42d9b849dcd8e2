//! What is kept from process to process, in a store that the caller gives: schedules, which the assembler checks again
//! before it uses one; assembled programs, whose schedules were checked when they were made; numbers that follow from a
//! machine or a problem alone; machine code that the fast engine made. All but schedules come back as they were kept, so
//! the store has to give what was put under a key to the byte, or nothing.

use cp2_asm::image::Image;
use cp2_asm::object_file;
use cp2_asm::sched::Store;
use cp2_isa::Core;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

type Shared = Arc<Mutex<Box<dyn Store + Send>>>;

/// The store of workloads.
static STORE: OnceLock<Kept> = OnceLock::new();

/// Keeps the schedules of all programs that are assembled from now on, the programs, numbers, and the machine code of engines
/// that are built from now on in a store; the first one that is given counts. Nobody but this user may be able to write there,
/// and it forgets what another build of the program has put there.
pub fn keep(store: Box<dyn Store + Send>) {
    let _ = STORE.set(Kept::new(store));
}

/// A store that threads use in turns. A clone is the same store.
#[derive(Clone)]
pub struct Kept(Shared);

impl Kept {
    /// A store to share.
    pub fn new(store: Box<dyn Store + Send>) -> Self {
        Self(Arc::new(Mutex::new(store)))
    }

    /// The one that was given to [`keep`].
    pub fn get() -> Option<Self> {
        STORE.get().cloned()
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

impl Store for Kept {
    fn get(&mut self, key: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key)
    }

    fn put(&mut self, key: &str, entry: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).put(key, entry);
    }
}

impl cp2_fast::Store for Kept {
    fn get(&mut self, key: &str) -> Option<Vec<u8>> {
        Store::get(self, key)
    }

    fn put(&mut self, key: &str, entry: &[u8]) {
        Store::put(self, key, entry);
    }
}

/// The image of a program for a core, from the store where it is there; what `make` makes is kept if the object that is
/// written gives the same image back. The program is known by its name and text, or by a name that tells the text.
pub fn program<E>(
    core: &Core,
    (name, text): (&str, Option<&str>),
    make: impl FnOnce() -> Result<Image, E>,
) -> Result<Image, E> {
    let Some(mut kept) = Kept::get() else { return make() };
    let key = match text {
        Some(text) => format!("program {:?}\n{name}\n{text}", core.numbers()),
        None => format!("program by its name {:?}\n{name}", core.numbers()),
    };
    let image = |object: &[u8]| object_file::read(object, core).ok();
    if let Some(image) = kept.get(&key).and_then(|object| image(&object)) {
        return Ok(image);
    }
    let made = make()?;
    let object = object_file::write(&made).ok();
    if let Some(object) = object.filter(|object| image(object).as_ref() == Some(&made)) {
        kept.put(&key, &object);
    }
    Ok(made)
}

/// The numbers of a key.
pub fn numbers(key: &str) -> Option<Vec<f64>> {
    let bytes = Kept::get()?.get(&format!("numbers {key}"))?;
    let (numbers, rest) = bytes.as_chunks();
    rest.is_empty().then(|| numbers.iter().map(|&number| f64::from_le_bytes(number)).collect())
}

/// The numbers of a key, so many of them; if the store does not have them, what `make` makes, which is kept.
pub fn numbers_of<E>(
    key: &str,
    count: usize,
    make: impl FnOnce() -> Result<Vec<f64>, E>,
) -> Result<Vec<f64>, E> {
    match numbers(key).filter(|numbers| numbers.len() == count) {
        Some(numbers) => Ok(numbers),
        None => make().inspect(|numbers| keep_numbers(key, numbers)),
    }
}

/// Keeps numbers under a key that tells everything they depend on.
pub fn keep_numbers(key: &str, numbers: &[f64]) {
    if let Some(mut kept) = Kept::get() {
        let bytes: Vec<_> = numbers.iter().map(|number| number.to_le_bytes()).collect();
        kept.put(&format!("numbers {key}"), bytes.as_flattened());
    }
}
