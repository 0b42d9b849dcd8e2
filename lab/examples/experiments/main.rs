//! Makes pages of the book of runs of the emulator: `cargo run --release -p cp2-lab --example experiments -- PAGE`,
//! where PAGE is `predictions` (`specs/src/experiments.md`), `gains`, `dma-words` or `memory-controller` (below
//! `specs/src/extensions/`).

mod memory;

use cp2_lab::experiments::{gains, predictions};

fn main() -> Result<(), String> {
    let text = match std::env::args().nth(1).as_deref() {
        Some("predictions") => predictions::page(),
        Some("gains") => gains::page(),
        Some("dma-words") => return memory::dma_words(),
        Some("memory-controller") => return memory::memory_controller(),
        _ => return Err("takes predictions, gains, dma-words or memory-controller".to_owned()),
    };
    print!("{}", text.map_err(|e| e.to_string())?);
    Ok(())
}
