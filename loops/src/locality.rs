//! Locality: how neighbouring threads share each array, occurrence by occurrence, and what follows for its place in memory.

mod axes;
mod classes;
mod layout;

pub use axes::{MOST_SECTIONS, StatementAxes, ThreadAxes};
pub use classes::{AccessClass, OccurrenceLocality, SharingTheorem, SourceFunction};
pub use layout::ArrayLayout;

use crate::sets::SetError;
use crate::threads::NestAnalysis;
use std::collections::BTreeMap;

/// The locality of a nest: how neighbouring threads share its arrays.
#[derive(Clone, Debug)]
pub struct NestLocality {
    /// Axes of the threads; neighbours differ in the first one.
    pub axes: ThreadAxes,
    /// Occurrences of arrays in the order of the text, those of statements that have the axes.
    pub occurrences: Vec<OccurrenceLocality>,
    /// Layout of each array that an occurrence names, found for some small sizes.
    pub layouts: BTreeMap<usize, ArrayLayout>,
}

impl NestLocality {
    /// Finds how threads along these axes share arrays. `parameters` are values for which layouts are enumerated.
    ///
    /// # Errors
    /// The library of sets gives no answer.
    pub fn new(
        analysis: &NestAnalysis<'_>,
        axes: ThreadAxes,
        parameters: &[i64],
    ) -> Result<Self, SetError> {
        let occurrences = classes::occurrences(analysis, &axes)?;
        let layouts = layout::layouts(analysis.nest, &axes, &occurrences, parameters);
        Ok(Self { axes, occurrences, layouts })
    }

    /// Returns how badly the order of axes suits memory: occurrences that are scattered, those that are private without being
    /// neighbours, and words that four threads fetch in a step.
    pub fn cost(&self) -> (usize, usize, usize) {
        let count = |is_one: &dyn Fn(&AccessClass) -> bool| {
            self.occurrences.iter().filter(|one| is_one(&one.class)).count()
        };
        let scattered = count(&|class| class.letters() == "-");
        let apart = count(&|class| class.letters() == "P");
        let words = self.occurrences.iter().map(|one| one.words).sum();
        (scattered, apart, words)
    }
}

/// Returns the locality for all orders of the axes, the best one first; among equal ones that which was given first.
///
/// # Errors
/// The library of sets gives no answer.
pub fn axis_orders(
    analysis: &NestAnalysis<'_>,
    axes: &ThreadAxes,
    parameters: &[i64],
) -> Result<Vec<NestLocality>, SetError> {
    let mut all = Vec::new();
    for order in axes.orders() {
        all.push(NestLocality::new(analysis, order, parameters)?);
    }
    all.sort_by_key(NestLocality::cost);
    Ok(all)
}
