//! Commands that stand behind a feature, beside those of graphics processors.

#[cfg(feature = "cluster")]
mod cluster;
#[cfg(feature = "cluster")]
mod cluster_programs;
#[cfg(feature = "loops")]
mod nests;
