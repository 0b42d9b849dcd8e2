//! Prints the rates of multigrid on whole grids beside those of \[D\] tables 3.3 to 3.5 and B.7, as a page of
//! the book: `cargo run --release -p cp2-programs --example multigrid > specs/src/tables.md`. With names, only
//! the rows of these operators and classes: `-- resid proj S W`.

use cp2_emu::MachineConfig;
use cp2_programs::host::Cost;
use cp2_programs::host::measured::{MULTIGRID, Named, OPERATORS, Theory};
use cp2_programs::host::multigrid::npb::{Class, charges};
use cp2_programs::host::multigrid::{apply, outer_points, run};
use cp2_programs::multigrid::Kernel;
use cp2_programs::{Execution, KernelError, random};

/// Points along an axis of the grids of operators.
const POINTS: usize = 128;

fn config(machine: &str) -> Result<MachineConfig, String> {
    MachineConfig::preset(machine).ok_or_else(|| format!("no machine {machine}"))
}

fn numbers(seed: u64, count: usize) -> Vec<f32> {
    random::complex(seed, count.div_ceil(2)).iter().flat_map(|z| [z.re, z.im]).take(count).collect()
}

/// An operator on a grid of random numbers; the finer one has as many points as the others.
fn operator(config: &MachineConfig, name: &str) -> Result<Cost, KernelError> {
    let kernel = Kernel::from_name(name).unwrap_or(Kernel::Resid);
    let n = if outer_points(kernel, 4) > 4 { POINTS / 2 } else { POINTS };
    let (faced, plain) = (numbers(1, n.pow(3)), numbers(2, outer_points(kernel, n).pow(3)));
    let on = Execution::on(*config.core());
    let done = apply(config.clone(), kernel, (n, &faced, &plain), on, &mut |_, _| {})?;
    Ok(done.cost)
}

fn benchmark(config: &MachineConfig, class: &str) -> Result<Cost, KernelError> {
    let class = Class::from_name(class).unwrap_or(Class::S);
    let on = Execution::on(*config.core());
    let _ = charges;
    Ok(run(config.clone(), class, on, &mut |_, _| {})?.cost)
}

/// A row of a table.
fn row(name: &str, theory: Theory, measured: f64, cost: &Cost) -> String {
    let (rate, bound) = (cost.rate_mops(), cost.row_bound());
    let theory = match theory {
        Theory::Rate(mops) => format!("{mops:.0}"),
        _ => "-".to_owned(),
    };
    let moved: u64 = bound.rows.iter().map(|row| row.bytes).sum();
    format!(
        "| {name} | {theory} | {measured:.0} | {rate:.0} | {:.0} | {:.1} | {:.2} | {:.1} | {:.1} |",
        bound.mops,
        100.0 * rate / bound.mops,
        rate / measured,
        moved as f64 / 1e6,
        cost.microseconds() / 1e3,
    )
}

fn table(
    named: &Named,
    only: &[String],
    of: fn(&MachineConfig, &str) -> Result<Cost, KernelError>,
) -> Result<(), String> {
    let config = config(named.machine)?;
    println!("\n{}, {}:\n", named.source, named.machine);
    println!(
        "| | theory of [D] | measured | ours | bound by rows that move | % of bound | simulated over measured | MB moved | ms |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for &(name, theory, measured) in named.rows {
        if !only.is_empty() && !only.iter().any(|o| o == name) {
            continue;
        }
        let start = std::time::Instant::now();
        let cost = of(&config, name).map_err(|e| e.to_string())?;
        println!("{}", row(name, theory, measured, &cost));
        eprintln!(
            "{name} on {}: {:.2} s, {:.0} M cycles/s",
            named.machine,
            start.elapsed().as_secs_f64(),
            cost.cycles() as f64 / 1e6 / start.elapsed().as_secs_f64()
        );
    }
    Ok(())
}

fn main() -> Result<(), String> {
    let only: Vec<String> = std::env::args().skip(1).collect();
    for named in &OPERATORS {
        table(named, &only, operator)?;
    }
    for named in &MULTIGRID {
        table(named, &only, benchmark)?;
    }
    Ok(())
}
