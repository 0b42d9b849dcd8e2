//! The programs of a host: assembled once, installed one at a time.

use cp2_asm::image::Image;
use cp2_isa::{BundleAddress, Core};
use cp2_recording::Recorder;
use cp2_session::Environment;
use cp2_session::error::KernelError;
use cp2_session::promises::EntryPromises;
use cp2_session::recorded;
use std::sync::Arc;

/// Programs that a host has made, and which of them is in instruction memory.
#[derive(Debug)]
pub(super) struct Programs {
    /// Environment in which programs are assembled.
    environment: Environment,
    /// Recorder that keeps the programs, if the run is recorded.
    recorder: Option<Recorder>,
    /// Programs that were assembled, by name.
    images: Vec<(String, Arc<Image>)>,
    /// Programs that were installed, with the promises that callers of their kernels have to keep; the present program is the
    /// last.
    promises: Vec<(Arc<Image>, EntryPromises)>,
    /// Addresses and names of the installed kernels.
    names: Vec<(BundleAddress, String)>,
}

impl Programs {
    pub(super) fn new(environment: &Environment, recorder: Option<Recorder>) -> Self {
        let environment = environment.clone();
        let (images, promises, names) = (Vec::new(), Vec::new(), Vec::new());
        Self { environment, recorder, images, promises, names }
    }

    pub(super) fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns the recorder, if the run is recorded.
    pub(super) fn recorder(&self) -> Option<&Recorder> {
        self.recorder.as_ref()
    }

    /// Returns the program of a name, assembled from its text if nobody has asked for it before.
    pub(super) fn assemble(
        &mut self,
        core: &Core,
        name: &str,
        text: impl FnOnce() -> Result<String, KernelError>,
    ) -> Result<Arc<Image>, KernelError> {
        self.known(name, |programs| {
            let (image, sources) =
                programs.environment.assemble_with_sources(core, name, &text()?)?;
            if let Some(recorder) = &programs.recorder {
                recorded::keep(recorder, &image, &sources)?;
            }
            Ok(image)
        })
    }

    /// Returns the program of a name that tells all on which the text depends beside the core. No text is made where the
    /// program is kept from an earlier run, unless the run is recorded.
    pub(super) fn assemble_named(
        &mut self,
        core: &Core,
        name: &str,
        text: impl FnOnce() -> Result<String, KernelError>,
    ) -> Result<Arc<Image>, KernelError> {
        match self.recorder {
            Some(_) => self.assemble(core, name, text),
            None => {
                self.known(name, |programs| programs.environment.assemble_named(core, name, text))
            }
        }
    }

    /// Returns the image of a name, which is made once.
    fn known(
        &mut self,
        name: &str,
        make: impl FnOnce(&Self) -> Result<Arc<Image>, KernelError>,
    ) -> Result<Arc<Image>, KernelError> {
        if let Some((_, image)) = self.images.iter().find(|(known, _)| known == name) {
            return Ok(image.clone());
        }
        let image = make(self)?;
        self.images.push((name.to_owned(), image.clone()));
        Ok(image)
    }

    /// Notes that a program is the one in instruction memory from now on.
    pub(super) fn install(&mut self, image: &Arc<Image>, core: &Core) {
        let known = self.promises.iter().position(|(sent, _)| Arc::ptr_eq(sent, image));
        let promises = match known {
            Some(known) => self.promises.remove(known),
            None => (image.clone(), EntryPromises::of(image, core)),
        };
        self.promises.push(promises);
        self.names = image.kernels.iter().map(|k| (k.start, k.name.clone())).collect();
    }

    /// Notes that no kernel is installed any more.
    pub(super) fn forget_names(&mut self) {
        self.names.clear();
    }

    /// Returns the name of the kernel at an address; empty if there is none.
    pub(super) fn name(&self, entry: BundleAddress) -> &str {
        let known = self.names.iter().find(|(start, _)| *start == entry);
        known.map_or("", |(_, name)| name)
    }

    /// Returns the installed program, with the promises that its callers have to keep.
    pub(super) fn promises(&self) -> Option<&(Arc<Image>, EntryPromises)> {
        self.promises.last()
    }
}
