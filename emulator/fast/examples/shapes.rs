//! Speed of the fast engine on shapes of the flow, each beside the straight loop of the same bundles: nests of two and three
//! loops, jumps, calls, predicates, short kernels. A body has two bundles at least. Predicated bundles stand beside the straight
//! loop of predicated bundles. Times are processor time of the thread; how many native instructions bundles become, which
//! depends on no load, is in `tests/host/pairs.txt`.
//!
//! cargo run --release -p cp2-fast --example shapes          all shapes
//! cargo run --release -p cp2-fast --example shapes nest     those whose names contain a word

use cp2_emu::Cp2;
use cp2_fast::Fast;
use cp2_isa::{Arith, Bundle, BundleAddress, Exch, encode};

/// Nanoseconds of processor time of a measurement, about: the native machine counts it in steps of milliseconds.
const MEASURED: u64 = 100_000_000;
/// Number of cycles between two looks at the clock.
const CYCLES: u64 = 5_000_000;
/// Number of measurements, of which the median counts.
const REPEATS: usize = 3;
/// Number of iterations, at most, of a loop that an immediate tells.
const MOST: i32 = 1023;

/// Program under construction.
#[derive(Default)]
struct Program(Vec<Bundle>);

impl Program {
    fn put(&mut self, arith: (Arith, &[i32]), exch: (Exch, &[i32]), cc: u8) {
        let mut bundle = Bundle::NOP;
        (bundle.arith.op, bundle.exch.op, bundle.cc) = (arith.0, exch.0, cc);
        bundle.arith.values[..arith.1.len()].copy_from_slice(arith.1);
        bundle.exch.values[..exch.1.len()].copy_from_slice(exch.1);
        self.0.push(bundle);
    }

    fn exch(&mut self, op: Exch, values: &[i32]) {
        self.put((Arith::Nop, &[]), (op, values), 0);
    }

    fn nop(&mut self) {
        self.exch(Exch::Nop, &[]);
    }

    /// Puts bundles of work: sums, none of which reads another one's result, with loads and stores through address set 0
    /// between them.
    fn work(&mut self, bundles: i32, cc: u8) {
        for k in 0..bundles {
            let exch: (Exch, &[i32]) = match k % 4 {
                1 => (Exch::Ldo, &[40, 0]),
                3 => (Exch::Sdo, &[20, 0]),
                _ => (Exch::Nop, &[]),
            };
            self.put((Arith::Psadd, &[1 + k % 18, 20 + k % 10, 30 + k % 10]), exch, cc);
        }
    }

    /// Puts a loop around what `body` puts, of which two bundles at least.
    fn turn(&mut self, count: Count, body: impl FnOnce(&mut Self)) {
        let at = self.0.len();
        match count {
            Count::Of(count) => self.exch(Exch::Doi, &[count, 0]),
            Count::In(register) => self.exch(Exch::Do, &[register, 0]),
        }
        body(self);
        self.0[at].exch.values[1] = self.0.len() as i32 - 2;
    }

    fn at(&self) -> i32 {
        self.0.len() as i32
    }

    fn machine(&self) -> Cp2 {
        let mut cp2 = Cp2::default();
        for (place, bundle) in self.0.iter().enumerate() {
            cp2.state.iram[place] = encode(bundle);
        }
        cp2.state.fpr.iter_mut().for_each(|quad| *quad = [0x3f80_0000_3f80_0000; 4]);
        cp2.state.fccr = [0b10; 4];
        cp2
    }
}

#[derive(Clone, Copy)]
enum Count {
    Of(i32),
    In(i32),
}

/// Shape of the flow: its name, the bundles of a body, and the program; whether the program enters loops, jumps or calls all
/// the time.
struct Shape {
    name: String,
    bundles: i32,
    enters: bool,
    program: Program,
}

/// Creates inner loops of so many bundles and turns in one loop, which the program enters again and again.
fn nest_of_two(bundles: i32, inner: i32) -> Shape {
    let mut program = Program::default();
    program.turn(Count::Of(MOST), |p| {
        p.turn(Count::Of(inner), |p| p.work(bundles, 0));
        p.nop();
        p.nop();
    });
    program.exch(Exch::Jumpi, &[0]);
    program.nop();
    Shape { name: format!("two loops, {inner:>4} inside"), bundles, enters: true, program }
}

