//! Gain of a kernel or procedure from extensions, over the best form without them.

use super::of_each;
use super::work::{Work, WorkCost, WorkOptions};
use crate::inputs::LabError;
use cp2_session::Environment;
use std::fmt::Write as _;

/// Names of all extensions that change no size, separated by commas.
pub const ALL: &str = "word-access,section-addressing,conditional-memory,section-counters,shared-memory,fft-direction,dma-words,memory-controller";

/// Work without and with extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtensionGain {
    /// Names of the extensions, separated by commas.
    pub extensions: &'static str,
    /// Names of the extensions that the baseline has too, separated by commas.
    pub baseline: &'static str,
    /// Best form of the work without the extensions.
    pub without: Work,
    /// Form of the work that profits from the extensions.
    pub with: Work,
}

/// Gain that was measured: costs without and with the extensions.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Works and extensions that were measured.
    pub gain: ExtensionGain,
    /// Cost of the work without the extensions.
    pub without: WorkCost,
    /// Cost of the work with the extensions.
    pub with: WorkCost,
}

impl ExtensionGain {
    /// Creates the gain of a work that is the same without and with extensions.
    pub const fn of(extensions: &'static str, work: Work) -> Self {
        Self { extensions, baseline: "", without: work, with: work }
    }

    /// Creates the gain of a form that needs extensions over the best one that does not.
    pub const fn over(extensions: &'static str, without: Work, with: Work) -> Self {
        Self { extensions, baseline: "", without, with }
    }

    /// Creates the gain of a kernel that needs extensions over the best one that does not.
    pub const fn kernels(
        extensions: &'static str,
        without: &'static str,
        with: &'static str,
    ) -> Self {
        Self::over(extensions, Work::Kernel(without), Work::Kernel(with))
    }

    /// Creates the gains of a procedure on both machines, without and with extensions.
    pub const fn on_both(
        extensions: &'static str,
        name: &'static str,
        options: WorkOptions,
    ) -> [Self; 2] {
        Self::forms_on_both(extensions, (name, name), options)
    }

    /// Creates the gains, on both machines, of a form of a procedure that needs extensions over the best one that does not.
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

    /// Sets the extensions that the baseline has too.
    pub const fn against(self, baseline: &'static str) -> Self {
        Self { baseline, ..self }
    }

    /// Runs the works without and with the extensions in an environment.
    ///
    /// # Errors
    /// A run that fails, a wrong result, or works whose units are not the same.
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
    /// Returns how many times faster a unit of the work is with the extensions.
    pub fn ratio(&self) -> f64 {
        self.without.per_unit() / self.with.per_unit()
    }

    /// Returns how many times faster the work with the extensions is than the hand-made kernel of the source work, if it has
    /// one.
    pub fn over_published(&self) -> Option<f64> {
        Some(self.without.published? as f64 / self.with.per_unit())
    }
}

/// Measures gains; programs that several of them run are made once.
///
/// # Errors
/// See [`ExtensionGain::measure`].
pub fn measured(gains: &[ExtensionGain]) -> Result<Vec<Measured>, LabError> {
    of_each(gains, |environment, gain| gain.measure(environment))
}

/// Returns the table of gains.
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
