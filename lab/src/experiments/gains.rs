//! The page of the book on the gains of kernels and procedures from extensions of the machine.

use super::gain::{ALL, ExtensionGain, measured, table};
use super::work::{CLASS_S, GRID_64, OptionConstant, VECTORS_16, Work, WorkOptions};
use crate::inputs::LabError;

const CONVOLUTION_32: WorkOptions = &[
    ("points", OptionConstant::Number(32)),
    ("taps", OptionConstant::Number(32)),
    ("vectors", OptionConstant::Number(512)),
];
const CONVOLUTION_512: WorkOptions = &[
    ("points", OptionConstant::Number(512)),
    ("taps", OptionConstant::Number(512)),
    ("vectors", OptionConstant::Number(64)),
];

/// Gains that the page shows, in the order of `[D]` 4.2; at last all extensions together.
const GAINS: &[&[ExtensionGain]] = &[
    &[
        ExtensionGain::kernels("word-access", "resid_paired", "resid_word_access"),
        ExtensionGain::kernels("section-addressing", "spmv_merged_cg_s", "spmv_sections_cg_s"),
        ExtensionGain::kernels(
            "section-addressing",
            "spmv_merged_cg_s",
            "spmv_sections_arithmetic_cg_s",
        ),
        ExtensionGain::kernels(
            "section-addressing",
            "spmv_merged_cg_s",
            "spmv_sections_register_cg_s",
        ),
        ExtensionGain::kernels(
            "section-addressing",
            "spmv_blocks_cg_s",
            "spmv_sections_register_cg_s",
        ),
    ],
    &ExtensionGain::on_both("section-addressing", "spmv", CLASS_S),
    &ExtensionGain::on_both("section-addressing", "cg", CLASS_S),
    &[
        ExtensionGain::kernels("conditional-memory", "spmv_merged_cg_s", "spmv_conditional_cg_s"),
        ExtensionGain::kernels(
            "section-addressing,section-counters",
            "spmv_merged_cg_s",
            "spmv_counters_cg_s",
        ),
        ExtensionGain::kernels(
            "section-addressing,section-counters",
            "spmv_merged_cg_s",
            "spmv_counters_sorted_cg_s",
        ),
        ExtensionGain::kernels("shared-memory", "dot", "dot_shared"),
    ],
    &ExtensionGain::on_both("fft-direction", "convolution", CONVOLUTION_32),
    &ExtensionGain::on_both("fft-direction", "convolution", CONVOLUTION_512),
    &ExtensionGain::forms_on_both("dma-words", ("spmv", "spmv_gathered"), CLASS_S),
    &ExtensionGain::on_both("dma-words", "resid", GRID_64),
    &[
        ExtensionGain::kernels("more-fprs=128", "fft128_one", "fft128_single"),
        ExtensionGain::kernels("more-fprs=128", "fft128", "fft128_single"),
        ExtensionGain::kernels("more-fprs=256", "fft256_one", "fft256_single"),
        ExtensionGain::kernels("more-fprs=256", "fft256", "fft256_single"),
        ExtensionGain::of("more-fprs=128", Work::Kernel("resid_paired")),
        ExtensionGain::of("more-fprs=128", Work::Kernel("proj")),
        ExtensionGain::of("more-fprs=128", Work::Kernel("spmv_merged_cg_s")),
    ],
    &ExtensionGain::on_both("larger-local-memory=16384", "fft8192", VECTORS_16),
    &ExtensionGain::on_both("larger-local-memory=32768", "fft16384", VECTORS_16),
    &ExtensionGain::on_both("memory-controller", "resid", GRID_64),
    &ExtensionGain::on_both("memory-controller", "fft16384", VECTORS_16),
    &ExtensionGain::on_both("memory-controller", "mg", CLASS_S),
    &ExtensionGain::on_both(ALL, "spmv", CLASS_S),
    &ExtensionGain::on_both(ALL, "cg", CLASS_S),
];

const INTRODUCTION: &str = "# What extensions are worth

Made by `cargo run --release -p cp2-lab --example experiments -- gains > specs/src/extensions/gains.md`. Every row is a run of the emulator without
and with extensions, held against its reference. *Off* is the best form that the unmodified machine has, by name; *on* what profits. Cycles are of a unit
of work: of a kernel the one that `cp2 bench` counts, of a procedure all of it. *Over hand-made* is the published count of the source's hand-made
kernel over ours with the extension. The *bound* is the one of the form with the extension: its fuller slot, or the rows that it moves, and what percent of the cycles that is.
What an extension costs in hardware stands on its own page, under *Cost*.

";

/// Measures all gains from extensions that the book shows, and returns the text, in Markdown, of its page
/// `specs/src/extensions/gains.md`.
///
/// # Errors
/// A run fails, or a result is wrong.
pub fn page() -> Result<String, LabError> {
    Ok(format!("{INTRODUCTION}{}", table(&measured(&GAINS.concat())?)))
}
