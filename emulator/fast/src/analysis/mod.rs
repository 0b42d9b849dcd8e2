//! Analyses of a block while it is translated: constants, aliases, the footprint in local memory, speculation, and the
//! exchange of results under way at its beginning. Nothing here makes code.

pub(crate) mod constants;
pub(crate) mod contract;
pub(crate) mod counts;
pub(crate) mod dependence;
pub(crate) mod entry;
pub(crate) mod footprint;
pub(crate) mod pointer;
pub(crate) mod speculation;
