//! Profiles for people and programs: what the bundles of a run cost, by label, hardware loop and source line, and as
//! folded stacks for flame graphs. The counts come from the engine, the names from the image.

pub(crate) mod table;
#[cfg(test)]
mod tests;

use crate::attribution::AttributedCost;
use crate::program::NamedProgram;
use cp2_document::{self as document, Field, ValueKind};
use cp2_emu::Profile;
use cp2_emu::profile::BundleCost;
use cp2_emu::stats::Cause;
use cp2_ir::image::Image;
use cp2_ir::sites::Site;
use cp2_isa::{BundleAddress, Core};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A row of a profile: a part of a program (a label, a hardware loop or a source line) and its cost in a run.
#[derive(Clone, Debug)]
pub struct ProfilePart {
    /// Name of the kernel that the part is in; `None` for bundles outside all kernels.
    pub kernel: Option<String>,
    /// Name of the part: the label, the source file, or the place of the loop (the line of its `.loop` or `do`). `None`
    /// for the rest: bundles before a label, without a line or in no loop.
    pub name: Option<String>,
    /// Line in the source file, from 1; 0 if the part is not a source line.
    pub line: u32,
    /// Address of the `do` of a hardware loop, and the number of loops around it; `None` for a part that is not a loop.
    pub within: Option<(BundleAddress, u32)>,
    /// Lowest address of a bundle of the part that took at least one cycle.
    pub first: BundleAddress,
    /// Cost of the part: its cycles by cause, and its floating-point operations.
    pub cost: BundleCost,
    /// Number of operations of the part that issued, whatever their predicates.
    pub issues: u64,
    /// Cycles of the whole run.
    all: u64,
}

/// A bundle of a program and its cost in a run.
#[derive(Clone, Copy, Debug)]
pub struct ProfiledBundle {
    /// Address of the bundle.
    pub address: BundleAddress,
    /// Cost of the bundle in the whole run: its cycles by cause, and its floating-point operations.
    pub cost: BundleCost,
}

/// The profile of a run: the cost of its bundles, added up by label, hardware loop and source line.
#[derive(Debug)]
pub struct ProfileReport {
    /// Cost of all bundles of the run together: cycles by cause, and floating-point operations.
    pub total: BundleCost,
    /// Cost by label, in the order of the addresses: each bundle belongs to the nearest label at it or before it.
    pub labels: Vec<ProfilePart>,
    /// Cost by innermost hardware loop, in the order of the addresses; bundles in no loop are one part more.
    pub loops: Vec<ProfilePart>,
    /// Cost by source line, in the order of files and lines. A cycle counts for the lines of the operations that issued
    /// in it; an empty bundle counts for the line of the operation that waited for an operand.
    pub lines: Vec<ProfilePart>,
    /// Cost by stage, in the order of the first addresses: what notes of the text call the work of lines. A bundle belongs to
    /// the stage of its arithmetic operation, an empty one to that of the operation that waits; bundles of no stage are a part more.
    /// Empty if no line has a note.
    pub stages: Vec<ProfilePart>,
    /// Cycles of bundles whose two operations are on different lines, which [`ProfileReport::lines`] has twice.
    pub shared: u64,
    /// Bundles that took at least one cycle, in the order of their addresses.
    pub bundles: Vec<ProfiledBundle>,
}

pub(crate) fn causes(cost: &BundleCost) -> Value {
    let cycles = |c: &Cause| (c.name().to_owned(), cost.causes[*c as usize].into());
    Value::Object(Cause::ALL.iter().map(cycles).collect())
}

pub(crate) fn causes_schema() -> Value {
    let of = |c: &Cause| {
        let schema = serde_json::json!({ "type": "integer", "unit": "cycles", "description": c.description() });
        (c.name().to_owned(), schema)
    };
    let properties: Map<_, _> = Cause::ALL.iter().map(of).collect();
    let names: Vec<_> = Cause::ALL.iter().map(|c| c.name()).collect();
    serde_json::json!({
        "type": "object", "additionalProperties": false, "required": names, "properties": properties,
    })
}

