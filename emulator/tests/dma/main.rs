//! Tests of the DMA controller, the memory behind it and the machine around them.

mod codec;
mod control;
mod kit;
mod model;
mod transfers;
