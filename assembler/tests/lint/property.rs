//! Straight code without C0501, C0502, C0503 means the same with real latencies as if every result
//! were there at once. Values are symbols: a result is a hash of the operation and its inputs.

use crate::kit::*;
use cp2_isa::{Arith, Bundle, Core, Exch, Inst, Latencies, Resource, Row, Slot, Unit};
use cp2_lint::Distances;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Cell of the model: a register half, a condition code or a general register.
type Cell = (u8, u8);
type State = BTreeMap<Cell, u64>;

fn hash(parts: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}

fn cells(resource: Resource) -> Vec<Cell> {
    match resource {
        Resource::Fpr(n, halves) => halves.iter().map(|half| (half.bits(), n)).collect(),
        Resource::Fccr(n) => vec![(3, n)],
        Resource::Gpr(n) => vec![(4, n)],
        _ => Vec::new(),
    }
}

/// A write that has not landed.
struct Flying {
    lands: u32,
    issued: u32,
    slot: Slot,
    cell: Cell,
    value: u64,
    /// The predicate's value: it chooses between the new and the present value.
    predicate: Option<u64>,
    from_load: bool,
}

/// Executes bundles on symbols.
struct Model {
    latencies: Option<Latencies>,
    state: State,
    flying: Vec<Flying>,
}

impl Model {
    fn new(latencies: Option<Latencies>) -> Self {
        Self { latencies, state: State::new(), flying: Vec::new() }
    }

    fn get(&self, cell: Cell, cycle: u32, unit: Unit) -> u64 {
        // The bypass of loads to permutations: one cycle before they land for the others.
        let bypassed = self.flying.iter().filter(|flying| {
            unit == Unit::Permute
                && flying.from_load
                && flying.cell == cell
                && flying.lands <= cycle + 1
        });
        let landed = || self.state.get(&cell).copied().unwrap_or_else(|| hash(("start", cell)));
        bypassed.map(|flying| flying.value).next_back().unwrap_or_else(landed)
    }

    /// Lands everything up to a cycle, in the order of landing; of one cycle loads first, then in the
    /// order of issue.
    fn land(&mut self, cycle: u32) {
        self.flying.sort_by_key(|f| (f.lands, !f.from_load, f.issued, f.slot));
        while self.flying.first().is_some_and(|flying| flying.lands <= cycle) {
            let flying = self.flying.remove(0);
            let old = self.get(flying.cell, 0, Unit::Nop);
            let value = match flying.predicate {
                Some(predicate) => hash(("select", predicate, flying.value, old)),
                None => flying.value,
            };
            self.state.insert(flying.cell, value);
        }
    }

    fn latency(&self, unit: Unit, resource: Resource) -> u32 {
        self.latencies.map_or(1, |latencies| latencies.distance(unit, resource, Unit::Arithmetic))
    }

    fn issue(&mut self, cycle: u32, bundle: &Bundle) {
        self.land(cycle);
        let mut new = Vec::new();
        for slot in [Slot::Arithmetic, Slot::Exchange] {
            self.operation(cycle, bundle, slot, &mut new);
        }
        self.flying.extend(new);
    }

    fn operation(&self, cycle: u32, bundle: &Bundle, slot: Slot, new: &mut Vec<Flying>) {
        let (row, values): (&Row, _) = match slot {
            Slot::Arithmetic => (bundle.arith.op.row(), bundle.arith.values),
            Slot::Exchange => (bundle.exch.op.row(), bundle.exch.values),
        };
        let mut accesses = Vec::new();
        let mut visit = |access| accesses.push(access);
        match slot {
            Slot::Arithmetic => bundle.arith.footprint(bundle.cc, &mut visit),
            Slot::Exchange => bundle.exch.footprint(bundle.cc, &mut visit),
        }
        let obeys = row.effects.contains(cp2_isa::Effects::PREDICATED) && bundle.cc != 0;
        let predicate = obeys.then(|| self.get((3, bundle.cc), cycle, row.unit));
        let inputs: Vec<u64> = accesses
            .iter()
            .filter_map(|access| access.used())
            .flat_map(cells)
            .map(|cell| self.get(cell, cycle, row.unit))
            .collect();
        let result = hash((row.name, values, inputs));
        for access in accesses.iter().filter(|access| access.changed().is_some()) {
            let lands = cycle + self.latency(access.unit, access.resource);
            for cell in cells(access.resource) {
                let value = hash((result, cell));
                let from_load = row.unit == Unit::Load && self.latencies.is_some();
                let flying =
                    Flying { lands, issued: cycle, slot, cell, value, predicate, from_load };
                new.push(flying);
            }
        }
    }

    fn run(mut self, program: &[Bundle]) -> State {
        for (cycle, bundle) in program.iter().enumerate() {
            self.issue(cycle as u32, bundle);
        }
        self.land(u32::MAX);
        self.state
    }
}

const FPRS: i32 = 6;

fn register() -> impl Strategy<Value = i32> {
    0..FPRS
}

