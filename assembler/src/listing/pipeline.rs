//! The schedule of a pipelined loop as two tables: which operation of which iteration issues in which cycle of
//! the kernel, and which register holds which value when.

use crate::asm::Scheduled;
use crate::diagnostic::{Sources, Span};
use crate::sched::{BlockReport, Lifetime, Pipeline, PipelineKernel, ScheduledBundle, SlotOrigin};
use cp2_isa::{Arith, BundleAddress, Exch, Slot};
use std::fmt::Write as _;

/// Columns of the chart of lifetimes; a longer circle has several cycles in a column.
const CHART: i64 = 64;

/// Returns the tables of a region's pipelined loops as text: which operation issues in which cycle, and which register
/// holds which value when. The text is empty if no loop is pipelined.
pub fn pipelines(scheduled: &Scheduled, sources: &Sources) -> String {
    let mut text = String::new();
    for block in &scheduled.report.blocks {
        let (Some(pipeline), Some(ii)) = (&block.pipeline, block.ii) else { continue };
        if !text.is_empty() {
            text.push('\n');
        }
        let table = Table { scheduled, sources, block, pipeline, ii };
        table.head(&mut text);
        if let Some(kernel) = pipeline.kernel {
            table.kernel(&mut text, kernel);
        }
        table.values(&mut text);
    }
    text
}

/// An operation of a software-pipelined loop, with the cycle of its iteration in which it issues; [`operations`] makes
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PipelineOperation {
    /// File and line that the operation was written in, such as `fir.s:12`; empty if they are not known.
    pub place: String,
    /// Slot of the bundle that the operation takes, arithmetic or exchange.
    pub slot: Slot,
    /// Cycle in which the operation issues, counted from the first operation of its iteration, which has 0.
    pub time: i64,
    /// Number of whole intervals from the first operation of the iteration to this one, from 0.
    pub stage: i64,
}

/// Returns the operations of a loop of a scheduled region in program order. `block` is the loop's report. The list is
/// empty if the block is no pipelined loop.
pub fn operations(
    scheduled: &Scheduled,
    block: &BlockReport,
    sources: &Sources,
) -> Vec<PipelineOperation> {
    let (Some(pipeline), Some(ii)) = (&block.pipeline, block.ii) else { return Vec::new() };
    let region = &scheduled.region;
    let operation = |&(op, time): &(usize, i64)| {
        let op = region.ops.get(op)?;
        let slot = op.code.row().slot;
        let place = place(op.span.as_ref(), sources);
        Some(PipelineOperation { place, slot, time, stage: time / ii.max(1) })
    };
    pipeline.times.iter().filter_map(operation).collect()
}

fn place(span: Option<&Span>, sources: &Sources) -> String {
    span.map_or(String::new(), |span| {
        format!("{}:{}", sources.name(span.file), sources.line_column(span).0)
    })
}

struct Table<'a> {
    scheduled: &'a Scheduled,
    sources: &'a Sources,
    block: &'a BlockReport,
    pipeline: &'a Pipeline,
    ii: i64,
}

/// A cell of the table that [`kernel`] makes of the repeated bundles of a pipelined loop: one slot in one cycle, as
/// texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PipelineCell {
    /// Line in which the operation was written, `made` for an operation that the scheduler added, `-` for one without a
    /// line; empty if the slot is.
    pub line: String,
    /// Stage of the operation, in intervals from the start of its iteration, from 0; empty if the scheduler added the
    /// operation or the slot is empty.
    pub stage: String,
    /// Iteration of the operation: `n` for the one that begins in the interval of the kernel's first cycle, `n-1` for
    /// the one before. Empty if the scheduler added the operation or the slot is empty.
    pub iteration: String,
    /// Text of the operation, with its predicate; empty if the slot is.
    pub text: String,
}

/// Returns the kernel of a pipelined loop, the bundles that it repeats: the address of the first bundle, and a row for
/// each bundle with the arithmetic and the exchange slot. `block` is the loop's report. Returns `None` if the block is
/// no pipelined loop, or stands as straight code without a kernel.
pub fn kernel(
    scheduled: &Scheduled,
    block: &BlockReport,
    sources: &Sources,
) -> Option<(BundleAddress, Vec<[PipelineCell; 2]>)> {
    let (pipeline, ii) = (block.pipeline.as_ref()?, block.ii?);
    let kernel = pipeline.kernel?;
    let table = Table { scheduled, sources, block, pipeline, ii };
    let rows = (0..kernel.length).map(|row| table.row(kernel, row)).collect();
    Some((scheduled.start.plus(kernel.bundle as u16), rows))
}

