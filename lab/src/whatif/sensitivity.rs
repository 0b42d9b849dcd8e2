//! Sensitivity of times to uncertain numbers of a machine: those whose origin is an assumption, over the range that the
//! origin states, or a fit, over its interval. Each is changed alone, and all of them together give the spread of the
//! result.

use crate::inputs::LabError;
use crate::picture::{Bars, PictureBar, Shade};
use crate::recorded::Subject;
use cp2_document::width::ColumnSide::{Left, Right};
use cp2_document::width::{TextTable, wrapped, wrapped_command};
use cp2_document::{self as document, Field, ValueKind};
use cp2_emu::MachineConfig;
use cp2_emu::machine::{ConfigNumber, Key, KeyInfo};
use cp2_isa::machine::KeyKind as Takes;
use cp2_session::cost::Cost;
use serde_json::Value;

/// Uncertain number of a machine, one that nobody measured or documented, and its effect on the time of a procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Key of the number in machine files.
    pub key: Key,
    /// Value that the number has in the machine, in the unit of the key.
    pub value: u32,
    /// Least and greatest value that are tried, in the unit of the key.
    pub range: [u32; 2],
    /// Whether the origin of the number states the range that is tried. If not, the range goes from half to twice the
    /// value of an assumption, and a tenth below and above that of a fit.
    pub is_stated: bool,
    /// Whether the number was found only together with others, so that changing it alone contradicts the measurements.
    /// Such a number is left out where all are changed together.
    pub is_joint: bool,
    /// Microseconds of the procedure with the least and with the greatest value of the number that are tried.
    pub us: [f64; 2],
    /// Text that says where the number comes from, as the machine file has it.
    pub origin: String,
}

impl Bar {
    fn spread(&self) -> f64 {
        (self.us[1] - self.us[0]).abs()
    }
}

/// Study of the sensitivity of a procedure's time to the uncertain numbers of its machine, those that nobody measured
/// or documented. [`Sensitivity::new`] makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// Name of the procedure of the study.
    pub name: String,
    /// Name of the machine on which the procedure runs.
    pub machine: String,
    /// Microseconds of the procedure on the machine as it is.
    pub us: f64,
    /// Rate of the procedure on the machine as it is, in 10^6 operations per second, as its report counts them.
    pub mops: f64,
    /// Microseconds of the procedure with every number that can be changed alone at the end of its range that makes it
    /// fastest, and with every one at the end that makes it slowest.
    pub together: [f64; 2],
    /// Uncertain numbers of the machine with their effects on the time, that with the greatest effect first.
    pub bars: Vec<Bar>,
    /// Command line that makes the study again.
    pub command: String,
}

/// Returns the last range `A to B` of a text.
fn stated(origin: &str) -> Option<[u32; 2]> {
    let origin = origin.replace("more than ", "");
    let words: Vec<&str> = origin.split_whitespace().collect();
    let number = |word: &str| word.trim_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().ok();
    let ranges = words.windows(3).filter(|w| w[1] == "to");
    ranges.filter_map(|w| Some([number(w[0])?, number(w[2])?])).rfind(|[a, b]| a < b)
}

/// Whether an origin says that the number was found together with others, so that its range is not its own.
fn is_joint(origin: &str) -> bool {
    ["the sum with", "with its own"].iter().any(|words| origin.contains(words))
}

/// Returns a value that a key takes, near this one: multiples are rounded down, powers of two up.
fn nearest_allowed(kind: Takes, value: u32) -> u32 {
    match kind {
        Takes::Range(low, high) => value.clamp(low, high),
        Takes::Multiple(of, high) => (value / of * of).clamp(of, high),
        Takes::Power(low, high) => value.max(1).next_power_of_two().clamp(low, high),
        Takes::Flag => value.min(1),
    }
}

