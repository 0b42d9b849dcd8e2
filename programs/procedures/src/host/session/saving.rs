//! A host as bytes, from which another host of the same procedure goes on: for procedures that know by themselves where they
//! are. Those that are plain code go on by a keeper.

use super::Host;
use crate::host::replay::HostState;
use cp2_asm::image::Image;
use cp2_recording::checkpoint::{self, RunIdentity};
use cp2_session::cost::Traffic;
use cp2_session::error::{KeepingError, KernelError};
use std::sync::Arc;

impl Host {
    /// Returns the identity of runs of a procedure on a machine like this one.
    fn identity(&self, procedure: &str) -> RunIdentity {
        let cp2 = env!("CARGO_PKG_VERSION").to_owned();
        RunIdentity { cp2, program: procedure.to_owned(), machine: self.config.dump(), inputs: 0 }
    }

    /// Returns the machine, its memories and what the host knows of the run as bytes, between two calls.
    ///
    /// # Errors
    /// The machine is larger than the format allows.
    pub(crate) fn save(&self, procedure: &str) -> Result<Vec<u8>, KernelError> {
        let failed = |reason: String| KernelError::from(KeepingError::NotWritten { reason });
        let host = postcard::to_stdvec(&(&self.state, &self.traffic));
        let host = host.map_err(|e| failed(e.to_string()))?;
        let identity = self.identity(procedure);
        checkpoint::write(&self.machine, &identity, &host).map_err(|e| failed(e.to_string()))
    }

    /// Goes on from what another host has [saved](Self::save), with this program in instruction memory, if there was one. The arrays
    /// and queues of this host have to be those of the other one.
    ///
    /// # Errors
    /// The bytes are damaged, or of another procedure or machine.
    pub(crate) fn restore(
        &mut self,
        procedure: &str,
        saved: &[u8],
        installed: Option<&Arc<Image>>,
    ) -> Result<(), KernelError> {
        self.engine.release(&mut self.machine);
        let identity = self.identity(procedure);
        let host = checkpoint::read(saved, &mut self.machine, &identity);
        let host = host.map_err(KeepingError::Read)?;
        self.machine.dma.keep_history();
        let damaged = || KernelError::from(KeepingError::Damaged);
        let (state, traffic): (HostState, Traffic) =
            postcard::from_bytes(&host).map_err(|_| damaged())?;
        if !state.is_of(&self.machine) {
            return Err(damaged());
        }
        (self.state, self.traffic) = (state, traffic);
        if let Some(image) = installed {
            self.programs.install(image, self.config.core());
        }
        Ok(())
    }
}
