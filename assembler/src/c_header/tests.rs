//! Headers of C: names, what moves, and what cannot be written.

use super::*;
use crate::assemble_str;

fn shifted(source: &str) -> Result<String, String> {
    let image = assemble_str("kernels.s", source).map_err(|e| e.to_string())?;
    let moved = image_behind(source);
    write("kernels", &image, moved.as_ref(), &Core::CP2)
}

/// Assembles a source behind bundles that move it.
fn image_behind(source: &str) -> Option<Image> {
    assemble_str("moved.s", &(source_before() + source)).ok()
}

fn moves_of(source: &str) -> Option<Vec<Move>> {
    moves(&assemble_str("kernels.s", source).unwrap(), &image_behind(source)?, &Core::CP2)
}

#[test]
fn addresses_of_bundles_move_and_nothing_else() {
    let source = "
        .kernel first
        | seti  g1, again
        | do    g0, last
again:  nop
last:   nop
        nop
        | jumpi away
        nop
away:   | stopi 1
        .kernel second
        | seti  g2, 5
        | jumpi again
        nop
        | stopi 2
";
    let found = moves_of(source).unwrap();
    assert_eq!(found.iter().map(|m| m.bundle).collect::<Vec<_>>(), [0, 1, 5, 9]);
    // Each moved by its distance is the program as it is assembled elsewhere.
    let (image, there) = (assemble_str("k.s", source).unwrap(), image_behind(source).unwrap());
    let mut words: Vec<_> = image.kernels.iter().flat_map(|k| k.words.clone()).collect();
    for Move { bundle, bit } in found {
        words[bundle] += BundleBits::from(SHIFT) << bit;
    }
    assert_eq!(words, there.kernels[1..].iter().flat_map(|k| k.words.clone()).collect::<Vec<_>>());
}

#[test]
fn a_program_whose_place_is_given_or_decides_more_is_fixed() {
    let cases = [
        ".org 8\n.kernel k\n| stopi 0\n",
        ".kernel k\nnop\nl: | seti g0, l & 7\n| stopi 0\n",
        ".kernel k\nnop\nl: nop\n.lmem all\n.quad l\n.code\n| stopi 0\n",
        ".kernel k\n| jumpi 3\nnop\n| stopi 1\n| stopi 2\n",
        ".kernel k\nnop\n.align 8\nl: | jumpi l\nnop\n| stopi 0\n",
    ];
    for source in cases {
        assert_eq!(moves_of(source), None, "{source}");
        assert!(shifted(source).unwrap().contains(", 1};"), "{source}");
    }
    assert_eq!(moves_of(".kernel k\n| seti g0, 3\n| stopi 0\n"), Some(Vec::new()));
}

#[test]
fn a_header_declares_kernels_words_arguments_and_arrays() {
    let source = "
        .kernel scale
        .arg    n, g0, min=16, multiple=4
        .arg    step, a3
        .array  x, in, float32, 2*n, layout=interleaved, at=0
        .array  y, out, float32, 2*n, layout=interleaved, at=2048
        | seti  g3, 0
        | stopi 0
        .kernel other
        .arg    factor, f0
        | stopi 1
        .kernel placed
        .array  z, inout, complex64, 4, at=g5
        | stopi 2
        .lmem all
table:  .quad 1, 2, 3
        .lmem s2
        .org 64
        .zero 2
";
    insta::assert_snapshot!(shifted(source).unwrap());
}

#[test]
fn names_that_are_one_in_c_are_refused() {
    let kernel = |name: &str, array: &str| {
        format!(".kernel {name}\n.array {array}, in, float32, 8, at=0\n| stopi 0\n")
    };
    let error = shifted(&(kernel("k", "x_y") + &kernel("k_x", "y"))).unwrap_err();
    assert_eq!(
        error,
        "array x_y of kernel k and array y of kernel k_x would both be `kernels_k_x_y` in C; give one of them another name"
    );
}
