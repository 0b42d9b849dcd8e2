//! Kernels of the long FFT as a C header, for `programs/c/examples/fft.c`:
//! `cargo run --release -p cp2-programs --example c_kernels > programs/c/examples/fft_kernels.h`.

use cp2_isa::Core;
use cp2_programs::fft::strided::{Layout, Spec};
use std::fmt::Write as _;

/// The factors of 8192 points, and words of a page in a section (`programs/src/host/long.rs`).
const FACTORS: [usize; 2] = [64, 128];
const PAGE_WORDS: usize = 2048;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [n1, n2] = FACTORS;
    let [columns, rows] = FACTORS.map(|n| Layout::columns(PAGE_WORDS / n));
    let first = Spec { points: n1, input: columns, output: Layout::rows(n1), has_table: true };
    let second = Spec { points: n2, input: rows, output: rows, has_table: false };
    let mut text = String::from(
        "/* Made by `cargo run --release -p cp2-programs --example c_kernels`. */\n#include <stdint.h>\n",
    );
    writeln!(text, "#define FFT_N1 {n1}\n#define FFT_N2 {n2}")?;
    for (name, spec) in [("first", first), ("second", second)] {
        let source = spec.source(&Core::CP2)?;
        let image = cp2_programs::load::assemble(&Core::CP2, &spec.name(), &source)?;
        let kernel = image.kernels.first().ok_or("no kernel")?;
        let start = kernel.start.0;
        writeln!(text, "#define FFT_{}_ADDRESS {start}", name.to_uppercase())?;
        writeln!(text, "static const uint64_t fft_{name}[] = {{")?;
        for words in kernel.words.chunks(5) {
            let line: Vec<String> = words.iter().map(|w| format!("{w:#018x},")).collect();
            writeln!(text, "  {}", line.join(" "))?;
        }
        text.push_str("};\n");
    }
    print!("{text}");
    Ok(())
}