/// Creates inner loops of so many bundles and turns, in a loop of [`MOST`] turns, in another one.
fn nest(bundles: i32, inner: i32, count: Count) -> Shape {
    let mut program = Program::default();
    program.exch(Exch::Seti, &[5, inner]);
    program.exch(Exch::Seti, &[6, 0]);
    program.nop();
    program.turn(Count::Of(MOST), |p| {
        p.turn(Count::Of(MOST), |p| {
            p.turn(count, |p| p.work(bundles, 0));
            p.work(1, 0);
            p.nop();
        });
        p.nop();
        p.nop();
    });
    let how = if matches!(count, Count::In(_)) { "register" } else { "immediate" };
    Shape { name: format!("nest of {inner:>4}, {how}"), bundles, enters: true, program }
}

fn straight(bundles: i32, cc: u8) -> Shape {
    let mut program = Program::default();
    program.exch(Exch::Seti, &[5, 0xffff]);
    program.turn(Count::Of(MOST), |p| {
        p.turn(Count::In(5), |p| p.work(bundles, cc));
        p.nop();
        p.nop();
    });
    let name = if cc == 0 { "straight loop" } else { "straight loop, predicated" };
    Shape { name: name.to_owned(), bundles, enters: false, program }
}

/// Creates a loop that a jump makes.
fn jumps(bundles: i32) -> Shape {
    let mut program = Program::default();
    program.nop();
    let top = program.at();
    program.work((bundles - 2).max(0), 0);
    program.exch(Exch::Jumpi, &[top]);
    program.work(1, 0);
    Shape { name: "jump".to_owned(), bundles, enters: true, program }
}

/// Creates a loop that calls a procedure.
fn calls(bundles: i32) -> Shape {
    let mut program = Program::default();
    program.exch(Exch::Jumpi, &[0]);
    program.nop();
    let procedure = program.at();
    program.work(bundles, 0);
    program.exch(Exch::Ret, &[]);
    program.nop();
    program.0[0].exch.values[0] = program.at();
    program.turn(Count::Of(MOST), |p| {
        p.turn(Count::Of(MOST), |p| {
            p.exch(Exch::Calli, &[procedure]);
            p.nop();
            p.nop();
            p.nop();
        });
        p.nop();
        p.nop();
    });
    Shape { name: "call".to_owned(), bundles, enters: true, program }
}

/// Creates a nest of predicated bundles.
fn predicated(bundles: i32, inner: i32) -> Shape {
    let mut program = Program::default();
    program.turn(Count::Of(MOST), |p| {
        p.turn(Count::Of(MOST), |p| {
            p.turn(Count::Of(inner), |p| p.work(bundles, 1));
            p.nop();
            p.nop();
        });
        p.nop();
        p.nop();
    });
    Shape { name: format!("nest of {inner:>4}, predicated"), bundles, enters: true, program }
}

/// Creates loops one behind the other, too many for one block.
fn rows(bundles: i32, inner: i32) -> Shape {
    let mut program = Program::default();
    let n = 100;
    program.turn(Count::Of(MOST), |p| {
        for _ in 0..n {
            p.turn(Count::Of(inner), |p| p.work(bundles, 0));
        }
        p.nop();
        p.nop();
    });
    Shape { name: format!("{n} loops of {inner:>4} in a row"), bundles, enters: true, program }
}

/// Returns the nanoseconds that this thread has had a processor; 0 where the native machine does not tell.
fn processor_time() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse().ok()).unwrap_or(0)
}

/// Returns the cycles per nanosecond of a program that has been started and goes on for about so many nanoseconds of
/// processor time; it begins again where it ends.
fn measured(fast: &mut Fast, time: u64) -> f64 {
    let (begin, mut done, mut looked) = (processor_time(), 0, 0);
    loop {
        let so_far = fast.cp2().stats().cycles;
        let run = fast.advance(so_far + CYCLES, &mut cp2_emu::trace::NoObserver);
        done += fast.cp2().stats().cycles - so_far;
        if let Some(end) = run {
            fast.finish(end);
            fast.start(BundleAddress(0));
        }
        if done - looked >= CYCLES {
            looked = done;
            let taken = processor_time() - begin;
            if taken >= time {
                return done as f64 / taken as f64;
            }
        }
    }
}

