//! Measures recordings: `loop CYCLES FILE` records a loop that changes all of local memory again and again, in turns with the
//! same run without a recorder; `seek FILE N` goes to N random cycles of a recording and reads the whole state there, with an
//! engine that goes on and with one that has translated nothing; `search FILE` searches for events that are far away; `zoom
//! FILE` reads counts at every scale. Times are processor times of this thread where so said, so that other programs on the
//! native machine count less.

use cp2_emu::Machine;
use cp2_emu::stats::Cause;
use cp2_emu::trace::NoObserver;
use cp2_fast::Translator;
use cp2_isa::{BundleAddress, Bytes, Core, Cycle, MemoryAddress, Section, Storage, StorageCell};
use cp2_recording::{CountedCondition, Header, Recorder, Recording};
use cp2_session::load;
use std::error::Error;
use std::fs::File;
use std::time::{Duration, Instant};

/// Program that turns every word of local memory by an angle, for ever; the first two words of a pass belong to the program.
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

/// Returns the user time of this process.
fn user_time() -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().nth(11).and_then(|t| t.parse::<u64>().ok());
    Duration::from_millis(10 * ticks.unwrap_or(0))
}

fn machine() -> Result<(Machine, BundleAddress), Box<dyn Error>> {
    let (mut cp2, entry) =
        load::machine_with(&cp2_session::Environment::new(), &Core::CP2, "turns.s", TURNS)?;
    let mut state = 1_u64;
    for word in cp2.state.lmem.as_flattened_mut() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let half = |bits: u64| 0x3f00_0000 | bits & 0x803f_ffff;
        *word = half(state >> 32) << 32 | half(state >> 7 & 0xffff_ffff);
    }
    // The factor of all words has length 1, so that they neither vanish nor overflow.
    let turn = u64::from(0.8_f32.to_bits()) << 32 | u64::from(0.6_f32.to_bits());
    cp2.state.lmem[0] = [turn; 4];
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
    engine.run_kernel(&mut machine, entry, cycles, &mut NoObserver);
    engine.release(&mut machine);
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
        let header = Header { cp2, command, machine: None, core, inputs: Vec::new() };
        let recorder = Recorder::new(Box::new(File::create(file)?), &header)?;
        times[1] += run(cycles, Some(&recorder))?;
    }
    let [without, with] = times.map(|time| time.as_secs_f64() / 5.0);
    println!("user time {without:.3} s without, {with:.3} s with: ratio {:.3}", with / without);
    Ok(())
}

/// Returns the processor time of this thread.
fn thread_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|n| n.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// Measured times: processor time, then elapsed time.
#[derive(Default)]
struct Times([Vec<Duration>; 2]);

impl Times {
    fn of<T>(&mut self, what: impl FnOnce() -> T) -> T {
        let (processor, clock) = (thread_time(), Instant::now());
        let result = what();
        self.0[1].push(clock.elapsed());
        self.0[0].push(thread_time() - processor);
        result
    }

    fn print(mut self, name: &str) {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        let texts = self.0.each_mut().map(|times| {
            times.sort();
            let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
            format!("median {:7.2} worst {:7.2}", ms(median), ms(worst))
        });
        let n = self.0[0].len();
        println!("{name:<34} {} ms of processor, {} ms by clock, of {n}", texts[0], texts[1]);
    }
}

/// Reads all registers and all of local memory.
fn look(recording: &Recording) -> u64 {
    let state = recording.state();
    let places = Storage::ALL.into_iter().flat_map(|storage| state.cells(storage));
    places.filter_map(|place| state.get(place)).fold(0, |sum, value| sum ^ value)
}

fn random(state: &mut u64, below: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) % below.max(1)
}

fn open(file: &str) -> Result<Recording, Box<dyn Error>> {
    Ok(Recording::open(File::open(file)?, Box::new(Translator::default()))?)
}

/// Returns a random cycle of a recording.
fn somewhere(recording: &Recording, state: &mut u64) -> Cycle {
    let (begin, end) = recording.cycles().into_inner();
    begin + random(state, end - begin)
}

