//! Bundles of a program, and schedules of its linear code, as a page shows them.

use cp2_asm::Scheduled;
use cp2_asm::diagnostic::{Sources, Span};
use cp2_asm::image::{Image, SymbolKind};
use cp2_asm::listing::{PipelineCell, kernel};
use cp2_asm::sched::{BlockReport, Hint, LoopHints};
use cp2_asm::sites::BundleNames;
use cp2_isa::{Arith, BundleAddress, Core, Exch, Slot, bundle_digits, decode};
use cp2_session::Environment;
use serde_json::{Value, json};

/// Most bundles of a program that a page lists.
const MOST_BUNDLES: usize = 4096;
/// Operations that the trials of promises for one region may put in place, as many as `cp2 sched` allows.
const WORK: u64 = 20_000_000;

/// Names and places of a program, for lines of its first text.
pub(crate) struct ProgramLines<'a> {
    pub(crate) image: &'a Image,
    names: BundleNames<'a>,
    document: &'a str,
}

impl<'a> ProgramLines<'a> {
    pub(crate) fn new(image: &'a Image, core: &Core, sources: &'a Sources) -> Self {
        Self { image, names: BundleNames::new(image, core), document: sources.name(0) }
    }

    /// Returns the line of the text from which the operation of a slot comes; that of another file as text.
    pub(crate) fn of_slot(&self, address: BundleAddress, slot: Slot) -> Value {
        let site = self.names.site_of(address, slot);
        match site.file {
            Some(file) if file == self.document => site.line.into(),
            Some(_) => site.line_text().into(),
            None => Value::Null,
        }
    }

    /// Returns the lines of the text whose operations the exchange operation of a bundle does too.
    fn merged(&self, address: BundleAddress) -> Vec<u32> {
        let places = self.image.merged_lines.get(&address).into_iter().flatten();
        let is_own = |place: &&cp2_asm::image::SourcePosition| {
            let file = self.image.files.get(place.file as usize);
            file.is_some_and(|file| self.is_document(file))
        };
        places.filter(is_own).map(|place| place.line).collect()
    }

    /// Returns the line of the text of a bundle; `None` if that is of another file.
    pub(crate) fn of_bundle(&self, address: BundleAddress) -> Option<u32> {
        let site = self.names.site(address);
        site.file.filter(|file| *file == self.document).map(|_| site.line)
    }

    /// Whether a file is the text itself.
    pub(crate) fn is_document(&self, file: &str) -> bool {
        file == self.document
    }

    /// Returns the label before a bundle, and how far it is behind that.
    pub(crate) fn label(&self, address: BundleAddress) -> String {
        self.names.site(address).label_text()
    }
}

/// Returns the kernels of a program with their bundles.
pub(crate) fn bundles(lines: &ProgramLines<'_>, core: &Core) -> Value {
    let all: usize = lines.image.kernels.iter().map(|kernel| kernel.words.len()).sum();
    let mut room = MOST_BUNDLES;
    let kernels = lines.image.kernels.iter().map(|kernel| {
        let rows = (0..).zip(&kernel.words).take(room).map(|(k, &word)| {
            let address = kernel.start.plus(k);
            let decoded = decode(word, core).ok();
            let half = |slot: Slot| {
                let bundle = decoded.as_ref()?;
                let (is_empty, text, obeys) = match slot {
                    Slot::Arithmetic => {
                        let op = bundle.arith.op;
                        (op == Arith::Nop, bundle.arith.to_string(), op.row().obeys(bundle.cc))
                    }
                    Slot::Exchange => {
                        let op = bundle.exch.op;
                        (op == Exch::Nop, bundle.exch.to_string(), op.row().obeys(bundle.cc))
                    }
                };
                let predicate = match obeys && bundle.cc != 0 {
                    true => format!("if(cc{}) ", bundle.cc),
                    false => String::new(),
                };
                let also = match slot {
                    Slot::Arithmetic => Vec::new(),
                    Slot::Exchange => lines.merged(address),
                };
                let line = lines.of_slot(address, slot);
                (!is_empty).then(|| json!([format!("{predicate}{text}"), line, also]))
            };
            json!({
                "address": address,
                "word": bundle_digits(word),
                "labels": labels(lines.image, address),
                "arithmetic": half(Slot::Arithmetic),
                "exchange": half(Slot::Exchange),
            })
        });
        let rows: Vec<Value> = rows.collect();
        room -= rows.len();
        json!({ "name": kernel.name, "start": kernel.start, "bundles": rows })
    });
    let kernels: Vec<Value> = kernels.collect();
    json!({ "kernels": kernels, "all": all, "shown": MOST_BUNDLES - room })
}

