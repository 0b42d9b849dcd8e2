//! Runs and measurements on devices, a line of JSON for each: what the page `specs/src/gpu.md` is made of.
//!
//! `figures [--device N,..] [--parts K] [--runs N] [--pages BYTES] [--search] [--date DATE] [--call N] WHAT..`, where WHAT is
//! `mg:C`, `mg:C:fused`, `cg:C`, `cg:C:framed`, `ft:C`, `ft:C:pages`, `measure:C`, `products:C`, the table of products, or
//! `matrix:C`, which writes the matrix of CG into the current folder for `baselines.py`. `--call` numbers the calls of a day:
//! what is measured in one call is compared.

use cp2_gpu::{Gpu, GpuChoice, GpuError};
use cp2_gpu_procedures::cg::{NamedMatrix, ProductFormat, ProductTrial, product_name};
use cp2_gpu_procedures::choices::DeviceChoices;
use cp2_gpu_procedures::measure::{MeasuredSizes, measure, system_file};
use cp2_gpu_procedures::report::GpuReport;
use cp2_gpu_procedures::run::{GpuProblem, GpuRunPlan};
use cp2_kernels::sparse::matrices::{CgClass, npb_cg_rows};
use cp2_session::npy::{Array, NumberType};
use serde_json::Value;

/// Choices that the words of the command make.
struct Asked {
    choice: GpuChoice,
    plan: GpuRunPlan,
    searches: bool,
    /// Bytes of a device for pages.
    memory: u64,
    subjects: Vec<String>,
    /// Date, number of the call and command, which every line has.
    origin: [(&'static str, Value); 3],
}

fn asked() -> Result<Asked, String> {
    let format = ProductFormat::Sliced;
    let mut asked = Asked {
        choice: GpuChoice { numbers: vec![0], parts: 1 },
        plan: GpuRunPlan { is_fused: false, pages: None, format, runs: 10 },
        searches: false,
        memory: 1 << 30,
        subjects: Vec::new(),
        origin: [("date", Value::Null), ("call", Value::Null), ("command", Value::Null)],
    };
    let given: Vec<String> = std::env::args().skip(1).collect();
    let mut words = given.clone().into_iter();
    while let Some(word) = words.next() {
        let mut number =
            || words.next().and_then(|n| n.parse().ok()).ok_or(format!("{word} takes a number"));
        match &*word {
            "--device" => {
                let list = words.next().unwrap_or_default();
                asked.choice.numbers = list.split(',').filter_map(|n| n.parse().ok()).collect();
            }
            "--parts" => asked.choice.parts = number()?,
            "--runs" => asked.plan.runs = number()?,
            "--pages" => asked.memory = number()? as u64,
            "--search" => asked.searches = true,
            "--date" => asked.origin[0].1 = words.next().into(),
            "--call" => asked.origin[1].1 = number()?.into(),
            _ => asked.subjects.push(word),
        }
    }
    asked.origin[2].1 = format!("figures {}", given.join(" ")).into();
    Ok(asked)
}

impl Asked {
    /// Prints a report as text to the person and as a line with its origin to the data.
    fn print(&self, report: &GpuReport) {
        eprint!("{}", report.text());
        let mut line = report.to_json();
        for (name, value) in &self.origin {
            line[*name] = value.clone();
        }
        println!("{line}");
    }
}

/// Writes the matrix of a class into the current folder, as arrays `starts.npy`, `columns.npy` and `values.npy`.
fn write_matrix(class: CgClass) -> Result<(), String> {
    let rows = npb_cg_rows(class);
    let integers = |all: &mut dyn Iterator<Item = u32>, count| {
        Array::from_bits(NumberType::Int32, vec![count], all.map(u128::from))
    };
    let starts = integers(&mut rows.starts.iter().map(|start| *start as u32), rows.starts.len());
    let columns = integers(&mut rows.columns.iter().copied(), rows.columns.len());
    let bits = rows.values.iter().map(|value| u128::from(value.to_bits()));
    let values = Array::from_bits(NumberType::Float64, vec![rows.values.len()], bits);
    for (name, array) in [("starts", starts), ("columns", columns), ("values", values)] {
        std::fs::write(format!("{name}.npy"), array.write()).map_err(|e| format!("{name}: {e}"))?;
    }
    Ok(())
}

/// Prints the table of products of a class, a line each as it is found.
fn products(gpus: &[Gpu], asked: &Asked, class: CgClass) -> Result<(), GpuError> {
    let matrix = NamedMatrix::of_class(class);
    ProductTrial::new(&gpus[0], &matrix)?.table(&mut |time, choice| {
        let mut report = GpuReport::new(product_name(choice), &gpus[..1]);
        let what = format!("product of CG class {}", class.name());
        report.add("product", 1e6 * time, "us", what);
        asked.print(&report);
    })
}

/// Prints what the subject at a place asks for.
fn subject(
    gpus: &[Gpu],
    asked: &Asked,
    at: usize,
    choices: &mut DeviceChoices,
) -> Result<(), String> {
    let (before, subject) = (&asked.subjects[..at], &asked.subjects[at]);
    let parts: Vec<&str> = subject.split(':').collect();
    let (procedure, class) = (parts[0], *parts.get(1).unwrap_or(&"S"));
    let form = *parts.get(2).unwrap_or(&"");
    let plan = GpuRunPlan {
        is_fused: form == "fused",
        pages: (form == "pages").then_some(asked.memory),
        format: if form == "framed" { ProductFormat::Framed } else { ProductFormat::Sliced },
        ..asked.plan
    };
    let named =
        |procedure| GpuProblem::named(procedure, class).map_err(|all| format!("{class}: {all}"));
    let (GpuProblem::Cg(cg), GpuProblem::Mg(mg)) = (named("cg")?, named("mg")?) else {
        return Err("no class of CG and MG".to_owned());
    };
    let report = match procedure {
        "measure" => {
            let sizes = MeasuredSizes { pairs: 1 << 25, points: mg.points(), class: cg };
            measure(gpus, sizes, choices)
        }
        "matrix" => return write_matrix(cg),
        "products" => return products(gpus, asked, cg).map_err(|e| e.to_string()),
        _ => {
            let problem = named(procedure)?;
            let is_searched = before
                .iter()
                .any(|s| s.split(':').take(2).eq([procedure, class]) && !form.eq("framed"));
            if asked.searches && !is_searched {
                let found = problem.search(&gpus[0], plan.format).map_err(|e| e.to_string())?;
                choices.extend(found);
            }
            problem.run(gpus, plan, choices)
        }
    };
    let report = report.map_err(|e| e.to_string())?;
    asked.print(&report);
    if procedure == "measure" {
        eprint!("{}", system_file(&report, gpus));
    }
    Ok(())
}

fn main() -> Result<(), String> {
    let asked = asked()?;
    let gpus = Gpu::open(&asked.choice).map_err(|e| e.to_string())?;
    let mut choices = DeviceChoices::shipped(&gpus[0].info().name);
    for (at, word) in asked.subjects.iter().enumerate() {
        if let Err(error) = subject(&gpus, &asked, at, &mut choices) {
            eprintln!("{word}: {error}");
        }
    }
    eprint!("{}", choices.text());
    Ok(())
}
