//! Files: reading and writing them whole or not at all, the cache and who may write there, names.

pub(crate) mod cache;
pub(crate) mod files;
pub(crate) mod output;
pub(crate) mod paths;
pub(crate) mod trust;
pub(crate) mod unfinished;
