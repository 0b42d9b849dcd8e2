//! Traffic of the DMA channel by the form of its rows in system memory. Short rows move more slowly than long ones, so
//! a bound that a run can meet depends on how long the rows are that really move.

use crate::Environment;
use cp2_emu::MachineConfig;
use cp2_emu::dma::{Descriptor, DescriptorAction, MemoryWalk};
use cp2_emu::machine::{Rows, dma_rate};
use cp2_emu::memory::{BEAT_BYTES, Direction, SystemMemory};
use cp2_isa::MemoryAddress;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Rows of one form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Form {
    is_put: bool,
    row_bytes: u32,
    pitch_bytes: u32,
}

/// Bytes of a row and from row to row by which a run of memory without gaps counts.
const RUN_BYTES: u32 = 1024;

impl Form {
    /// Returns the form of `rows` rows that are `step` bytes apart.
    fn joined(is_put: bool, row_bytes: u32, (rows, step): (u32, i32)) -> Self {
        let is_run = row_bytes > RUN_BYTES && (rows == 1 || step == row_bytes as i32);
        if is_run || row_bytes > SAMPLE_BYTES {
            return Self { is_put, row_bytes: RUN_BYTES, pitch_bytes: RUN_BYTES };
        }
        let pitch_bytes = if rows > 1 { step.unsigned_abs() } else { row_bytes };
        Self { is_put, row_bytes, pitch_bytes }
    }
}

/// Bytes that descriptors of the DMA channel move to and from system memory, added up by the form of the rows in which
/// they lie there: direction, length, and distance from row to row. A row is a run of bytes without a gap. Rows longer
/// than 1024 bytes without gaps between them count as rows of 1024 bytes, and so do rows longer than 128 KiB.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic(BTreeMap<Form, u64>);

/// Rows of one form (direction, length, distance) in system memory: how many bytes are moved in them, and how fast the
/// DMA channel of a machine moves them. A row is a run of bytes without a gap. Made by [`Traffic::costs`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowCost {
    /// Whether the rows are stored to system memory; if not, they are loaded from it.
    pub is_put: bool,
    /// Bytes of a row, which lie in system memory without a gap.
    pub row_bytes: u32,
    /// Bytes in system memory from the begin of a row to the begin of the next one.
    pub pitch_bytes: u32,
    /// Bytes that are moved in all rows of this form together.
    pub bytes: u64,
    /// Rate of a long transfer of such rows by the channel of the machine, in MB/s (10^6 bytes).
    pub rate: f64,
}

impl RowCost {
    /// Returns the time that all rows of this form take at their rate, in microseconds.
    pub fn microseconds(&self) -> f64 {
        self.bytes as f64 / self.rate
    }
}

/// Bytes of a transfer that tells the rate of its rows.
const SAMPLE_BYTES: u32 = 1 << 17;
/// Bytes of a 32-bit word.
const WORD_BYTES: u32 = 4;
const WORDS_OF_BEAT: u32 = BEAT_BYTES / WORD_BYTES;
/// Distance at which beats of gathered words are taken to lie, in bytes: the least for a transaction each.
const APART_BYTES: u32 = 2 * BEAT_BYTES;