const CYCLES: &str = "all its cycles; each has one cause";
const BY_CAUSE: &str = "its cycles by their causes";
const ISSUES: &str = "operations of it that issued in either slot, whatever their predicates";
const FLOPS: &str = "floating-point operations";
const FLOPS_OF: &str = "in the enabled sections, all sections together";

const PART: [Field<ProfilePart>; 7] = [
    Field::new("cycles", ValueKind::Integer, "cycles", CYCLES, |p| p.cost.cycles().into()),
    Field::new(
        "share",
        ValueKind::Number,
        "",
        "its part of the cycles of the run, from 0 to 1",
        |p| p.share().into(),
    ),
    Field::new("issues", ValueKind::Integer, "operations", ISSUES, |p| p.issues.into()),
    Field::new("causes", ValueKind::Object(causes_schema), "", BY_CAUSE, |p| causes(&p.cost)),
    Field::new("flops", ValueKind::Integer, FLOPS, FLOPS_OF, |p| p.cost.flops.into()),
    Field::or_null("kernel", ValueKind::Text, "", "the kernel that it is in", |p| {
        p.kernel.clone().into()
    }),
    Field::new(
        "address",
        ValueKind::Integer,
        "bundles",
        "of its first bundle that cost something",
        |p| p.first.into(),
    ),
];
const LABEL: [Field<ProfilePart>; 1] = [Field::or_null(
    "label",
    ValueKind::Text,
    "",
    "its bundles are those from this label on to the next one; null outside of all kernels",
    |p| p.name.clone().into(),
)];
const LOOP: [Field<ProfilePart>; 3] = [
    Field::or_null(
        "do",
        ValueKind::Integer,
        "bundles",
        "address of the `do`; null for what is in no loop",
        |p| p.within.map(|(at, _)| at).into(),
    ),
    Field::new("depth", ValueKind::Integer, "", "loops around it", |p| {
        p.within.map_or(0, |(_, depth)| depth).into()
    }),
    Field::or_null(
        "place",
        ValueKind::Text,
        "",
        "file and line of its `.loop`, or of the `do`",
        |p| p.name.clone().into(),
    ),
];
const STAGE: [Field<ProfilePart>; 1] = [Field::or_null(
    "stage",
    ValueKind::Text,
    "",
    "as notes of the source name it; null for bundles that none names",
    |p| p.name.clone().into(),
)];
const LINE: [Field<ProfilePart>; 2] = [
    Field::or_null("file", ValueKind::Text, "", "source file; null for bundles of no line", |p| {
        p.name.clone().into()
    }),
    Field::or_null("line", ValueKind::Integer, "", "in the file, from 1", |p| {
        (p.line > 0).then_some(p.line).into()
    }),
];
const BUNDLE: [Field<ProfiledBundle>; 4] = [
    Field::new("address", ValueKind::Integer, "bundles", "of the bundle", |b| b.address.into()),
    Field::new("cycles", ValueKind::Integer, "cycles", CYCLES, |b| b.cost.cycles().into()),
    Field::new("causes", ValueKind::Object(causes_schema), "", BY_CAUSE, |b| causes(&b.cost)),
    Field::new("flops", ValueKind::Integer, FLOPS, FLOPS_OF, |b| b.cost.flops.into()),
];

fn merged(parts: [Value; 2]) -> Value {
    let all = parts.into_iter().filter_map(|part| match part {
        Value::Object(object) => Some(object),
        _ => None,
    });
    Value::Object(all.flatten().collect())
}

fn merged_schema(first: Value, second: &Value) -> Value {
    let mut schema = first;
    for key in ["properties", "required"] {
        match (&mut schema[key], &second[key]) {
            (Value::Object(all), Value::Object(more)) => all.extend(more.clone()),
            (Value::Array(all), Value::Array(more)) => all.extend(more.iter().cloned()),
            _ => {}
        }
    }
    schema
}

fn label_schema() -> Value {
    merged_schema(document::schema(&LABEL, &[]), &document::schema(&PART, &[]))
}

