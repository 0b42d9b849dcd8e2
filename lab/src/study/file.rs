//! The file of a study: workloads with weights, machine, extensions, constraints, goal. All of it is checked before anything runs.

use crate::inputs::LabError;
use crate::key::{nearest, switches};
use crate::library;
use crate::recorded::Subject;
use crate::sweep::Finders;
use cp2_emu::MachineConfig;
use cp2_emu::machine::Key;
use cp2_isa::machine::{Switch, TOGGLES};
use cp2_session::workload::{OptionKind, OptionValue, OptionValues, Platform};
use cp2_workloads::catalogue;
use toml::{Table, Value};

/// Least and greatest weight of a workload: beyond them sums of weights lose the others.
const WEIGHTS: [f64; 2] = [1e-6, 1e6];
/// Most workloads of a study.
const MOST_WORKLOADS: usize = 64;
/// Keys of the file, of a workload, of the constraints, and of the goal.
const KEYS: [&str; 7] =
    ["machine", "workload", "extensions", "constraints", "goal", "runs", "name"];
const OF_WORKLOAD: [&str; 6] = ["name", "weight", "group", "options", "most_cycles", "most_us"];
const OF_CONSTRAINTS: [&str; 3] = ["most_extra_area", "most_power", "least_speed_up"];

/// Number that a study asks for as best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StudyGoal {
    /// Greatest geometric mean of the speed-ups of the workloads, by their weights.
    SpeedUp,
    /// Least product of energy and time, by the geometric mean of its ratios to the base.
    EnergyDelay,
    /// Least area.
    Cost,
}

impl StudyGoal {
    /// All goals with their names in files.
    pub const ALL: [(Self, &str); 3] =
        [(Self::SpeedUp, "speed-up"), (Self::EnergyDelay, "energy-delay"), (Self::Cost, "cost")];

    /// Returns the name of the goal in files.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(goal, _)| *goal == self).map_or("", |(_, name)| name)
    }
}

/// Workload of a study.
#[derive(Clone, Debug)]
pub struct StudyWorkload {
    /// Name by which reports tell the workload: that of the file, or the workload's with its options.
    pub name: String,
    /// Name of the group to which the workload belongs, its own if the file gives none.
    pub group: String,
    /// Weight of the workload in means, above 0.
    pub weight: f64,
    /// Most cycles that the workload may take; `None` without a limit.
    pub most_cycles: Option<f64>,
    /// Most microseconds that the workload may take; `None` without a limit.
    pub most_us: Option<f64>,
    /// Workload with its options on the base machine.
    pub subject: Subject,
}

/// Limits that a machine has to keep beside those of single workloads.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StudyLimits {
    /// Most percent of area more than the base.
    pub most_extra_area: Option<f64>,
    /// Most mean power of a run over that of the base, in the geometric mean of the workloads.
    pub most_power: Option<f64>,
    /// Least geometric mean of the speed-ups.
    pub least_speed_up: Option<f64>,
}

/// A study as its file describes it, read and checked.
#[derive(Clone, Debug)]
pub struct StudyFile {
    /// Machine on which the extensions are switched on.
    pub machine: MachineConfig,
    /// Path of the file of the machine; `None` for one that comes with the program.
    pub machine_file: Option<String>,
    /// Extensions that are varied; several of one name are its sizes.
    pub switches: Vec<Switch>,
    /// Workloads, at least one.
    pub workloads: Vec<StudyWorkload>,
    /// Limits of machines.
    pub limits: StudyLimits,
    /// Number that is asked for as best.
    pub goal: StudyGoal,
    /// Most runs for times, spreads of gains, and energies by which machines are chosen; those for the spreads of the front come on
    /// top. If they do not reach all machines, some are sampled.
    pub runs: usize,
}

fn wrong<T>(message: impl Into<String>) -> Result<T, LabError> {
    LabError::of(message)
}

/// Refuses keys that a section does not have.
fn known(section: &str, table: &Table, keys: &[&str]) -> Result<(), LabError> {
    match table.keys().find(|key| !keys.contains(&key.as_str())) {
        None => Ok(()),
        Some(stranger) => {
            let near = nearest(stranger, keys.iter().copied());
            wrong(format!("`{stranger}` is not a key of {section}; the nearest is {near}"))
        }
    }
}