fn measure_seeks(file: &str, n: usize) -> Result<(), Box<dyn Error>> {
    let [mut opens, mut firsts, mut seeks, mut windows, mut pages, mut backs] =
        std::array::from_fn(|_| Times::default());
    let mut state = 12_345_u64;
    for _ in 0..n / 10 {
        let mut recording = opens.of(|| open(file))?;
        let cycle = somewhere(&recording, &mut state);
        firsts.of(|| recording.seek(cycle).map(|_| look(&recording)))?;
    }
    let mut recording = open(file)?;
    for _ in 0..n {
        let cycle = somewhere(&recording, &mut state);
        seeks.of(|| recording.seek(cycle).map(|_| look(&recording)))?;
        windows.of(|| recording.window(cycle..cycle + 1000))?;
        backs.of(|| recording.back(1))?;
        if recording.memory_size() > Bytes(0) {
            let address = random(&mut state, recording.memory_size().0 >> 12) << 12;
            pages.of(|| recording.memory(MemoryAddress(address), &mut [0; 4096]))?;
        }
    }
    opens.print("open");
    firsts.print("first seek, everything looked at");
    seeks.print("seek, everything looked at");
    windows.print("window of 1000 cycles there");
    backs.print("step back");
    if recording.memory_size() > Bytes(0) {
        pages.print("page of system memory there");
    }
    Ok(())
}

/// Measures searches for events that are far away: writes of registers that are written once, writes of words, conditions
/// that never hold.
fn measure_searches(file: &str) -> Result<(), Box<dyn Error>> {
    let mut recording = open(file)?;
    recording.seek(*recording.cycles().end())?;
    let mut told = |name: &str, what: &dyn Fn(&mut Recording) -> String| {
        let (processor, clock) = (thread_time(), Instant::now());
        let found = what(&mut recording);
        let times = [thread_time() - processor, clock.elapsed()].map(|t| t.as_secs_f64());
        println!("{name:<28} {:.3} s of processor, {:.3} s by clock: {found}", times[0], times[1]);
    };
    for (name, storage, number) in [
        ("last write of f6", Storage::Fpr, 6),
        ("last write of f20", Storage::Fpr, 20),
        ("last write of g1", Storage::Gpr, 1),
        ("last write of n9", Storage::N, 9),
        ("last write of [5]", Storage::Lmem, 5),
    ] {
        let cell = StorageCell { storage, number, section: Section::ALL[0] };
        told(name, &|recording| match recording.last_write(cell) {
            Ok(write) => format!("{:?}", write.map(|write| write.cycle)),
            Err(e) => e.to_string(),
        });
    }
    for (name, when) in [
        ("last nullified bundle", CountedCondition::Cause(Some(Cause::Nullified))),
        ("last empty bundle", CountedCondition::Cause(Some(Cause::Empty))),
    ] {
        told(name, &|recording| format!("{:?}", recording.last_time(when)));
    }
    Ok(())
}

/// Measures counts for a picture of 1200 columns, from the whole run down to single cycles.
fn measure_zoom(file: &str) -> Result<(), Box<dyn Error>> {
    let mut recording = open(file)?;
    let (begin, end) = recording.cycles().into_inner();
    let mut first = Times::default();
    first.of(|| recording.counts(begin..end, 1200))?;
    first.print("the first picture of all");
    let mut state = 5_u64;
    let mut length = end - begin;
    while length > 1000 {
        let mut times = Times::default();
        for _ in 0..20 {
            let from = begin + random(&mut state, end - begin - length + 1);
            times.of(|| recording.counts(from..from + length, 1200))?;
        }
        times.print(&format!("{length} cycles"));
        length /= 4;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["loop", cycles, file] => measure_loop(cycles.parse()?, file),
        ["seek", file, n] => measure_seeks(file, n.parse()?),
        ["search", file] => measure_searches(file),
        ["zoom", file] => measure_zoom(file),
        _ => Err("loop CYCLES FILE, seek FILE N, search FILE, or zoom FILE".into()),
    }
}
