//! Kernels as C headers, for the programs of `programs/c/examples`: `for k in fft spmv mg; do cargo run --release
//! -p cp2-procedures --example c_kernels $k > programs/c/examples/${k}_kernels.h; done`.
//!
//! Bundles that stand in several places are written once: a kernel is runs of one array (`struct cp2_run` of
//! `libcp2/cp2.h`).

use cp2_isa::Core;
use cp2_kernels::fft::strided::{Layout, StridedSpec};
use cp2_kernels::multigrid::GridBlock;
use cp2_kernels::sparse::packed_source;
use cp2_procedures::multigrid::{self, Cut, OperatorDescription};
use std::error::Error;
use std::fmt::Write as _;

/// The factors of 8192 points, as `programs/procedures/src/fft/long.rs` splits them.
const FACTORS: [usize; 2] = [64, 128];
/// Words of a page in each section, as in `programs/procedures/src/fft/long.rs`.
const PAGE_WORDS: usize = 2048;
/// Rows of a slice of the sparse product.
const HEIGHT: usize = 32;
/// Fewest bundles of a run that is taken from the pool; shorter ones are written again.
const SHORTEST: usize = 16;

/// A kernel with its name in C.
struct Kernel {
    name: &'static str,
    start: u16,
    words: Vec<u64>,
}

/// Parts of a header: the text before the bundles, the kernels, and the text behind them.
type Family = (String, Vec<Kernel>, String);

fn kernel(name: &'static str, file: &str, source: &str) -> Result<Kernel, Box<dyn Error>> {
    let image = cp2_session::Environment::new().assemble(&Core::CP2, file, source)?;
    let kernel = image.kernels.first().ok_or("no kernel")?;
    Ok(Kernel {
        name,
        start: kernel.start.0,
        words: kernel.words.iter().map(|&bits| bits as u64).collect(),
    })
}

fn fft() -> Result<Family, Box<dyn Error>> {
    let [n1, n2] = FACTORS;
    let [columns, rows] = FACTORS.map(|n| Layout::columns(PAGE_WORDS / n));
    let first =
        StridedSpec { points: n1, input: columns, output: Layout::rows(n1), has_table: true };
    let second = StridedSpec { points: n2, input: rows, output: rows, has_table: false };
    let of = |name, spec: StridedSpec| kernel(name, &spec.name(), &spec.source(&Core::CP2)?);
    let defines = format!("#define FFT_N1 {n1}\n#define FFT_N2 {n2}\n");
    Ok((defines, vec![of("first", first)?, of("second", second)?], String::new()))
}

fn spmv() -> Result<Family, Box<dyn Error>> {
    let product = kernel("product", "spmv.s", &packed_source(HEIGHT)?)?;
    Ok((format!("#define SPMV_HEIGHT {HEIGHT}\n"), vec![product], String::new()))
}

/// Points along an axis of the finest grid of class S.
const GRID: usize = 32;

