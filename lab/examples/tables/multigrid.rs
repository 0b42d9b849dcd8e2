//! The tables of multigrid: operators, NPB MG, the published kernels on the same machines.

use crate::range::range;
use cp2_emu::MachineConfig;
use cp2_evidence::measured::{MULTIGRID, NamedRates, OPERATORS, Theory};
use cp2_evidence::published::multigrid::operator_mops as published_operator_mops;
use cp2_kernels::multigrid::GridKernel;
use cp2_procedures::multigrid::npb::Class;
use cp2_procedures::multigrid::{MultigridProblem, OperatorForm, apply, outer_points, run};
use cp2_session::cost::Cost;
use cp2_session::workload::OptionValue;
use cp2_session::{Environment, Execution, KernelError, random};

/// Points along an axis of the grids of operators, of the finer one if they have two.
const POINTS: usize = 128;

pub(crate) fn config(machine: &str) -> Result<MachineConfig, String> {
    MachineConfig::preset(machine).ok_or_else(|| format!("no machine {machine}"))
}

fn numbers(seed: u64, count: usize) -> Vec<f32> {
    random::complex(seed, count.div_ceil(2)).iter().flat_map(|z| [z.re, z.im]).take(count).collect()
}

fn kernel(name: &str) -> GridKernel {
    GridKernel::from_name(name).unwrap_or(GridKernel::Resid)
}

/// Returns the number of points along an axis of the grid that an operator reads with its faces.
fn points(kernel: GridKernel) -> usize {
    if outer_points(kernel, 4) > 4 { POINTS / 2 } else { POINTS }
}

/// Runs an operator on a grid of random numbers, and returns its cost.
fn operator(config: &MachineConfig, name: &str) -> Result<Cost, KernelError> {
    let kernel = kernel(name);
    let n = points(kernel);
    let (faced, plain) = (numbers(1, n.pow(3)), numbers(2, outer_points(kernel, n).pow(3)));
    let on = Execution::on(*config.core());
    Ok(apply(config.clone(), kernel, (n, &faced, &plain), &on, &mut |_, _| {})?.cost)
}

fn benchmark(config: &MachineConfig, class: &str, form: OperatorForm) -> Result<Cost, KernelError> {
    let class = Class::from_name(class).unwrap_or(Class::S);
    let start = std::time::Instant::now();
    let on = Execution::on(*config.core());
    let problem = MultigridProblem::new(&Environment::new(), class, Some(form), false);
    let cost = run(config.clone(), &problem, &on, &mut |_, _| {})?.cost;
    let seconds = start.elapsed().as_secs_f64();
    eprintln!(
        "{class} {form:?} on {}: {seconds:.1} s, {:.0} M cycles/s",
        config.name(),
        cost.cycles() as f64 / 1e6 / seconds
    );
    Ok(cost)
}

pub(crate) fn theory(of: Theory) -> String {
    match of {
        Theory::Rate(mops) => format!("{mops:.0}"),
        _ => "-".to_owned(),
    }
}

/// Returns cells of a table: rate and bound in MOPS, the percent of the bound that is reached, and what bounds.
pub(crate) fn rates(cost: &Cost) -> String {
    let (rate, bound) = (cost.rate_mops(), cost.row_bound());
    let text = format!("{rate:.0} | {:.0} | {:.1}", bound.mops, 100.0 * rate / bound.mops);
    let limit = if bound.compute_us > bound.transfer_us { "kernels" } else { "words" };
    format!("{text} | {limit}")
}

/// Whether a class takes minutes.
fn is_long(name: &str) -> bool {
    matches!(name, "A" | "B")
}

/// Returns the rows of a table that were asked for; classes A and B, which take minutes, only by their names.
pub(crate) fn rows<'a>(
    named: &'a NamedRates,
    only: &'a [String],
) -> impl Iterator<Item = &'a (&'static str, Theory, f64)> {
    named.rows.iter().filter(move |(name, ..)| {
        if only.is_empty() { !is_long(name) } else { only.iter().any(|wanted| wanted == name) }
    })
}

