//! Measures what it costs to look at recordings: `looks CP2 FOLDER` runs the program CP2 on runs that it records into FOLDER,
//! each command several times, and prints the mean processor times, the bytes of pages, and what they are of the recorded
//! run. The first recording of a procedure schedules its kernels and is not counted. Processor times say little of waiting,
//! and count what all threads do; they depend less on what else the computer does than the clock. This is no test.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Number of times that a command runs.
const TIMES: u32 = 20;
/// Cycles of the long run.
const LONG: &str = "100000000";
/// Cycles of the run that only the viewer looks at.
const LONGEST: &str = "1000000000";

/// Program that turns every word of local memory by an angle, for ever.
const TURNS: &str = "\
        .kernel turns
        | seti a0, 0
        | seti a1, 0
        | seti g1, 65535
        | seti g2, 4096
        | lwi f20, 0
        | nop
forever: | do g1, outer
        | do g2, inner
        cmul f8, f6, f20 | ldo f6, (r0)+2
inner:  cmul f9, f7, f20 | sdo f8, (r1)+2
        | nop
outer:  | nop
        | nop
        | jumpi forever
        | nop
";

/// Returns the processor time of all commands that have ended.
fn children_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> =
        text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|t| t.parse::<u64>().ok()).unwrap_or(0);
    Duration::from_millis(10 * (ticks(13) + ticks(14)))
}

/// Runs of a program with a folder for its files.
struct Bench {
    cp2: PathBuf,
    folder: PathBuf,
}

impl Bench {
    fn file(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    /// Runs the program so often, and returns its mean processor time.
    fn mean(&self, times: u32, arguments: &[&str]) -> Result<Duration, Box<dyn Error>> {
        let begin = children_time();
        for _ in 0..times {
            let mut command = Command::new(&self.cp2);
            command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
            let status = command.status()?;
            // A run that the limit of cycles ends has a code of its own.
            if !matches!(status.code(), Some(0 | 5)) {
                return Err(format!("{arguments:?} ended with {status}").into());
            }
        }
        Ok(children_time().saturating_sub(begin) / times)
    }
}

/// Prints a row: what was done, its time, and its part of the time of the run.
fn row(what: &str, time: Duration, run: Duration) {
    let (time, run) = (time.as_secs_f64(), run.as_secs_f64());
    println!("{what:<58}{:>9.1} ms{:>8.2} of the run", 1e3 * time, time / run);
}

/// Measures the looks at a recording.
fn looks(bench: &Bench, name: &str, run: Duration) -> Result<(), Box<dyn Error>> {
    let (recording, page) = (bench.file(name), bench.file("page.html"));
    row("  recorded run", run, run);
    let stats = bench.mean(TIMES, &["stats", &recording])?;
    row("  cp2 stats", stats, run);
    let written = bench.mean(TIMES, &["report", &recording, "-o", &page])?;
    row("  cp2 report", written, run);
    println!("    a page of {} bytes", std::fs::metadata(&page)?.len());
    let path = bench.mean(3, &["path", &recording])?;
    row("  cp2 path", path, run);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [cp2, folder] = &arguments[..] else {
        return Err("usage: looks CP2 FOLDER".into());
    };
    let bench = Bench { cp2: Path::new(cp2).to_owned(), folder: Path::new(folder).to_owned() };
    std::fs::create_dir_all(&bench.folder)?;
    let source = bench.file("turns.s");
    std::fs::write(&source, TURNS)?;
    let file = bench.file("mg.cp2rec");
    let mg = ["kernels", "run", "mg", "--class", "S", "--machine", "vm9", "--record", &file];
    bench.mean(1, &mg)?;
    println!("NPB MG class S on vm9");
    looks(&bench, "mg.cp2rec", bench.mean(TIMES, &mg)?)?;
    for (cycles, name) in [(LONG, "long.cp2rec"), (LONGEST, "longest.cp2rec")] {
        let file = bench.file(name);
        let run = bench.mean(1, &["run", &source, "--max-cycles", cycles, "--record", &file])?;
        println!("a loop of {cycles} cycles");
        match cycles {
            LONG => looks(&bench, name, run)?,
            _ => row("  recorded run, for `cp2-view`", run, run),
        }
    }
    Ok(())
}