/// Returns the ends that are tried of a number, and whether the origin states them; none if the number was measured or
/// is documented.
fn range(info: KeyInfo, number: &ConfigNumber) -> Option<([u32; 2], bool)> {
    let ConfigNumber { value, origin } = number;
    let (is_assumed, is_fit) = (origin.starts_with("assumption"), origin.starts_with("fit"));
    if !is_assumed && !is_fit {
        return None;
    }
    let [low, high] = match (stated(origin), is_fit) {
        (Some([low, high]), _) => [low.min(*value), high.max(*value)],
        (None, true) => [value - value / 10, value + value.div_ceil(10)],
        (None, false) => [value / 2, value.saturating_mul(2)],
    };
    let all = [nearest_allowed(info.kind, low), nearest_allowed(info.kind, high)];
    (all[0] != all[1]).then_some((all, stated(origin).is_some()))
}

/// Returns the numbers of a machine that are assumptions or fits and can be changed alone, with the ends of their ranges.
pub(crate) fn uncertain(config: &MachineConfig) -> Vec<(Key, [u32; 2])> {
    let keys = Key::ALL.into_iter().filter(|key| !key.is_of_control());
    let alone = keys.filter(|&key| !is_joint(&config.number(key).origin));
    alone.filter_map(|key| Some((key, range(key.info(), config.number(key))?.0))).collect()
}

/// Returns the cost of a procedure on a machine.
fn cost(subject: &Subject, config: MachineConfig) -> Result<Cost, LabError> {
    let core = *config.core();
    subject.with_machine(Some(config), core).cost()
}

/// Returns the microseconds of a procedure on a machine.
fn us(subject: &Subject, config: MachineConfig) -> Result<f64, LabError> {
    Ok(cost(subject, config)?.microseconds())
}

fn with(config: &MachineConfig, settings: &[(Key, u32)]) -> Result<MachineConfig, LabError> {
    let mut config = config.clone();
    for (key, value) in settings {
        let value = match key.info().kind {
            Takes::Flag => (*value == 1).to_string(),
            _ => value.to_string(),
        };
        config.apply_set(&format!("{key}={value}")).map_err(|e| LabError::new(e.to_string()))?;
    }
    Ok(config)
}

