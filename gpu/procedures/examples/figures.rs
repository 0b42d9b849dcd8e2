//! Runs and measurements on devices, a line of JSON for each: what the page `specs/src/gpu.md` is made of.
//!
//! `figures [--device N,..] [--parts K] [--runs N] [--pages BYTES] [--search] WHAT..`, where WHAT is `mg:C`, `mg:C:fused`,
//! `cg:C`, `cg:C:framed`, `ft:C`, `ft:C:pages`, `measure:C` or `products:C`, the table of products.

use cp2_gpu::{Gpu, GpuChoice, GpuError};
use cp2_gpu_procedures::cg::{NamedMatrix, ProductFormat, ProductTrial, product_name};
use cp2_gpu_procedures::choices::DeviceChoices;
use cp2_gpu_procedures::measure::{MeasuredSizes, measure, system_file};
use cp2_gpu_procedures::report::GpuReport;
use cp2_gpu_procedures::run::{GpuProblem, GpuRunPlan};
use cp2_kernels::sparse::matrices::CgClass;

/// Choices that the words of the command make.
struct Asked {
    choice: GpuChoice,
    plan: GpuRunPlan,
    searches: bool,
    /// Bytes of a device for pages.
    memory: u64,
    subjects: Vec<String>,
}

fn asked() -> Result<Asked, String> {
    let format = ProductFormat::Sliced;
    let mut asked = Asked {
        choice: GpuChoice { numbers: vec![0], parts: 1 },
        plan: GpuRunPlan { is_fused: false, pages: None, format, runs: 10 },
        searches: false,
        memory: 1 << 30,
        subjects: Vec::new(),
    };
    let mut words = std::env::args().skip(1);
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
            _ => asked.subjects.push(word),
        }
    }
    Ok(asked)
}

fn print(report: &GpuReport) {
    eprint!("{}", report.text());
    println!("{}", report.to_json());
}

/// Prints the table of products of a class, a line each as it is found.
fn products(gpus: &[Gpu], class: CgClass) -> Result<(), GpuError> {
    let matrix = NamedMatrix::of_class(class);
    ProductTrial::new(&gpus[0], &matrix)?.table(&mut |time, choice| {
        let mut report = GpuReport::new(product_name(choice), &gpus[..1]);
        let what = format!("product of CG class {}", class.name());
        report.add("product", 1e6 * time, "us", what);
        print(&report);
    })
}

/// Prints what a subject asks for.
fn subject(
    gpus: &[Gpu],
    asked: &Asked,
    subject: &str,
    choices: &mut DeviceChoices,
) -> Result<(), String> {
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
        "products" => return products(gpus, cg).map_err(|e| e.to_string()),
        _ => {
            let problem = named(procedure)?;
            if asked.searches {
                let found = problem.search(&gpus[0], plan.format).map_err(|e| e.to_string())?;
                choices.extend(found);
            }
            problem.run(gpus, plan, choices)
        }
    };
    let report = report.map_err(|e| e.to_string())?;
    print(&report);
    if procedure == "measure" {
        eprint!("{}", system_file(&report, gpus));
    }
    Ok(())
}

fn main() -> Result<(), String> {
    let asked = asked()?;
    let gpus = Gpu::open(&asked.choice).map_err(|e| e.to_string())?;
    let mut choices = DeviceChoices::shipped(&gpus[0].info().name);
    for word in &asked.subjects {
        if let Err(error) = subject(&gpus, &asked, word, &mut choices) {
            eprintln!("{word}: {error}");
        }
    }
    eprint!("{}", choices.text());
    Ok(())
}
