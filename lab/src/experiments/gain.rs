//! What extensions are worth to a kernel or procedure, beside the best form without them.

use super::of_each;
use super::work::{Cost, Options, Work};
use crate::inputs::LabError;
use cp2_session::Environment;
use std::fmt::Write as _;

/// Every extension that changes no size.
pub const ALL: &str = "word-access,section-addressing,conditional-memory,section-counters,shared-memory,fft-direction,dma-words,memory-controller";

/// A work without and with extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gain {
    /// Extensions, names behind commas.
    pub extensions: &'static str,
    /// Those that the baseline has too.
    pub baseline: &'static str,
    /// The best form without them.
    pub without: Work,
    /// What profits.
    pub with: Work,
}

/// A gain that was measured: costs without and with the extensions.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Of what.
    pub gain: Gain,
    /// Costs without.
    pub without: Cost,
    /// Costs with.
    pub with: Cost,
}

impl Gain {
    /// The same work without and with extensions.
    pub const fn of(extensions: &'static str, work: Work) -> Self {
        Self { extensions, baseline: "", without: work, with: work }
    }

    /// A form that needs extensions, beside the best one that does not.
    pub const fn over(extensions: &'static str, without: Work, with: Work) -> Self {
        Self { extensions, baseline: "", without, with }
    }

    /// The same of two kernels.
    pub const fn kernels(
        extensions: &'static str,
        without: &'static str,
        with: &'static str,
    ) -> Self {
        Self::over(extensions, Work::Kernel(without), Work::Kernel(with))
    }

    /// A procedure on both machines, without and with extensions.
    pub const fn on_both(
        extensions: &'static str,
        name: &'static str,
        options: Options,
    ) -> [Self; 2] {
        Self::forms_on_both(extensions, (name, name), options)
    }

    /// A form of a procedure that needs extensions on both machines, beside the best one that does not.
    pub const fn forms_on_both(
        extensions: &'static str,
        (without, with): (&'static str, &'static str),
        options: Options,
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

    /// The same over a baseline with some of the extensions.
    pub const fn against(self, baseline: &'static str) -> Self {
        Self { baseline, ..self }
    }

    /// Runs both in an environment.
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
    /// How many times faster.
    pub fn ratio(&self) -> f64 {
        self.without.per_unit() / self.with.per_unit()
    }

    /// How many times faster than the hand-made kernel of the source work, if it has one.
    pub fn over_published(&self) -> Option<f64> {
        Some(self.without.published? as f64 / self.with.per_unit())
    }
}

/// Measures gains; programs that several of them run are made once.
///
/// # Errors
/// See [`Gain::measure`].
pub fn measured(gains: &[Gain]) -> Result<Vec<Measured>, LabError> {
    of_each(gains, |environment, gain| gain.measure(environment))
}

/// The table of gains.
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

/// Cycles of a unit.
fn each(cost: &Cost) -> String {
    let cycles = cost.per_unit();
    if cycles < 100.0 { format!("{cycles:.3}") } else { format!("{cycles:.0}") }
}
