//! How a host goes on from a checkpoint: a procedure is plain code that makes calls, so it runs again from its
//! beginning, and the calls before the checkpoint do nothing. What it has read of the machine by then
//! is given to it again, so it decides as before.

use cp2_emu::Machine;
use cp2_emu::dma::DmaStats;
use cp2_isa::Cycle;
use cp2_session::cost::passes::Ledger;
use cp2_session::cost::timeline::{KernelCounts, Timeline};
use cp2_session::error::{KeepingError, KernelError};
use cp2_session::keeping::Keeper;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::hash::Hasher as _;
use std::sync::Arc;
use twox_hash::XxHash64;

/// Most cycles for which a kernel may still count as running: more than any limit of a run.
const LONGEST_STUB: u64 = 1 << 48;

/// State of a host beside that of its machine; a checkpoint keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HostState {
    /// Activities of all cycles so far.
    pub(crate) timeline: Timeline,
    /// Counts of the kernels so far.
    pub(crate) kernels: KernelCounts,
    /// DMA counts at the start of the timeline.
    pub(crate) before: DmaStats,
    /// Record of the passes of the page scheme so far.
    pub(crate) ledger: Ledger,
    /// Fewest cycles for which the kernel that was called last counts as running.
    pub(crate) least_cycles: u64,
    /// Cycle until which the kernel that was called last counts as running.
    pub(crate) busy_until: Cycle,
    /// Whether the counts include the kernel that was called last.
    pub(crate) is_kernel_counted: bool,
    /// Cycle in which the latest wait began.
    pub(crate) wait_since: Cycle,
}

impl HostState {
    /// Creates the state of the host of a machine on which nothing was done yet.
    pub(crate) fn new(machine: &Machine) -> Self {
        Self {
            timeline: Timeline::new(machine.cycle()),
            kernels: KernelCounts::default(),
            before: machine.dma.stats().clone(),
            ledger: Ledger::default(),
            least_cycles: 0,
            busy_until: Cycle::RESET,
            is_kernel_counted: true,
            wait_since: Cycle::RESET,
        }
    }

    /// Whether the state can be that of the host of this machine: every cycle so far has its activities, and nothing that is
    /// remembered lies later.
    pub(crate) fn is_of(&self, machine: &Machine) -> bool {
        let (now, after) = (machine.cycle(), machine.dma.stats());
        let Self { timeline, kernels, before, ledger, .. } = self;
        timeline.end == now
            && timeline.is_complete(before, after)
            && ledger.is_before((now, kernels))
            && self.wait_since <= now
            && self.least_cycles <= LONGEST_STUB
            && self.busy_until <= now.saturating_add(LONGEST_STUB)
    }
}

/// The part of a checkpoint that belongs to the host.
#[derive(Serialize, Deserialize)]
struct HostCheckpoint {
    /// Number of calls before the checkpoint.
    calls: u64,
    /// Digest of the calls before the checkpoint.
    digest: u64,
    /// Words that were read before the checkpoint, read by read.
    reads: Vec<Vec<[u8; 8]>>,
    state: HostState,
}

/// Bytes with which the host's part of a checkpoint begins, before its version. Checkpoints of version 1 have neither them
/// nor a digest.
const HEAD: [u8; 4] = *b"HOST";
/// Version of the host's part of a checkpoint.
const VERSION: u8 = 3;

impl HostCheckpoint {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = [HEAD.as_slice(), &[VERSION]].concat();
        // Values made of numbers and lists can always be written as bytes.
        bytes.extend(postcard::to_stdvec(self).unwrap_or_default());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, KernelError> {
        let (version, rest) = match bytes.strip_prefix(&HEAD) {
            Some([version, rest @ ..]) => (*version, rest),
            _ => (1, bytes),
        };
        if version != VERSION {
            return Err(KeepingError::Version { found: version, known: VERSION }.into());
        }
        postcard::from_bytes(rest).map_err(|_| KeepingError::NoEnd.into())
    }
}

/// Returns the error for a host's part of a checkpoint that no run can have written.
fn damaged() -> KernelError {
    KeepingError::Damaged.into()
}

/// Words that were read of the machine so far, and the reads that this run has seen again.
#[derive(Debug, Default)]
struct Reads {
    all: Vec<Vec<[u8; 8]>>,
    seen: usize,
}

/// Counter of the calls of a host, which skips those before a checkpoint.
#[derive(Debug)]
pub(crate) struct Replay {
    keeper: Arc<Keeper>,
    calls: u64,
    /// Digest of the calls so far, with their arguments.
    digest: XxHash64,
    /// Number of calls that were done before the checkpoint; 0 without one.
    until: u64,
    /// Digest of the calls before the checkpoint.
    expected: u64,
    has_resumed: bool,
    reads: RefCell<Reads>,
    /// Error that forbids to go on from the checkpoint.
    failure: Option<KernelError>,
}

