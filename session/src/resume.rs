//! Checkpoints of runs of programs: bytes from which a run goes on in another process.

use crate::environment::Environment;
use crate::failure::{CheckpointRefusal, Error};
use crate::program::Program;
use crate::run::Run;
use crate::setup::Setup;
use cp2_asm::image::{Chunk, Kernel};
use cp2_emu::{Cp2, Machine};
use cp2_recording::checkpoint::{self, RunIdentity};
use std::hash::Hasher as _;
use twox_hash::XxHash64;

/// Returns the origin of a run: a checkpoint of another program, start or machine is refused.
fn origin(program: &Program, setup: &Setup, run: &Run<'_>) -> RunIdentity {
    let mut digest = XxHash64::with_seed(0);
    for Kernel { start, words, .. } in &program.image().kernels {
        digest.write(format!("{start} {words:?}").as_bytes());
    }
    for Chunk { start, words, section } in &program.image().data {
        digest.write(format!("{start} {words:?} {section:?}").as_bytes());
    }
    let core = || program.core().changes().join("\n");
    RunIdentity {
        cp2: env!("CARGO_PKG_VERSION").to_owned(),
        program: format!("{:016x}, started at {}", digest.finish(), run.entry),
        machine: setup.machine.as_ref().map_or_else(core, |machine| machine.dump()),
        inputs: 0,
    }
}

fn refuse_watched(setup: &Setup) -> Result<(), Error> {
    let is_watched = setup.is_checked || setup.is_profiled || setup.recorder.is_some();
    if is_watched { Err(Error::Checkpoint(CheckpointRefusal::Watched)) } else { Ok(()) }
}

impl Program {
    /// Returns a checkpoint of a run of this program as it is now, as bytes: registers, memories, what is under way,
    /// and the counts. [`Program::resume`] goes on from it, also in another process. `setup` is that of the run.
    ///
    /// ```
    /// use cp2_session::{Cancellation, Environment, Program, Setup};
    /// let environment = Environment::new();
    /// let setup = Setup::default();
    /// let source = ".kernel k\n seti g1, 1000\n nop\n nop\n do g1, end\n addi f0, f0, 1\nend: nop\n nop\n stopi 0\n";
    /// let program = Program::from_source(&environment, setup.core(), "k.s", source)?;
    /// let mut run = program.start(&environment, &setup)?;
    /// run.advance(500, None);
    /// let checkpoint = program.checkpoint(&setup, &mut run)?;
    /// let mut run = program.resume(&environment, &setup, &checkpoint)?;
    /// assert_eq!(run.cycles(), 500);
    /// let end = run.to_end(&Cancellation::default(), &mut |_| {});
    /// let outcome = run.finish(end);
    /// assert_eq!(outcome.stats.cycles, program.run(&environment, &setup)?.stats.cycles);
    /// # Ok::<(), cp2_session::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Checkpoint`] if the run is checked, profiled or recorded, or the checkpoint cannot be packed.
    pub fn checkpoint(&self, setup: &Setup, run: &mut Run<'_>) -> Result<Vec<u8>, Error> {
        refuse_watched(setup)?;
        let origin = origin(self, setup, run);
        let packed = |e: std::io::Error| CheckpointRefusal::Packed { reason: e.to_string() };
        checkpoint::write(run.machine(), &origin, &[]).map_err(|e| Error::Checkpoint(packed(e)))
    }

    /// Returns a run that goes on from the bytes of a checkpoint of a run of the same program, started at the same
    /// bundle, on the same machine. Arrays of the setup tell where results lie; what is loaded is replaced by the
    /// contents of the checkpoint.
    ///
    /// # Errors
    /// The same errors as of [`Program::start`]; [`Error::Checkpoint`] if the checkpoint is damaged or of another run,
    /// or the setup asks for the run to be checked, profiled or recorded.
    pub fn resume(
        &self,
        environment: &Environment,
        setup: &Setup,
        checkpoint: &[u8],
    ) -> Result<Run<'_>, Error> {
        refuse_watched(setup)?;
        let mut run = self.start(environment, setup)?;
        // A checkpoint leaves pages of zeros out.
        let mut machine = match &setup.machine {
            Some(config) => Machine::new(config),
            None => Machine::alone(Cp2::new(*self.core())),
        };
        let origin = origin(self, setup, &run);
        checkpoint::read(checkpoint, &mut machine, &origin)
            .map_err(|e| Error::Checkpoint(CheckpointRefusal::Read(e)))?;
        *run.machine() = machine;
        Ok(run)
    }
}