/// Reads a number above 0.
fn positive(name: &str, table: &Table, key: &str) -> Result<Option<f64>, LabError> {
    let number = match table.get(key) {
        None => return Ok(None),
        Some(Value::Integer(n)) => *n as f64,
        Some(Value::Float(x)) => *x,
        Some(_) => f64::NAN,
    };
    if number.is_finite() && number > 0.0 {
        return Ok(Some(number));
    }
    wrong(format!("{name}{key} has to be a number above 0"))
}

fn weight(at: &str, table: &Table) -> Result<f64, LabError> {
    let weight = positive(at, table, "weight")?.unwrap_or(1.0);
    let [least, most] = WEIGHTS;
    if (least..=most).contains(&weight) {
        return Ok(weight);
    }
    wrong(format!("{at}weight is {weight:?}; it takes {least} to {most}"))
}

fn text(name: &str, table: &Table, key: &str) -> Result<Option<String>, LabError> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => wrong(format!("{name}{key} is {other}; it has to be a text")),
    }
}

/// Whether a text is the file of a study rather than that of a sweep: it has `[[workload]]`.
pub fn is_study(text: &str) -> bool {
    text.parse::<Table>().is_ok_and(|table| table.contains_key("workload"))
}

impl StudyFile {
    /// Reads a study from `text`, its file (TOML). `finders` find machines and workloads that do not come with the program.
    ///
    /// # Errors
    /// The file is wrong; the message says where, and names the nearest known name. Nothing has run.
    pub fn parse(text: &str, finders: &mut Finders<'_>) -> Result<Self, LabError> {
        let table: Table = text.parse().map_err(|e: toml::de::Error| {
            LabError::new(format!("not TOML: {}", e.to_string().trim_end()))
        })?;
        known("a study", &table, &KEYS)?;
        let (machine, machine_file) = machine(&table, finders)?;
        let switches = extensions(&table)?;
        let Some(Value::Array(rows)) = table.get("workload") else {
            return wrong("workload: give one or more sections [[workload]], each with a name");
        };
        if rows.is_empty() || rows.len() > MOST_WORKLOADS {
            let count = rows.len();
            return wrong(format!(
                "workload: there are {count}; a study takes 1 to {MOST_WORKLOADS}"
            ));
        }
        let one = |(k, value): (usize, &Value)| workload(k, value, &machine, finders);
        let mut workloads = rows.iter().enumerate().map(one).collect::<Result<Vec<_>, _>>()?;
        for k in 0..workloads.len() {
            let name = workloads[k].name.clone();
            if workloads[..k].iter().any(|other| other.name == name) {
                let own = format!("{name} ({})", k + 1);
                if workloads[k].group == name {
                    workloads[k].group.clone_from(&own);
                }
                workloads[k].name = own;
            }
        }
        let (limits, goal) = (limits(&table)?, goal(&table)?);
        if goal == StudyGoal::Cost
            && limits.least_speed_up.is_none()
            && workloads.iter().all(|work| work.most_cycles.is_none() && work.most_us.is_none())
        {
            return wrong(
                "goal.best is cost, and nothing says how fast the machine has to be, so it is the machine as it is; give \
                 constraints.least_speed_up, or most_cycles or most_us of a workload",
            );
        }
        let runs = match table.get("runs") {
            None => 20_000,
            Some(Value::Integer(n)) if (1..=1_000_000).contains(n) => *n as usize,
            Some(other) => {
                return wrong(format!(
                    "runs is {other}; it takes a whole number from 1 to 1000000"
                ));
            }
        };
        Ok(Self { machine, machine_file, switches, workloads, limits, goal, runs })
    }
}

fn machine(
    table: &Table,
    finders: &mut Finders<'_>,
) -> Result<(MachineConfig, Option<String>), LabError> {
    let Some(name) = text("", table, "machine")? else {
        return wrong(
            "machine is missing; name the machine on which extensions are switched on, such as vm9",
        );
    };
    match MachineConfig::preset(&name) {
        Some(config) => Ok((config, None)),
        None => match (finders.machines)(&name) {
            Ok(config) => Ok((config, Some(name))),
            Err(e) => Err(LabError::new(format!("machine: {e}"))),
        },
    }
}