fn operators(named: &NamedRates, only: &[String]) -> Result<(), String> {
    let config = config(named.machine)?;
    println!(
        "\n## Operators, {}, {}\n\nGrids of {POINTS}^3 points (the finer one).\n",
        named.source, named.machine
    );
    println!(
        "| operator | theory | measured | ours, plain | bound | % of bound | bound by | ratio | range |"
    );
    println!("{}|", "| --- ".repeat(9));
    for &(name, of, measured) in rows(named, only) {
        let cost = operator(&config, name).map_err(|e| e.to_string())?;
        let ratio = cost.rate_mops() / measured;
        let grid = OptionValue::Number(points(kernel(name)) as u64);
        let range = range(&config, name, &[("grid", grid)])?;
        let (of, rates) = (theory(of), rates(&cost));
        println!("| `{name}` | {of} | {measured:.0} | {rates} | {ratio:.2} | {range} |");
    }
    Ok(())
}

fn benchmarks(named: &NamedRates, only: &[String]) -> Result<(), String> {
    let config = config(named.machine)?;
    println!("\n## NPB MG, {}, {}\n", named.source, named.machine);
    println!(
        "| class | theory | measured | ours, plain | bound | % of bound | bound by | ours, fused | bound | % of bound | bound by | ours, wide | bound | % of bound | bound by | ratio | range |"
    );
    println!("{}|", "| --- ".repeat(17));
    for &(name, of, measured) in rows(named, only) {
        let (mut best, mut forms) = (0_f64, Vec::new());
        for form in [OperatorForm::Plain, OperatorForm::Fused, OperatorForm::Wide] {
            match benchmark(&config, name, form) {
                Ok(cost) => {
                    best = best.max(cost.rate_mops());
                    forms.push(rates(&cost));
                }
                // A class whose grid is too small for the columns of the form.
                Err(KernelError::Block { .. }) => forms.push("- | - | - | -".to_owned()),
                Err(error) => return Err(error.to_string()),
            }
        }
        let (ratio, forms) = (best / measured, forms.join(" | "));
        let range = if is_long(name) {
            "-".to_owned()
        } else {
            let sweep = OptionValue::Choice("best".to_owned());
            let class = OptionValue::Choice(name.to_owned());
            range(&config, "mg", &[("class", class), ("sweep", sweep)])?
        };
        println!("| {name} | {} | {measured:.0} | {forms} | {ratio:.2} | {range} |", theory(of));
    }
    Ok(())
}

/// Returns the simulated rate of an operator in MOPS, with the published count of cycles in place of that of its kernel.
fn validated(config: &MachineConfig, name: &str) -> Result<f64, String> {
    let kernel = kernel(name);
    published_operator_mops(&Execution::default(), config, kernel, points(kernel))
        .map_err(|e| e.to_string())
}

fn validation(named: &NamedRates, only: &[String]) -> Result<(), String> {
    let config = config(named.machine)?;
    let mut dear = config.clone();
    dear.apply_set("dma.set_up_cycles=500").map_err(|e| e.to_string())?;
    println!("\n{}, {}:\n", named.source, named.machine);
    println!("| operator | measured | model | error % | with 500 cycles a descriptor | error % |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for &(name, _, measured) in rows(named, only) {
        let [model, dear] = [validated(&config, name)?, validated(&dear, name)?];
        let error = |mops: f64| 100.0 * (mops / measured - 1.0);
        println!(
            "| `{name}` | {measured:.0} | {model:.0} | {:+.1} | {dear:.0} | {:+.1} |",
            error(model),
            error(dear)
        );
    }
    Ok(())
}

const VALIDATION: &str = "
## The published kernels on the same machines

The model without our kernels: pages of the blocks of [D] table B.6, one in each section, each kernel counted with the published cycles, the host's
work for a page between the pages, as it was fitted to the tables of FFT and convolution. How far that is above the
measured rate is the model's error on the row. The second model charges 500 cycles for each descriptor, which the tables
of VM9 prefer (223 to 842, see the note on the host's calibration). VM7's rows are met within 13 % by the first. VM9's come out too fast by 12 to
39 %, most where rows are short and descriptors many, and a cost of descriptors explains 4 to 17 points of it: what remains is of the kind that the passes of the
long FFT lack too. So ratios on VM9 are too good by about that much.";

/// Prints the tables of multigrid, of the rows that `only` names; if it is empty, of all but classes A and B.
pub(crate) fn print(only: &[String]) -> Result<(), String> {
    OPERATORS.iter().try_for_each(|named| operators(named, only))?;
    MULTIGRID.iter().try_for_each(|named| benchmarks(named, only))?;
    println!("{VALIDATION}");
    OPERATORS.iter().try_for_each(|named| validation(named, only))
}