impl Traffic {
    /// Returns the bytes that descriptors move, by the form of their rows. A gather, which loads listed 32-bit words,
    /// moves its list, and 16 bytes, a beat, for each run of words in the list that lie in one beat; `memory` is system
    /// memory, in which the list is read as it stands now. Jumps move nothing.
    pub fn of<'a>(
        descriptors: impl IntoIterator<Item = &'a Descriptor>,
        memory: &SystemMemory,
    ) -> Self {
        let mut traffic = Self::default();
        for descriptor in descriptors {
            match &descriptor.action {
                DescriptorAction::Get(get) => traffic.add_walk(false, &get.memory, BEAT_BYTES),
                DescriptorAction::Put(put) => traffic.add_walk(true, &put.memory, BEAT_BYTES),
                DescriptorAction::Copy(copy) => {
                    traffic.add_walk(false, &copy.from, BEAT_BYTES);
                    traffic.add_walk(true, &copy.to, BEAT_BYTES);
                }
                DescriptorAction::GetWords(get) => traffic.add_walk(false, &get.memory, WORD_BYTES),
                DescriptorAction::PutWords(put) => traffic.add_walk(true, &put.memory, WORD_BYTES),
                DescriptorAction::Gather(gather) => {
                    traffic.add_walk(false, &gather.list, WORD_BYTES);
                    let form =
                        Form { is_put: false, row_bytes: BEAT_BYTES, pitch_bytes: APART_BYTES };
                    let bytes = u64::from(BEAT_BYTES) * gathered_beats(&gather.list, memory);
                    *traffic.0.entry(form).or_default() += bytes;
                }
                DescriptorAction::Jump(_) => {}
            }
        }
        traffic
    }

    /// Adds a walk that counts beats or words.
    fn add_walk(&mut self, is_put: bool, walk: &MemoryWalk, unit_bytes: u32) {
        let burst = u32::from(walk.burst.max(1)) * unit_bytes;
        let burst_bytes = burst.next_multiple_of(BEAT_BYTES);
        let [bursts, rows] = [walk.x.count, walk.y.count].map(|n| n.max(1));
        let bytes = u64::from(burst_bytes) * u64::from(bursts) * u64::from(rows);
        let form = if walk.x.step == burst as i32 && bursts > 1 {
            // Bursts one behind the other are one row.
            Form::joined(is_put, burst_bytes.saturating_mul(bursts), (rows, walk.y.step))
        } else {
            // A single burst of a row has the next one a row further.
            let pitch = if bursts > 1 { walk.x.step } else { walk.y.step };
            Form::joined(is_put, burst_bytes, (bursts.saturating_mul(rows), pitch))
        };
        *self.0.entry(form).or_default() += bytes;
    }

    /// Adds the bytes of `other`, for each form of rows.
    pub fn add(&mut self, other: &Self) {
        for (&form, bytes) in &other.0 {
            *self.0.entry(form).or_default() += bytes;
        }
    }

    /// Returns the bytes of each form of rows with the rate of such rows on the machine of `rates`, those that take the
    /// longest time first. Rates that are not known yet are found by simulation.
    pub fn costs(&self, rates: &KnownRates) -> Vec<RowCost> {
        rates.find(self);
        let cost = |(form, &bytes): (&Form, &u64)| {
            let Form { is_put, row_bytes, pitch_bytes } = *form;
            let rate = rates.rate(*form, SAMPLE_BYTES);
            RowCost { is_put, row_bytes, pitch_bytes, bytes, rate }
        };
        let mut costs: Vec<_> = self.0.iter().map(cost).collect();
        costs.sort_by(|a, b| b.microseconds().total_cmp(&a.microseconds()));
        costs
    }
}

/// Rates by the form of rows and the bytes of a transfer, for all threads.
struct Rates {
    by_form: Mutex<BTreeMap<(Form, u32), f64>>,
    /// Number of rates that are kept for other processes.
    n_kept: AtomicUsize,
}

impl Rates {
    fn by_form(&self) -> MutexGuard<'_, BTreeMap<(Form, u32), f64>> {
        self.by_form.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn key(config: &MachineConfig) -> String {
        format!("rates of rows\n{}", config.dump())
    }

    /// Returns the rates that were kept of a machine.
    fn of(environment: &Environment, config: &MachineConfig) -> Self {
        let numbers = environment.numbers(&Self::key(config)).unwrap_or_default();
        let rate = |&[is_put, row_bytes, pitch_bytes, bytes, rate]: &[f64; 5]| {
            let [row_bytes, pitch_bytes, bytes] = [row_bytes, pitch_bytes, bytes].map(|n| n as u32);
            ((Form { is_put: is_put != 0.0, row_bytes, pitch_bytes }, bytes), rate)
        };
        let by_form: BTreeMap<_, _> = numbers.as_chunks().0.iter().map(rate).collect();
        let n_kept = AtomicUsize::new(by_form.len());
        Self { by_form: Mutex::new(by_form), n_kept }
    }

    /// Keeps the rates in the environment, if there are new ones.
    fn keep(&self, environment: &Environment, config: &MachineConfig) {
        let by_form = self.by_form();
        if by_form.len() > self.n_kept.swap(by_form.len(), Ordering::Relaxed) {
            let numbers = |(&(form, bytes), &rate): (&(Form, u32), &f64)| {
                let Form { is_put, row_bytes, pitch_bytes } = form;
                let [row_bytes, pitch_bytes, bytes] =
                    [row_bytes, pitch_bytes, bytes].map(f64::from);
                [f64::from(u8::from(is_put)), row_bytes, pitch_bytes, bytes, rate]
            };
            let numbers: Vec<_> = by_form.iter().map(numbers).collect();
            environment.keep_numbers(&Self::key(config), numbers.as_flattened());
        }
    }
}

/// Machines whose rates are remembered: the predictions, the run and the report of one ask for the same ones.
const MOST_MACHINES: usize = 8;

/// The machines that were asked for in an environment, the latest last.
#[derive(Default)]
struct Machines(Mutex<VecDeque<(MachineConfig, Arc<Rates>)>>);

