//! Which extensions are worth what to which kernels and procedures.

use super::gain::{ALL, Gain, table};
use super::work::{Is, Work};
use crate::inputs::LabError;

const CLASS_S: &[(&str, Is)] = &[("class", Is::Word("S"))];
const CONVOLUTION_32: &[(&str, Is)] =
    &[("points", Is::Number(32)), ("taps", Is::Number(32)), ("vectors", Is::Number(512))];
const CONVOLUTION_512: &[(&str, Is)] =
    &[("points", Is::Number(512)), ("taps", Is::Number(512)), ("vectors", Is::Number(64))];
const GRID_64: &[(&str, Is)] = &[("grid", Is::Number(64))];
const VECTORS_16: &[(&str, Is)] = &[("vectors", Is::Number(16))];

/// All of them, in the order of `[D]` 4.2; at last all together.
const GAINS: &[Gain] = &[
    Gain::over("word-access", Work::Kernel("resid_paired"), Work::Kernel("resid_word_access")),
    Gain::over(
        "section-addressing",
        Work::Kernel("spmv_merged_cg_s"),
        Work::Kernel("spmv_sections_cg_s"),
    ),
    Gain::over(
        "section-addressing",
        Work::Kernel("spmv_merged_cg_s"),
        Work::Kernel("spmv_sections_arithmetic_cg_s"),
    ),
    Gain::over(
        "section-addressing",
        Work::Kernel("spmv_merged_cg_s"),
        Work::Kernel("spmv_sections_register_cg_s"),
    ),
    Gain::over(
        "section-addressing",
        Work::Kernel("spmv_blocks_cg_s"),
        Work::Kernel("spmv_sections_register_cg_s"),
    ),
    Gain::of("section-addressing", Work::on("vm7", "spmv", CLASS_S)),
    Gain::of("section-addressing", Work::on("vm9", "spmv", CLASS_S)),
    Gain::of("section-addressing", Work::on("vm7", "cg", CLASS_S)),
    Gain::of("section-addressing", Work::on("vm9", "cg", CLASS_S)),
    Gain::over(
        "conditional-memory",
        Work::Kernel("spmv_merged_cg_s"),
        Work::Kernel("spmv_conditional_cg_s"),
    ),
    Gain::over(
        "section-addressing,section-counters",
        Work::Kernel("spmv_merged_cg_s"),
        Work::Kernel("spmv_counters_cg_s"),
    ),
    Gain::over(
        "section-addressing,section-counters",
        Work::Kernel("spmv_merged_cg_s"),
        Work::Kernel("spmv_counters_sorted_cg_s"),
    ),
    Gain::over("shared-memory", Work::Kernel("dot"), Work::Kernel("dot_shared")),
    Gain::of("fft-direction", Work::on("vm7", "convolution", CONVOLUTION_32)),
    Gain::of("fft-direction", Work::on("vm9", "convolution", CONVOLUTION_32)),
    Gain::of("fft-direction", Work::on("vm7", "convolution", CONVOLUTION_512)),
    Gain::of("fft-direction", Work::on("vm9", "convolution", CONVOLUTION_512)),
    Gain::over(
        "dma-words",
        Work::on("vm7", "spmv", CLASS_S),
        Work::on("vm7", "spmv_gathered", CLASS_S),
    ),
    Gain::over(
        "dma-words",
        Work::on("vm9", "spmv", CLASS_S),
        Work::on("vm9", "spmv_gathered", CLASS_S),
    ),
    Gain::of("dma-words", Work::on("vm7", "resid", GRID_64)),
    Gain::of("dma-words", Work::on("vm9", "resid", GRID_64)),
    Gain::over("more-fprs=128", Work::Kernel("fft128_one"), Work::Kernel("fft128_single")),
    Gain::over("more-fprs=128", Work::Kernel("fft128"), Work::Kernel("fft128_single")),
    Gain::over("more-fprs=256", Work::Kernel("fft256_one"), Work::Kernel("fft256_single")),
    Gain::over("more-fprs=256", Work::Kernel("fft256"), Work::Kernel("fft256_single")),
    Gain::of("more-fprs=128", Work::Kernel("resid_paired")),
    Gain::of("more-fprs=128", Work::Kernel("proj")),
    Gain::of("more-fprs=128", Work::Kernel("spmv_merged_cg_s")),
    Gain::of("larger-local-memory=16384", Work::on("vm7", "fft8192", VECTORS_16)),
    Gain::of("larger-local-memory=16384", Work::on("vm9", "fft8192", VECTORS_16)),
    Gain::of("larger-local-memory=32768", Work::on("vm7", "fft16384", VECTORS_16)),
    Gain::of("larger-local-memory=32768", Work::on("vm9", "fft16384", VECTORS_16)),
    Gain::of("memory-controller", Work::on("vm7", "resid", GRID_64)),
    Gain::of("memory-controller", Work::on("vm9", "resid", GRID_64)),
    Gain::of("memory-controller", Work::on("vm7", "fft16384", VECTORS_16)),
    Gain::of("memory-controller", Work::on("vm9", "fft16384", VECTORS_16)),
    Gain::of("memory-controller", Work::on("vm7", "mg", CLASS_S)),
    Gain::of("memory-controller", Work::on("vm9", "mg", CLASS_S)),
    Gain::of(ALL, Work::on("vm7", "spmv", CLASS_S)),
    Gain::of(ALL, Work::on("vm9", "spmv", CLASS_S)),
    Gain::of(ALL, Work::on("vm7", "cg", CLASS_S)),
    Gain::of(ALL, Work::on("vm9", "cg", CLASS_S)),
];

const INTRODUCTION: &str = "# What extensions are worth

Made by `cargo run --release -p cp2-lab --example experiments -- gains > specs/src/extensions/gains.md`. Every row is a run of the emulator without
and with extensions, held against its reference. *Off* is the best form that the unmodified machine has, by name; *on* what profits. Cycles are of a unit
of work: of a kernel the one that `cp2 bench` counts, of a procedure all of it. *Over hand-made* is the published count of the source's hand-made
kernel over ours with the extension. The *bound* is the one of the form with the extension: its fuller slot, or the rows that it moves, and what percent of the cycles that is.
What an extension costs in hardware stands on its own page, under *Cost*.

";

/// The page of the book.
///
/// # Errors
/// A run that fails.
pub fn page() -> Result<String, LabError> {
    Ok(format!("{INTRODUCTION}{}", table(GAINS)?))
}