fn arithmetic() -> impl Strategy<Value = Inst<Arith>> {
    let r = register;
    let inst = |op| move |operands: Vec<i32>| Inst::new(op, &operands);
    let regs = |n: usize| proptest::collection::vec(register(), n);
    prop_oneof![
        4 => Just(Bundle::NOP.arith),
        3 => regs(3).prop_map(inst(Arith::Psadd)),
        1 => regs(3).prop_map(inst(Arith::Psmadd)),
        1 => regs(2).prop_map(inst(Arith::Copy)),
        1 => (r(), 0..4).prop_map(|(d, imm)| Inst::new(Arith::Li1, &[d, imm])),
        1 => (0..2 * FPRS, 0..2 * FPRS).prop_map(|(d, s)| Inst::new(Arith::Recip, &[d, s])),
        1 => (0..4, 0..2, 1..4, r(), r())
            .prop_map(|(cond, fmt, cc, s, t)| Inst::new(Arith::C, &[cond, fmt * 2, cc, s, t])),
        1 => r().prop_map(|d| Inst::new(Arith::Mfc, &[d, 1])),
        1 => r().prop_map(|s| Inst::new(Arith::Mtc, &[s, 1])),
        1 => (r(), 0..FPRS - 1).prop_map(|(s, d)| Inst::new(Arith::Psaddsub, &[d, s, s, d + 1])),
    ]
}

fn exchange() -> impl Strategy<Value = Inst<Exch>> {
    let pair = 0..FPRS - 1;
    prop_oneof![
        4 => Just(Bundle::NOP.exch),
        3 => (register(), 0..9).prop_map(|(f, word)| Inst::new(Exch::Lwi, &[f, word])),
        1 => (pair.clone(), 0..4).prop_map(|(f, word)| Inst::new(Exch::Ldi, &[f, 2 * word])),
        1 => (pair.clone(), pair).prop_map(|(d, s)| Inst::new(Exch::Psprmsgn0, &[d, s, 0, 1, 2, 7])),
        1 => (register(), 0..3).prop_map(|(f, g)| Inst::new(Exch::Mtfpr, &[f, g, 4])),
        1 => (0..3, register()).prop_map(|(g, f)| Inst::new(Exch::Mffpr, &[g, f, 0])),
    ]
}

/// Returns bundles with random gaps, so that a fair share has no hazard.
fn program() -> impl Strategy<Value = Vec<Bundle>> {
    let bundle = (0u8..4, arithmetic(), exchange(), 0usize..9);
    proptest::collection::vec(bundle, 1..14).prop_map(|bundles| {
        let mut program = Vec::new();
        for (cc, arith, exch, gap) in bundles {
            program.push(Bundle { cc: if cc == 3 { 1 } else { 0 }, arith, exch });
            program.extend(nops(gap));
        }
        program
    })
}

fn hazards(program: &[Bundle]) -> Vec<&'static str> {
    let found = findings(&image(&[program.to_vec(), stop()]));
    found.iter().map(|f| f.code).filter(|code| *code <= "C0503").collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn no_hazard_means_no_difference(program in program()) {
        if hazards(&program).is_empty() {
            let at_once = Model::new(None).run(&program);
            let real = Model::new(Some(*Core::CP2.latencies())).run(&program);
            prop_assert_eq!(at_once, real);
        }
    }

    /// Doing what the help says, one finding after the other, ends all hazards and gives the
    /// meaning that the program has when every result is there at once.
    #[test]
    fn the_distances_are_the_cure(mut program in program()) {
        let at_once = Model::new(None).run(&program);
        for _ in 0..200 {
            let found = findings(&image(&[program.clone(), stop()]));
            let Some(first) = found.iter().find(|f| f.code <= "C0503") else {
                let real = Model::new(Some(*Core::CP2.latencies())).run(&program);
                prop_assert_eq!(at_once, real);
                return Ok(());
            };
            let Distances { found, needed } = first.distances.unwrap();
            if found == 0 {
                // The halves of one bundle cannot be moved apart.
                return Ok(());
            }
            let at = first.address.index();
            program.splice(at..at, nops((needed - found) as usize));
        }
        prop_assert!(false, "still hazards: {program:?}");
    }
}

/// Both sides of the property occur often enough to mean something.
#[test]
fn the_random_programs_are_of_both_kinds() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let clean = (0..400)
        .filter(|_| hazards(&program().new_tree(&mut runner).unwrap().current()).is_empty())
        .count();
    assert!((80..320).contains(&clean), "{clean} of 400 without hazard");
}

/// The model is what the tests above rest on: a value arrives when the table says so.
#[test]
fn the_model_knows_the_latencies() {
    let differs = |parts: &[Part]| {
        let program: Vec<Bundle> = parts.concat();
        Model::new(None).run(&program) != Model::new(Some(*Core::CP2.latencies())).run(&program)
    };
    let permute = exch(Exch::Psprmsgn0, &[4, 1, 0, 1, 0, 1]);
    assert!(differs(&[add(1, 2), nops(6), add(3, 1)]));
    assert!(!differs(&[add(1, 2), nops(7), add(3, 1)]));
    assert!(differs(&[load(1), permute.clone()]));
    assert!(!differs(&[load(1), nops(1), permute]));
    assert!(differs(&[add(1, 2), load(1)]));
    // Landing together, the sum stays; a word put there by `mtfpr` replaces it.
    assert!(differs(&[add(1, 2), nops(4), load(1)]));
    assert!(!differs(&[add(1, 2), nops(4), exch(Exch::Mtfpr, &[1, 1, 4])]));
    assert!(!differs(&[add(1, 2), nops(5), load(1)]));
}