impl PipelineCell {
    /// Creates a cell of no line: an empty one, or an operation of the scheduler's.
    fn made(text: &str) -> Self {
        let line = if text.is_empty() { String::new() } else { "made".to_owned() };
        Self { line, stage: String::new(), iteration: String::new(), text: text.to_owned() }
    }
}

impl Table<'_> {
    fn line_of(&self, op: usize) -> String {
        let span = self.scheduled.region.ops.get(op).and_then(|op| op.span.as_ref());
        span.map_or("-".to_owned(), |span| self.sources.line_column(span).0.to_string())
    }

    fn head(&self, text: &mut String) {
        let Self { block, ii, .. } = self;
        let place = place(block.span.as_ref(), self.sources);
        let plural =
            |n: i64, word: &str| if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") };
        let _ = write!(
            text,
            "loop {place}: an iteration every {}, {}",
            plural(*ii, "cycle"),
            plural(block.stages, "stage")
        );
        let _ = match self.pipeline.kernel {
            Some(PipelineKernel { bundle, .. }) => writeln!(
                text,
                ", {} a pass of the kernel at bundle {}",
                plural(block.unroll, "iteration"),
                self.scheduled.start.index() + bundle
            ),
            None => writeln!(text, ", all iterations as straight code"),
        };
    }

    /// Writes the operations of the kernel by cycle and slot; `n` is the iteration whose first stage the first cycle of the
    /// kernel belongs to.
    fn kernel(&self, text: &mut String, kernel: PipelineKernel) {
        let rows: Vec<[PipelineCell; 2]> =
            (0..kernel.length).map(|row| self.row(kernel, row)).collect();
        let width =
            |slot: usize| rows.iter().map(|r| r[slot].text.len()).max().unwrap_or(0).max(10);
        let (left, right) = (width(0), width(1));
        let head = |name: &str, width: usize| {
            format!("{:>5} {:>3} {:<4} {name:<width$}", "line", "st", "iter")
        };
        let _ = writeln!(
            text,
            "\n  cycle bundle  {}  {}",
            head("arithmetic", left),
            head("exchange", right).trim_end()
        );
        for (k, row) in rows.iter().enumerate() {
            let bundle = self.scheduled.start.index() + kernel.bundle + k;
            let half = |cell: &PipelineCell, width: usize| {
                let PipelineCell { line, stage, iteration, text } = cell;
                format!("{line:>5} {stage:>3} {iteration:<4} {text:<width$}")
            };
            let line =
                format!("  {k:>5} {bundle:>6}  {}  {}", half(&row[0], left), half(&row[1], right));
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }

    fn row(&self, kernel: PipelineKernel, row: i64) -> [PipelineCell; 2] {
        let placed = &self.scheduled.bundles[kernel.bundle + row as usize];
        let ScheduledBundle { bundle, arith, exch } = placed;
        let predicate =
            if bundle.cc == 0 { String::new() } else { format!("if(cc{}) ", bundle.cc) };
        let texts = [
            if bundle.arith.op == Arith::Nop { String::new() } else { bundle.arith.to_string() },
            if bundle.exch.op == Exch::Nop { String::new() } else { bundle.exch.to_string() },
        ];
        let obeys = [bundle.arith.op.row().obeys(bundle.cc), bundle.exch.op.row().obeys(bundle.cc)];
        let cells = [*arith, *exch].into_iter().zip(texts).zip(obeys);
        let mut cells = cells.map(|((source, text), obeys)| {
            let text = if obeys { format!("{predicate}{text}") } else { text };
            self.cell(source, kernel, row, text)
        });
        [(); 2].map(|()| cells.next().unwrap_or_else(|| PipelineCell::made("")))
    }

    fn cell(
        &self,
        source: SlotOrigin,
        kernel: PipelineKernel,
        row: i64,
        text: String,
    ) -> PipelineCell {
        let SlotOrigin::Op(op) = source else { return PipelineCell::made(&text) };
        let Some(&(_, time)) = self.pipeline.times.iter().find(|(known, _)| *known == op) else {
            return PipelineCell::made(&text);
        };
        let (ii, now) = (self.ii, kernel.start + row);
        // The kernel holds every operation once for each iteration of a pass.
        let iteration = (now - time).div_euclid(ii) - kernel.start.div_euclid(ii);
        let iteration = match iteration {
            0 => "n".to_owned(),
            k => format!("n{k:+}"),
        };
        PipelineCell { line: self.line_of(op), stage: (time / ii).to_string(), iteration, text }
    }

    /// Writes which register holds which value when, on the circle of cycles that the kernel goes round.
    fn values(&self, text: &mut String) {
        let mut rows: Vec<Held<'_>> = self.pipeline.values.iter().flat_map(Held::of).collect();
        if rows.is_empty() {
            return;
        }
        let circle = self.pipeline.kernel.map(|k| k.length);
        // The cycle of the kernel's first bundle, from which the circle is counted.
        let origin = self.pipeline.kernel.map_or(0, |k| k.start);
        for held in &mut rows {
            held.first += held.iteration * self.ii - origin;
        }
        let length = circle.unwrap_or_else(|| rows.iter().map(Held::last).max().unwrap_or(0) + 1);
        for held in &mut rows {
            held.first = circle.map_or(held.first, |length| held.first.rem_euclid(length));
        }
        rows.sort_by_key(|held| (held.register, held.first));
        let name = |held: &Held<'_>| self.scheduled.region.register_name(held.value.name);
        let width = rows.iter().map(|held| name(held).len()).max().unwrap_or(0).max(5);
        let scale = (length + CHART - 1) / CHART;
        let scale_text =
            if scale == 1 { String::new() } else { format!(", {scale} cycles a column") };
        let around = if circle.is_some() { "kernel" } else { "iteration" };
        let _ = writeln!(text, "\n  registers by cycle of the {around}{scale_text}");
        let ruler = ruler(length, scale);
        let _ = writeln!(text, "  reg  {:<width$}  line  {:>9}  {ruler}", "value", "cycles");
        let mut last = None;
        for held in &rows {
            let register = format!("f{}", held.register);
            let shown = if last == Some(held.register) { "" } else { register.as_str() };
            last = Some(held.register);
            let cycles = format!("{}-{}", held.first, around_end(held, circle));
            let line = self.line_of(held.value.op);
            let bar = held.bar(length, scale);
            let line =
                format!("  {shown:<3}  {:<width$}  {line:>4}  {cycles:>9}  {bar}", name(held));
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
}

/// Returns the last cycle of a value on the circle; with `+` for every time that the value goes round.
fn around_end(held: &Held<'_>, circle: Option<i64>) -> String {
    match circle {
        Some(length) if held.last() >= length => {
            format!("{}+{}", held.last() % length, held.last() / length)
        }
        _ => held.last().to_string(),
    }
}

/// A value of one iteration in its register.
struct Held<'a> {
    value: &'a Lifetime,
    register: u8,
    iteration: i64,
    first: i64,
}

impl<'a> Held<'a> {
    fn of(value: &'a Lifetime) -> impl Iterator<Item = Self> {
        let registers = value.registers.iter().enumerate();
        registers.map(move |(k, &register)| Self {
            value,
            register,
            iteration: k as i64,
            first: value.first,
        })
    }

    fn last(&self) -> i64 {
        self.first + self.value.last - self.value.first
    }

    /// Returns a bar: `>` from where the value has its register, `=` while it is kept, `|` where it is read last.
    fn bar(&self, length: i64, scale: i64) -> String {
        let columns = (length + scale - 1) / scale;
        let mut bar = vec!['.'; columns as usize];
        let mut put = |cycle: i64, mark: char| {
            if let Some(place) = bar.get_mut((cycle.rem_euclid(length) / scale) as usize) {
                *place = mark;
            }
        };
        let last = self.last().min(self.first + length - 1);
        (self.first..=last).for_each(|cycle| put(cycle, '='));
        put(last, '|');
        put(self.first, '>');
        bar.into_iter().collect()
    }
}

/// Returns a ruler: every tenth column with its cycle.
fn ruler(length: i64, scale: i64) -> String {
    let columns = (length + scale - 1) / scale;
    let mut text = String::new();
    for column in (0..columns).step_by(10) {
        while (text.len() as i64) < column {
            text.push(' ');
        }
        text.push_str(&(column * scale).to_string());
    }
    text
}
