//! Measurements on a device and on the processor beside it, a line of JSON for each: what the page `specs/src/star-gpu.md` is made of.
//!
//! `star-figures [--device N] [--runs N] [--date DATE] [--commit HASH] WHAT..`, where WHAT is `closure:N`, `cycle:N`, `insert:N`, `paths:LEVELS`,
//! `paths-insert:LEVELS`, `elementary:N` or `library:ROWS`.

use cp2_gpu::{Gpu, GpuChoice};
use cp2_gpu_star::measure;
use serde_json::Value;

/// Bits of a row of the tables with which procedures of the library are measured.
const WIDTH: usize = 32;

/// Returns the name of the processor.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| "a processor".to_owned(), |(_, name)| name.to_owned())
}

fn measured(gpu: &Gpu, subject: &str, runs: usize) -> Result<Vec<Value>, String> {
    let (what, size) = subject.split_once(':').ok_or(format!("{subject}: WHAT:SIZE"))?;
    let n: usize = size.parse().map_err(|_| format!("{subject}: a size is a number"))?;
    let found = match what {
        "closure" | "cycle" => measure::closure(gpu, what, n, runs).map(|line| vec![line]),
        "insert" => measure::insertions(gpu, n, runs).map(|line| vec![line]),
        "paths" => measure::static_paths(gpu, n as u32, runs).map(|line| vec![line]),
        "paths-insert" => [true, false]
            .map(|is_zero| measure::insertions_into_paths(gpu, n as u32, is_zero, runs))
            .into_iter()
            .collect(),
        "elementary" => measure::elementary(gpu, n, runs).map(|line| vec![line]),
        "library" => measure::library(gpu, n, WIDTH, runs).map(|line| vec![line]),
        _ => return Err(format!("{what}: nothing of this name is measured")),
    };
    found.map_err(|error| format!("{subject}: {error}"))
}

fn main() -> Result<(), String> {
    let (mut number, mut runs, mut date, mut commit) =
        (0, 10, "unknown".to_owned(), "unknown".to_owned());
    let mut subjects = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut next = || words.next().ok_or(format!("{word} takes a value"));
        let count = |text: String| text.parse().map_err(|_| format!("{text} is no number"));
        match &*word {
            "--device" => number = count(next()?)?,
            "--runs" => runs = count(next()?)?,
            "--date" => date = next()?,
            "--commit" => commit = next()?,
            _ => subjects.push(word),
        }
    }
    let choice = GpuChoice { numbers: vec![number], parts: 1 };
    let gpu = Gpu::open(&choice).map_err(|e| e.to_string())?.remove(0);
    let command = format!("star-figures --runs {runs} {}", subjects.join(" "));
    for subject in &subjects {
        let begin = std::time::Instant::now();
        for line in measured(&gpu, subject, runs).unwrap_or_else(|error| {
            eprintln!("{error}");
            Vec::new()
        }) {
            let mut line = line;
            line["device"] = gpu.info().name.clone().into();
            line["driver"] = gpu.info().driver.clone().into();
            line["processor"] = processor().into();
            line["date"] = date.clone().into();
            line["commit"] = commit.clone().into();
            line["command"] = command.clone().into();
            println!("{line}");
        }
        eprintln!("{subject}: {:.1} s", begin.elapsed().as_secs_f64());
    }
    Ok(())
}
