//! Commands that tell what there is: operations, codes, schemas, manual pages.

pub(crate) mod explain;
pub(crate) mod isa;
pub(crate) mod manual;
pub(crate) mod schema;
