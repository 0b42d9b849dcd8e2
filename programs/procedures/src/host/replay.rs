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

/// Cycles for which a kernel can be said to run still, at most: more than any limit of a run.
const LONGEST_STUB: u64 = 1 << 48;

/// What a host has beside its machine; a checkpoint keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct HostState {
    pub(crate) timeline: Timeline,
    pub(crate) kernels: KernelCounts,
    /// DMA counts at the start of the timeline.
    pub(crate) before: DmaStats,
    /// What the page scheme went through so far.
    pub(crate) ledger: Ledger,
    /// Fewest cycles that the kernel that was called last counts as running.
    pub(crate) least_cycles: u64,
    /// The kernel counts as running until this cycle.
    pub(crate) busy_until: Cycle,
    pub(crate) is_kernel_counted: bool,
    /// The cycle in which the latest wait began.
    pub(crate) wait_since: Cycle,
}

impl HostState {
    /// That of the host of a machine at which nothing was done yet.
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

    /// Whether it can be that of the host of this machine: every cycle so far has its activities, and nothing that is
    /// remembered comes later.
    fn is_of(&self, machine: &Machine) -> bool {
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

/// What a checkpoint has of a host.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// Calls before it, and a digest of them.
    calls: u64,
    digest: u64,
    reads: Vec<Vec<[u8; 8]>>,
    state: HostState,
}

/// What the host's part of a checkpoint begins with, before its version. Version 1 had no such head and no digest.
const HEAD: [u8; 4] = *b"HOST";
const VERSION: u8 = 2;

impl Kept {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = [HEAD.as_slice(), &[VERSION]].concat();
        // What is made of numbers and lists always has bytes.
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

/// The host's part of a checkpoint says what no run has come to.
fn damaged() -> KernelError {
    KeepingError::Damaged.into()
}

/// What was read so far, and how much of it this run has seen.
#[derive(Debug, Default)]
struct Reads {
    all: Vec<Vec<[u8; 8]>>,
    seen: usize,
}

/// The calls of a host.
#[derive(Debug)]
pub(crate) struct Replay {
    keeper: Arc<Keeper>,
    calls: u64,
    /// What was called so far, with its arguments.
    digest: XxHash64,
    /// Calls before this one were done before the checkpoint, if there was one.
    until: u64,
    /// The digest of those calls.
    expected: u64,
    has_resumed: bool,
    reads: RefCell<Reads>,
    /// Why there is nothing to go on from.
    failure: Option<KernelError>,
}

impl Replay {
    /// Counts the calls of a host for a keeper, if it is the first; puts the machine into the state to go
    /// on from, and tells the state of then.
    pub(crate) fn begin(
        keeper: Option<Arc<Keeper>>,
        machine: &mut Machine,
    ) -> (Option<Self>, Option<HostState>) {
        let Some(keeper) = keeper.filter(|keeper| keeper.take()) else { return (None, None) };
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
        let kept = kept.and_then(|bytes| bytes.as_deref().map(Kept::from_bytes).transpose());
        let kept = kept.and_then(|kept| match kept {
            Some(kept) if !kept.state.is_of(machine) => Err(damaged()),
            kept => Ok(kept),
        });
        let state = match kept {
            Ok(None) => None,
            Ok(Some(Kept { calls, digest, reads, state })) => {
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

    /// Counts a call of this name, whose arguments go to the digest; whether it was done before.
    pub(crate) fn count(&mut self, name: &str, arguments: impl FnOnce(&mut XxHash64)) -> bool {
        self.calls += 1;
        self.digest.write(name.as_bytes());
        arguments(&mut self.digest);
        if self.calls == self.until && self.digest.finish() != self.expected {
            self.failure = Some(KeepingError::OtherCalls.into());
        }
        self.calls <= self.until
    }

    /// The same, where a run may stop, and a checkpoint is made if one is due.
    ///
    /// # Errors
    /// There is nothing to go on from, the run is to stop, or a checkpoint cannot be written.
    pub(crate) fn look(
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
        self.keeper.look(machine, || {
            let reads = self.reads.borrow().all.clone();
            Kept { calls, digest, reads, state: state() }.to_bytes()
        })?;
        Ok(false)
    }

    /// Whether what a host does between its calls, here, is in the state of the checkpoint.
    pub(crate) fn is_in_state(&self) -> bool {
        self.has_resumed && self.calls <= self.until
    }

    /// Tells the keeper that the host is no more.
    pub(crate) fn leave(&self) {
        self.keeper.leave();
    }

    /// The words, so many, that were read here before the checkpoint; `None` behind it.
    ///
    /// # Errors
    /// The checkpoint has others, or none.
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

    /// Room for what is read now, if it is to be kept.
    pub(crate) fn keeping(&self) -> Option<Vec<[u8; 8]>> {
        self.keeper.keeps().then(Vec::new)
    }

    /// Keeps what was read.
    pub(crate) fn keep(&self, words: Vec<[u8; 8]>) {
        let mut reads = self.reads.borrow_mut();
        reads.all.push(words);
        reads.seen += 1;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::{Kept, VERSION};
    use crate::host::Host;
    use cp2_emu::{Machine, MachineConfig};
    use cp2_isa::{Bytes, Cycle};
    use cp2_recording::checkpoint;
    use cp2_recording::checkpoint::Origin;
    use cp2_session::error::KernelError;
    use cp2_session::execution::Execution;
    use cp2_session::keeping::{Keeper, Store};
    use num_complex::Complex32;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    /// Calls of a host until it is told to stop: one that writes a value, then some that take time.
    fn calls(
        store: Option<Store>,
        (from, stops_at): (Option<Vec<u8>>, usize),
        value: f32,
    ) -> Result<u64, KernelError> {
        let asked = AtomicUsize::new(0);
        let stops = move || asked.fetch_add(1, Ordering::Relaxed) + 1 >= stops_at;
        let asks = (Box::new(stops) as _, Box::new(|_| ()) as _);
        let keeper = Keeper::new(store, Duration::from_secs(3600), from, asks);
        let keeper = Arc::new(keeper);
        let [cp2, program, machine] = ["1", "calls", "vm7"].map(str::to_owned);
        keeper.begin(Origin { cp2, program, machine, inputs: 0 });
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

    /// A checkpoint with the right checksum may say what no run comes to.
    #[test]
    fn a_host_of_no_run_is_refused_and_so_is_what_it_has_not_read() {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let to = kept.clone();
        let store: Store = Box::new(move |bytes| {
            *to.lock().unwrap() = bytes.to_vec();
            Ok(())
        });
        calls(Some(store), (None, 3), 1.0).unwrap_err();
        let kept = kept.lock().unwrap().clone();
        let [cp2, program, machine] = ["1", "calls", "vm7"].map(str::to_owned);
        let origin = Origin { cp2, program, machine, inputs: 0 };
        let mut machine = Machine::new(&MachineConfig::preset("vm7").unwrap());
        let host = checkpoint::read(&kept, &mut machine, &origin).unwrap();
        let with = |change: fn(&mut Kept)| {
            let mut host = Kept::from_bytes(&host).unwrap();
            change(&mut host);
            let bytes = checkpoint::write(&machine, &origin, &host.to_bytes()).unwrap();
            calls(None, (Some(bytes), usize::MAX), 1.0)
        };
        with(|_| ()).unwrap();
        let changes: [fn(&mut Kept); 5] = [
            |kept| kept.state.timeline.end += 1,
            |kept| kept.state.timeline.cp2.spans.clear(),
            |kept| kept.state.before.causes[0] += 1,
            |kept| kept.state.wait_since = Cycle::NEVER,
            |kept| kept.state.busy_until = Cycle::NEVER,
        ];
        for (k, change) in changes.into_iter().enumerate() {
            let message = with(change).unwrap_err().to_string();
            assert!(message.contains("is damaged: what it says of the host"), "{k}: {message}");
        }
    }

    /// Neither what was written before there was a version, nor what a newer program writes, is read as something else.
    #[test]
    fn other_versions_of_the_hosts_part_are_refused() {
        let message = |bytes: &[u8]| Kept::from_bytes(bytes).err().unwrap().to_string();
        let of = |version: u8| [b"HOST".as_slice(), &[version], &[0; 64]].concat();
        for (version, bytes) in
            [(1, vec![0; 64]), (1, of(1)), (VERSION + 1, of(VERSION + 1)), (1, Vec::new())]
        {
            let expected = format!("the host's part has version {version}, this program reads");
            let message = message(&bytes);
            assert!(message.contains(&expected), "{message}");
        }
        let damaged = message(&[b"HOST".as_slice(), &[VERSION]].concat());
        assert!(damaged.contains("how far the run was"), "{damaged}");
    }

    /// A run that goes on has to make the calls that were made before the checkpoint, with all that they are given.
    #[test]
    fn a_run_with_other_calls_does_not_go_on() {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let to = kept.clone();
        let store: Store = Box::new(move |bytes| {
            *to.lock().unwrap() = bytes.to_vec();
            Ok(())
        });
        let stopped = calls(Some(store), (None, 4), 1.0).unwrap_err();
        assert!(matches!(stopped, KernelError::Stopped { .. }), "{stopped}");
        let kept = kept.lock().unwrap().clone();
        let again = |value| calls(None, (Some(kept.clone()), usize::MAX), value);
        assert_eq!(again(1.0).unwrap(), calls(None, (None, usize::MAX), 1.0).unwrap());
        let message = again(2.0).unwrap_err().to_string();
        assert!(message.contains("this run makes other calls"), "{message}");
    }
}
