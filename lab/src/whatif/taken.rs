//! The variant that ran in a combination of changes, and the others that the machine allows.

use cp2_session::workload::{BestVariant, TriedVariant};

/// The variant of a workload that ran in a [`Combination`](super::changes::Combination), and the variants that could not be taken for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TakenVariant {
    /// Name of the variant that ran; `None` if the workload has no variants, or is run alone.
    pub name: Option<String>,
    /// Sentences about variants that the machine allows and that could not be taken, such as one whose results are wrong.
    pub left_out: Vec<String>,
    /// Names of all variants that the machine allows, with the cycles that each took; `None` for one that could not be
    /// taken.
    pub allowed: Vec<(String, Option<u64>)>,
}

impl TakenVariant {
    /// Returns what is kept of the choice of a variant.
    pub(super) fn of(choice: &BestVariant) -> Self {
        let allowed = choice.tried.iter().filter(|tried| tried.is_allowed);
        let counted = |tried: &TriedVariant| tried.cycles.filter(|_| tried.problem.is_none());
        let allowed = allowed.map(|tried| (tried.name.clone(), counted(tried))).collect();
        Self { name: choice.name(), left_out: choice.left_out(), allowed }
    }

    /// Returns words about each variant that is allowed and was not `before`, where it was not taken.
    pub(super) fn slower(&self, before: &Self) -> Vec<String> {
        let is_new = |name: &String| !before.allowed.iter().any(|(known, _)| known == name);
        let new = self.allowed.iter().filter(|(name, _)| is_new(name));
        let words = |(name, cycles): &(String, Option<u64>)| match cycles {
            Some(cycles) => format!("{name} uses it and takes {cycles} cycles"),
            None => format!("{name} uses it and cannot be taken"),
        };
        new.map(words).collect()
    }
}