/// Rates, in MB/s (10^6 bytes), at which a machine's DMA channel moves rows of each form (direction, length, distance).
/// A rate is found by simulating a transfer of such rows when it is first asked for, and is then remembered: in the
/// [`Environment`] for the latest 8 machines, and in its store, if it has one, for later processes. A clone has the
/// same rates.
#[derive(Clone)]
pub struct KnownRates {
    config: MachineConfig,
    known: Arc<Rates>,
    environment: Environment,
}

impl fmt::Debug for KnownRates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownRates").field("machine", &self.config.name()).finish_non_exhaustive()
    }
}

/// Rates follow from the machine alone.
impl PartialEq for KnownRates {
    fn eq(&self, other: &Self) -> bool {
        self.config == other.config
    }
}

impl Drop for KnownRates {
    fn drop(&mut self) {
        self.known.keep(&self.environment, &self.config);
    }
}

impl KnownRates {
    /// Creates the rates of a machine, with those that the environment and its store have already. Others are found
    /// when they are asked for.
    pub fn new(environment: &Environment, config: &MachineConfig) -> Self {
        let machines = environment.shared::<Machines>();
        let mut machines = machines.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = machines.iter().find(|(known, _)| known == config);
        let known = known.map(|(_, rates)| Arc::clone(rates)).unwrap_or_else(|| {
            let rates = Arc::new(Rates::of(environment, config));
            machines.push_back((config.clone(), Arc::clone(&rates)));
            if machines.len() > MOST_MACHINES {
                machines.pop_front();
            }
            rates
        });
        Self { config: config.clone(), known, environment: environment.clone() }
    }

    fn rate(&self, form: Form, bytes: u32) -> f64 {
        let found = self.known.by_form().get(&(form, bytes)).copied();
        found.unwrap_or_else(|| {
            let rate = rate_of(&self.config, &form, bytes);
            self.known.by_form().insert((form, bytes), rate);
            rate
        })
    }

    /// Finds the rates of all rows of `traffic` that are not known yet, on all cores of the native machine.
    pub fn find(&self, traffic: &Traffic) {
        let known = self.known.by_form();
        let is_new = |form: &&Form| !known.contains_key(&(**form, SAMPLE_BYTES));
        let new: Vec<Form> = traffic.0.keys().filter(is_new).copied().collect();
        drop(known);
        new.into_par_iter().for_each(|form| {
            self.rate(form, SAMPLE_BYTES);
        });
    }

    /// Returns the microseconds that the channel takes for the rows of some descriptors, each form at the rate of a
    /// long transfer of such rows. `memory` is system memory, in which lists of gathers are read.
    pub fn of_rows<'d>(
        &self,
        descriptors: impl IntoIterator<Item = &'d Descriptor>,
        memory: &SystemMemory,
    ) -> f64 {
        let rows = Traffic::of(descriptors, memory).0.into_iter();
        rows.map(|(form, bytes)| bytes as f64 / self.rate(form, SAMPLE_BYTES)).sum()
    }

    /// Returns the microseconds that the channel takes for some descriptors one after the other, each as a transfer of
    /// its own length: with the fetch of the descriptor, and with the requests to memory that fill up at its begin and
    /// drain at its end. `memory` is system memory, in which lists of gathers are read.
    pub fn of_transfers<'d>(
        &self,
        descriptors: impl IntoIterator<Item = &'d Descriptor>,
        memory: &SystemMemory,
    ) -> f64 {
        let parts = descriptors.into_iter().flat_map(|one| Traffic::of([one], memory).0);
        parts
            .map(|(form, bytes)| {
                bytes as f64 / self.rate(form, u32::try_from(bytes).unwrap_or(u32::MAX))
            })
            .sum()
    }
}

/// Returns the number of beats that a gather asks for: words of one beat that follow each other in the list share it.
/// Where a list reaches past the end of memory the channel stops.
fn gathered_beats(list: &MemoryWalk, memory: &SystemMemory) -> u64 {
    let [xs, ys] = [list.x.count, list.y.count].map(|n| i64::from(n.max(1)));
    let burst = i64::from(list.burst.max(1));
    let entry = |k: i64| {
        let (word, x, y) = (k % burst, k / burst % xs, k / burst / xs);
        let offset = 4 * word + i64::from(list.x.step) * x + i64::from(list.y.step) * y;
        let mut bytes = [0; 4];
        let address = MemoryAddress(list.base.0.wrapping_add_signed(offset));
        memory.read(address, &mut bytes).ok().map(|()| u32::from_be_bytes(bytes))
    };
    let beats = (0..burst * xs * ys).map_while(entry).map(|word| word / WORDS_OF_BEAT);
    let mut last = None;
    beats.filter(|&beat| last.replace(beat) != Some(beat)).count() as u64
}

