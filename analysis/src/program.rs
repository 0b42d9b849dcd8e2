//! The program of a recording, with as many names as there are: those that the recording keeps, else the
//! bundles of instruction memory alone.

use cp2_emu::State;
use cp2_ir::image::{Image, Kernel};
use cp2_isa::BundleAddress;

/// What instruction memory holds, as a program without names.
pub fn of_memory(state: &State) -> Image {
    let is_used = |word: &u64| *word != 0;
    let first = state.iram.iter().position(is_used);
    let last = state.iram.iter().rposition(is_used);
    let kernel = first.zip(last).map(|(first, last)| Kernel {
        name: "iram".to_owned(),
        start: BundleAddress::from_index(first),
        words: state.iram[first..=last].to_vec(),
    });
    Image { kernels: kernel.into_iter().collect(), ..Image::default() }
}
