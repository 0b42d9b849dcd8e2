//! Runs and measurements on devices, a line of JSON for each: what the page `specs/src/gpu.md` is made of.
//!
//! `figures [--device N,..] [--runs N] [--pages BYTES] [--search] WHAT..`, where WHAT is `mg:C`, `mg:C:fused`, `cg:C`, `ft:C`,
//! `ft:C:pages` or `measure:C`.

use cp2_gpu::{Gpu, GpuChoice};
use cp2_gpu_procedures::choices::DeviceChoices;
use cp2_gpu_procedures::measure::{MeasuredSizes, measure, system_file};
use cp2_gpu_procedures::run::{GpuProblem, GpuRunPlan};

fn main() -> Result<(), String> {
    let mut choice = GpuChoice { numbers: vec![0], parts: 1 };
    let mut plan = GpuRunPlan { is_fused: false, pages: None, runs: 10 };
    let (mut searches, mut memory, mut subjects) = (false, 1 << 30, Vec::new());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number =
            || words.next().and_then(|n| n.parse().ok()).ok_or(format!("{word} takes a number"));
        match &*word {
            "--device" => {
                let list = words.next().unwrap_or_default();
                choice.numbers = list.split(',').filter_map(|n| n.parse().ok()).collect();
            }
            "--runs" => plan.runs = number()?,
            "--pages" => memory = number()? as u64,
            "--search" => searches = true,
            _ => subjects.push(word),
        }
    }
    let gpus = Gpu::open(&choice).map_err(|e| e.to_string())?;
    let mut choices = DeviceChoices::shipped(&gpus[0].info().name);
    for subject in &subjects {
        let parts: Vec<&str> = subject.split(':').collect();
        let (procedure, class) = (parts[0], *parts.get(1).unwrap_or(&"S"));
        plan.is_fused = parts.get(2) == Some(&"fused");
        plan.pages = (parts.get(2) == Some(&"pages")).then_some(memory);
        let named = |procedure| {
            GpuProblem::named(procedure, class).map_err(|all| format!("{class}: {all}"))
        };
        let report = if procedure == "measure" {
            let GpuProblem::Cg(cg) = named("cg")? else { return Err("no class of CG".to_owned()) };
            let GpuProblem::Mg(mg) = named("mg")? else { return Err("no class of MG".to_owned()) };
            let sizes = MeasuredSizes { pairs: 1 << 25, points: mg.points(), class: cg };
            measure(&gpus, sizes, &choices)
        } else {
            let problem = named(procedure)?;
            if searches {
                choices.extend(problem.search(&gpus[0]).map_err(|e| e.to_string())?);
            }
            problem.run(&gpus, plan, &choices)
        };
        match report {
            Ok(report) => {
                eprint!("{}", report.text());
                println!("{}", report.to_json());
                if procedure == "measure" {
                    eprint!("{}", system_file(&report, &gpus));
                }
            }
            Err(error) => eprintln!("{subject}: {error}"),
        }
    }
    eprint!("{}", choices.text());
    Ok(())
}
