//! Energy of a run by source line: which lines of its kernels take it, and what no line does.

use super::energy::{
    EnergyMachines, EnergyPart, EventPrices, OF_LINES, RunEnergy, of_lines, of_run,
};
use super::model::Estimated;
use super::report::{ENERGY_PART, ESTIMATED};
use super::table::CostTable;
use cp2_analysis::events::{EventsByLine, KernelEvents, LineEvents};
use cp2_document::width::{ColumnSide, TextTable, wrapped, wrapped_command};
use cp2_document::{self as document, Field, ValueKind};
use cp2_emu::MachineConfig;
use serde_json::Value;

/// Lines that the text tells one by one: so many always, and so many at most if each has at least this share of the energy of the run.
const ALWAYS: usize = 12;
const LINES: usize = 24;
const LEAST: f64 = 0.005;
/// Nanojoules from which on the text tells microjoules.
const MICROJOULES: f64 = 100_000.0;
/// Most characters of a line of source in the text.
const CODE: usize = 60;

/// Energy of a run that belongs to one source line.
#[derive(Clone, Debug, PartialEq)]
pub struct LineEnergy {
    /// Line with the events that count for it.
    pub line: LineEvents,
    /// Energy of these events in nanojoules.
    pub nj: Estimated,
}

/// Energy of a run by source line. The energies of lines and of what belongs to no line add up to that of the run.
#[derive(Clone, Debug)]
pub struct EnergyByLine {
    /// Command line that made the recording.
    pub command: String,
    /// Name of the machine.
    pub machine: String,
    /// Energy of the run, and by kinds of events.
    pub run: RunEnergy,
    /// Energies of the lines, the greatest first; bundles without a line are one of them.
    pub lines: Vec<LineEnergy>,
    /// Energies of the events that belong to no line: those of the channel and of time.
    pub apart: Vec<EnergyPart>,
    prices: EventPrices,
}

impl EnergyByLine {
    /// Computes the energies of the lines of a recorded run on a machine. `command` is the command line that made the recording.
    pub fn new(
        costs: &CostTable,
        config: &MachineConfig,
        (command, events): (String, EventsByLine),
    ) -> Self {
        let prices = EventPrices::new(costs, EnergyMachines { base: config, config });
        let run = prices.run(&of_run((&events.counts, events.cycles)));
        let apart = run.parts.iter().skip(OF_LINES).cloned().collect();
        let line = |line: LineEvents| {
            let nj = prices.energy(&of_lines(&line.events));
            LineEnergy { line, nj }
        };
        let mut lines: Vec<_> = events.lines.into_iter().map(line).collect();
        lines.sort_by(|a, b| b.nj.value.total_cmp(&a.nj.value));
        let machine = config.name().to_owned();
        Self { command, machine, run, lines, apart, prices }
    }

    fn share(&self, nj: &Estimated) -> f64 {
        if self.run.nj.value > 0.0 { nj.value / self.run.nj.value } else { 0.0 }
    }

    /// Returns the energies as tables for people: by kind of events, and by line, the greatest first and all others in one row. `source`
    /// returns the text of a line, given the name of its file and its number from 1; `None` if the text is not at hand.
    pub fn text(&self, source: &dyn Fn(&str, u32) -> Option<String>) -> String {
        let note = "An operation and its accesses count for its line, a bundle for the line of its arithmetic operation. \
                    The interval is what those of the costs leave (`cp2 costs`), which are of 45 nm: ratios tell more than joules.\n";
        let head = wrapped_command("", &self.command);
        let (kinds, lines) = (self.kinds_table(), self.lines_table(source));
        format!("{head}\nenergy on {}\n\n{kinds}\n{lines}\n{}", self.machine, wrapped(note))
    }

    /// Returns the cells of a row: energy, its interval, its share.
    fn cells(&self, nj: &Estimated) -> Vec<String> {
        let scale = if self.run.nj.value < MICROJOULES { 1.0 } else { 1e-3 };
        let ends = [nj.value, nj.low, nj.high].map(|nj| format!("{:.1}", nj * scale));
        ends.into_iter().chain([format!("{:.1}", 100.0 * self.share(nj))]).collect()
    }