/// Returns the speed of a program in millions of cycles per second, the median.
fn speed(program: &Program) -> f64 {
    let mut fast = Fast::new(program.machine());
    fast.start(BundleAddress(0));
    measured(&mut fast, MEASURED / 8);
    let mut all: Vec<f64> = (0..REPEATS).map(|_| measured(&mut fast, MEASURED)).collect();
    all.sort_by(f64::total_cmp);
    1e3 * all[all.len() / 2]
}

/// Returns name and speed of a kernel with so many bundles of work that stops at once, started again and again.
fn short_kernels(bundles: i32) -> (String, f64) {
    let mut program = Program::default();
    program.turn(Count::Of(3), |p| p.work(bundles, 0));
    program.exch(Exch::Stopi, &[0]);
    let name = format!("kernel of {} bundles", 3 * bundles + 2);
    (name, speed(&program))
}

fn main() {
    let word = std::env::args().nth(1).unwrap_or_default();
    let mut shapes = Vec::new();
    for bundles in [2, 3, 5, 10] {
        shapes.push(straight(bundles, 0));
        for inner in [0, 1, 2, 3, 5, 10, 30, 100, 200, 1000] {
            shapes.push(nest(bundles, inner, Count::Of(inner)));
        }
        for inner in [0, 1, 10, 100, 1000] {
            shapes.push(nest(bundles, inner, Count::In(5)));
        }
        shapes.extend([1, 10, 100, 1000].map(|inner| nest_of_two(bundles, inner)));
        for inner in [7, 30] {
            shapes.push(rows(bundles, inner));
        }
        shapes.push(jumps(bundles));
        shapes.push(calls(bundles));
        shapes.push(straight(bundles, 1));
        for inner in [1, 10, 100, 1000] {
            shapes.push(predicated(bundles, inner));
        }
    }
    println!(
        "{:<28} {:>7} {:>12} {:>12} {:>10}",
        "shape", "bundles", "M cycles/s", "of straight", "ns/entry"
    );
    let mut beside = 0.0;
    for shape in &shapes {
        let Shape { name, bundles, enters, program } = shape;
        if !name.contains(&word) && *enters {
            continue;
        }
        let reached = speed(program);
        if !enters {
            beside = reached;
        }
        let row = format!("{name:<28} {bundles:>7} {reached:>12.0} {:>12.2}", reached / beside);
        let cost = cost_of_entry(shape, reached, beside);
        println!("{row} {:>10}", cost.map_or_else(|| "-".to_owned(), |ns| format!("{ns:.1}")));
    }
    // A kernel that stops at once stands beside a loop without predicates.
    let beside = if "kernel".contains(&word) { speed(&straight(10, 0).program) } else { beside };
    for bundles in [5, 20, 100].into_iter().filter(|_| "kernel".contains(&word)) {
        let (name, reached) = short_kernels(bundles);
        println!("{name:<28} {bundles:>7} {reached:>12.0} {:>12.2} {:>10}", reached / beside, "-");
    }
}

/// Returns the nanoseconds by which an entry takes longer than as many cycles of the straight loop; `None` for a shape that
/// enters nothing.
fn cost_of_entry(shape: &Shape, reached: f64, straight: f64) -> Option<f64> {
    let mut reference = shape.program.machine();
    reference.run_untraced(BundleAddress(0), 100_000);
    let entered: u64 = [Exch::Doi, Exch::Do, Exch::Jumpi, Exch::Calli]
        .map(|op| reference.stats().exchange[op as usize])
        .iter()
        .sum();
    let cycles = reference.stats().cycles as f64 / entered.max(1) as f64;
    shape.enters.then_some(1e3 * cycles * (1.0 / reached - 1.0 / straight))
}
