//! The account of a recording: on what every cycle was spent, by cause, by activity of the channel, by line, label and
//! loop, and under which ceilings. Each cycle belongs to one cause and each cycle of a kernel to one bundle; the sums
//! are checked.

use crate::attribution::AttributedCost;
use crate::profile::{self, ProfileReport};
use crate::program::{NamedProgram, ProgramInCycles};
use crate::roofline::{self, Roofline};
use cp2_document::{self as document, Field, ValueKind};
use cp2_emu::dma::ChannelCause;
use cp2_emu::stats::Cause;
use cp2_emu::{MachineConfig, Profile};
use cp2_isa::{BundleAddress, Cycle};
use cp2_recording::{Counts, Recording, RecordingError};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// The reason why [`Account::of`] or [`Account::of_profile`] cannot make the account of a recording.
#[derive(Debug)]
pub enum AccountError {
    /// The recording is damaged or cannot be read.
    Recording(RecordingError),
    /// Two sums that must agree do not; the text tells which. The emulator has a bug, or the recording does not fit its
    /// program.
    Sums(String),
}

impl fmt::Display for AccountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recording(e) => e.fmt(f),
            Self::Sums(text) => write!(f, "the account does not add up: {text}"),
        }
    }
}

impl std::error::Error for AccountError {}

impl From<RecordingError> for AccountError {
    fn from(e: RecordingError) -> Self {
        Self::Recording(e)
    }
}

/// The account of a recording: on what all its cycles were spent (by cause, by activity of the DMA channel, by source
/// line, label and loop), and how near the run came to the greatest rates of the machine.
#[derive(Debug)]
pub struct Account {
    /// Command line that made the recording.
    pub command: String,
    /// Name of the machine in its machine file; `None` if CP2 ran alone.
    pub machine: Option<String>,
    /// Numbers in which the core differs from an unmodified CP2, each as a line of text; empty if none does.
    pub core: Vec<String>,
    /// First cycle of the recording, or of the span that is accounted for, and the cycle behind its last, counted from reset.
    pub cycles: (Cycle, Cycle),
    /// Numbers of events in the recording: cycles by cause, operations, activity of the channel.
    pub counts: Counts,
    /// Cycles in which kernels ran, by label, hardware loop and source line.
    pub profile: ProfileReport,
    /// Ceilings of the machine, and the run and its loops under them.
    pub roofline: Roofline,
}

impl Account {
    /// Creates the account of a whole recording, by running its cycles once. `program` is the program that ran, with
    /// its names.
    ///
    /// # Errors
    /// Returns an error if the recording is damaged, or if sums that must agree do not.
    pub fn of(recording: &mut Recording, program: &NamedProgram<'_>) -> Result<Self, AccountError> {
        let (begin, end) = (*recording.cycles().start(), *recording.cycles().end());
        Self::of_programs(recording, &[(program, vec![begin..end])])
    }

