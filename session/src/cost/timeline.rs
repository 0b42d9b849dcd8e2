//! Timeline of a procedure: what CP2, the DMA channel and the host did in every cycle. Every cycle has exactly one
//! activity of each of the three; [`Timeline::is_complete`] checks the sums. The host of a procedure, in
//! `cp2-procedures`, makes timelines.

use cp2_emu::Stats;
use cp2_emu::dma::{ChannelCause, DmaStats};
use cp2_emu::stats::Cause;
use cp2_isa::{Cycle, Exch};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// The activity of CP2 in a cycle of a procedure; every cycle has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum Cp2Activity {
    /// A kernel runs.
    Kernel,
    /// No kernel runs.
    Idle,
}

/// The activity of the DMA channel in a cycle of a procedure; every cycle has exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum DmaActivity {
    /// A transfer from system memory to local memory is under way.
    Load,
    /// A transfer to system memory is under way, from local memory or as a copy within system memory.
    Unload,
    /// The channel starts, or fetches or sets up a descriptor.
    SetUp,
    /// The channel waits until CP2 lets it go on (`start_dma`).
    Sync,
    /// The channel has nothing to do.
    Idle,
}

/// The activity of the host, which drives CP2 and the DMA channel, in a cycle of a procedure; every cycle has exactly
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub enum HostActivity {
    /// The host gives commands: it accesses registers of the channel or sends bundles to CP2.
    Command,
    /// The host executes its own program.
    Program,
    /// The host waits for the end of a kernel.
    WaitCp2,
    /// The host waits for the DMA channel.
    WaitDma,
}

/// A run of neighbouring cycles in which a unit (CP2, channel or host) has the same activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivitySpan<A> {
    /// Activity of the unit in all of these cycles.
    pub activity: A,
    /// First cycle of the span, counted from reset.
    pub start: Cycle,
    /// Cycle after the last one of the span, counted from reset.
    pub end: Cycle,
}

/// The activities of one unit (CP2, channel or host) over time, as spans without gaps between them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Track<A> {
    /// Spans in the order of time. Neighbours have different activities.
    pub spans: Vec<ActivitySpan<A>>,
}

impl<A> Default for Track<A> {
    fn default() -> Self {
        Self { spans: Vec::new() }
    }
}

impl<A: Copy + PartialEq> Track<A> {
    fn record(&mut self, cycle: Cycle, activity: A, cycles: u64) {
        let end = cycle + cycles;
        match self.spans.last_mut() {
            Some(last) if last.activity == activity && last.end == cycle => last.end = end,
            _ => self.spans.push(ActivitySpan { activity, start: cycle, end }),
        }
    }

    /// Returns the number of cycles in which the unit had this activity.
    pub fn cycles(&self, activity: A) -> u64 {
        let of = self.spans.iter().filter(|s| s.activity == activity);
        of.map(|s| s.end - s.start).sum()
    }

    /// Whether the spans cover these cycles without gap or overlap.
    fn covers(&self, start: Cycle, end: Cycle) -> bool {
        let joined = self.spans.windows(2).all(|w| w[0].end == w[1].start)
            && self.spans.iter().all(|span| span.start <= span.end);
        let first = self.spans.first().map_or(start, |s| s.start);
        let last = self.spans.last().map_or(start, |s| s.end);
        joined && first == start && last == end
    }
}

/// A name of an activity, and the letter of pictures.
trait Named: Copy + PartialEq + 'static {
    const ALL: &'static [(Self, &'static str, char)];
}

impl Named for Cp2Activity {
    const ALL: &'static [(Self, &'static str, char)] =
        &[(Self::Kernel, "kernel", 'K'), (Self::Idle, "idle", '.')];
}

impl Named for DmaActivity {
    const ALL: &'static [(Self, &'static str, char)] = &[
        (Self::Load, "load", 'L'),
        (Self::Unload, "unload", 'U'),
        (Self::SetUp, "set_up", '-'),
        (Self::Sync, "sync", 's'),
        (Self::Idle, "idle", '.'),
    ];
}

impl Named for HostActivity {
    const ALL: &'static [(Self, &'static str, char)] = &[
        (Self::Command, "command", 'C'),
        (Self::Program, "program", 'P'),
        (Self::WaitCp2, "wait_cp2", 'w'),
        (Self::WaitDma, "wait_dma", 'd'),
    ];
}

/// The activities of CP2, DMA channel and host over the same cycles: those of a run of a procedure, whose host records
/// them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timeline {
    /// First cycle of the timeline, counted from reset.
    pub start: Cycle,
    /// Cycle after the last one of the timeline, counted from reset.
    pub end: Cycle,
    /// Activities of CP2: whether a kernel ran.
    pub cp2: Track<Cp2Activity>,
    /// Activities of the DMA channel: loads, stores, set-up, waits.
    pub dma: Track<DmaActivity>,
    /// Activities of the host: commands, its own program, waits.
    pub host: Track<HostActivity>,
    /// Number of cycles in which a kernel ran and the channel moved data.
    pub overlapped: u64,
    /// Number of cycles in which no kernel ran and the channel moved no data: what the host's commands and the change
    /// from page to page cost.
    pub neither: u64,
}

