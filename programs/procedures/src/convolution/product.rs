//! Kernels that multiply transforms by that of the filter. They are linear code; products of two
//! arrays, made for any size, are in `cmul`.

use cp2_isa::Core;
use std::fmt::Write as _;

/// Most streams of words that one loop walks along. With more, the filter would cost fewer loads, but
/// arithmetic is at 94 % already.
const MOST_STREAMS: usize = 8;
/// Address set of the filter.
const FILTER_SET: usize = 15;
/// First address set of the streams; the sets below are those of the transforms.
const FIRST_SET: usize = 6;

/// Returns the text of a kernel that multiplies `words` words from `g0` on, vectors of `points` one after the other, by the
/// `points` words from `g1` on, a multiple of `points`. Words of vectors as far apart as there are streams are multiplied in
/// one pass, so that the filter is loaded once for all of them.
pub(super) fn shared(core: &Core, points: usize, words: usize) -> String {
    let body = shared_body(core, points, words);
    format!("        .kernel product{points}\n{body}        | stopi 0\n")
}

/// Returns the bundles of the kernel of [`shared`] without its beginning and its end, for a kernel that does more.
pub(super) fn shared_body(core: &Core, points: usize, words: usize) -> String {
    let streams = (words / points).min(MOST_STREAMS);
    let stream = words / streams;
    let sets: Vec<String> = (0..streams).map(|s| format!("r{}", FIRST_SET + s)).collect();
    let sets = sets.join(", ");
    let mut text = format!(
        "        | move a{FIRST_SET}, g0
        | move a{FILTER_SET}, g1
        | seti n{FILTER_SET}, 2
        | seti m{FILTER_SET}, {}
",
        points - 1
    );
    for s in 1..streams {
        let _ = write!(
            text,
            "        | move a{0}, g0\n        | updaddr (r{0})+{1}\n",
            FIRST_SET + s,
            s * stream
        );
    }
    let _ = write!(
        text,
        "        .linear
        .scratch g15
        .even {sets}
        .disjoint {sets}, r{FILTER_SET}
        .loop {}
        ldnp %h0:%h1, (r{FILTER_SET})+n{FILTER_SET}
",
        stream / 2
    );
    for s in 0..streams {
        let set = FIRST_SET + s;
        let _ = write!(
            text,
            "        ldo %x{s}:%y{s}, (r{set})
        cmul %u{s}, %x{s}, %h0
        cmul %v{s}, %y{s}, %h1
        sdo %u{s}:%v{s}, (r{set})+2
"
        );
    }
    text += "        .endloop\n        .endlinear\n";
    let linear = core.address_mask();
    let _ = writeln!(text, "        | seti m{FILTER_SET}, {linear:#x}");
    text
}

/// Returns the text of a kernel that multiplies half of a transform of 4096 points, as `fft4096` leaves it from `g0` on, by
/// the filter in natural order from `g1` on, whose place the products take in natural order. Both addresses are those of a
/// half.
pub(super) fn sorting(core: &Core) -> String {
    let linear = core.address_mask();
    format!(
        "        .kernel product4096
        | move a6, g0
        | move a7, g1
        | seti n6, 1024
        | seti m6, 0                    ; bit-reversed: bits 10 to 1 count down
        .linear
        .scratch g15
        .even r6, r7
        .disjoint r6, r7
        .loop 1024
        ldnp %x:%y, (r6)+n6
        ldo %h0:%h1, (r7)
        cmul %u, %x, %h0
        cmul %v, %y, %h1
        sdo %u:%v, (r7)+2
        .endloop
        .endlinear
        | seti m6, {linear:#x}
        | stopi 0
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::pages::BANK_WORDS;
    use cp2_emu::{Cp2, End};
    use cp2_isa::BundleAddress;
    use cp2_session::Environment;
    use cp2_session::{load, random};
    use num_complex::Complex32;

    /// Creates a machine with random numbers, the same in all sections; returns it with the address of its kernel and the
    /// numbers.
    fn filled(text: &str) -> (Cp2, BundleAddress, Vec<Complex32>) {
        let (mut cp2, entry) =
            load::machine_with(&Environment::new(), &Core::CP2, "product.s", text).unwrap();
        let numbers = random::complex(4, 2 * BANK_WORDS);
        for (quad, &x) in cp2.state.lmem.iter_mut().zip(&numbers) {
            *quad = [load::word(x); 4];
        }
        (cp2, entry, numbers)
    }

    fn cycles(cp2: &mut Cp2, entry: BundleAddress, arguments: [u64; 2]) -> u64 {
        cp2.state.gpr[..2].copy_from_slice(&arguments);
        let run = cp2.run_untraced(entry, 100_000);
        assert_eq!(run.end, End::Stopped(0));
        run.stats.cycles
    }

    #[test]
    fn every_vector_is_multiplied_by_the_same_filter() {
        for (points, words, expected) in [
            (64, 1024, 1121),
            (128, 1024, 1121),
            (256, 2048, 2209),
            (512, 2048, 2328),
            (1024, 2048, 2581),
            (2048, 2048, 3090),
        ] {
            let (mut cp2, entry, numbers) = filled(&shared(&Core::CP2, points, words));
            let filter = BANK_WORDS + words;
            let found = cycles(&mut cp2, entry, [words as u64, filter as u64]);
            assert_eq!(found, expected, "{points} points");
            for (i, quad) in cp2.state.lmem.iter().enumerate() {
                let product = match i.checked_sub(words).filter(|k| *k < words) {
                    Some(k) => numbers[i] * numbers[filter + k % points],
                    None => numbers[i],
                };
                assert_eq!(*quad, [load::word(product); 4], "{points} points, word {i}");
            }
        }
    }

    #[test]
    fn products_in_place_of_the_filter_are_in_order() {
        let (mut cp2, entry, numbers) = filled(&sorting(&Core::CP2));
        for half in [0, BANK_WORDS / 2] {
            let found = cycles(&mut cp2, entry, [half as u64, (BANK_WORDS + half) as u64]);
            assert_eq!(found, 3090);
        }
        for k in 0..BANK_WORDS {
            let from = cp2_kernels::fft::place(BANK_WORDS, k);
            let product = numbers[from] * numbers[BANK_WORDS + k];
            assert_eq!(cp2.state.lmem[BANK_WORDS + k], [load::word(product); 4], "word {k}");
            assert_eq!(cp2.state.lmem[k], [load::word(numbers[k]); 4]);
        }
    }
}
