//! Assembling: texts of kernels to images, which are programs with final addresses.

use super::Environment;
use crate::error::KernelError;
use cp2_asm::codes::INSTRUCTION_MEMORY_FULL;
use cp2_asm::image::Image;
use cp2_asm::sched::Store;
use cp2_asm::{Diagnostic, Options, Sources};
use cp2_isa::{Core, CoreNumbers};
use std::borrow::Cow;
use std::sync::Arc;

impl Environment {
    /// Assembles the text of one or more kernels for a core. `name` names the text in messages, and is part of the key
    /// by which the store and a [`Shelf`](crate::reuse::Shelf) know the program. A program that either of them has is
    /// not assembled again.
    ///
    /// # Errors
    /// [`KernelError::Assembly`] if the text does not assemble, [`KernelError::Missing`] if it has more bundles than
    /// the core's instruction memory.
    pub fn assemble(&self, core: &Core, name: &str, text: &str) -> Result<Arc<Image>, KernelError> {
        Ok(self.assemble_with_sources(core, name, text)?.0)
    }

    /// Assembles a text as [`Environment::assemble`] does, and returns the image with the text, to which the source
    /// lines of the image refer.
    ///
    /// # Errors
    /// The same errors as of [`Environment::assemble`].
    pub fn assemble_with_sources(
        &self,
        core: &Core,
        name: &str,
        text: &str,
    ) -> Result<(Arc<Image>, Arc<Sources>), KernelError> {
        let roomy = with_all_bundles(core);
        let (image, sources) = self.shelved_program(&roomy, (name, text), || {
            let make = || self.assemble_anew(&roomy, name, text);
            let image = self.stored_program(&roomy, (name, Some(text)), make)?;
            let mut sources = Sources::default();
            sources.add(name, text);
            Ok((image, sources))
        })?;
        require_bundles(core, name, &image)?;
        Ok((image, sources))
    }

    /// Assembles a text that `text` makes. `name` has to tell everything that the text depends on, except for the core:
    /// where the store or the shelf has a program or text of this name for the core, no text is made.
    ///
    /// # Errors
    /// The error of `text`, and the errors of [`Environment::assemble`].
    pub fn assemble_named(
        &self,
        core: &Core,
        name: &str,
        text: impl FnOnce() -> Result<String, KernelError>,
    ) -> Result<Arc<Image>, KernelError> {
        if self.is_reusing() {
            return self.assemble(core, name, &self.text(core, name, text)?);
        }
        let make = || self.assemble_anew(&with_all_bundles(core), name, &text()?);
        let image = self.stored_program(core, (name, None), make)?;
        require_bundles(core, name, &image)?;
        Ok(Arc::new(image))
    }

    /// Assembles a text for a core that has [all bundles](with_all_bundles).
    fn assemble_anew(&self, roomy: &Core, name: &str, text: &str) -> Result<Image, KernelError> {
        let mut sources = Sources::default();
        let root = sources.add(name, text);
        let mut none = |_: &str, _: &str| Err("no files can be included here".to_owned());
        let mut kept = self.store();
        let store = kept.as_mut().map(|kept| kept as &mut dyn Store);
        let known = Cow::Borrowed(self.known());
        let options = Options { core: *roomy, store, known, interrupt: self.interrupt() };
        match cp2_asm::assemble_regions(&mut sources, &[root], &mut none, options) {
            Ok(assembled) => Ok(assembled.image),
            Err(diagnostics) if is_only_too_long(&diagnostics) => {
                let kernel = name.trim_end_matches(".s").to_owned();
                Err(KernelError::TooLong { kernel, available: roomy.iram_bundles() })
            }
            Err(diagnostics) => {
                let failure = cp2_asm::AssemblyError { sources, diagnostics };
                Err(KernelError::Assembly(Box::new(failure)))
            }
        }
    }
}

/// Returns the core with all bundles of instruction memory that the encoding reaches. Programs are assembled for it, so
/// that one which does not fit is told with its length, and cores that differ in their instruction memory alone share a
/// program.
fn with_all_bundles(core: &Core) -> Core {
    let all = Core::WIDEST.numbers().instruction_memory_bundles;
    let numbers = CoreNumbers { instruction_memory_bundles: all, ..*core.numbers() };
    Core::new(numbers).unwrap_or(*core)
}

/// Refuses a program that has more bundles than the instruction memory of the core.
fn require_bundles(core: &Core, name: &str, image: &Image) -> Result<(), KernelError> {
    let end = image.kernels.iter().map(|k| k.range().end).max();
    KernelError::require(
        name.trim_end_matches(".s"),
        "bundles of instruction memory",
        end.unwrap_or(0),
        core.iram_bundles(),
    )
}

/// Whether nothing else is wrong with a program than that it has more bundles than instruction memory.
fn is_only_too_long(diagnostics: &[Diagnostic]) -> bool {
    let is_too_long = |error: &Diagnostic| error.code == INSTRUCTION_MEMORY_FULL;
    !diagnostics.is_empty() && diagnostics.iter().all(is_too_long)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cp2_asm::Span;

    #[test]
    fn a_program_is_only_too_long_if_that_is_said_and_nothing_else() {
        let error = |code| {
            let span = Span { file: 0, range: 0..1 };
            Diagnostic::error(code, span, String::new())
        };
        assert!(!is_only_too_long(&[]));
        assert!(is_only_too_long(&[error(INSTRUCTION_MEMORY_FULL)]));
        assert!(!is_only_too_long(&[error(INSTRUCTION_MEMORY_FULL), error("C0101")]));
    }
}