/// Returns the extensions that the file names; if it names none, all ten, those with sizes in two.
fn extensions(table: &Table) -> Result<Vec<Switch>, LabError> {
    let Some(value) = table.get("extensions") else {
        let names = TOGGLES.iter().flat_map(|toggle| match toggle.size() {
            Some((Key::Fprs, _)) => {
                vec![format!("{}=128", toggle.name), format!("{}=256", toggle.name)]
            }
            Some(_) => vec![format!("{}=16384", toggle.name), format!("{}=32768", toggle.name)],
            None => vec![toggle.name.to_owned()],
        });
        return switches(&names.collect::<Vec<_>>().join(","));
    };
    let Value::Array(names) = value else {
        return wrong(format!("extensions is {value}; it has to be a list of names"));
    };
    let one = |value: &Value| match value {
        Value::String(name) => crate::key::switch(name),
        other => wrong(format!("extensions: {other} is not a name")),
    };
    names.iter().map(one).collect()
}

fn workload(
    k: usize,
    value: &Value,
    machine: &MachineConfig,
    finders: &mut Finders<'_>,
) -> Result<StudyWorkload, LabError> {
    let at = format!("workload {}: ", k + 1);
    let Value::Table(table) = value else { return wrong(format!("{at}it has to be a section")) };
    known(&format!("a workload ({at}[[workload]])"), table, &OF_WORKLOAD)?;
    let Some(name) = text(&at, table, "name")? else {
        return wrong(format!("{at}name is missing"));
    };
    let found = library::find(Platform::Machine, &name, &mut *finders.workloads)?;
    let known = found.option_list();
    let mut values = OptionValues::default();
    let empty = Table::new();
    let options = match table.get("options") {
        None => &empty,
        Some(Value::Table(options)) => options,
        Some(other) => return wrong(format!("{at}options is {other}; it has to be a table")),
    };
    let mut shown = found.about().name;
    for (key, value) in options {
        let option = known.iter().find(|option| option.name == *key);
        let given = match (option.map(|option| &option.form), value) {
            (Some(OptionKind::Number { .. }), Value::Integer(n)) if *n >= 0 => {
                OptionValue::Number(*n as u64)
            }
            (Some(OptionKind::Switch), Value::Boolean(true)) => OptionValue::Switch,
            (Some(OptionKind::Choice(_)), Value::String(word)) => OptionValue::Choice(word.clone()),
            (Some(_), other) => {
                return wrong(format!("{at}options.{key}: {name} does not take {other} for it"));
            }
            (None, _) => {
                let near = nearest(key, known.iter().map(|option| option.name));
                return wrong(format!(
                    "{at}options.{key}: {name} has no such option; the nearest is {near}"
                ));
            }
        };
        if let Some(option) = option {
            values.set(option.name, given);
        }
        shown += &format!(" {key} {}", value.to_string().trim_matches('"'));
    }
    catalogue::check(Platform::Machine, &found.about().name, &known, &values)
        .map_err(|e| LabError::new(format!("{at}{e}")))?;
    values.add_defaults(&known);
    let subject = Subject::new(found, Some(machine.clone()), *machine.core());
    let name = shown;
    Ok(StudyWorkload {
        group: text(&at, table, "group")?.unwrap_or_else(|| name.clone()),
        weight: weight(&at, table)?,
        most_cycles: positive(&at, table, "most_cycles")?,
        most_us: positive(&at, table, "most_us")?,
        subject: Subject { values, ..subject },
        name,
    })
}

fn limits(table: &Table) -> Result<StudyLimits, LabError> {
    let Some(value) = table.get("constraints") else { return Ok(StudyLimits::default()) };
    let Value::Table(table) = value else {
        return wrong(format!("constraints is {value}; it has to be a section"));
    };
    known("[constraints]", table, &OF_CONSTRAINTS)?;
    let number = |key| positive("constraints.", table, key);
    Ok(StudyLimits {
        most_extra_area: number("most_extra_area")?,
        most_power: number("most_power")?,
        least_speed_up: number("least_speed_up")?,
    })
}

fn goal(table: &Table) -> Result<StudyGoal, LabError> {
    let Some(value) = table.get("goal") else { return Ok(StudyGoal::SpeedUp) };
    let names = StudyGoal::ALL.map(|(_, name)| name);
    let Value::Table(table) = value else {
        return wrong(format!("goal is {value}; it has to be a section with `best`"));
    };
    known("[goal]", table, &["best"])?;
    match text("goal.", table, "best")? {
        None => Ok(StudyGoal::SpeedUp),
        Some(name) => match StudyGoal::ALL.iter().find(|(_, known)| *known == name) {
            Some((goal, _)) => Ok(*goal),
            None => wrong(format!("goal.best is `{name}`; it takes {}", names.join(", "))),
        },
    }
}
