//! Measures recordings: `loop CYCLES FILE` records a loop that changes all of local memory again and
//! again, in turns with the same run without a recorder; `seek FILE N` opens a recording N times, each time
//! with an engine that has translated nothing, and goes to a random cycle. Times are user times of this
//! process where so said, so that others on the machine count less.

use cp2_emu::Machine;
use cp2_emu::trace::Off;
use cp2_fast::Translator;
use cp2_isa::{BundleAddress, Core, Cycle};
use cp2_programs::load;
use cp2_recording::{Header, Recorder, Recording};
use std::error::Error;
use std::fs::File;
use std::time::{Duration, Instant};

/// Turns every word of local memory by an angle, for ever; the first two words of a pass are its own.
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

/// User time of this process.
fn user_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().nth(11).and_then(|t| t.parse::<u64>().ok());
    Duration::from_millis(10 * ticks.unwrap_or(0))
}

fn machine() -> Result<(Machine, BundleAddress), Box<dyn Error>> {
    let (mut cp2, entry) = load::machine_with(&Core::CP2, "turns.s", TURNS)?;
    let mut state = 1_u64;
    for word in cp2.state.lmem.as_flattened_mut() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let half = |bits: u64| 0x3f00_0000 | bits & 0x803f_ffff;
        *word = half(state >> 32) << 32 | half(state >> 7 & 0xffff_ffff);
    }
    Ok((Machine::alone(cp2), entry))
}

fn run(cycles: u64, recorder: Option<&Recorder>) -> Result<Duration, Box<dyn Error>> {
    let (mut machine, entry) = machine()?;
    let engine = Box::new(Translator::default());
    let mut engine = match recorder {
        Some(recorder) => recorder.around(engine),
        None => engine,
    };
    let begin = user_time();
    engine.run_kernel(&mut machine, entry, cycles, &mut Off);
    engine.leave(&mut machine);
    if let Some(recorder) = recorder {
        let done = recorder.finish()?;
        println!("{} bytes, {} checkpoints, {} cycles", done.bytes, done.checkpoints, done.cycles);
    }
    Ok(user_time() - begin)
}

fn measure_loop(cycles: u64, file: &str) -> Result<(), Box<dyn Error>> {
    let core = *Core::CP2.numbers();
    let mut times = [Duration::ZERO; 2];
    for _ in 0..5 {
        times[0] += run(cycles, None)?;
        let (cp2, command) = ("example".to_owned(), "turns".to_owned());
        let header =
            Header { cp2, command, machine: None, core, program: None, inputs: Vec::new() };
        let recorder = Recorder::new(Box::new(File::create(file)?), &header)?;
        times[1] += run(cycles, Some(&recorder))?;
    }
    let [without, with] = times.map(|time| time.as_secs_f64() / 5.0);
    println!("user time {without:.3} s without, {with:.3} s with: ratio {:.3}", with / without);
    Ok(())
}

fn measure_seeks(file: &str, n: usize) -> Result<(), Box<dyn Error>> {
    let (mut opens, mut seeks, mut windows) = (Vec::new(), Vec::new(), Vec::new());
    let mut state = 12_345_u64;
    for _ in 0..n {
        let begin = Instant::now();
        let mut recording = Recording::open(File::open(file)?, Box::new(Translator::default()))?;
        opens.push(begin.elapsed());
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let all = recording.cycles();
        let cycle = Cycle(all.start().0 + (state >> 11) % (all.end().0 - all.start().0));
        let begin = Instant::now();
        recording.seek(cycle)?;
        seeks.push(begin.elapsed());
        let begin = Instant::now();
        recording.window(cycle..cycle + 1000)?;
        windows.push(begin.elapsed());
    }
    for (name, times) in
        [("open", &mut opens), ("seek", &mut seeks), ("window of 1000", &mut windows)]
    {
        times.sort();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
        println!("{name}: median {:.2} ms, worst {:.2} ms of {n}", ms(median), ms(worst));
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["loop", cycles, file] => measure_loop(cycles.parse()?, file),
        ["seek", file, n] => measure_seeks(file, n.parse()?),
        _ => Err("loop CYCLES FILE, or seek FILE N".into()),
    }
}