fn loop_schema() -> Value {
    merged_schema(document::schema(&LOOP, &[]), &document::schema(&PART, &[]))
}

fn line_schema() -> Value {
    merged_schema(document::schema(&LINE, &[]), &document::schema(&PART, &[]))
}

fn stage_schema() -> Value {
    merged_schema(document::schema(&STAGE, &[]), &document::schema(&PART, &[]))
}

fn bundle_schema() -> Value {
    document::schema(&BUNDLE, &[])
}

fn list(parts: &[ProfilePart], names: &[Field<ProfilePart>]) -> Value {
    let part = |p| merged([document::object(names, p), document::object(&PART, p)]);
    parts.iter().map(part).collect()
}

const SCHEMA: &str = "cp2-profile-1";

pub(crate) const REPORT: [Field<ProfileReport>; 9] = [
    Field::new("cycles", ValueKind::Integer, "cycles", "of the run", |r| r.total.cycles().into()),
    Field::new("causes", ValueKind::Object(causes_schema), "", "all cycles by their causes", |r| {
        causes(&r.total)
    }),
    Field::new("flops", ValueKind::Integer, FLOPS, FLOPS_OF, |r| r.total.flops.into()),
    Field::new(
        "labels",
        ValueKind::Objects(label_schema),
        "",
        "in the order of their addresses",
        |r| list(&r.labels, &LABEL),
    ),
    Field::new(
        "loops",
        ValueKind::Objects(loop_schema),
        "",
        "hardware loops; a bundle counts for the innermost one",
        |r| list(&r.loops, &LOOP),
    ),
    Field::new(
        "lines",
        ValueKind::Objects(line_schema),
        "",
        "in the order of files and lines; two lines that share a bundle have its cycles both, an empty bundle \
         counts for the operation that waits",
        |r| list(&r.lines, &LINE),
    ),
    Field::new(
        "stages",
        ValueKind::Objects(stage_schema),
        "",
        "what notes of the source call the work of its lines; empty if there are no notes",
        |r| list(&r.stages, &STAGE),
    ),
    Field::new(
        "shared",
        ValueKind::Integer,
        "cycles",
        "of bundles that two lines share: so many the lines have together more than the run",
        |r| r.shared.into(),
    ),
    Field::new(
        "bundles",
        ValueKind::Objects(bundle_schema),
        "",
        "those that cost something",
        |r| r.bundles.iter().map(|b| document::object(&BUNDLE, b)).collect(),
    ),
];

/// Returns the JSON Schema of [`ProfileReport::to_json`], with the unit and a description of every value.
pub fn schema() -> Value {
    let shape = document::tagged(SCHEMA, &REPORT, &[]);
    document::whole("`profile` in the report of `cp2 run --profile --json`", &[shape])
}

impl ProfilePart {
    /// Returns the share of the part in the cycles of the run in which kernels ran, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.cost.cycles() as f64 / self.all.max(1) as f64
    }

    fn add(&mut self, cost: &AttributedCost) {
        self.cost.add(&cost.cost, 1);
        self.issues += cost.issues;
    }
}

/// Parts of a program that grow bundle by bundle.
struct Parts<K>(BTreeMap<K, ProfilePart>);

impl<K: Ord> Parts<K> {
    fn add(&mut self, key: K, new: impl FnOnce() -> ProfilePart, cost: &AttributedCost) {
        self.0.entry(key).or_insert_with(new).add(cost);
    }

    /// Returns the parts in the order of their first bundles; none if no part has a name.
    fn by_address(self) -> Vec<ProfilePart> {
        let mut parts = self.done();
        parts.sort_by_key(|part| part.first);
        if parts.iter().all(|part| part.name.is_none()) { Vec::new() } else { parts }
    }

    fn done(self) -> Vec<ProfilePart> {
        self.0.into_values().collect()
    }
}

/// Key of a loop: the address of its `do`, and the kernel and place that it has in its program; all absent outside of
/// loops.
type LoopKey = (Option<BundleAddress>, Option<String>, Option<String>);