    /// Creates the account of a whole recording as [`Self::of`] does, where several programs took turns in instruction
    /// memory: each program with the cycles in which it was there, which are all cycles together.
    ///
    /// # Errors
    /// Returns an error if the recording is damaged, or if sums that must agree do not.
    pub fn of_programs(
        recording: &mut Recording,
        programs: &[ProgramInCycles<'_>],
    ) -> Result<Self, AccountError> {
        let ranges: Vec<_> = programs.iter().map(|(_, ranges)| &ranges[..]).collect();
        let sums = recording.profiles(&ranges)?;
        let costs: Vec<_> = programs.iter().map(|(program, _)| *program).zip(&sums).collect();
        Self::of_costs(recording, &costs)
    }

    /// Creates the account of a span of a recording, as [`Self::of_programs`] does of all its cycles: what was counted in the
    /// cycles of the span alone.
    ///
    /// # Errors
    /// Returns an error if the recording does not have the first cycle of the span or is damaged, or if sums that must
    /// agree do not.
    pub fn of_span(
        recording: &mut Recording,
        programs: &[ProgramInCycles<'_>],
        span: Range<Cycle>,
    ) -> Result<Self, AccountError> {
        let span = span.start..span.end.min(*recording.cycles().end());
        let within = |range: &Range<Cycle>| {
            let (begin, end) = (range.start.max(span.start), range.end.min(span.end));
            (begin < end).then_some(begin..end)
        };
        let within = |ranges: &[Range<Cycle>]| ranges.iter().filter_map(within).collect::<Vec<_>>();
        let ranges: Vec<Vec<Range<Cycle>>> =
            programs.iter().map(|(_, ranges)| within(ranges)).collect();
        let sums = recording.profiles(&ranges.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        let costs: Vec<_> = programs.iter().map(|(program, _)| *program).zip(&sums).collect();
        let counts = recording.total(span.clone())?;
        Self::of_counts(recording, &costs, (span, counts), "all cycles")
    }

    /// Creates the account of a whole recording as [`Self::of`] does, without running it: `costs` are the costs of its
    /// bundles.
    ///
    /// # Errors
    /// Returns an error if the recording is damaged, or if sums that must agree do not.
    pub fn of_profile(
        recording: &mut Recording,
        program: &NamedProgram<'_>,
        costs: &Profile,
    ) -> Result<Self, AccountError> {
        Self::of_costs(recording, &[(program, costs)])
    }

    fn of_costs(
        recording: &mut Recording,
        costs: &[(&NamedProgram<'_>, &Profile)],
    ) -> Result<Self, AccountError> {
        let (begin, end) = (*recording.cycles().start(), *recording.cycles().end());
        let counts = recording.summary()?.total();
        Self::of_counts(recording, costs, (begin..end, counts), "whole run")
    }

    /// Creates the account of a span with its counts; `whole` is the name of all its cycles.
    fn of_counts(
        recording: &Recording,
        costs: &[(&NamedProgram<'_>, &Profile)],
        (Range { start: begin, end }, counts): (Range<Cycle>, Counts),
        whole: &str,
    ) -> Result<Self, AccountError> {
        let core = *recording.core();
        let profile = ProfileReport::of_programs(costs);
        let header = recording.header();
        let config = header.machine.as_ref().and_then(|text| MachineConfig::parse(text).ok());
        let rated = counts.rated_cycles(end - begin, header.machine.is_none());
        let mut points = vec![roofline::whole(whole, &counts, rated, true)];
        if counts.kernel_cycles() != rated {
            points.push(roofline::whole("kernels", &counts, counts.kernel_cycles(), false));
        }
        points.extend(loops(&profile, costs));
        let account = Self {
            command: header.command.clone(),
            machine: config.as_ref().map(|config| config.name().to_owned()),
            core: core.changes(),
            cycles: (begin, end),
            roofline: Roofline::new(&core, config.as_ref(), &counts, points),
            counts,
            profile,
        };
        account.check()?;
        Ok(account)
    }

    /// Returns the number of cycles that are accounted for.
    pub fn all(&self) -> u64 {
        self.cycles.1 - self.cycles.0
    }

    /// Returns the number of cycles that are accounted for in which no kernel ran.
    pub fn without_kernel(&self) -> u64 {
        self.all().saturating_sub(self.counts.kernel_cycles())
    }

    /// Checks that all sums come out.
    fn check(&self) -> Result<(), AccountError> {
        let equal = |what: &str, found: u64, expected: u64| match found == expected {
            true => Ok(()),
            false => Err(AccountError::Sums(format!(
                "{what} has {found} cycles or operations in place of {expected}; this is a bug of cp2"
            ))),
        };
        let Counts { causes, .. } = &self.counts;
        let ProfileReport { total, lines, labels, loops, stages, shared, .. } = &self.profile;
        for cause in Cause::ALL {
            let k = cause as usize;
            equal(cause.name(), total.causes[k], causes[k])?;
        }
        equal("flops", total.flops, self.counts.total_flops())?;
        let cycles = self.counts.kernel_cycles();
        for (what, parts, all) in [
            ("lines", lines, cycles + shared),
            ("labels", labels, cycles),
            ("loops", loops, cycles),
            ("stages", stages, if stages.is_empty() { 0 } else { cycles }),
        ] {
            equal(what, parts.iter().map(|part| part.cost.cycles()).sum(), all)?;
            let issues = parts.iter().map(|part| part.issues).sum();
            let expected = if parts.is_empty() { 0 } else { AttributedCost::of(total).issues };
            equal(&format!("operations of {what}"), issues, expected)?;
        }
        let with_pauses = self.counts.kernel_cycles() + self.without_kernel();
        equal("kernels and pauses", with_pauses, self.all())?;
        equal("the channel", self.counts.dma.cycles(), self.all())
    }

    /// Returns profile and roofline as tables for people. `source` returns the text of a line, given the name of its
    /// file and its number from 1; `None` if the text is not at hand.
    pub fn text(&self, source: &dyn Fn(&str, u32) -> Option<String>) -> String {
        self.profile.text(source) + &self.roofline.text()
    }

    /// Returns the account as a JSON object, whose values [`schema`] describes.
    pub fn to_json(&self) -> Value {
        document::document(SCHEMA, &ACCOUNT, self)
    }
}

/// Returns the innermost hardware loops as points, the one with most cycles first.
fn loops(
    report: &ProfileReport,
    costs: &[(&NamedProgram<'_>, &Profile)],
) -> Vec<roofline::RooflinePoint> {
    let mut points = BTreeMap::new();
    for (k, part) in report.loops.iter().enumerate() {
        let Some((at, _)) = part.within else { continue };
        let name = profile::table::loop_name(part).trim_start().to_owned();
        let point = roofline::RooflinePoint { at: Some(at.0), ..roofline::empty(name) };
        points.insert(part.loop_key(), (k, point));
    }
    for (program, profile) in costs {
        let all = (0..).map(BundleAddress).zip(profile.bundles());
        for (address, cost) in all.filter(|(_, cost)| cost.cycles() > 0) {
            if let Some((_, point)) = points.get_mut(&profile::loop_key_of(program, address)) {
                roofline::add(point, program, (address, cost));
            }
        }
    }
    let mut points: Vec<_> = points.into_values().collect();
    points.sort_by_key(|(k, point)| (std::cmp::Reverse(point.cycles), *k));
    points.into_iter().map(|(_, point)| point).collect()
}

const SCHEMA: &str = "cp2-account-1";

fn channel(account: &Account) -> Value {
    let of = |cause: &ChannelCause| {
        (cause.name().to_owned(), account.counts.dma.causes[*cause as usize].into())
    };
    Value::Object(ChannelCause::ALL.iter().map(of).collect())
}

fn channel_schema() -> Value {
    let of = |cause: &ChannelCause| {
        let schema = json!({
            "type": "integer", "unit": "cycles", "description": cause.description(),
        });
        (cause.name().to_owned(), schema)
    };
    let properties: Map<_, _> = ChannelCause::ALL.iter().map(of).collect();
    let names: Vec<_> = ChannelCause::ALL.iter().map(|cause| cause.name()).collect();
    json!({
        "type": "object", "additionalProperties": false, "required": names, "properties": properties,
    })
}

fn profile_schema() -> Value {
    document::schema(&profile::REPORT, &[])
}

const ACCOUNT: [Field<Account>; 14] = [
    Field::new("command", ValueKind::Text, "", "what was asked for when it was recorded", |a| {
        a.command.clone().into()
    }),
    Field::or_null(
        "machine",
        ValueKind::Text,
        "",
        "name of the machine; null if CP2 ran alone",
        |a| a.machine.clone().into(),
    ),
    Field::new("core", ValueKind::Texts, "", "how the core is another than CP2's", |a| {
        a.core.clone().into()
    }),
    Field::new("begin", ValueKind::Integer, "cycles since reset", "the first cycle", |a| {
        a.cycles.0.into()
    }),
    Field::new("end", ValueKind::Integer, "cycles since reset", "the cycle after the last", |a| {
        a.cycles.1.into()
    }),
    Field::new("cycles", ValueKind::Integer, "cycles", "of the recording", |a| a.all().into()),
    Field::new("kernel_cycles", ValueKind::Integer, "cycles", "in which a kernel ran", |a| {
        a.counts.kernel_cycles().into()
    }),
    Field::new("without_kernel", ValueKind::Integer, "cycles", "in which none ran", |a| {
        a.without_kernel().into()
    }),
    Field::new(
        "channel",
        ValueKind::Object(channel_schema),
        "",
        "all cycles by what the DMA channel did",
        channel,
    ),
    Field::new(
        "bank_accesses",
        ValueKind::Numbers,
        "cycles",
        "in which kernels accessed each bank of local memory",
        |a| a.counts.banks.clone().into(),
    ),
    Field::new(
        "bytes_get",
        ValueKind::Integer,
        "bytes",
        "read from system memory by the channel",
        |a| a.counts.dma.bytes_get.into(),
    ),
    Field::new(
        "bytes_put",
        ValueKind::Integer,
        "bytes",
        "written to system memory by the channel",
        |a| a.counts.dma.bytes_put.into(),
    ),
    Field::new(
        "profile",
        ValueKind::Object(profile_schema),
        "",
        "cycles of kernels by cause, label, loop, line and bundle; each sums up to kernel_cycles, lines to that and \
         `shared`",
        |a| document::object(&profile::REPORT, &a.profile),
    ),
    Field::new(
        "roofline",
        ValueKind::Object(Roofline::schema),
        "",
        "ceilings of the machine, the run and its loops",
        |a| a.roofline.to_json(),
    ),
];

/// Returns the JSON Schema of [`Account::to_json`], with the unit and a description of every value.
pub fn schema() -> Value {
    let shape = document::tagged(SCHEMA, &ACCOUNT, &[]);
    document::whole("Report of `cp2 stats R --json`", &[shape])
}
