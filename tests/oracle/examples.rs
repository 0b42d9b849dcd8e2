//! Worked examples of the reference, and their neighbours: programs with the registers that they leave.
//! The values are derived on paper; engine and oracle must both have them.

use super::compare::engine;
use super::{Ending, run};
use cp2_emu::State;
use cp2_tests::machine;

const LIMIT: u64 = 1000;
/// f2 and memory word 9, which the examples tell apart.
const COPIED: u64 = 0x2222_2222_3333_3333;
const LOADED: u64 = 0x9999_9999_aaaa_aaaa;
/// f1 and g1 at the start.
const F1: u64 = 0x1111_1111_0000_0004;
const G1: u64 = 0x0010_0000;

/// A program and what it leaves in some registers.
pub(crate) struct Example {
    name: &'static str,
    text: String,
    prepare: fn(&mut State),
    expected: Vec<(&'static str, u64)>,
}

impl Example {
    /// Runs the example on engine and oracle; returns what does not come out as it says.
    pub(crate) fn failures(&self) -> Vec<String> {
        let mut state = fixture(&self.text);
        (self.prepare)(&mut state);
        let oracle = run(&cp2_isa::Core::CP2, &state, 0, LIMIT);
        let (ending, engine, ..) = engine(&cp2_isa::Core::CP2, &state, 0, LIMIT);
        let mut failures = Vec::new();
        for (path, ending, state) in
            [("engine", &ending, &engine), ("oracle", &oracle.ending, &oracle.state)]
        {
            if !matches!(ending, Ending::Stopped(_)) {
                failures.push(format!("{}: {path} ends with {ending:?}", self.name));
            }
            for &(register, expected) in &self.expected {
                let found = read(state, register);
                if found != expected {
                    failures.push(format!(
                        "{}: {register} is {found:x} on the {path}, not {expected:x}",
                        self.name
                    ));
                }
            }
        }
        failures
    }
}

/// Returns the state before a program: f8 times f8 overflows.
fn fixture(text: &str) -> State {
    let mut state = machine(text).state;
    state.fpr[1] = [F1; 4];
    state.fpr[2] = [COPIED; 4];
    state.fpr[8] = [0x7f00_0000; 4];
    state.fpr[10] = [0x4040_0000; 4];
    state.lmem[9] = [LOADED; 4];
    state.gpr[1] = G1;
    state
}

/// Reads a register by its name: section 2 of an FPR, or a register of all sections.
fn read(state: &State, name: &str) -> u64 {
    let number = || name[1..].parse::<usize>().expect("a number");
    match name {
        "lsp" => state.loops.len() as u64,
        "fpe" => state.status >> 16 & 0x3f,
        "status" => state.status,
        "rind" => state.rind.into(),
        _ if name.starts_with('f') => state.fpr[number()][2],
        _ if name.starts_with('g') => state.gpr[number()],
        _ if name.starts_with('r') => state.a[number()].into(),
        _ => unreachable!("{name}"),
    }
}

/// Returns the lines of a program: `...n` stands for n empty bundles; `stopi 0` is added.
fn lines(text: &str) -> String {
    let mut program = String::new();
    for line in text.split('/').map(str::trim) {
        match line.strip_prefix("...") {
            Some(n) => program += &"nop\n".repeat(n.parse().expect("a number")),
            None => program = program + line + "\n",
        }
    }
    program + "stopi 0\n"
}

struct Examples(Vec<Example>);

impl Examples {
    fn add(&mut self, name: &'static str, text: &str, expected: &[(&'static str, u64)]) {
        self.with(name, |_| {}, text, expected);
    }

    fn with(
        &mut self,
        name: &'static str,
        prepare: fn(&mut State),
        text: &str,
        expected: &[(&'static str, u64)],
    ) {
        self.0.push(Example { name, text: lines(text), prepare, expected: expected.to_vec() });
    }
}

/// Returns all worked examples.
pub(crate) fn all() -> Vec<Example> {
    let mut all = Examples(Vec::new());
    landings(&mut all);
    conditions(&mut all);
    status(&mut all);
    mailbox(&mut all);
    pc(&mut all);
    loop_registers(&mut all);
    slots(&mut all);
    stacks(&mut all);
    angles(&mut all);
    all.0
}

fn landings(all: &mut Examples) {
    all.add(
        "load meets copy",
        "copy f1, f2 / ...4 / lwi f1, 9 / ...2 / copy f3, f1",
        &[("f3", COPIED), ("f1", COPIED)],
    );
    all.add(
        "load before copy",
        "copy f1, f2 / ...3 / lwi f1, 9 / ...3 / copy f3, f1",
        &[("f3", COPIED), ("f1", COPIED)],
    );
    all.add(
        "load behind copy",
        "copy f1, f2 / ...5 / lwi f1, 9 / ...2 / copy f3, f1",
        &[("f3", LOADED), ("f1", LOADED)],
    );
    all.add(
        "load meets mfc",
        "mfc f1, fccr / ...4 / lwi f1, 9 / ...2 / copy f3, f1",
        &[("f3", 1), ("f1", 1)],
    );
    all.add(
        "mtfpr meets copy",
        "copy f1, f2 / ...4 / mtfpr f1, g1, all / ...2 / copy f3, f1",
        &[("f3", G1), ("f1", G1)],
    );
    all.add(
        "psprmsgn meets copy",
        "copy f20, f2 / ...4 / psprmsgn f20, f8, 0, 1, 2, 3 / ...2 / copy f3, f20",
        &[("f3", 0x7f00_0000)],
    );
    all.add(
        "psprmsgn sees the load that is lost",
        "copy f1, f2 / ...4 / lwi f1, 9 / nop / psprmsgn f20, f1, 0, 1, 2, 3 / nop / copy f3, f1",
        &[("f20", LOADED), ("f3", COPIED)],
    );
    all.add(
        "psprmsgn one bundle later sees the copy",
        "copy f1, f2 / ...4 / lwi f1, 9 / ...2 / psprmsgn f20, f1, 0, 1, 2, 3",
        &[("f20", COPIED)],
    );
    all.add(
        "half of a load stays beside a function",
        "recip f1.lo, f10.lo / ...4 / lwi f1, 9 / ...2 / copy f3, f1",
        &[("f3", LOADED & !0xffff_ffff | 0x3eaa_aaaa)],
    );
}

fn conditions(all: &mut Examples) {
    all.with(
        "mfc of FCCR behind mtc",
        |s| s.fpr[1] = [2; 4],
        "mtc f1, fccr / ...5 / mfc f3, fccr / mfc f4, fccr",
        &[("f3", 1), ("f4", 3)],
    );
    all.add(
        "flags join an mtc",
        "mtc f1, fcsr / psmul f9, f8, f8 / ...5 / mfc f3, fcsr / mfc f4, fcsr",
        &[("f3", 4), ("f4", 0x5014)],
    );
}

/// Returns STATUS with this FPE, as `move` reads it.
const fn fpe(value: u64) -> u64 {
    // RUN and FE.
    value << 16 | 5
}

fn status(all: &mut Examples) {
    all.add(
        "flags in their own bundle",
        "psmul f9, f8, f8 | move g2, status",
        &[("g2", fpe(5)), ("fpe", 5)],
    );
    all.add(
        "flags of the next bundle are not there",
        "move g2, status / psmul f9, f8, f8",
        &[("g2", fpe(0)), ("fpe", 5)],
    );
    all.add(
        "a move overrides its own bundle",
        "psmul f9, f8, f8 | move status, g1",
        &[("fpe", 0x10)],
    );
    all.with(
        "mtc replaces FPE",
        |s| s.status = 0x20_0000,
        "mtc f1, fcsr / psmul f9, f8, f8 / ...4 / move g2, status / move g3, status",
        &[("g2", fpe(0x25)), ("g3", fpe(5))],
    );
    all.with(
        "mtc to FCCR leaves FPE",
        |s| s.status = 0x20_0000,
        "mtc f1, fccr / ...6 / move g2, status",
        &[("g2", fpe(0x20)), ("fpe", 0x20)],
    );
    all.with(
        "mtc that no section executes",
        |s| s.status = 0x20_0000,
        "if(cc1) mtc f1, fcsr / psmul f9, f8, f8 / ...4 / move g2, status / move g3, status",
        &[("g2", fpe(0x25)), ("g3", fpe(5))],
    );
    all.with(
        "mtc of one section counts",
        |s| s.fccr[3] = 3,
        "if(cc1) mtc f1, fcsr / ...6 / move g3, status",
        &[("g3", fpe(1))],
    );
    all.add(
        "mtc overwrites a move behind it",
        "mtc f1, fcsr / move status, g1 / move g2, status / ...4 / move g3, status",
        &[("g2", fpe(0x10)), ("g3", fpe(1))],
    );
    all.add(
        "5 bundles behind it too",
        "mtc f1, fcsr / ...4 / move status, g1 / move g2, status / move g3, status",
        &[("g2", fpe(0x10)), ("g3", fpe(1))],
    );
    all.add(
        "6 bundles behind it stays",
        "mtc f1, fcsr / ...5 / move status, g1 / move g2, status / move g3, status",
        &[("g2", fpe(0x10)), ("g3", fpe(0x10))],
    );
}

fn mailbox(all: &mut Examples) {
    all.add(
        "COMMCP2",
        "move comm, g1 / move g2, status / move g3, status / move g4, comm",
        &[("g2", 5), ("g3", 0xd), ("g4", G1)],
    );
    all.with(
        "COMMK64",
        |s| s.status = 0x10,
        "move g1, comm / move g2, status / move g3, status",
        &[("g2", 0x15), ("g3", 5)],
    );
    all.add("COMM at once", "move comm, g1 / move g4, comm", &[("g4", G1)]);
}

fn pc(all: &mut Examples) {
    all.add(
        "PC",
        "jumpi t / move g1, pc / ...3 / t: doi 2, e / e: move g2, pc / move g3, pc / nop",
        &[("g1", 5), ("g2", 7), ("g3", 8)],
    );
    all.add(
        "PC on the way back",
        "seti n0, 0 / doi 2, e / e: updaddrnp (r0)+n0 / move n0, pc / updaddrnp (r0)+n0 / move g1, n0",
        &[("r0", 2 + 4), ("g1", 4)],
    );
}

/// Returns a loop of 3 iterations over S, E and E + 1, one of which reads a register: r0 is the sum of what it finds, g1 the
/// last.
fn reading(register: &str, at: usize) -> String {
    let read = format!("move n0, {register}");
    let [before, at, behind] = [0, 1, 2].map(|k| if k == at { read.as_str() } else { "nop" });
    format!(
        "seti n0, 0 / doi 3, e / updaddrnp (r0)+n0 / {before} / e: {at} / {behind} / updaddrnp (r0)+n0 / move g1, n0"
    )
}

fn loop_registers(all: &mut Examples) {
    for (name, register, at, sum, last) in [
        ("LC before the end", "lc", 0, 3 + 2 + 1, 1),
        ("LC at the end", "lc", 1, 2 + 1, 0),
        ("LC behind the end", "lc", 2, 2 + 1, 0),
        ("LSP before the end", "lsp", 0, 1 + 1 + 1, 1),
        ("LSP at the end", "lsp", 1, 1 + 1, 0),
        ("LSP behind the end", "lsp", 2, 1 + 1, 0),
    ] {
        all.add(name, &reading(register, at), &[("r0", sum), ("g1", last)]);
    }
    let one = |s: &mut State| s.gpr[1] = 1;
    all.with(
        "LC written at the end",
        one,
        "doi 9, e / updaddr (r0)+1 / e: move lc, g1 / nop",
        &[("r0", 2), ("lsp", 0)],
    );
    all.with(
        "LC written before the end",
        one,
        "doi 9, e / updaddr (r0)+1 / move lc, g1 / e: nop / nop",
        &[("r0", 1), ("lsp", 0)],
    );
    all.with(
        "LC 0 acts as 1",
        |s| s.gpr[1] = 0,
        "doi 9, e / updaddr (r0)+1 / e: move lc, g1 / nop",
        &[("r0", 2), ("lsp", 0)],
    );
    // The outer loop would go round 5 times; the inner one's last iteration leaves it one.
    all.with(
        "the last iteration writes the loop around",
        one,
        "doi 5, o / updaddr (r0)+1 / doi 2, i / nop / i: move lc, g1 / nop / o: nop / nop",
        &[("r0", 1), ("lsp", 0)],
    );
    all.with(
        "so does end + 1",
        one,
        "doi 5, o / updaddr (r0)+1 / doi 1, i / i: nop / move lc, g1 / nop / o: nop / nop",
        &[("r0", 1), ("lsp", 0)],
    );
}

fn slots(all: &mut Examples) {
    all.with(
        "a delay slot is no end",
        |s| s.gpr[1] = 1 << 16 | 3,
        "doi 2, e / nop / e: move la, g1 / updaddrnp (r3)+n3 / updaddrnp (r4)+n4 / nop",
        &[("r3", 2), ("r4", 1), ("lsp", 0)],
    );
}

fn stacks(all: &mut Examples) {
    all.add("LSP behind do", "move g2, lsp / doi 3, e / move g3, lsp / move g4, la / move g5, lc / enddo / move g6, lsp / e: nop / nop",
        &[("g2", 0), ("g3", 1), ("g4", 2 << 16 | 7), ("g5", 3), ("g6", 0)]);
    all.add(
        "PSP behind call",
        "calli s / move g2, psp / jumpi t / nop / s: move g3, psp / ret / move g4, psp / t: nop",
        &[("g2", 1), ("g3", 1), ("g4", 0)],
    );
    let nested = |n: usize, inner: &str| {
        let mut text = String::new();
        (0..n).for_each(|d| text += &format!("doi 1, e{d} / "));
        text += inner;
        (0..n).rev().for_each(|d| text += &format!(" / e{d}: nop"));
        text + " / nop / move g2, status"
    };
    let none = "doi 0, z / updaddr (r0)+1 / z: updaddr (r1)+1 / updaddr (r2)+1 / nop";
    let one = none.replace("doi 0", "doi 1");
    all.add(
        "do with count 0 in 15 loops",
        &nested(15, none),
        &[("g2", 5), ("r0", 0), ("r1", 0), ("lsp", 0)],
    );
    all.add(
        "do with count 1 in 15 loops",
        &nested(15, &one),
        &[("g2", 5 | 1 << 25), ("r0", 1), ("r1", 1)],
    );
    all.add("do with count 1 in 14 loops", &nested(14, &one), &[("g2", 5), ("r0", 1), ("lsp", 0)]);
}

fn angles(all: &mut Examples) {
    let prepare = |s: &mut State| (s.rind, s.rstep) = (8, 3);
    all.with(
        "RIND beside its step",
        prepare,
        "move g3, rind / getcoeff f1 | move g1, rind / move g2, rind",
        &[("g3", 8), ("g1", 11), ("g2", 11), ("f1", 0x3f7f_fffb_3a49_0fd9)],
    );
    all.with(
        "a move to RIND wins over the step",
        prepare,
        "getcoeff f1 | move rind, g4 / move g2, rind",
        &[("g2", 0), ("rind", 0)],
    );
}