/// Sums of a profile that grow bundle by bundle. Labels and loops of several programs may have one address.
struct Sums<'a> {
    all: u64,
    total: BundleCost,
    labels: Parts<(BundleAddress, Option<&'a str>, Option<&'a str>)>,
    loops: Parts<LoopKey>,
    lines: Parts<(Option<&'a str>, u32)>,
    stages: Parts<(Option<&'a str>, Option<&'a str>)>,
    bundles: BTreeMap<BundleAddress, BundleCost>,
}

impl<'a> Sums<'a> {
    /// Creates sums of nothing yet, for a run of `all` cycles.
    fn new(all: u64) -> Self {
        Self {
            all,
            total: BundleCost::default(),
            labels: Parts(BTreeMap::new()),
            loops: Parts(BTreeMap::new()),
            lines: Parts(BTreeMap::new()),
            stages: Parts(BTreeMap::new()),
            bundles: BTreeMap::new(),
        }
    }

    /// Adds the costs of the bundles of a program.
    fn add_program(&mut self, program: &'a NamedProgram<'_>, profile: &Profile) {
        // By loop and kernel, with the first bundle.
        let mut loops = BTreeMap::new();
        for (address, cost) in (0..).map(BundleAddress).zip(profile.bundles()) {
            if cost.cycles() > 0 {
                self.add(program, address, cost);
                let key = (innermost(program, address), program.places.site(address).kernel);
                let (_, sum) = loops.entry(key).or_insert((address, AttributedCost::default()));
                sum.add(&AttributedCost::of(cost));
            }
        }
        let mut loops: Vec<_> = loops.into_iter().collect();
        loops.sort_by_key(|(_, (first, _))| *first);
        for ((within, kernel), (first, cost)) in loops {
            let name = within.map(|(at, _)| program.places.loop_text(at));
            let part = part_of(self.all, kernel, first);
            let new = || ProfilePart { within, ..part(name.as_deref(), 0) };
            self.loops.add(loop_key_of(program, first), new, &cost);
        }
    }

    fn add(&mut self, program: &'a NamedProgram<'_>, address: BundleAddress, cost: &BundleCost) {
        let site = program.places.site(address);
        self.total.add(cost, 1);
        self.bundles.entry(address).or_default().add(cost, 1);
        let label = (BundleAddress(address.0 - site.offset), site.kernel, site.label);
        let part = part_of(self.all, site.kernel, address);
        self.labels.add(label, || part(site.label, 0), &AttributedCost::of(cost));
        let stage = program.stage(address);
        self.stages.add((site.kernel, stage), || part(stage, 0), &AttributedCost::of(cost));
        for (line, cost) in program.attribution.cost_by_line(address, cost) {
            let file = line.and_then(|(file, _)| program.image.files.get(file as usize));
            let file = file.map(String::as_str);
            let number = line.filter(|_| file.is_some()).map_or(0, |(_, number)| number);
            self.lines.add((file, number), || part(file, number), &cost);
        }
    }
}

/// Returns a function that creates a part of a kernel with a name and a line, which begins at a bundle and has cost
/// nothing yet; `all` are the cycles of the whole run.
fn part_of(
    all: u64,
    kernel: Option<&str>,
    first: BundleAddress,
) -> impl Fn(Option<&str>, u32) -> ProfilePart {
    move |name, line| ProfilePart {
        kernel: kernel.map(str::to_owned),
        name: name.map(str::to_owned),
        line,
        within: None,
        first,
        cost: BundleCost::default(),
        issues: 0,
        all,
    }
}

/// Returns the innermost loop around a bundle: the address of its `do`, and the number of loops around it.
fn innermost(program: &NamedProgram<'_>, address: BundleAddress) -> Option<(BundleAddress, u32)> {
    let around: Vec<BundleAddress> = program.places.loops(address).collect();
    around.last().map(|at| (*at, around.len() as u32 - 1))
}

/// Returns the key of the innermost loop around a bundle; what is in no loop has one key.
pub(crate) fn loop_key_of(program: &NamedProgram<'_>, address: BundleAddress) -> LoopKey {
    match innermost(program, address) {
        Some((at, _)) => {
            let kernel = program.places.site(address).kernel.map(str::to_owned);
            (Some(at), kernel, Some(program.places.loop_text(at)))
        }
        None => (None, None, None),
    }
}

