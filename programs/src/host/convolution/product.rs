//! Kernels that multiply transforms by that of the filter. They are linear code; products of two
//! arrays, made for any size, are in `cmul`.

use std::fmt::Write as _;

/// Most streams of words that one loop walks along. With more, the filter would cost fewer loads, but
/// arithmetic is at 94 % already.
const MOST_STREAMS: usize = 8;
/// Address set of the filter, and the first of the streams: those of the transforms are below.
const FILTER_SET: usize = 15;
const FIRST_SET: usize = 6;

/// Multiplies `words` words from `g0` on, vectors of `points` one after the other, by the `points` words
/// from `g1` on, which is a multiple of `points`. Words of vectors as far apart as there are streams
/// are multiplied in one pass, so that the filter is loaded once for all of them.
pub(super) fn shared(points: usize, words: usize) -> String {
    let streams = (words / points).min(MOST_STREAMS);
    let stream = words / streams;
    let sets: Vec<String> = (0..streams).map(|s| format!("r{}", FIRST_SET + s)).collect();
    let sets = sets.join(", ");
    let mut text = format!(
        "        .kernel product{points}
        | move a{FIRST_SET}, g0
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
    let _ = write!(text, "        | seti m{FILTER_SET}, 0x1fff\n        | stopi 0\n");
    text
}

/// Multiplies half of a transform of 4096 points, as `fft4096` leaves it from `g0` on, by the filter in
/// natural order from `g1` on, which makes room for the products in natural order. Both addresses are
/// those of a half.
pub(super) fn sorting() -> String {
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
        | seti m6, 0x1fff
        | stopi 0
"
    .to_owned()
}