/// Returns the rate of a transfer of about `bytes` bytes in rows of this form, MB/s.
fn rate_of(config: &MachineConfig, form: &Form, bytes: u32) -> f64 {
    let direction = if form.is_put { Direction::Put } else { Direction::Get };
    let Form { row_bytes, pitch_bytes, .. } = *form;
    // Groups of four rows are whole shares of the sections.
    let total_bytes = (bytes.min(SAMPLE_BYTES) / (4 * row_bytes)).max(1) * 4 * row_bytes;
    let rows = Rows { direction, row_bytes, pitch_bytes, total_bytes };
    dma_rate(config, &rows).unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use cp2_emu::dma::{LocalWalk, Pattern, Stride};
    use cp2_isa::Bytes;

    #[test]
    fn short_rows_cost_the_transactions_that_they_take() {
        let config = MachineConfig::preset("vm7").unwrap();
        let walk = |burst: u8, rows: u32| MemoryWalk {
            burst,
            x: Stride { step: 544, count: rows },
            ..MemoryWalk::default()
        };
        let get = |burst, rows| {
            Descriptor::get(walk(burst, rows), LocalWalk::default(), Pattern::only(0))
        };
        let traffic =
            Traffic::of(&[get(10, 100), get(10, 28), get(1, 64)], &SystemMemory::new(Bytes(0)));
        let costs = traffic.costs(&KnownRates::new(&Environment::new(), &config));
        assert_eq!(costs.iter().map(|c| c.bytes).collect::<Vec<_>>(), [128 * 160, 64 * 16]);
        // 160 bytes are three transactions of 64 bytes at most, in a window of eight with a latency of 42
        // clocks: 46 + 46 + 44 clocks, of which eight are under way at once.
        let ideal = 160.0 * 200.0 / ((46.0 + 46.0 + 44.0) / 8.0);
        assert!((costs[0].rate / ideal - 1.0).abs() < 0.03, "{} {ideal}", costs[0].rate);
        // A beat takes as long as a transaction.
        assert!(costs[1].rate < 600.0, "{}", costs[1].rate);
    }

    /// Bursts without gaps are one row; what is behind it counts as the next one.
    #[test]
    fn bursts_that_follow_each_other_are_a_row() {
        let stride = |step, count| Stride { step, count };
        let walk = |x, y| MemoryWalk { burst: 16, x, y, ..MemoryWalk::default() };
        let get = |x, y| Descriptor::get(walk(x, y), LocalWalk::default(), Pattern::only(0));
        let rows = |x, y| {
            let traffic = Traffic::of(&[get(x, y)], &SystemMemory::new(Bytes(0)));
            traffic.0.into_keys().map(|form| (form.row_bytes, form.pitch_bytes)).collect::<Vec<_>>()
        };
        assert_eq!(rows(stride(256, 2), stride(4096, 8)), [(512, 4096)]);
        assert_eq!(rows(stride(512, 2), stride(4096, 8)), [(256, 512)]);
        assert_eq!(rows(stride(256, 64), stride(0, 1)), [(RUN_BYTES, RUN_BYTES)]);
        assert_eq!(rows(stride(0, 1), stride(4096, 8)), [(256, 4096)]);
    }

    /// Two entries of one beat, one of another, and again of the first.
    #[test]
    fn gathered_words_of_a_beat_are_one_transaction() {
        let mut memory = SystemMemory::new(Bytes(4096));
        let entries = [4u32, 7, 8, 5].map(u32::to_be_bytes);
        memory.write(MemoryAddress(64), entries.as_flattened()).unwrap();
        let list = MemoryWalk { base: MemoryAddress(64), burst: 4, ..MemoryWalk::default() };
        assert_eq!(gathered_beats(&list, &memory), 3);
        let outside = MemoryWalk { base: MemoryAddress(4088), burst: 4, ..MemoryWalk::default() };
        assert_eq!(gathered_beats(&outside, &memory), 1);
    }

    /// A list of two rows of three bursts of two entries: each beat that follows itself counts once.
    #[test]
    fn a_list_of_bursts_in_rows_is_read_in_their_order() {
        let mut memory = SystemMemory::new(Bytes(4096));
        let bursts = [[0u32, 1], [4, 100], [101, 8], [9, 200], [201, 300], [12, 16]];
        for (k, burst) in bursts.into_iter().enumerate() {
            let address = MemoryAddress((64 + 16 * (k % 3) + 128 * (k / 3)) as u64);
            memory.write(address, burst.map(u32::to_be_bytes).as_flattened()).unwrap();
        }
        let (x, y) = (Stride { step: 16, count: 3 }, Stride { step: 128, count: 2 });
        let list = MemoryWalk { base: MemoryAddress(64), burst: 2, x, y, ..MemoryWalk::default() };
        assert_eq!(gathered_beats(&list, &memory), 8);
    }
}
