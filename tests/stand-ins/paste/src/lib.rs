//! Stands in for the published crate `paste`, which is no longer maintained (RUSTSEC-2024-0436), below `argmin` and
//! `pulp`, of which no version is without it. `pastey` is its maintained successor; the names are those of `paste`.

pub use pastey::{paste, paste as expr, paste as item};