    fn columns(&self) -> [(&'static str, ColumnSide); 4] {
        let unit = if self.run.nj.value < MICROJOULES { "nJ" } else { "uJ" };
        [unit, "from", "to", "%"].map(|name| (name, ColumnSide::Right))
    }

    fn kinds_table(&self) -> String {
        let columns = [&self.columns()[..], &[("events", ColumnSide::Right)]].concat();
        let mut table = TextTable::new(&columns, "by kind of events");
        for part in self.run.parts.iter().filter(|part| part.count > 0) {
            table.row([self.cells(&part.nj), vec![part.count.to_string()]].concat(), part.name);
        }
        table.row([self.cells(&self.run.nj), vec![String::new()]].concat(), "whole run");
        table.text()
    }

    fn lines_table(&self, source: &dyn Fn(&str, u32) -> Option<String>) -> String {
        let mut table = TextTable::new(&self.columns(), "by line");
        let is_shown = |(k, one): &(usize, &LineEnergy)| {
            *k < ALWAYS || *k < LINES && self.share(&one.nj) >= LEAST
        };
        let count = self.lines.iter().enumerate().take_while(is_shown).count();
        let (shown, rest) = self.lines.split_at(count);
        for LineEnergy { line, nj } in shown {
            let code = line.file.as_deref().and_then(|file| source(file, line.line));
            let code = code.map_or(String::new(), |code| format!("  {}", short_code(&code)));
            table.row(self.cells(nj), format!("{}{code}", line.place()));
        }
        if !rest.is_empty() {
            let mut events = KernelEvents::default();
            rest.iter().for_each(|one| events.add(&one.line.events));
            let nj = self.prices.energy(&of_lines(&events));
            let plural = if rest.len() == 1 { "" } else { "s" };
            let name = format!("{} more line{plural}; --json lists all", rest.len());
            table.row(self.cells(&nj), name);
        }
        for part in self.apart.iter().filter(|part| part.count > 0) {
            table.row(self.cells(&part.nj), format!("of no line: {}", part.name));
        }
        table.row(self.cells(&self.run.nj), "whole run");
        table.text()
    }

    /// Returns the energies as a JSON document, which [`energy_schema`] describes.
    pub fn to_json(&self) -> Value {
        document::document(SCHEMA, &REPORT, self)
    }
}

/// Returns the begin of a line of source.
fn short_code(code: &str) -> String {
    let code = code.trim();
    match code.char_indices().nth(CODE) {
        Some((end, _)) => format!("{}...", code[..end].trim_end()),
        None => code.to_owned(),
    }
}

const SCHEMA: &str = "cp2-energy-1";

/// Returns the JSON schema of the document of `cp2 stats --energy --json` ([`EnergyByLine::to_json`]).
pub fn energy_schema() -> Value {
    document::whole(
        "Report of `cp2 stats --energy --json`",
        &[document::tagged(SCHEMA, &REPORT, &[])],
    )
}

const LINE: [Field<LineEnergy>; 8] = [
    Field::or_null(
        "file",
        ValueKind::Text,
        "",
        "of the source; null for bundles without a line",
        |l| l.line.file.clone().into(),
    ),
    Field::new("line", ValueKind::Integer, "", "from 1; 0 for bundles without a line", |l| {
        l.line.line.into()
    }),
    Field::new(
        "flops",
        ValueKind::Integer,
        "operations",
        "floating-point, in the enabled sections",
        |l| l.line.events.flops.into(),
    ),
    Field::new("operations", ValueKind::Integer, "operations", "of the line that issued", |l| {
        l.line.events.operations.into()
    }),
    Field::new(
        "local_words",
        ValueKind::Integer,
        "words",
        "of local memory, all sections together",
        |l| l.line.events.local_words.into(),
    ),
    Field::new("shared_words", ValueKind::Integer, "words", "of shared memory", |l| {
        l.line.events.shared_words.into()
    }),
    Field::new("bundles", ValueKind::Integer, "bundles", "that count for the line", |l| {
        l.line.events.bundles.into()
    }),
    Field::new(
        "nj",
        ValueKind::Object(|| document::schema(&ESTIMATED, &[])),
        "nanojoules",
        "of all its events, with the interval that costs leave",
        |l| document::object(&ESTIMATED, &l.nj),
    ),
];

const REPORT: [Field<EnergyByLine>; 6] = [
    Field::new("command", ValueKind::Text, "", "what was asked for when it was recorded", |r| {
        r.command.clone().into()
    }),
    Field::new("machine", ValueKind::Text, "", "name of the machine", |r| r.machine.clone().into()),
    Field::new(
        "nj",
        ValueKind::Object(|| document::schema(&ESTIMATED, &[])),
        "nanojoules",
        "of the run: the sum of its lines and of what belongs to none",
        |r| document::object(&ESTIMATED, &r.run.nj),
    ),
    Field::new(
        "parts",
        ValueKind::Objects(|| document::schema(&ENERGY_PART, &[])),
        "",
        "of the run by kind of events",
        |r| r.run.parts.iter().map(|part| document::object(&ENERGY_PART, part)).collect(),
    ),
    Field::new(
        "lines",
        ValueKind::Objects(|| document::schema(&LINE, &[])),
        "",
        "all source lines with events, the greatest energy first",
        |r| r.lines.iter().map(|line| document::object(&LINE, line)).collect(),
    ),
    Field::new(
        "no_line",
        ValueKind::Objects(|| document::schema(&ENERGY_PART, &[])),
        "",
        "events that belong to no line: of the channel and of time",
        |r| r.apart.iter().map(|part| document::object(&ENERGY_PART, part)).collect(),
    ),
];
