//! Runs products of sparse matrices on the machines of \[D\] tables 3.6 and 3.7 and prints them beside the
//! measured rates.
//!
//! `cargo run --release -p cp2-programs --example spmv -- [FORM]`

use cp2_emu::MachineConfig;
use cp2_programs::host::sparse::{Plan, multiply};
use cp2_programs::sparse::{Csr, matrices};
use cp2_programs::{Execution, KernelError};

fn row(machine: &str, name: &str, matrix: &Csr, form: Option<&str>) -> Result<(), KernelError> {
    let config = MachineConfig::preset(machine).ok_or(KernelError::Array("no machine".into()))?;
    let x: Vec<f32> =
        (0..matrix.columns()).map(|i| ((i * 7919) % 1009) as f32 / 504.5 - 1.0).collect();
    for (k, plan) in
        Plan::all(&config, matrix, |name| form.is_none_or(|form| form == name))?.iter().enumerate()
    {
        print!("{machine} {name} {} width {} predicted {}", plan.form, plan.width, plan.cycles);
        if k < 1 || form.is_some() {
            let on = Execution::on(*config.core());
            let report = multiply(config.clone(), matrix, &x, plan, on, &mut |_, _| {})?;
            let cost = &report.cost;
            println!(
                " cycles {} kernels {} {:.1} MOPS bound {:.1} deviation {:.2} pages {} fill {:.1} %",
                cost.cycles(),
                cost.kernels.cycles,
                cost.rate_mops(),
                cost.bounds().channel_mops(),
                matrix.deviation(&x, &report.y),
                cost.pages,
                report.statistics.filled_percent()
            );
        } else {
            println!();
        }
    }
    Ok(())
}

fn main() -> Result<(), KernelError> {
    let form = std::env::args().nth(1);
    let form = form.as_deref();
    for machine in ["vm7", "vm9-1000-700"] {
        row(machine, "2048", &matrices::random(2048, 2048, 262_144, 1)?, form)?;
        row(machine, "S", &matrices::npb_cg(matrices::CLASS_S)?, form)?;
        row(machine, "100x20000", &matrices::random(100, 20000, 30_000, 1)?, form)?;
    }
    Ok(())
}
