//! Short names for the bundles of test programs, and what the linter says of them.

use cp2_asm::image::{Image, Kernel};
use cp2_isa::{Arith, Bundle, BundleAddress, Exch, Inst, encode};
use cp2_lint::{Finding, lint};

/// A stretch of a program.
pub(crate) type Part = Vec<Bundle>;

/// Returns a bundle of an arithmetic operation alone.
pub(crate) fn arith(op: Arith, operands: &[i32]) -> Part {
    vec![Bundle { arith: Inst::new(op, operands), ..Bundle::NOP }]
}

/// Returns a bundle of an exchange operation alone.
pub(crate) fn exch(op: Exch, operands: &[i32]) -> Part {
    vec![Bundle { exch: Inst::new(op, operands), ..Bundle::NOP }]
}

/// Returns the arithmetic half of one bundle and the exchange half of another.
pub(crate) fn both(arith: &Part, exch: &Part) -> Part {
    vec![Bundle { arith: arith[0].arith, ..exch[0] }]
}

/// Returns the bundle under a predicate.
pub(crate) fn when(cc: u8, part: &Part) -> Part {
    vec![Bundle { cc, ..part[0] }]
}

pub(crate) fn nops(n: usize) -> Part {
    vec![Bundle::NOP; n]
}

/// Creates `psadd d, s, s`.
pub(crate) fn add(d: i32, s: i32) -> Part {
    arith(Arith::Psadd, &[d, s, s])
}

/// Creates `lwi f, 0`.
pub(crate) fn load(f: i32) -> Part {
    exch(Exch::Lwi, &[f, 0])
}

/// Creates `swi f, 0`.
pub(crate) fn store(f: i32) -> Part {
    exch(Exch::Swi, &[f, 0])
}

/// Creates `seti g, value`.
pub(crate) fn set_g(g: i32, value: i32) -> Part {
    exch(Exch::Seti, &[g, value])
}

/// Creates `doi n, end`.
pub(crate) fn doi(n: i32, end: i32) -> Part {
    exch(Exch::Doi, &[n, end])
}

/// Creates `do g, end`.
pub(crate) fn do_g(g: i32, end: i32) -> Part {
    exch(Exch::Do, &[g, end])
}

pub(crate) fn jumpi(to: i32) -> Part {
    exch(Exch::Jumpi, &[to])
}

pub(crate) fn calli(to: i32) -> Part {
    exch(Exch::Calli, &[to])
}

pub(crate) fn ret() -> Part {
    exch(Exch::Ret, &[])
}

pub(crate) fn sync() -> Part {
    exch(Exch::Sync, &[])
}

pub(crate) fn enddo() -> Part {
    exch(Exch::Enddo, &[])
}

pub(crate) fn stop() -> Part {
    exch(Exch::Stopi, &[0])
}

/// Returns an image with the kernel `k` at 0.
pub(crate) fn image(parts: &[Part]) -> Image {
    let words = parts.iter().flatten().map(encode).collect();
    let kernel = Kernel { name: "k".into(), start: BundleAddress(0), words };
    Image { kernels: vec![kernel], ..Image::default() }
}

pub(crate) fn findings(image: &Image) -> Vec<Finding> {
    lint(image)
}

/// Checks code and address of every finding of an image.
#[track_caller]
pub(crate) fn expect_image(image: &Image, expected: &[(&str, u16)]) {
    let found = findings(image);
    let short: Vec<_> = found.iter().map(|f| (f.code, f.address.0)).collect();
    assert_eq!(short, expected, "{found:#?}");
}

/// Checks code and address of every finding of a program.
#[track_caller]
pub(crate) fn expect(parts: &[Part], expected: &[(&str, u16)]) {
    expect_image(&image(parts), expected);
}

/// Checks that the linter has nothing to say.
#[track_caller]
pub(crate) fn silent(parts: &[Part]) {
    expect(parts, &[]);
}

/// Returns the distances found and needed of the only finding of a program.
#[track_caller]
pub(crate) fn distances(parts: &[Part]) -> (u32, u32) {
    let found = findings(&image(parts));
    assert_eq!(found.len(), 1, "{found:#?}");
    let distances = found[0].distances.expect("a finding about two accesses");
    (distances.found, distances.needed)
}
