//! The tables of products by sparse matrices.

use crate::multigrid::{config, rates, rows, theory};
use crate::range::range;
use cp2_emu::MachineConfig;
use cp2_evidence::measured::sparse::{ROWS, SparseRow};
use cp2_evidence::measured::{NamedRates, SPARSE};
use cp2_kernels::sparse::matrices;
use cp2_procedures::sparse::{ProductPlan, Report, multiply};
use cp2_session::sparse::Csr;
use cp2_session::workload::OptionValue;
use cp2_session::{Execution, KernelError};

/// Returns the matrix of a row: that of NPB CG class S, or a random one with one entry in 16.
fn matrix(name: &str) -> Result<Csr, KernelError> {
    Ok(match name.parse::<usize>() {
        Ok(rows) => matrices::random(rows, rows, (rows * rows).div_ceil(16), 1)?,
        Err(_) => matrices::npb_cg(matrices::CLASS_S)?,
    })
}

/// Runs a product in the form that is predicted to take fewest cycles.
fn product(config: &MachineConfig, name: &str) -> Result<Report, KernelError> {
    let matrix = matrix(name)?;
    let x: Vec<f32> =
        (0..matrix.columns()).map(|i| ((i * 7919) % 1009) as f32 / 504.5 - 1.0).collect();
    let plan = ProductPlan::best(config, &matrix, |_| true)?;
    let on = Execution::on(*config.core());
    multiply(config.clone(), &matrix, &x, &plan, &on, &mut |_, _| {})
}

/// Prints a table of rates; the second one of a machine has the processors of table B.10 beside them.
fn products(named: &NamedRates, only: &[String]) -> Result<(), String> {
    let config = config(named.machine)?;
    println!("\n## Products by sparse matrices, {}, {}\n", named.source, named.machine);
    println!(
        "| matrix | form | theory | measured | ours | bound | % of bound | bound by | ratio | range |"
    );
    println!("{}|", "| --- ".repeat(10));
    for &(name, of, measured) in rows(named, only) {
        let report = product(&config, name).map_err(|e| e.to_string())?;
        let (cost, form) = (&report.cost, report.plan.form);
        let ratio = cost.rate_mops() / measured;
        let (of, rates) = (theory(of), rates(cost));
        let which = match name.parse() {
            Ok(rows) => ("rows", OptionValue::Number(rows)),
            Err(_) => ("class", OptionValue::Choice(name.to_owned())),
        };
        let range = range(&config, "spmv", &[which])?;
        println!("| {name} | {form} | {of} | {measured:.0} | {rates} | {ratio:.2} | {range} |");
    }
    Ok(())
}

const KERNELS: &str = "
## Kernels and padding of sparse products, [D] tables B.8 to B.10

*Cycles* are those of the kernels for 8 elements with their padding, one operation `psmadd` of the published one; *filled* is the percentage of elements that are
entries. The published kernel has 32 bits for a column and one element of the vector in a word. Beside them what 1, 8 and 16 cores
of an Intel Xeon reach ([D] table B.10, MOPS), and VM9 here.

| matrix | cycles, published | ours | filled %, published | ours | Xeon, 1 | 8 | 16 | VM9 at 1000/700 MHz, ours |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |";

fn kernels(row: &SparseRow) -> Result<(), String> {
    let report = product(&config("vm9-1000-700")?, row.name).map_err(|e| e.to_string())?;
    let Report { statistics, cost, .. } = &report;
    let own = 8.0 * cost.kernels.cycles as f64 / statistics.elements as f64;
    let [one, eight, sixteen] = row.xeon_mops;
    println!(
        "| {} | {:.1} | {own:.1} | {:.0} | {:.0} | {one:.0} | {eight:.0} | {sixteen:.0} | {:.0} |",
        row.name,
        row.kernel_cycles(),
        row.filled_percent,
        statistics.filled_percent(),
        cost.rate_mops(),
    );
    Ok(())
}

/// Prints the tables of products by sparse matrices, of the rows that `only` names, or of all if it is empty.
pub(crate) fn print(only: &[String]) -> Result<(), String> {
    SPARSE.iter().try_for_each(|named| products(named, only))?;
    println!("{KERNELS}");
    let is_asked = |row: &&SparseRow| only.is_empty() || only.iter().any(|name| name == row.name);
    ROWS.iter().filter(is_asked).try_for_each(kernels)
}
