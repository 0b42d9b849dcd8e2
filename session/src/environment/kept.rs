//! Values that an environment takes from its store and keeps there, beside schedules and translated code: assembled
//! programs, and numbers that follow from a machine or a problem alone. The store outlives the process.

use super::Environment;
use cp2_asm::image::Image;
use cp2_asm::object_file;
use cp2_asm::sched::Store as _;
use cp2_isa::Core;

impl Environment {
    /// Returns the image of a program for a core, from the store where it is there. What `make` makes is kept if the
    /// object that is written gives the same image back. The program is known by its name and text, or by a name that
    /// tells the text.
    pub(crate) fn stored_program<E>(
        &self,
        core: &Core,
        (name, text): (&str, Option<&str>),
        make: impl FnOnce() -> Result<Image, E>,
    ) -> Result<Image, E> {
        let Some(mut kept) = self.store() else { return make() };
        let known = self.known().key();
        let key = match text {
            Some(text) => format!("program {:?}{known}\n{name}\n{text}", core.numbers()),
            None => format!("program by its name {:?}{known}\n{name}", core.numbers()),
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

    /// Returns the numbers that the store has under a key, such as predicted cycles of a machine; `None` if the
    /// environment has no store, or the store has none under the key or a damaged entry.
    pub fn numbers(&self, key: &str) -> Option<Vec<f64>> {
        let bytes = self.store()?.get(&format!("numbers {key}"))?;
        let (numbers, rest) = bytes.as_chunks();
        rest.is_empty().then(|| numbers.iter().map(|&number| f64::from_le_bytes(number)).collect())
    }

    /// Returns the `count` numbers of a key: from the store, or, if it does not have exactly as many, those that `make`
    /// returns, which are kept in the store.
    ///
    /// # Errors
    /// The error of `make`.
    pub fn numbers_of<E>(
        &self,
        key: &str,
        count: usize,
        make: impl FnOnce() -> Result<Vec<f64>, E>,
    ) -> Result<Vec<f64>, E> {
        match self.numbers(key).filter(|numbers| numbers.len() == count) {
            Some(numbers) => Ok(numbers),
            None => make().inspect(|numbers| self.keep_numbers(key, numbers)),
        }
    }

    /// Keeps numbers in the store under a key, which has to tell everything that they depend on. Without a store
    /// nothing happens.
    pub fn keep_numbers(&self, key: &str, numbers: &[f64]) {
        if let Some(mut kept) = self.store() {
            let bytes: Vec<_> = numbers.iter().map(|number| number.to_le_bytes()).collect();
            kept.put(&format!("numbers {key}"), bytes.as_flattened());
        }
    }
}
