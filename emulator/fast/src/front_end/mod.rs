//! From instruction memory to what is translated: decoded bundles with the way that the flow takes,
//! and the state of pipeline and modes that they begin in.

pub(crate) mod environment;
pub(crate) mod region;
mod rolls;
pub(crate) mod shape;
pub(crate) mod trace;
