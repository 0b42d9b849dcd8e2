//! Prints the text of the routines of pages of multigrid with a name, such as `fused_64x16`, for `cp2 sched`.
//!
//! `cargo run --release -p cp2-kernels --example page_routines NAME`
use cp2_isa::Core;
use cp2_kernels::multigrid::{PAGE_ROUTINES, page_routines};

fn main() {
    let name = std::env::args().nth(1).unwrap_or_default();
    match page_routines(&Core::CP2, &name) {
        Some(text) => print!("{text}"),
        None => {
            eprintln!("`{name}` names no routines; there are {}", PAGE_ROUTINES.join(", "));
            std::process::exit(2);
        }
    }
}
