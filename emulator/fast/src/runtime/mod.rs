//! Execution of translated code: the cache of blocks, the dispatcher with its checkpoints, the transfer of machines from and
//! to the reference engine, and the engines that are made of them. The safety of all of it is in `executor`.

pub(crate) mod alone;
mod block;
mod cache;
mod checkpoint;
pub(crate) mod clock;
pub(crate) mod coupled;
mod dispatch;
mod epoch;
mod executor;
mod flow;
pub(crate) mod host_code;
pub(crate) mod kept;
pub(crate) mod many;
mod pace;
mod replay;
mod shared;
pub(crate) mod straight;
mod transfer;
mod waiting;
