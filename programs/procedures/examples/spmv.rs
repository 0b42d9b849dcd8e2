//! Products of the matrices of \[D\] tables 3.6 and 3.7 in every form, predicted beside simulated cycles, on both
//! machines of these tables; the procedure is in `cp2_procedures::sparse`.
//!
//! `cargo run --release -p cp2-procedures --example spmv -- [FORM]`; the best plan of each form without it, all plans of
//! the form with it.

use cp2_emu::MachineConfig;
use cp2_kernels::sparse::matrices;
use cp2_procedures::sparse::{ProductPlan, multiply};
use cp2_session::sparse::Csr;
use cp2_session::{Execution, KernelError};

const FORMS: [&str; 3] = ["sliced", "sorted", "blocks"];

fn row(
    config: &MachineConfig,
    name: &str,
    matrix: &Csr,
    plan: &ProductPlan,
) -> Result<(), KernelError> {
    let x: Vec<f32> =
        (0..matrix.columns()).map(|i| ((i * 7919) % 1009) as f32 / 504.5 - 1.0).collect();
    let on = Execution::on(*config.core());
    let report = multiply(config.clone(), matrix, &x, plan, &on, &mut |_, _| {})?;
    let cost = &report.cost;
    println!(
        "{:<14} {name:<6} {:<32} {:>9} predicted {:>9} cycles {:>7.1} MOPS {:>6.1} % filled, {:.2} of rounding",
        config.name(),
        plan.form.to_string(),
        plan.cycles,
        cost.cycles(),
        cost.rate_mops(),
        report.statistics.filled_percent(),
        matrix.deviation(&x, &report.y)
    );
    Ok(())
}

fn main() -> Result<(), KernelError> {
    let only = std::env::args().nth(1);
    let matrices = [
        ("2048", matrices::random(2048, 2048, 262_144, 1)?),
        ("S", matrices::npb_cg(matrices::CLASS_S)?),
    ];
    for config in ["vm7", "vm9-1000-700"].into_iter().filter_map(MachineConfig::preset) {
        for (name, matrix) in &matrices {
            for form in FORMS {
                if only.as_deref().is_some_and(|only| only != form) {
                    continue;
                }
                let plans = ProductPlan::all(&config, matrix, |name| name == form)?;
                let shown = if only.is_some() { plans.len() } else { 1 };
                for plan in &plans[..shown] {
                    row(&config, name, matrix, plan)?;
                }
            }
        }
    }
    Ok(())
}
