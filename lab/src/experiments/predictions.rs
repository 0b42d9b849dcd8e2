//! Predictions of the dissertation `[D]` (section 4.2) about extensions of the machine, beside what the emulator says.

use super::gain::{ALL, ExtensionGain, measured, table};
use super::headlines;
use super::work::{CLASS_S, GRID_64, VECTORS_16};
use crate::inputs::LabError;
use std::fmt::Write as _;

/// Prediction of the dissertation `[D]` and what came of it.
struct Prediction {
    title: &'static str,
    foretold: &'static str,
    runs: &'static [&'static [ExtensionGain]],
    found: &'static str,
}

const PREDICTIONS: &[Prediction] = &[
    Prediction {
        title: "Word access makes the arithmetic slot the limit of the stencils",
        foretold: "With loads and stores of 32 bits the exchange slot is relieved, so that stencils are bound by what they compute.",
        runs: &[&[
            ExtensionGain::kernels("word-access", "resid", "resid_word_access"),
            ExtensionGain::kernels("word-access", "resid_paired", "resid_word_access"),
        ]],
        found: "Not true of our kernels. (Those of the time are not published, and cannot be run with it.) The gain over `resid` is that of the order of the work, which needs no extension: `resid_paired` on the unmodified machine has it. The bound of the arithmetic slot falls a little, the exchange slot then binds, and no cycle is saved. A pair across two words costs one and a half operations with `psprmsgn` and two with loads of halves ([Word access](extensions/word-access.md)).",
    },
    Prediction {
        title: "Section addressing makes the kernel of sparse products up to 3 times faster",
        foretold: "The bound of the kernel rises from 4F/9 to 4F/3: three exchange operations in place of nine for a `psmadd`.",
        runs: &[
            &[
                ExtensionGain::kernels(
                    "section-addressing",
                    "spmv_sorted_cg_s",
                    "spmv_sections_cg_s",
                ),
                ExtensionGain::kernels(
                    "section-addressing",
                    "spmv_sorted_cg_s",
                    "spmv_sections_register_cg_s",
                ),
                ExtensionGain::kernels(
                    "section-addressing",
                    "spmv_merged_cg_s",
                    "spmv_sections_register_cg_s",
                ),
            ],
            &ExtensionGain::on_both("section-addressing", "spmv", CLASS_S),
        ],
        found: "True, and more than that against the same packed format: 25 exchange operations of a real kernel, not nine, become five, three and a half or less than three, by where the address is written. Whole procedures keep most of it. Against code made for one matrix, which the unmodified machine runs too, it is 1.7 with merged blocks, without the time and memory that loading such code takes.",
    },
    Prediction {
        title: "Loop counters of sections remove zero padding",
        foretold: "A section whose row is used up is masked, so rows need not be filled to the longest of four.",
        runs: &[&[
            ExtensionGain::kernels(
                "section-addressing,section-counters",
                "spmv_sections_register_cg_s",
                "spmv_counters_cg_s",
            )
            .against("section-addressing"),
            ExtensionGain::kernels(
                "section-addressing,section-counters",
                "spmv_sections_register_cg_s",
                "spmv_counters_sorted_cg_s",
            )
            .against("section-addressing"),
        ]],
        found: "True of memory and not of time. In the given order of rows a third of the bytes falls away; the loop still ends with the longest row, and masked loads do not share a bundle with `psmadd`. Sorting alone leaves a quarter of a percent of padding, and then counters cost more cycles than they can save ([Section counters](extensions/section-counters.md)). The baseline of these two rows has section addressing.",
    },
    Prediction {
        title: "Gathers by the DMA turn sparse products into dot products",
        foretold: "The channel composes beats of listed words, so the kernel multiplies rows as they lie, and the vector need not fit into local memory.",
        runs: &[&ExtensionGain::forms_on_both("dma-words", ("spmv", "spmv_gathered"), CLASS_S)],
        found: "The kernel becomes what was foretold, some 25 times as fast, and the limit of the vector falls. But each word is a transaction of memory, and the window of outstanding transactions binds: where the vector fits, the best form without gathers stays ahead. Where it does not, gathers win on VM7 ([DMA words](extensions/dma-words.md)).",
    },
    Prediction {
        title: "Shared memory lets small grids run a sequence of operators without DMA",
        foretold: "Grids that fit stay in a memory common to the sections while several operators work on them; reductions meet there.",
        runs: &[&[
            ExtensionGain::kernels("shared-memory", "dot", "dot_shared"),
            ExtensionGain::kernels("shared-memory", "sum_of_squares", "sum_of_squares_shared"),
            ExtensionGain::kernels("shared-memory", "max_abs", "max_abs_shared"),
        ]],
        found: "True for a sequence on 8 x 8 x 8 points, which then takes 3149 cycles without a transfer ([Shared memory](extensions/shared-memory.md)). With projection and interpolation on 4 x 4 x 4 points it takes 4870 cycles, and in place of what a V-cycle of class S on VM7 does on these two grids it would make the V-cycle 1.16 times faster: grids of 16 points and more stay with DMA. Reductions gain nothing to speak of: ours end in one number without the host already.",
    },
    Prediction {
        title: "All together: 3 times on transforms and multigrid, 6 times on sparse products",
        foretold: "All ten extensions together speed up FFT and MG about 3 times and SpMV 6 times. The runs have the eight that change no size.",
        runs: &[
            &ExtensionGain::on_both(ALL, "fft16384", VECTORS_16),
            &ExtensionGain::on_both(ALL, "ft", CLASS_S),
            &ExtensionGain::on_both(ALL, "resid", GRID_64),
            &ExtensionGain::on_both(ALL, "mg", CLASS_S),
            &ExtensionGain::on_both(ALL, "spmv", CLASS_S),
            &ExtensionGain::on_both(ALL, "cg", CLASS_S),
        ],
        found: "Not over the best unmodified forms. Where memory bounds, on VM9, the memory controller alone gives transforms and multigrid most of what they get; on VM7, whose memory was nearer to its kernels, little is left to gain. Sparse products gain by section addressing in their kernel and by the memory controller in their pages, less than six times over our best form, which takes half the cycles that the measured rate of the hand-made kernel of the time stands for: over that it is some ten times, a simulation against a measurement ([Section addressing](extensions/section-addressing.md) tells of each of the others why it adds nothing). More registers, and kernels for a larger local memory, are not among these runs.",
    },
];