impl ProfilePart {
    /// Returns the key of a part that is a loop.
    pub(crate) fn loop_key(&self) -> LoopKey {
        (self.within.map(|(at, _)| at), self.kernel.clone(), self.name.clone())
    }
}

impl ProfileReport {
    /// Creates the profile of a run from the cost of each bundle. `image` is the program, `core` the core that ran it.
    pub fn new(image: &Image, core: &Core, profile: &Profile) -> Self {
        Self::of_programs(&[(&NamedProgram::new(image, core), profile)])
    }

    /// Creates the profile of a run in which several programs took turns in instruction memory, from the cost of each
    /// bundle of each of them.
    pub fn of_programs(programs: &[(&NamedProgram<'_>, &Profile)]) -> Self {
        let costs = programs.iter().flat_map(|(_, profile)| profile.bundles());
        let mut sums = Sums::new(costs.map(BundleCost::cycles).sum());
        for (program, profile) in programs {
            sums.add_program(program, profile);
        }
        let shared = |(program, profile): &(&NamedProgram<'_>, &Profile)| {
            program.attribution.shared(profile)
        };
        let bundle = |(address, cost)| ProfiledBundle { address, cost };
        Self {
            total: sums.total,
            labels: sums.labels.done(),
            loops: sums.loops.done(),
            lines: sums.lines.done(),
            stages: sums.stages.by_address(),
            shared: programs.iter().map(shared).sum(),
            bundles: sums.bundles.into_iter().map(bundle).collect(),
        }
    }

    /// Returns the profile as a JSON object, whose values [`schema`] describes.
    pub fn to_json(&self) -> Value {
        document::document(SCHEMA, &REPORT, self)
    }

    /// Returns the profile as tables for people. `source` returns the text of a line, given the name of its file and
    /// its number from 1; `None` if the text is not at hand.
    pub fn text(&self, source: &dyn Fn(&str, u32) -> Option<String>) -> String {
        table::text(self, source)
    }
}

/// Returns the cost of the bundles of a run as folded stacks, the input of programs that draw flame graphs: a line
/// `kernel;loops;label;line cycles` for neighbouring bundles with the same names. `image` is the program, `core` the core
/// that ran it.
pub fn folded(image: &Image, core: &Core, profile: &Profile) -> String {
    let program = NamedProgram::new(image, core);
    let mut stacks: Vec<(String, u64)> = Vec::new();
    for (address, cost) in (0..).map(BundleAddress).zip(profile.bundles()) {
        if cost.cycles() == 0 {
            continue;
        }
        let stack = stack(&program, &program.places.site(address), address);
        match stacks.last_mut() {
            Some((last, cycles)) if *last == stack => *cycles += cost.cycles(),
            _ => stacks.push((stack, cost.cycles())),
        }
    }
    let mut text = String::new();
    for (stack, cycles) in stacks {
        let _ = writeln!(text, "{stack} {cycles}");
    }
    text
}

/// Returns the frames of a bundle: its kernel, the hardware loops around it, its label, the lines of its operations.
fn stack(program: &NamedProgram<'_>, site: &Site<'_>, address: BundleAddress) -> String {
    let mut frames = vec![site.kernel.unwrap_or("no kernel").to_owned()];
    let places = &program.places;
    frames.extend(places.loops(address).map(|at| format!("loop {}", places.loop_text(at))));
    frames.extend(site.label.filter(|label| Some(*label) != site.kernel).map(str::to_owned));
    let lines = program.attribution.lines(address);
    let lines: Vec<String> =
        lines.into_iter().flatten().map(|line| program.line_text(line)).collect();
    frames.push(match lines.is_empty() {
        true => format!("bundle {address}"),
        false => lines.join(" | "),
    });
    // A frame must not hold what separates frames.
    let clean = |frame: &String| frame.replace([';', '\n', '\r'], "_");
    frames.iter().map(clean).collect::<Vec<_>>().join(";")
}