fn labels(image: &Image, address: BundleAddress) -> Vec<&str> {
    let is_here = |s: &&cp2_asm::image::Symbol| {
        s.kind == SymbolKind::Bundle && s.value == i64::from(address.0)
    };
    image.symbols.iter().filter(is_here).map(|symbol| symbol.name.as_str()).collect()
}

/// Returns the line of the text of a span; `None` if that is of another text.
fn line(span: Option<&Span>, sources: &Sources) -> Option<u32> {
    span.filter(|span| span.file == 0).map(|span| sources.line_column(span).0)
}

/// Returns the regions of linear code with their schedules.
pub(crate) fn regions(regions: &[Scheduled], sources: &Sources) -> Value {
    regions.iter().map(|scheduled| region(scheduled, sources)).collect()
}

fn region(scheduled: &Scheduled, sources: &Sources) -> Value {
    let report = &scheduled.report;
    let blocks = report.blocks.iter().map(|block| of_block(scheduled, block, sources));
    json!({
        "name": report.name,
        "start": scheduled.start,
        "bundles": report.bundles,
        "registers": report.registers,
        "cycles": report.cost.to_string(),
        "blocks": blocks.collect::<Vec<_>>(),
    })
}

fn of_block(scheduled: &Scheduled, block: &BlockReport, sources: &Sources) -> Value {
    let region = &scheduled.region;
    let through = block.recurrence_bound.operations.iter();
    let mut through: Vec<u32> =
        through.filter_map(|&op| line(region.ops.get(op)?.span.as_ref(), sources)).collect();
    through.dedup();
    let values = block.pipeline.iter().flat_map(|pipeline| &pipeline.values).map(|value| {
        let span = region.ops.get(value.op).and_then(|op| op.span.as_ref());
        json!({
            "name": region.register_name(value.name),
            "line": line(span, sources),
            "registers": value.registers,
            "lands": value.first,
            "last_read": value.last,
        })
    });
    let table = kernel(scheduled, block, sources).map(|(address, rows)| {
        let rows: Vec<Value> = rows.iter().map(|row| row.iter().map(cell).collect()).collect();
        json!({ "address": address, "rows": rows })
    });
    json!({
        "line": line(block.span.as_ref(), sources),
        "arithmetic": block.operations[0],
        "exchange": block.operations[1],
        "resource_bound": block.resource_bound,
        "recurrence_bound": block.ii.map(|_| block.recurrence_bound.cycles),
        "through": through,
        "ii": block.ii,
        "stages": block.stages,
        "unrolled": block.unroll,
        "minimum_trips": block.minimum_trips,
        "registers": block.registers,
        "bundles": block.bundles,
        "cycles": block.cost.to_string(),
        "values": values.collect::<Vec<_>>(),
        "kernel": table,
    })
}

fn cell(cell: &PipelineCell) -> Value {
    match cell.text.is_empty() {
        true => Value::Null,
        false => json!({
            "line": cell.line.parse::<u32>().ok(),
            "stage": cell.stage,
            "iteration": cell.iteration,
            "text": cell.text,
        }),
    }
}

/// Returns, for each region, what promises would win for each of its innermost loops, and whether all were tried.
pub(crate) fn promises(environment: &Environment, core: &Core, regions: &[Scheduled]) -> Value {
    let of_region = |scheduled: &Scheduled| {
        let tried = environment.hints(core, (&scheduled.region, &scheduled.report), WORK);
        tried.iter().map(of_loop).collect::<Value>()
    };
    regions.iter().map(of_region).collect()
}

fn of_loop(tried: &LoopHints) -> Value {
    json!({ "hints": tried.hints.iter().map(hint).collect::<Value>(), "complete": tried.is_complete })
}

fn hint(hint: &Hint) -> Value {
    let promises: Vec<String> = hint.promises.iter().map(ToString::to_string).collect();
    json!({ "promises": promises, "bound": hint.bound, "ii": hint.ii })
}