const INTRODUCTION: &str = "# Experiments

What [D] 4.2 foretold of its extensions, and what comes true in the emulator. Made by `cargo run --release -p cp2-lab --example experiments --
predictions > specs/src/experiments.md`; every figure is simulated when the page is made, on both sides of every ratio.
";

const RANGES: &str = "## What times rest on

Times of whole procedures on the machine files as they stand, and with all numbers whose origin is an assumption or a fit, and that can be moved by
themselves, at their better and at their worse ends at once (`cp2 whatif NAME --machine M --sensitivity` tells each). The last column is the one of these that decides most.
";

/// Runs everything that decides the predictions of the dissertation `[D]` about extensions, and returns the text, in
/// Markdown, of the page of the book on them, `specs/src/experiments.md`.
///
/// # Errors
/// A run fails, or a result is wrong.
pub fn page() -> Result<String, LabError> {
    let mut text = INTRODUCTION.to_owned();
    let all: Vec<ExtensionGain> = PREDICTIONS.iter().flat_map(|p| p.runs.concat()).collect();
    let mut measured = measured(&all)?.into_iter();
    for Prediction { title, foretold, runs, found } in PREDICTIONS {
        let rows: Vec<_> = measured.by_ref().take(runs.concat().len()).collect();
        let _ = write!(
            text,
            "\n## {title}\n\n**Foretold.** {foretold}\n\n{}\n**Found.** {found}\n",
            table(&rows)
        );
    }
    Ok(format!("{text}\n{RANGES}\n{}", headlines::table()?))
}