/// Columns of the text picture.
const COLUMNS: u64 = 75;

impl Timeline {
    /// Creates an empty timeline that begins at a cycle.
    pub fn new(start: Cycle) -> Self {
        Self { start, end: start, ..Self::default() }
    }

    /// Appends `cycles` cycles in which CP2, channel and host have these activities. 0 cycles change nothing.
    pub fn record(&mut self, cp2: Cp2Activity, dma: DmaActivity, host: HostActivity, cycles: u64) {
        if cycles == 0 {
            return;
        }
        self.cp2.record(self.end, cp2, cycles);
        self.dma.record(self.end, dma, cycles);
        self.host.record(self.end, host, cycles);
        let computes = cp2 == Cp2Activity::Kernel;
        let moves = matches!(dma, DmaActivity::Load | DmaActivity::Unload);
        self.overlapped += if computes && moves { cycles } else { 0 };
        self.neither += if computes || moves { 0 } else { cycles };
        self.end += cycles;
    }

    /// Returns the number of cycles of the whole timeline.
    pub fn cycles(&self) -> u64 {
        self.end - self.start
    }

    /// Returns the number of cycles in which the channel moved data, in either direction.
    pub fn transfer_cycles(&self) -> u64 {
        self.dma.cycles(DmaActivity::Load) + self.dma.cycles(DmaActivity::Unload)
    }

    /// Returns the number of cycles in which CP2 ran no kernel while the host had this activity.
    pub fn idle_while(&self, activity: HostActivity) -> u64 {
        let mut host = self.host.spans.iter().filter(|s| s.activity == activity).peekable();
        let mut cycles = 0;
        for idle in self.cp2.spans.iter().filter(|s| s.activity == Cp2Activity::Idle) {
            while let Some(span) = host.peek() {
                cycles += span.end.min(idle.end).saturating_since(span.start.max(idle.start));
                if span.end > idle.end {
                    break;
                }
                host.next();
            }
        }
        cycles
    }

    /// Returns how much of the shorter of computing and moving data happened at the same time as the other, in percent
    /// of the shorter; 0 if one of them took no cycles.
    pub fn overlap_percent(&self) -> f64 {
        let shorter = self.cp2.cycles(Cp2Activity::Kernel).min(self.transfer_cycles());
        if shorter == 0 { 0.0 } else { 100.0 * self.overlapped as f64 / shorter as f64 }
    }

    /// Whether every cycle of the timeline has one activity of each unit, and the cycles of the channel's activities
    /// are those that its counts have grown by. `before` are the counts of the channel at the start of the timeline,
    /// `after` those at its end. If this fails, the emulator is wrong.
    pub fn is_complete(&self, before: &DmaStats, after: &DmaStats) -> bool {
        let count =
            |c: ChannelCause| after.causes[c as usize].wrapping_sub(before.causes[c as usize]);
        let moved = [ChannelCause::Memory, ChannelCause::Beat, ChannelCause::Conflict];
        let set_up = [ChannelCause::SetUp, ChannelCause::Fetch];
        let sum = |causes: &[ChannelCause]| {
            causes.iter().try_fold(0_u64, |sum, &cause| sum.checked_add(count(cause)))
        };
        let each = |cycles: u64| u128::from(cycles);
        self.cp2.covers(self.start, self.end)
            && self.dma.covers(self.start, self.end)
            && self.host.covers(self.start, self.end)
            && Some(self.transfer_cycles()) == sum(&moved)
            && Some(self.dma.cycles(DmaActivity::SetUp)) == sum(&set_up)
            && self.dma.cycles(DmaActivity::Sync) == count(ChannelCause::Sync)
            && self.dma.cycles(DmaActivity::Idle) == count(ChannelCause::Idle)
            && each(self.cp2.cycles(Cp2Activity::Kernel))
                + each(self.transfer_cycles())
                + each(self.neither)
                == each(self.cycles()) + each(self.overlapped)
    }

    /// Returns the timeline as a JSON document `cp2-timeline-1`: the cycles of every activity, and all spans as
    /// `[activity, start, end]`, in cycles from the start of the timeline, the end exclusive.
    pub fn to_json(&self) -> Value {
        json!({
            "schema": "cp2-timeline-1",
            "unit": "cycles",
            "cycles": self.cycles(),
            "overlapped": self.overlapped,
            "neither": self.neither,
            "overlap_percent": self.overlap_percent(),
            "cp2": track_json(&self.cp2, self.start),
            "dma": track_json(&self.dma, self.start),
            "host": track_json(&self.host, self.start),
        })
    }

