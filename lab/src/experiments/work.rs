//! Works that experiments run: kernels as `cp2 bench` counts them, and procedures with options on machines.

use crate::inputs::LabError;
use crate::recorded::Subject;
use cp2_emu::MachineConfig;
use cp2_session::Environment;
use cp2_session::workload::OptionValue;
use cp2_workloads::bench;

/// Value of an option of a procedure, as a constant for [`WorkOptions`]: a number or a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionConstant {
    /// Value of an option that takes a number.
    Number(u64),
    /// Value of an option that takes one of several words, such as a problem class.
    Word(&'static str),
}

/// Options of a procedure: pairs of the option's name and its value. Options that are not listed have their defaults.
pub type WorkOptions = &'static [(&'static str, OptionConstant)];

// Sizes that several experiments run.
pub(super) const CLASS_S: WorkOptions = &[("class", OptionConstant::Word("S"))];
pub(super) const GRID_64: WorkOptions = &[("grid", OptionConstant::Number(64))];
pub(super) const VECTORS_16: WorkOptions = &[("vectors", OptionConstant::Number(16))];

/// Kernel or procedure that an experiment runs: a single kernel on CP2 alone, or a procedure, which runs kernels on
/// arrays in the system memory of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A kernel, by its name in `cp2 bench`, run on CP2 alone.
    Kernel(&'static str),
    /// A procedure, run on one of the machines that come with the program.
    Procedure {
        /// Name of the procedure, as `cp2 kernels list` gives it.
        name: &'static str,
        /// Options of the procedure that are not at their defaults.
        options: WorkOptions,
        /// Name of the machine, such as `vm7`.
        machine: &'static str,
    },
}

/// Cost of one run of a [`Work`] in cycles, the lower bound of these, and the published count. [`Work::cost`] makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkCost {
    /// Cycles of the whole run.
    pub cycles: u64,
    /// Number of units of work that the run does in each section, and the name of a unit, such as a point of a grid or
    /// a vector; a procedure is one unit.
    pub units: (u64, &'static str),
    /// Name of the resource that bounds the run from below, and the fewest cycles that the whole run needs for it.
    pub bound: (&'static str, f64),
    /// Cycles of a unit of work that the dissertation `[D]` published for its hand-made kernel; `None` if it published
    /// none, and for a procedure.
    pub published: Option<u64>,
    /// Full cost of a procedure: cycles, transfers, operations, and activities of CP2, channel and host; `None` for a
    /// kernel.
    pub whole: Option<cp2_session::cost::Cost>,
}

impl WorkCost {
    /// Returns the cycles of the run for one unit of work: `cycles` over the number of units.
    pub fn per_unit(&self) -> f64 {
        self.cycles as f64 / self.units.0 as f64
    }

    /// Returns the lower bound as text for tables: the name of the resource, and its fewest cycles in percent of the
    /// cycles of the run.
    pub fn bound_text(&self) -> String {
        let (what, cycles) = self.bound;
        format!("{what}, {:.0} %", 100.0 * cycles / self.cycles as f64)
    }
}

impl Work {
    /// Creates the work that runs the procedure `name` with these options on the machine named `machine`, such as
    /// `vm7`.
    pub const fn on(machine: &'static str, name: &'static str, options: WorkOptions) -> Self {
        Self::Procedure { name, options, machine }
    }

    /// Returns the name of the work with its options as on the command line, in backticks for tables in Markdown.
    pub fn title(&self) -> String {
        match self {
            Self::Kernel(name) => format!("`{name}`"),
            Self::Procedure { name, options, .. } => {
                let option = |(name, value): &(&str, OptionConstant)| match value {
                    OptionConstant::Number(n) => format!(" --{name} {n}"),
                    OptionConstant::Word(word) => format!(" --{name} {word}"),
                };
                format!("`{name}{}`", options.iter().map(option).collect::<String>())
            }
        }
    }

    /// Returns the name of the machine on which the work runs; "CP2 alone" for a kernel.
    pub fn machine(&self) -> &'static str {
        match self {
            Self::Kernel(_) => "CP2 alone",
            Self::Procedure { machine, .. } => machine,
        }
    }

    /// Returns the procedure as a subject that can be run and recorded, on its machine with `extensions` switched on
    /// (names, separated by commas; empty for none).
    ///
    /// # Errors
    /// The work is a kernel, or there is no such procedure, machine or extension.
    pub fn subject(
        &self,
        environment: &Environment,
        extensions: &str,
    ) -> Result<Subject, LabError> {
        let Self::Procedure { name, options, machine: on } = self else {
            return LabError::of(format!("{} is not a procedure", self.title()));
        };
        let given = |&(name, value): &(&'static str, OptionConstant)| match value {
            OptionConstant::Number(n) => (name, OptionValue::Number(n)),
            OptionConstant::Word(word) => (name, OptionValue::Choice(word.to_owned())),
        };
        let options: Vec<_> = options.iter().map(given).collect();
        let subject = Subject::procedure(name, machine(on, extensions)?, &options)?;
        Ok(Subject { environment: environment.clone(), ..subject })
    }

    /// Runs the work in an environment with `extensions` switched on (names, separated by commas; empty for none), and
    /// returns its cost.
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

/// Returns the machine `name`, such as `vm7`, of those that come with the program, with `extensions` switched on
/// (names, separated by commas; empty for none).
///
/// # Errors
/// There is no such machine or extension.
pub fn machine(name: &str, extensions: &str) -> Result<MachineConfig, LabError> {
    let missing = || LabError::new(format!("there is no machine `{name}`"));
    let mut config = MachineConfig::preset(name).ok_or_else(missing)?;
    for switch in crate::key::switches(extensions)? {
        config.switch_on(switch).map_err(|e| LabError::new(e.to_string()))?;
    }
    Ok(config)
}

fn kernel(name: &str, config: &MachineConfig) -> Result<WorkCost, LabError> {
    let missing = |name: String| LabError::new(format!("`cp2 bench` counts no kernel `{name}`"));
    let counted = bench::counted(&[name.to_owned()]).map_err(missing)?;
    let row = counted.iter().map(|counted| counted.count(config.core())).next();
    let row = row.ok_or_else(|| missing(name.to_owned()))?;
    let row = row.map_err(|e| LabError::new(format!("{name}: {e}")))?;
    if row.verdict.is_right() != Some(true) {
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