impl Replay {
    /// Begins to count the calls of a host for a keeper, if the host is its first; puts the machine into the state of the
    /// checkpoint, if there is one, and returns the state of the host at that time.
    pub(crate) fn begin(
        keeper: Option<Arc<Keeper>>,
        machine: &mut Machine,
    ) -> (Option<Self>, Option<HostState>) {
        let Some(keeper) = keeper.filter(|keeper| keeper.claim()) else { return (None, None) };
        let mut replay = Self {
            keeper: Arc::clone(&keeper),
            calls: 0,
            digest: XxHash64::with_seed(0),
            until: 0,
            expected: 0,
            has_resumed: false,
            reads: RefCell::default(),
            failure: None,
        };
        let kept = keeper.resume(machine);
        let kept =
            kept.and_then(|bytes| bytes.as_deref().map(HostCheckpoint::from_bytes).transpose());
        let kept = kept.and_then(|kept| match kept {
            Some(kept) if !kept.state.is_of(machine) => Err(damaged()),
            kept => Ok(kept),
        });
        let state = match kept {
            Ok(None) => None,
            Ok(Some(HostCheckpoint { calls, digest, reads, state })) => {
                replay.expected = digest;
                (replay.until, replay.has_resumed) = (calls, true);
                replay.reads = RefCell::new(Reads { all: reads, seen: 0 });
                Some(state)
            }
            Err(e) => {
                replay.failure = Some(e);
                None
            }
        };
        (Some(replay), state)
    }

    /// Counts a call of this name, whose arguments go to the digest, and returns whether it was done before the checkpoint.
    pub(crate) fn count(&mut self, name: &str, arguments: impl FnOnce(&mut XxHash64)) -> bool {
        self.calls += 1;
        self.digest.write(name.as_bytes());
        arguments(&mut self.digest);
        if self.calls == self.until && self.digest.finish() != self.expected {
            self.failure = Some(KeepingError::OtherCalls.into());
        }
        self.calls <= self.until
    }

    /// Counts a call as [`Self::count`] does, at a point where a run may stop and a checkpoint is made if one is due; returns
    /// whether the call was done before the checkpoint.
    ///
    /// # Errors
    /// A checkpoint from which the run cannot go on, a run that is to stop, or a checkpoint that cannot be written.
    pub(crate) fn skip_or_checkpoint(
        &mut self,
        machine: &Machine,
        (name, arguments): (&str, impl FnOnce(&mut XxHash64)),
        state: impl FnOnce() -> HostState,
    ) -> Result<bool, KernelError> {
        let (calls, digest) = (self.calls, self.digest.finish());
        let is_past = self.count(name, arguments);
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        if is_past {
            return Ok(true);
        }
        self.keeper.checkpoint_if_due(machine, || {
            let reads = self.reads.borrow().all.clone();
            HostCheckpoint { calls, digest, reads, state: state() }.to_bytes()
        })?;
        Ok(false)
    }

    /// Whether the effects of the host's work between its calls, at this point, are in the state of the checkpoint.
    pub(crate) fn is_in_state(&self) -> bool {
        self.has_resumed && self.calls <= self.until
    }

    /// Tells the keeper that the host exists no more.
    pub(crate) fn end_host(&self) {
        self.keeper.end_host();
    }

    /// Returns the `count` words that were read at this point before the checkpoint; `None` after it.
    ///
    /// # Errors
    /// A checkpoint that has other words at this point, or none.
    pub(crate) fn read_before(&self, count: usize) -> Result<Option<Vec<[u8; 8]>>, KernelError> {
        let mut reads = self.reads.borrow_mut();
        let Some(words) = reads.all.get(reads.seen).cloned() else {
            return if self.is_in_state() { Err(damaged()) } else { Ok(None) };
        };
        if words.len() != count {
            return Err(damaged());
        }
        reads.seen += 1;
        Ok(Some(words))
    }

    /// Returns room for the words that are read now, if they are to be kept.
    pub(crate) fn keeping(&self) -> Option<Vec<[u8; 8]>> {
        self.keeper.keeps().then(Vec::new)
    }