    /// Returns a picture for people: a line of at most 75 letters each for CP2, channel and host, in which a letter is
    /// the activity that has most of the cycles of its column; then the cycles and percentages of every activity, and
    /// the overlap.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        let per_column = self.cycles().div_ceil(COLUMNS).max(1);
        let _ = writeln!(text, "timeline of {} cycles, {per_column} a column", self.cycles());
        picture(&mut text, "CP2", &self.cp2, self.start, self.end, per_column);
        picture(&mut text, "DMA", &self.dma, self.start, self.end, per_column);
        picture(&mut text, "host", &self.host, self.start, self.end, per_column);
        legend(&mut text, "CP2", &self.cp2, self.cycles());
        legend(&mut text, "DMA", &self.dma, self.cycles());
        legend(&mut text, "host", &self.host, self.cycles());
        let _ = writeln!(
            text,
            "overlap {:.1} % of the shorter of computing and moving data; neither in {} cycles",
            self.overlap_percent(),
            self.neither
        );
        text
    }
}

fn track_json<A: Named>(track: &Track<A>, start: Cycle) -> Value {
    let name = |a: A| A::ALL.iter().find(|n| n.0 == a).map_or("", |n| n.1);
    let cycles: Map<_, _> =
        A::ALL.iter().map(|n| (n.1.to_owned(), track.cycles(n.0).into())).collect();
    let span = |s: &ActivitySpan<A>| json!([name(s.activity), s.start - start, s.end - start]);
    json!({ "cycles": cycles, "spans": track.spans.iter().map(span).collect::<Vec<_>>() })
}

fn picture<A: Named>(
    text: &mut String,
    name: &str,
    track: &Track<A>,
    start: Cycle,
    end: Cycle,
    per_column: u64,
) {
    let _ = write!(text, "{name:<5}");
    let mut spans = track.spans.iter().peekable();
    let mut from = start;
    while from < end {
        let to = end.min(from + per_column);
        let mut shares = vec![0; A::ALL.len()];
        while let Some(span) = spans.peek() {
            let share = span.end.min(to).saturating_since(span.start.max(from));
            if let Some(k) = A::ALL.iter().position(|n| n.0 == span.activity) {
                shares[k] += share;
            }
            if span.end > to {
                break;
            }
            spans.next();
        }
        let most = (0..shares.len()).rev().max_by_key(|&k| shares[k]).unwrap_or(0);
        text.push(A::ALL[most].2);
        from = to;
    }
    text.push('\n');
}

fn legend<A: Named>(text: &mut String, name: &str, track: &Track<A>, all: u64) {
    let part = |n: &(A, &str, char)| {
        let cycles = track.cycles(n.0);
        let percent = 100.0 * cycles as f64 / all.max(1) as f64;
        format!("{} {} {cycles} ({percent:.1} %)", n.2, n.1)
    };
    let parts: Vec<_> = A::ALL.iter().map(part).collect();
    let _ = writeln!(text, "{name:<5}{}", parts.join(", "));
}

/// Counts of the runs of kernels in a procedure, or in one of its data passes, all runs together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelCounts {
    /// Number of runs of kernels.
    pub runs: u64,
    /// Number of cycles of the kernels' own runs, counted by CP2. Where a short stub stands for a kernel of which only
    /// the number of cycles is known (`Call::least_cycles` of `cp2-procedures`), these are the cycles of the stub.
    pub cycles: u64,
    /// Number of floating-point operations, all sections together.
    pub flops: u64,
    /// Number of `check_dma` operations, by which kernels ask whether the channel is done.
    pub dma_checks: u64,
    /// Number of operations of the fuller of the two slots, of each run: the fewest cycles in which the runs can be
    /// issued.
    pub slot_operations: u64,
}

impl KernelCounts {
    /// Adds the counts of `other`.
    pub fn add_all(&mut self, other: &Self) {
        self.runs += other.runs;
        self.cycles += other.cycles;
        self.flops += other.flops;
        self.dma_checks += other.dma_checks;
        self.slot_operations += other.slot_operations;
    }

    /// Whether none of the counts is above its count in `later`, so that `later` can have been counted later in the
    /// same run.
    pub fn are_before(&self, later: &Self) -> bool {
        let Self { runs, cycles, flops, dma_checks, slot_operations } = *later;
        self.runs <= runs
            && self.cycles <= cycles
            && self.flops <= flops
            && self.dma_checks <= dma_checks
            && self.slot_operations <= slot_operations
    }

    /// Returns how much each count has grown since `before`, which are earlier counts of the same run.
    pub fn since(&self, before: &Self) -> Self {
        Self {
            runs: self.runs - before.runs,
            cycles: self.cycles - before.cycles,
            flops: self.flops - before.flops,
            dma_checks: self.dma_checks - before.dma_checks,
            slot_operations: self.slot_operations - before.slot_operations,
        }
    }

    /// Adds one run of a kernel, of which `stats` are the counts of CP2.
    pub fn add(&mut self, stats: &Stats) {
        self.runs += 1;
        self.cycles += stats.cycles;
        self.flops += stats.total_flops();
        self.dma_checks += stats.exchange[Exch::CheckDma as usize];
        let [both, arithmetic, exchange] =
            [Cause::Both, Cause::Arithmetic, Cause::Exchange].map(|c| stats.causes[c as usize]);
        self.slot_operations += both + arithmetic.max(exchange);
    }
}