impl Sensitivity {
    /// Runs the procedure of `subject` on its machine as it is, with each uncertain number at both ends of its range,
    /// and with all of them changed. `command` is the command line that makes the study again, for reports. `progress`
    /// is called before the runs of each number with its index and how many numbers there are.
    ///
    /// # Errors
    /// The subject is a kernel on CP2 alone, which has no uncertain numbers; a run does not come to its end; or a
    /// result is wrong.
    pub fn new(
        subject: &Subject,
        command: String,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Self, LabError> {
        let Some(config) = &subject.machine else {
            return LabError::of(
                "--sensitivity is for procedures, with --machine: the numbers of CP2 alone are documented",
            );
        };
        let chosen: Vec<_> = Key::ALL
            .into_iter()
            .filter(|key| !key.is_of_control())
            .filter_map(|key| {
                let (range, is_stated) = range(key.info(), config.number(key))?;
                Some((key, range, is_stated))
            })
            .collect();
        let usual = cost(subject, config.clone())?;
        let (base, mops) = (usual.microseconds(), usual.rate_mops());
        let mut bars = Vec::new();
        for (k, &(key, range, is_stated)) in chosen.iter().enumerate() {
            progress(k, chosen.len());
            let ConfigNumber { value, origin } = config.number(key).clone();
            let mut times = [base; 2];
            for (time, at) in times.iter_mut().zip(range) {
                if at != value {
                    *time = us(subject, with(config, &[(key, at)])?)?;
                }
            }
            let is_joint = is_joint(&origin);
            bars.push(Bar { key, value, range, is_stated, is_joint, us: times, origin });
        }
        bars.sort_by(|a, b| b.spread().total_cmp(&a.spread()));
        let end = |is_worst: bool| {
            let pick = |bar: &Bar| {
                let first = (bar.us[0] > bar.us[1]) == is_worst;
                (bar.key, bar.range[usize::from(!first)])
            };
            let settings: Vec<_> =
                bars.iter().filter(|bar| bar.spread() > 0.0 && !bar.is_joint).map(pick).collect();
            us(subject, with(config, &settings)?)
        };
        let together = [end(false)?, end(true)?];
        let (name, machine) = (subject.name(), config.name().to_owned());
        Ok(Self { name, machine, us: base, mops, together, bars, command })
    }

    fn percent(&self, us: f64) -> f64 {
        100.0 * (us / self.us - 1.0)
    }

    /// Returns the study as text for people: the time of the procedure with its range, and for each uncertain number
    /// its effect in percent, value, range and origin.
    pub fn text(&self) -> String {
        let [least, most] = self.together;
        let text = format!(
            "{} on {}, cp2 {}: {:.1} us; with all assumptions and fits that stand alone at their better or worse ends {least:.1} to {most:.1} us ({:+.1} to {:+.1} %)\n\n",
            self.name,
            self.machine,
            env!("CARGO_PKG_VERSION"),
            self.us,
            self.percent(least),
            self.percent(most),
        );
        let columns = [("% at low", Right), ("% at high", Right), ("key", Left), ("value", Right)];
        let mut table = TextTable::new(&columns, "range, and origin");
        for Bar { key, value, range: [low, high], is_stated, is_joint, us: [a, b], origin } in
            &self.bars
        {
            let own = match (is_stated, is_joint) {
                (_, true) => " (only together with others: alone it leaves the fit)",
                (true, false) => "",
                (false, false) => " (not stated: ours)",
            };
            let [a, b] = [a, b].map(|us| format!("{:+.2}", self.percent(*us)));
            let texts = vec![a, b, key.to_string(), value.to_string()];
            table.row(texts, format!("{low} to {high}{own}; {origin}"));
        }
        wrapped(&text) + &table.text() + "\n" + &wrapped_command("again: ", &self.command) + "\n"
    }

    /// Returns the picture of the study: a bar for the range of time, in percent more than on the machine as it is,
    /// that each uncertain number leaves, that with the greatest effect first; before them one bar for all that can be
    /// changed alone together.
    pub fn bars(&self) -> Bars {
        let bar = |name: String, us: [f64; 2], shade: Shade| {
            let percents = us.map(|us| self.percent(us));
            let [a, b] = percents.map(|percent| format!("{percent:+.2}"));
            let title = format!("{name}: {:.1} to {:.1} us, {a} to {b} %", us[0], us[1]);
            // The machine as it is lies in the bar, also where both ends of the number are worse or better than it.
            let ends =
                [percents[0].min(percents[1]).min(0.0), percents[0].max(percents[1]).max(0.0)];
            let texts =
                ends.map(|end| if end == 0.0 { String::new() } else { format!("{end:+.2}") });
            PictureBar { name, ends, texts, title, shade }
        };
        let kinds = [
            (Shade::Series(0), "range stated"),
            (Shade::Series(1), "range not stated"),
            (Shade::Series(3), "only together with others"),
        ];
        let mut bars =
            vec![bar("all that stand alone".to_owned(), self.together, Shade::Series(2))];
        for one in self.bars.iter().filter(|bar| bar.spread() > 0.0) {
            let Bar { key, range: [low, high], us, is_stated, is_joint, .. } = one;
            let (shade, _) = kinds[if *is_joint { 2 } else { usize::from(!is_stated) }];
            // The range stays in one line.
            let name = format!("{key}: {low}\u{a0}to\u{a0}{high}");
            bars.push(bar(name, *us, shade));
        }
        let is_there = |shade: Shade| bars.iter().any(|bar| bar.shade == shade);
        let mut keys = vec![(Shade::Series(2), "together".to_owned())];
        let own = kinds.iter().filter(|(shade, _)| is_there(*shade));
        keys.extend(own.map(|(shade, text)| (*shade, (*text).to_owned())));
        Bars {
            title: format!("{} on {}: what assumptions and fits decide", self.name, self.machine),
            label: "percent more time than with the machine as it is".to_owned(),
            base: 0.0,
            keys,
            bars,
        }
    }

    /// Returns the study as a JSON document, which [`schema`] describes.
    pub fn to_json(&self) -> Value {
        document::document(SCHEMA, &STUDY, self)
    }
}

/// Tag of the JSON report.
const SCHEMA: &str = "cp2-sensitivity-1";

/// Returns the JSON schema of the document of `cp2 whatif --sensitivity --json` ([`Sensitivity::to_json`]).
pub fn schema() -> Value {
    let shape = document::tagged(SCHEMA, &STUDY, &[]);
    document::whole("Report of `cp2 whatif --sensitivity --json`", &[shape])
}

const BAR: [Field<Bar>; 9] = [
    Field::new("key", ValueKind::Text, "", "of the machine", |b| b.key.to_string().into()),
    Field::new("value", ValueKind::Integer, "as the key says", "in the machine", |b| {
        b.value.into()
    }),
    Field::new("low", ValueKind::Integer, "as the key says", "the least that was tried", |b| {
        b.range[0].into()
    }),
    Field::new("high", ValueKind::Integer, "as the key says", "the most that was tried", |b| {
        b.range[1].into()
    }),
    Field::new("is_stated", ValueKind::Flag, "", "whether the origin states that range", |b| {
        b.is_stated.into()
    }),
    Field::new(
        "is_joint",
        ValueKind::Flag,
        "",
        "whether the tables tell it only together with others, so that alone it leaves the fit",
        |b| b.is_joint.into(),
    ),
    Field::new("us_at_low", ValueKind::Number, "microseconds", "of the procedure", |b| {
        b.us[0].into()
    }),
    Field::new("us_at_high", ValueKind::Number, "microseconds", "of the procedure", |b| {
        b.us[1].into()
    }),
    Field::new("origin", ValueKind::Text, "", "of the number", |b| b.origin.clone().into()),
];

const STUDY: [Field<Sensitivity>; 8] = [
    Field::new("workload", ValueKind::Text, "", "that is run", |s| s.name.clone().into()),
    Field::new("machine", ValueKind::Text, "", "on which", |s| s.machine.clone().into()),
    Field::new("version", ValueKind::Text, "", "of cp2", |_| env!("CARGO_PKG_VERSION").into()),
    Field::new("command", ValueKind::Text, "", "that gives this again", |s| {
        s.command.clone().into()
    }),
    Field::new("us", ValueKind::Number, "microseconds", "with the machine as it is", |s| {
        s.us.into()
    }),
    Field::new(
        "least_us",
        ValueKind::Number,
        "microseconds",
        "with every number at its better end",
        |s| s.together[0].into(),
    ),
    Field::new(
        "most_us",
        ValueKind::Number,
        "microseconds",
        "with every number at its worse end",
        |s| s.together[1].into(),
    ),
    Field::new(
        "numbers",
        ValueKind::Objects(|| document::schema(&BAR, &[])),
        "",
        "that with most effect first",
        |s| s.bars.iter().map(|bar| document::object(&BAR, bar)).collect(),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_that_origins_state() {
        assert!(is_joint("fit: x; 0 to 100 cycles, the tables tell the sum with host.call_cycles"));
        assert!(!is_joint("fit: [D] table B.3"));
        assert_eq!(stated("fit: [D] tables 3.2, B.4; 95 %: 209 to 483"), Some([209, 483]));
        assert_eq!(stated("assumption: from 1 to more than 1600 cycles explain"), Some([1, 1600]));
        assert_eq!(stated("fit: [D] tables 3.2, B.4 and B.5; 0 to 10140 cycles"), Some([0, 10140]));
        assert_eq!(stated("assumption: write-to-read turn of DDR3"), None);
    }

    #[test]
    fn what_is_measured_is_left_alone() {
        let number = |value, origin: &str| ConfigNumber { value, origin: origin.to_owned() };
        let info = Key::HostPage.info();
        assert_eq!(range(info, &number(9, "[D] 1.3")), None);
        assert_eq!(range(info, &number(9, "fit: x; 95 %: 0 to 20")), Some(([0, 20], true)));
        assert_eq!(range(info, &number(9, "assumption: as there")), Some(([4, 18], false)));
    }
}