fn mg() -> Result<Family, Box<dyn Error>> {
    let image = cp2_session::Environment::new().assemble(
        &Core::CP2,
        "mg.s",
        &multigrid::text(&Core::CP2)?,
    )?;
    let operators = multigrid::described(GRID)?;
    let of = |(k, operator): (&cp2_asm::image::Kernel, &OperatorDescription)| Kernel {
        name: operator.kernel.name(),
        start: k.start.0,
        words: k.words.iter().map(|&bits| bits as u64).collect(),
    };
    let kernels: Vec<_> = image.kernels.iter().zip(&operators).map(of).collect();
    let mut tables = String::new();
    for operator in &operators {
        let name = operator.kernel.name();
        let numbers: Vec<_> = operator.constants.iter().map(|x| format!("{x:#x}")).collect();
        let numbers = numbers.join(", ");
        writeln!(
            tables,
            "static const uint64_t mg_{name}_constants[] __attribute__((aligned(16))) = {{{numbers}}};"
        )?;
        writeln!(tables, "static const struct mg_cut mg_{name}_cuts[] = {{")?;
        for Cut { n, block: GridBlock { n1, n2, n3 }, stack, registers } in &operator.cuts {
            writeln!(
                tables,
                "  {{{n}, {{{n1}, {n2}, {n3}}}, {stack}, {{{}}}}},",
                listed(registers)
            )?;
        }
        tables.push_str("};\n");
    }
    tables.push_str("#define MG_COUNT(array) (sizeof array / sizeof *array)\n");
    tables.push_str("static const struct mg_kernel mg_kernels[] = {\n");
    for operator in &operators {
        let GridBlock { n1, n2, n3 } = operator.frame;
        let name = operator.kernel.name();
        let upper = name.to_uppercase();
        let (scale, [before, behind]) = (operator.outer(2), operator.faces);
        writeln!(
            tables,
            "  [MG_{upper}] = {{mg_{name}, MG_COUNT(mg_{name}), MG_{upper}_ADDRESS, {{{n1}, {n2}, {n3}}}, {before}, \
             {behind}, {}, {scale},\n    mg_{name}_constants, MG_COUNT(mg_{name}_constants), mg_{name}_cuts, \
             MG_COUNT(mg_{name}_cuts)}},",
            u8::from(operator.takes_plain())
        )?;
    }
    tables.push_str("};\n");
    Ok((String::new(), kernels, tables))
}

fn listed(numbers: &[u64]) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

/// Finds the longest run of `words`, from their first one on, that stands in `pool` already; returns its place and its
/// length.
fn longest(pool: &[u64], words: &[u64]) -> (usize, usize) {
    let length = |at: usize| pool[at..].iter().zip(words).take_while(|(a, b)| a == b).count();
    let all = (0..pool.len()).map(|at| (at, length(at)));
    all.fold((0, 0), |best, run| if run.1 > best.1 { run } else { best })
}

/// Returns a kernel as runs of `pool`, to which it adds the words that are not there.
fn runs(pool: &mut Vec<u64>, words: &[u64]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let (mut from, mut count) = longest(pool, &words[at..]);
        if count < SHORTEST.min(words.len() - at) {
            (from, count) = (pool.len(), 1);
            pool.push(words[at]);
        }
        match runs.last_mut() {
            Some((first, n)) if *first + *n == from => *n += count,
            _ => runs.push((from, count)),
        }
        at += count;
    }
    runs
}

fn header(family: &str, (defines, kernels, tables): &Family) -> Result<String, Box<dyn Error>> {
    let upper = family.to_uppercase();
    let mut pool = Vec::new();
    let runs: Vec<_> = kernels.iter().map(|kernel| runs(&mut pool, &kernel.words)).collect();
    let mut text = format!(
        "/* Made by `cargo run --release -p cp2-procedures --example c_kernels {family}`: each sequence of bundles once, \
         and\n * the kernels as runs of them. */\n#include \"cp2.h\"\n{defines}"
    );
    writeln!(text, "static const uint64_t {family}_bundles[] = {{")?;
    for words in pool.chunks(5) {
        let line: Vec<String> = words.iter().map(|w| format!("{w:#018x},")).collect();
        writeln!(text, "  {}", line.join(" "))?;
    }
    text.push_str("};\n");
    for (kernel, runs) in kernels.iter().zip(&runs) {
        let Kernel { name, start, .. } = kernel;
        writeln!(text, "#define {upper}_{}_ADDRESS {start}", name.to_uppercase())?;
        writeln!(text, "static const struct cp2_run {family}_{name}[] = {{")?;
        for (first, count) in runs {
            writeln!(text, "  {{{family}_bundles + {first}, {count}}},")?;
        }
        text.push_str("};\n");
    }
    Ok(text + tables)
}

fn main() -> Result<(), Box<dyn Error>> {
    let family = std::env::args().nth(1).ok_or("which kernels: fft, spmv or mg")?;
    let kernels = match family.as_str() {
        "fft" => fft()?,
        "spmv" => spmv()?,
        "mg" => mg()?,
        other => return Err(format!("{other}: there are fft, spmv and mg").into()),
    };
    print!("{}", header(&family, &kernels)?);
    Ok(())
}