    /// Keeps words that were read.
    pub(crate) fn keep(&self, words: Vec<[u8; 8]>) {
        let mut reads = self.reads.borrow_mut();
        reads.all.push(words);
        reads.seen += 1;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::{HostCheckpoint, VERSION};
    use crate::host::Host;
    use cp2_emu::{Machine, MachineConfig};
    use cp2_isa::{Bytes, Cycle};
    use cp2_recording::checkpoint;
    use cp2_recording::checkpoint::RunIdentity;
    use cp2_session::error::KernelError;
    use cp2_session::execution::Execution;
    use cp2_session::keeping::{CheckpointWriter, Keeper};
    use num_complex::Complex32;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    /// Makes calls of a host until it is told to stop: one that writes a value, then some that take time. Returns the cycles.
    fn calls(
        store: Option<CheckpointWriter>,
        (from, stops_at): (Option<Vec<u8>>, usize),
        value: f32,
    ) -> Result<u64, KernelError> {
        let asked = AtomicUsize::new(0);
        let stops = move || asked.fetch_add(1, Ordering::Relaxed) + 1 >= stops_at;
        let asks = (Box::new(stops) as _, Box::new(|_| ()) as _);
        let keeper = Keeper::new(store, Duration::from_secs(3600), from, asks);
        let keeper = Arc::new(keeper);
        let [cp2, program, machine] = ["1", "calls", "vm7"].map(str::to_owned);
        keeper.begin(RunIdentity { cp2, program, machine, inputs: 0 });
        let config = MachineConfig::preset("vm7").unwrap();
        let on = Execution { keeper: Some(keeper), ..Execution::default() };
        let mut host = Host::new(config, &on);
        let array = host.allocate(Bytes(16))?;
        host.write(array, &[Complex32::new(value, 0.0); 2])?;
        for _ in 0..5 {
            host.turn_page()?;
        }
        Ok(host.timeline().cycles())
    }

    /// A checkpoint with a right checksum may hold a state that no run comes to.
    #[test]
    fn a_host_of_no_run_is_refused_and_so_is_what_it_has_not_read() {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let to = kept.clone();
        let store: CheckpointWriter = Box::new(move |bytes| {
            *to.lock().unwrap() = bytes.to_vec();
            Ok(())
        });
        calls(Some(store), (None, 3), 1.0).unwrap_err();
        let kept = kept.lock().unwrap().clone();
        let [cp2, program, machine] = ["1", "calls", "vm7"].map(str::to_owned);
        let origin = RunIdentity { cp2, program, machine, inputs: 0 };
        let mut machine = Machine::new(&MachineConfig::preset("vm7").unwrap());
        let host = checkpoint::read(&kept, &mut machine, &origin).unwrap();
        let with = |change: fn(&mut HostCheckpoint)| {
            let mut host = HostCheckpoint::from_bytes(&host).unwrap();
            change(&mut host);
            let bytes = checkpoint::write(&machine, &origin, &host.to_bytes()).unwrap();
            calls(None, (Some(bytes), usize::MAX), 1.0)
        };
        with(|_| ()).unwrap();
        let changes: [fn(&mut HostCheckpoint); 5] = [
            |kept| kept.state.timeline.end += 1,
            |kept| kept.state.timeline.cp2.spans.clear(),
            |kept| kept.state.before.causes[0] += 1,
            |kept| kept.state.wait_since = Cycle::NEVER,
            |kept| kept.state.busy_until = Cycle::NEVER,
        ];
        for (k, change) in changes.into_iter().enumerate() {
            let message = with(change).unwrap_err().to_string();
            assert!(message.contains("is damaged: its part for the host"), "{k}: {message}");
        }
    }

    /// Neither parts of a checkpoint without a version nor those of a newer program are read as something else.
    #[test]
    fn other_versions_of_the_hosts_part_are_refused() {
        let message = |bytes: &[u8]| HostCheckpoint::from_bytes(bytes).err().unwrap().to_string();
        let of = |version: u8| [b"HOST".as_slice(), &[version], &[0; 64]].concat();
        for (version, bytes) in [
            (1, vec![0; 64]),
            (1, of(1)),
            (2, of(2)),
            (VERSION + 1, of(VERSION + 1)),
            (1, Vec::new()),
        ] {
            let expected =
                format!("its part for the host has version {version}, but this program reads");
            let message = message(&bytes);
            assert!(message.contains(&expected), "{message}");
        }
        let damaged = message(&[b"HOST".as_slice(), &[VERSION]].concat());
        assert!(damaged.contains("how far the run was"), "{damaged}");
    }

    /// A run that goes on has to make the same calls as before the checkpoint, with the same arguments.
    #[test]
    fn a_run_with_other_calls_does_not_go_on() {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let to = kept.clone();
        let store: CheckpointWriter = Box::new(move |bytes| {
            *to.lock().unwrap() = bytes.to_vec();
            Ok(())
        });
        let stopped = calls(Some(store), (None, 4), 1.0).unwrap_err();
        assert!(matches!(stopped, KernelError::Stopped { .. }), "{stopped}");
        let kept = kept.lock().unwrap().clone();
        let again = |value| calls(None, (Some(kept.clone()), usize::MAX), value);
        assert_eq!(again(1.0).unwrap(), calls(None, (None, usize::MAX), 1.0).unwrap());
        let message = again(2.0).unwrap_err().to_string();
        assert!(message.contains("it is of another run"), "{message}");
    }
}
