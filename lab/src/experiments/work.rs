//! Work that experiments run: kernels as they are counted, and procedures with options on machines.

use crate::inputs::LabError;
use crate::recorded::Subject;
use cp2_emu::MachineConfig;
use cp2_session::Environment;
use cp2_session::workload::OptionValue;
use cp2_workloads::bench;

/// Value of an option of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Is {
    /// A number.
    Number(u64),
    /// A word of a choice.
    Word(&'static str),
}

/// Options of a procedure, by name.
pub type WorkOptions = &'static [(&'static str, Is)];

// Sizes that several experiments run.
pub(super) const CLASS_S: WorkOptions = &[("class", Is::Word("S"))];
pub(super) const GRID_64: WorkOptions = &[("grid", Is::Number(64))];
pub(super) const VECTORS_16: WorkOptions = &[("vectors", Is::Number(16))];

/// Kernel or procedure that an experiment runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A kernel, by its name in `cp2 bench`, on CP2 alone.
    Kernel(&'static str),
    /// A procedure on a machine that comes with the program.
    Procedure {
        /// Name of the procedure.
        name: &'static str,
        /// Options of the procedure.
        options: WorkOptions,
        /// Name of the machine on which the procedure runs.
        machine: &'static str,
    },
}

/// Cost of a work, and what binds it.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkCost {
    /// Cycles of the whole work.
    pub cycles: u64,
    /// Number of units of the work, and the name of the unit; a procedure is one.
    pub units: (u64, &'static str),
    /// Name of what binds the work, and how many of the cycles that takes at least.
    pub bound: (&'static str, f64),
    /// Cycles of a unit in the hand-made kernel of the source work.
    pub published: Option<u64>,
    /// Whole cost of a procedure, in parts; none for a kernel.
    pub whole: Option<cp2_session::cost::Cost>,
}

impl WorkCost {
    /// Returns the cycles of a unit of the work.
    pub fn per_unit(&self) -> f64 {
        self.cycles as f64 / self.units.0 as f64
    }

    /// Returns the text for what binds the work, and the fewest cycles that it takes in percent of the cycles of the work.
    pub fn bound_text(&self) -> String {
        let (what, cycles) = self.bound;
        format!("{what}, {:.0} %", 100.0 * cycles / self.cycles as f64)
    }
}

impl Work {
    /// Creates the work of a procedure on a machine.
    pub const fn on(machine: &'static str, name: &'static str, options: WorkOptions) -> Self {
        Self::Procedure { name, options, machine }
    }

    /// Returns the name of the work with its options, as it stands in tables.
    pub fn title(&self) -> String {
        match self {
            Self::Kernel(name) => format!("`{name}`"),
            Self::Procedure { name, options, .. } => {
                let option = |(name, value): &(&str, Is)| match value {
                    Is::Number(n) => format!(" --{name} {n}"),
                    Is::Word(word) => format!(" --{name} {word}"),
                };
                format!("`{name}{}`", options.iter().map(option).collect::<String>())
            }
        }
    }

    /// Returns the name of the machine on which the work runs.
    pub fn machine(&self) -> &'static str {
        match self {
            Self::Kernel(_) => "CP2 alone",
            Self::Procedure { machine, .. } => machine,
        }
    }

    /// Returns a procedure with extensions, names separated by commas, as it can be run in an environment.
    ///
    /// # Errors
    /// The work is a kernel, or there is no such procedure or extension.
    pub fn subject(
        &self,
        environment: &Environment,
        extensions: &str,
    ) -> Result<Subject, LabError> {
        let Self::Procedure { name, options, machine: on } = self else {
            return LabError::of(format!("{} is no procedure", self.title()));
        };
        let given = |&(name, value): &(&'static str, Is)| match value {
            Is::Number(n) => (name, OptionValue::Number(n)),
            Is::Word(word) => (name, OptionValue::Choice(word.to_owned())),
        };
        let options: Vec<_> = options.iter().map(given).collect();
        let subject = Subject::procedure(name, machine(on, extensions)?, &options)?;
        Ok(Subject { environment: environment.clone(), ..subject })
    }

    /// Returns the cost of the work with extensions, names separated by commas, run in an environment.
    ///
    /// # Errors
    /// There is no such work or extension, the run does not come to its end, or its result is wrong.
    pub fn cost(&self, environment: &Environment, extensions: &str) -> Result<WorkCost, LabError> {
        match self {
            Self::Kernel(name) => kernel(name, &machine("vm7", extensions)?),
            Self::Procedure { .. } => procedure(&self.subject(environment, extensions)?),
        }
    }
}

/// Returns a machine that comes with the program, with extensions, names separated by commas.
///
/// # Errors
/// There is no such machine or extension.
pub fn machine(name: &str, extensions: &str) -> Result<MachineConfig, LabError> {
    let missing = || LabError(format!("there is no machine `{name}`"));
    let mut config = MachineConfig::preset(name).ok_or_else(missing)?;
    for switch in crate::key::switches(extensions)? {
        config.switch_on(switch).map_err(|e| LabError(e.to_string()))?;
    }
    Ok(config)
}

fn kernel(name: &str, config: &MachineConfig) -> Result<WorkCost, LabError> {
    let missing = |name: String| LabError(format!("`cp2 bench` counts no kernel `{name}`"));
    let counted = bench::counted(&[name.to_owned()]).map_err(missing)?;
    let row = counted.iter().map(|counted| counted.count(config.core())).next();
    let row = row.ok_or_else(|| missing(name.to_owned()))?;
    let row = row.map_err(|e| LabError(format!("{name}: {e}")))?;
    if !row.is_right {
        return LabError::of(format!("{name}: its result is wrong"));
    }
    Ok(WorkCost {
        cycles: row.cycles,
        units: (row.count, row.unit),
        bound: (row.bound_is, row.bound * row.count as f64),
        published: row.published,
        whole: None,
    })
}

fn procedure(subject: &Subject) -> Result<WorkCost, LabError> {
    let whole = subject.cost()?;
    Ok(WorkCost {
        cycles: whole.cycles(),
        units: (1, "procedure"),
        bound: (whole.row_bound().binding().0, whole.bound_cycles()),
        published: None,
        whole: Some(whole),
    })
}
