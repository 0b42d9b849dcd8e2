//! Gains of kernels and procedures from extensions of the machine, over the best form without them: which runs tell a
//! gain, and what they gave.

use super::of_each;
use super::work::{Work, WorkCost, WorkOptions};
use crate::inputs::LabError;
use cp2_session::Environment;
use std::fmt::Write as _;

/// Names of the eight extensions of the machine that change no size of it (of memories or register files), separated by
/// commas, as [`ExtensionGain::extensions`] takes them.
pub const ALL: &str = "word-access,section-addressing,conditional-memory,section-counters,shared-memory,fft-direction,dma-words,memory-controller";

/// A gain to be measured: how many times as fast a kernel or procedure is with extensions of the machine. Two works
/// stand for the runs without and with the extensions; they differ where a form of its own profits from these.
/// [`ExtensionGain::measure`] runs both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtensionGain {
    /// Names of the extensions that the second run has, separated by commas.
    pub extensions: &'static str,
    /// Names of the extensions that the first run has, separated by commas; empty for the unmodified machine.
    pub baseline: &'static str,
    /// Work (kernel or procedure) of the first run: the best form without the extensions.
    pub without: Work,
    /// Work of the second run: the form that profits from the extensions.
    pub with: Work,
}

/// A gain that [`ExtensionGain::measure`] has measured: the costs in cycles of the runs without and with the
/// extensions.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Description of the two runs: their works and extensions.
    pub gain: ExtensionGain,
    /// Cost, in cycles, of the run without the extensions.
    pub without: WorkCost,
    /// Cost, in cycles, of the run with the extensions.
    pub with: WorkCost,
}

impl ExtensionGain {
    /// Creates the gain of one work from `extensions` (names, separated by commas): both runs have the same work, the
    /// first on the unmodified machine.
    pub const fn of(extensions: &'static str, work: Work) -> Self {
        Self { extensions, baseline: "", without: work, with: work }
    }

    /// Creates the gain of the work `with`, which needs `extensions` (names, separated by commas), over the work
    /// `without`, the best form that needs none.
    pub const fn over(extensions: &'static str, without: Work, with: Work) -> Self {
        Self { extensions, baseline: "", without, with }
    }

    /// Creates the gain of the kernel named `with`, which needs `extensions` (names, separated by commas), over the
    /// kernel named `without`, the best form that needs none. The names are those of `cp2 bench`.
    pub const fn kernels(
        extensions: &'static str,
        without: &'static str,
        with: &'static str,
    ) -> Self {
        Self::over(extensions, Work::Kernel(without), Work::Kernel(with))
    }

    /// Creates the two gains of the procedure `name` with these options from `extensions` (names, separated by commas),
    /// first on the built-in machine `vm7`, then on `vm9`. The procedure is the same without and with them.
    pub const fn on_both(
        extensions: &'static str,
        name: &'static str,
        options: WorkOptions,
    ) -> [Self; 2] {
        Self::forms_on_both(extensions, (name, name), options)
    }

    /// Creates two gains, first on the built-in machine `vm7`, then on `vm9`: of the procedure `with`, which needs
    /// `extensions` (names, separated by commas), over the procedure `without`, the best form that needs none; both
    /// have these options.
    pub const fn forms_on_both(
        extensions: &'static str,
        (without, with): (&'static str, &'static str),
        options: WorkOptions,
    ) -> [Self; 2] {
        [
            Self::over(
                extensions,
                Work::on("vm7", without, options),
                Work::on("vm7", with, options),
            ),
            Self::over(
                extensions,
                Work::on("vm9", without, options),
                Work::on("vm9", with, options),
            ),
        ]
    }

    /// Returns the gain with extensions in its first run too: those with the names in `baseline`, separated by commas,
    /// are on there instead of those that were.
    pub const fn against(self, baseline: &'static str) -> Self {
        Self { baseline, ..self }
    }

    /// Runs both works in an environment, the first with the extensions of `baseline` switched on, the second with
    /// those of `extensions`, and returns their costs.
    ///
    /// # Errors
    /// A run fails, a result is wrong, or the two works count their cycles by different units.
    pub fn measure(self, environment: &Environment) -> Result<Measured, LabError> {
        let without = self.without.cost(environment, self.baseline)?;
        let with = self.with.cost(environment, self.extensions)?;
        if without.units.1 != with.units.1 {
            return LabError::of(format!(
                "{} is counted by the {}, {} by the {}",
                self.without.title(),
                without.units.1,
                self.with.title(),
                with.units.1
            ));
        }
        Ok(Measured { gain: self, without, with })
    }
}

impl Measured {
    /// Returns how many times as fast as without the extensions a unit of the work (such as a point of a grid) is with
    /// them: cycles of a unit without them over cycles of a unit with them.
    pub fn ratio(&self) -> f64 {
        self.without.per_unit() / self.with.per_unit()
    }

    /// Returns how many times as fast as the hand-made kernel of the dissertation `[D]` the run with the extensions is:
    /// published cycles of a unit of the work over cycles of a unit in the run; `None` if `[D]` has no count of such a
    /// kernel.
    pub fn over_published(&self) -> Option<f64> {
        Some(self.without.published? as f64 / self.with.per_unit())
    }
}

/// Measures several gains at once on all processors of the native machine, and returns the results in the order of
/// `gains`. A program that several of them run is assembled only once.
///
/// # Errors
/// See [`ExtensionGain::measure`]; the first error in the order of `gains`.
pub fn measured(gains: &[ExtensionGain]) -> Result<Vec<Measured>, LabError> {
    of_each(gains, |environment, gain| gain.measure(environment))
}

/// Returns the table of measured gains in Markdown, a row for each: the two runs, the cycles of a unit of work in both,
/// and how many times as fast the second is.
pub fn table(gains: &[Measured]) -> String {
    let mut text = "| extensions | with them | best form without | machine | cycles off | cycles on | of a | ratio | \
                    over hand-made | bound that now holds |\n\
                    | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for found in gains {
        let (ratio, published) = (found.ratio(), found.over_published());
        let published = published.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        let Measured { gain, without, with } = found;
        let same =
            if gain.with == gain.without { "the same".to_owned() } else { gain.without.title() };
        let _ = writeln!(
            text,
            "| {} | {} | {same} | {} | {} | {} | {} | {ratio:.2} | {published} | {} |",
            if gain.extensions == ALL {
                "all".to_owned()
            } else {
                gain.extensions.replace(',', ", ")
            },
            gain.with.title(),
            gain.with.machine(),
            each(without),
            each(with),
            with.units.1,
            with.bound_text()
        );
    }
    text
}

/// Returns the text for the cycles of a unit of the work.
fn each(cost: &WorkCost) -> String {
    let cycles = cost.per_unit();
    if cycles < 100.0 { format!("{cycles:.3}") } else { format!("{cycles:.0}") }
}
