//! Tests of the DMA controller, the memory behind it and the machine around them.

mod behind;
mod bits;
mod chains;
mod codec;
mod control;
mod counts;
mod differences;
mod kit;
mod log;
mod machine_file;
mod model;
mod model_words;
mod next;
#[path = "../common/random.rs"]
mod random;
mod rates;
mod reached;
mod together;
mod transfers;
mod walks;
mod words;
