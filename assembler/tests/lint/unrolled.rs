//! A program with loops and calls has the hazards of the same program written out, neither more nor
//! fewer: every path that is walked can be taken, and every path that can be taken is walked.

use crate::kit::*;
use cp2_isa::{Arith, Bundle};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A piece of a program.
#[derive(Clone, Debug)]
enum Piece {
    Bundle(Bundle),
    Loop(i32, Vec<Piece>),
    /// Call of one of the procedures, with its delay slot.
    Call(usize, Bundle),
}

/// A program in its form with loops and calls.
#[derive(Default)]
struct Compact {
    bundles: Vec<Bundle>,
    /// Calls whose target is not known yet: address, procedure.
    calls: Vec<(usize, usize)>,
}

impl Compact {
    fn add(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            match piece {
                Piece::Bundle(bundle) => self.bundles.push(*bundle),
                Piece::Loop(count, body) => {
                    let at = self.bundles.len();
                    self.bundles.push(Bundle::NOP);
                    self.add(body);
                    self.bundles[at] = doi(*count, self.bundles.len() as i32 - 2)[0];
                }
                Piece::Call(procedure, slot) => {
                    self.calls.push((self.bundles.len(), *procedure));
                    self.bundles.extend([Bundle::NOP, *slot]);
                }
            }
        }
    }

    fn new(main: &[Piece], procedures: &[Vec<Piece>]) -> Self {
        let mut compact = Self::default();
        compact.add(main);
        compact.bundles.extend(stop());
        let mut starts = Vec::new();
        for procedure in procedures {
            starts.push(compact.bundles.len());
            compact.add(procedure);
            compact.bundles.extend([ret(), nops(1)].concat());
        }
        for (at, procedure) in std::mem::take(&mut compact.calls) {
            compact.bundles[at] = calli(starts[procedure] as i32)[0];
        }
        compact
    }
}

/// Program without control operations: the bundles in the order in which they issue, each with its compact address.
struct Written<'a> {
    procedures: &'a [Vec<Piece>],
    starts: Vec<usize>,
    bundles: Vec<(Bundle, usize)>,
}

fn size(pieces: &[Piece]) -> usize {
    let one = |piece: &Piece| match piece {
        Piece::Bundle(_) => 1,
        Piece::Loop(_, body) => 1 + size(body),
        Piece::Call(..) => 2,
    };
    pieces.iter().map(one).sum()
}

impl<'a> Written<'a> {
    fn new(main: &[Piece], procedures: &'a [Vec<Piece>]) -> Self {
        let mut start = size(main) + 1;
        let mut starts = Vec::new();
        for procedure in procedures {
            starts.push(start);
            start += size(procedure) + 2;
        }
        let mut written = Self { procedures, starts, bundles: Vec::new() };
        written.add(main, 0);
        written.bundles.push((stop()[0], size(main)));
        written
    }

    fn add(&mut self, pieces: &[Piece], mut at: usize) {
        for piece in pieces {
            match piece {
                Piece::Bundle(bundle) => self.bundles.push((*bundle, at)),
                Piece::Loop(count, body) => {
                    self.bundles.push((Bundle::NOP, at));
                    (0..*count).for_each(|_| self.add(body, at + 1));
                }
                Piece::Call(procedure, slot) => {
                    self.bundles.extend([(Bundle::NOP, at), (*slot, at + 1)]);
                    let (procedures, start) = (self.procedures, self.starts[*procedure]);
                    let body = &procedures[*procedure];
                    self.add(body, start);
                    let end = start + size(body);
                    self.bundles.extend([(Bundle::NOP, end), (Bundle::NOP, end + 1)]);
                }
            }
            at += size(std::slice::from_ref(piece));
        }
    }
}

/// Returns the worst lack of each hazard by code and place.
fn hazards(
    bundles: &[Bundle],
    place: impl Fn(u16) -> usize,
) -> BTreeMap<(&'static str, usize), u32> {
    let mut worst = BTreeMap::new();
    for finding in findings(&image(&[bundles.to_vec()])) {
        if let Some(distances) = finding.distances {
            let lack = worst.entry((finding.code, place(finding.address.0))).or_insert(0);
            *lack = (*lack).max(distances.needed - distances.found);
        }
    }
    worst
}

fn plain() -> impl Strategy<Value = Bundle> {
    let f = || 0..8i32;
    prop_oneof![
        6 => Just(Bundle::NOP),
        2 => (f(), f()).prop_map(|(d, s)| add(d, s)[0]),
        2 => f().prop_map(|d| load(d)[0]),
        1 => f().prop_map(|s| store(s)[0]),
        1 => (f(), f(), f()).prop_map(|(d, s, l)| both(&add(d, s), &load(l))[0]),
        1 => (1..3i32, f()).prop_map(|(cc, s)| arith(Arith::C, &[2, 0, cc, s, s])[0]),
        1 => (1..3u8, f(), f()).prop_map(|(cc, d, s)| when(cc, &add(d, s))[0]),
    ]
}

fn piece(with_calls: bool) -> impl Strategy<Value = Piece> {
    let leaf = prop_oneof![
        16 => plain().prop_map(Piece::Bundle),
        1 => Just(Piece::Bundle(sync()[0])),
    ];
    let call = (0..2usize, plain()).prop_map(|(procedure, slot)| Piece::Call(procedure, slot));
    let leaf = prop_oneof![
        8 => leaf,
        u32::from(with_calls) => call,
    ];
    leaf.prop_recursive(3, 40, 6, |inner| {
        let tail = (plain(), plain()).prop_map(|(a, b)| [a, b].map(Piece::Bundle));
        (1..4i32, proptest::collection::vec(inner, 0..5), tail)
            .prop_map(|(count, body, tail)| Piece::Loop(count, [body, tail.to_vec()].concat()))
    })
}

fn pieces(with_calls: bool) -> impl Strategy<Value = Vec<Piece>> {
    proptest::collection::vec(piece(with_calls), 1..10)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn loops_and_calls_have_the_hazards_of_the_written_out_program(
        main in pieces(true),
        one in pieces(false),
        other in pieces(false),
    ) {
        // Both procedures are called, so that what is in them happens.
        let calls = [0, 1].map(|k| Piece::Call(k, Bundle::NOP));
        let main = [main, calls.to_vec()].concat();
        let procedures = [one, other];
        let compact = Compact::new(&main, &procedures);
        let written = Written::new(&main, &procedures);
        prop_assume!(written.bundles.len() < 8192);
        let unrolled: Vec<Bundle> = written.bundles.iter().map(|(bundle, _)| *bundle).collect();
        prop_assert_eq!(
            hazards(&compact.bundles, usize::from),
            hazards(&unrolled, |address| written.bundles[usize::from(address)].1)
        );
    }
}
