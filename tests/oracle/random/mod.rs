//! Programs and cores at random: what is drawn, and what of it fits a core.

pub(crate) mod cores;
pub(crate) mod dice;
pub(crate) mod fit;
pub(crate) mod generate;
pub(crate) mod operands;
pub(crate) mod templates;
