//! Transfers of random parts, done by the emulated channel, held against the layout of the arrays as a run of CP2 alone
//! has it, and against the elements of the array in system memory.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use super::kernels::Kernels;
use super::plan::Plan;
use super::run::place_arrays;
use super::{
    ArrayPart, Edge, LocalArray, PagedCall, PagedPass, PagedProcedure, PlannedPage, SystemArray,
};
use crate::host::Host;
use crate::host::pages::{self, Page};
use cp2_asm::interface::{ElementType, Layout, Spread};
use cp2_emu::MachineConfig;
use cp2_isa::{BundleAddress, SECTIONS};
use cp2_session::arrays::{PlacedArray, kind_of};
use cp2_session::error::KernelError;
use cp2_session::npy::Array;
use cp2_session::random::split_mix_64;
use cp2_session::{Environment, Program};
use std::ops::Range;

/// A random number from `low` to `high`, both included.
fn pick(state: &mut u64, low: usize, high: usize) -> usize {
    low + (split_mix_64(state) % (high - low + 1) as u64) as usize
}

/// A case: an array, the part of it that a page has, and how the kernel takes it.
struct Case {
    element: ElementType,
    layout: Layout,
    shape: Vec<usize>,
    edge: Option<Edge>,
    part: ArrayPart,
    fixed: bool,
}

/// Returns a random range of an axis whose begin and length are multiples of `unit`, as far as the axis is long enough.
fn range(state: &mut u64, size: usize, unit: usize, edge: bool) -> Range<i64> {
    let beyond = if edge { size.min(8) / unit } else { 0 };
    // Some parts end within a beat.
    let length = match pick(state, 0, 3) {
        0 => pick(state, 1, size),
        _ => pick(state, 1, (size / unit).max(1)) * unit,
    };
    let (least, most) = (-((beyond * unit) as i64), (size + beyond * unit) as i64 - length as i64);
    let steps = ((most - least) / unit as i64).max(0) as usize;
    let begin = least + (pick(state, 0, steps) * unit) as i64;
    begin..begin + length as i64
}

/// Returns a random case; with `by_words` ranges begin and end anywhere.
fn case(state: &mut u64, by_words: bool) -> Case {
    let element = ElementType::ALL[pick(state, 0, ElementType::ALL.len() - 1)];
    let unit = match by_words {
        true => 1,
        false if element.is_half() => 4,
        false => 2,
    };
    let spreads = match by_words {
        true => ["all", "s0", "s2", "blocks", "interleaved", "interleaved/2", "interleaved/3"],
        false => ["all", "s0", "s2", "blocks", "interleaved/4", "interleaved/8", "interleaved/16"],
    };
    let spread = Spread::from_name(spreads[pick(state, 0, spreads.len() - 1)]).unwrap();
    let axes = pick(state, 1, 3);
    let mut shape: Vec<usize> = (0..axes).map(|_| pick(state, 1, 9)).collect();
    shape[axes - 1] = pick(state, 1, 12) * unit + if axes == 1 { 0 } else { pick(state, 0, 1) };
    let edge = [None, Some(Edge::Zero), Some(Edge::Wrap), Some(Edge::Nearest)];
    let edge = edge[pick(state, 0, 3)];
    let ranges = |state: &mut u64| -> Vec<Range<i64>> {
        let sizes = shape.iter().enumerate();
        sizes
            .map(|(axis, &size)| {
                let unit = if axis + 1 == axes { unit } else { 1 };
                range(state, size, unit, edge.is_some())
            })
            .collect()
    };
    let first = ranges(state);
    let part = if spread == Spread::Blocks && pick(state, 0, 1) == 0 {
        // Boxes of one size, at places of their own or at equal distances along the first axis.
        let is_even = pick(state, 0, 1) == 0;
        let boxes = (0..SECTIONS as i64).map(|section| {
            let other = if is_even { first.clone() } else { ranges(state) };
            let moved = other.iter().zip(&first).enumerate().map(|(axis, (other, first))| {
                let begin = if is_even && axis == 0 { first.start - section } else { other.start };
                begin..begin + (first.end - first.start)
            });
            moved.collect()
        });
        ArrayPart { boxes: boxes.collect() }
    } else {
        ArrayPart { boxes: vec![first] }
    };
    let layout = Layout { spread, ..Layout::default() };
    Case { element, layout, shape, edge, part, fixed: pick(state, 0, 3) == 0 }
}

impl Case {
    /// Returns the shape in which the kernel declares the array.
    fn declared(&self) -> Vec<usize> {
        let sizes = self.part.sizes();
        if self.part.is_by_section() {
            [SECTIONS].into_iter().chain(sizes).collect()
        } else {
            sizes.collect()
        }
    }

    /// Returns the program, whose kernel does nothing.
    fn program(&self, direction: &str) -> Program {
        let sizes: Vec<String> = self.declared().iter().map(usize::to_string).collect();
        let at = if self.fixed { "512" } else { "g0" };
        let text = format!(
            "        .kernel k\n        .array x, {direction}, {}, {}, layout={}, at={at}\n        stopi 0\n",
            self.element.name(),
            sizes.join(", "),
            self.layout.spread
        );
        let environment = Environment::new();
        let core = cp2_isa::Core::CP2;
        Program::from_source(&environment, &core, "k.s", &text)
            .unwrap_or_else(|e| panic!("{e}\n{text}"))
    }

    fn procedure(&self, values: Option<Array>) -> PagedProcedure {
        let array = SystemArray {
            name: "x".to_owned(),
            element: self.element,
            shape: self.shape.clone(),
            values,
            edge: self.edge,
            is_wanted: false,
        };
        let call = PagedCall {
            entry: BundleAddress(0),
            arguments: Vec::new(),
            arrays: vec![("x".to_owned(), 0)],
            is_inverse: false,
        };
        let page = PlannedPage { parts: vec![(0, self.part.clone())], ..PlannedPage::default() };
        let pass = PagedPass {
            name: "pass".to_owned(),
            pages: vec![page],
            calls: vec![call],
            buffers: None,
            turns_between: false,
        };
        let locals = vec![LocalArray { name: "x".to_owned(), array: Some(0) }];
        PagedProcedure { arrays: vec![array], locals, passes: vec![pass] }
    }

    /// Returns the index of the element of the array at a place, which may lie beyond an edge; `None` for a zero.
    fn element_at(&self, index: &[i64]) -> Option<usize> {
        let mut place = 0;
        for (&i, &size) in index.iter().zip(&self.shape) {
            let n = size as i64;
            let within = match self.edge {
                Some(Edge::Wrap) => i.rem_euclid(n),
                Some(Edge::Nearest) => i.clamp(0, n - 1),
                _ if (0..n).contains(&i) => i,
                _ => return None,
            };
            place = place * size + within as usize;
        }
        Some(place)
    }

    /// Returns the places in the array of all elements of the part, in the order of the kernel's array.
    fn places(&self) -> Vec<Option<usize>> {
        let mut all = Vec::new();
        for ranges in &self.part.boxes {
            let mut indices: Vec<Vec<i64>> = vec![Vec::new()];
            for range in ranges {
                let longer = |index: &Vec<i64>| {
                    range.clone().map(|i| [&index[..], &[i]].concat()).collect::<Vec<_>>()
                };
                indices = indices.iter().flat_map(longer).collect();
            }
            all.extend(indices.iter().map(|index| self.element_at(index)));
        }
        all
    }

    /// Returns the array as the kernel has it, at its first word.
    fn placed(&self, base: usize) -> PlacedArray {
        PlacedArray { element: self.element, layout: self.layout, base, shape: self.declared() }
    }
}

fn random_array(state: &mut u64, element: ElementType, shape: &[usize]) -> Array {
    let count = shape.iter().product();
    let mask = if element.is_half() { u64::from(u32::MAX) } else { u64::MAX };
    let bits = (0..count).map(|_| u128::from(split_mix_64(state) & mask | 1)).collect::<Vec<_>>();
    Array::from_bits(kind_of(element), shape.to_vec(), bits.into_iter())
}

/// Makes the host, the page and the first word of the array for a case.
fn made(
    case: &Case,
    direction: &str,
    values: Option<Array>,
    by_words: bool,
) -> Result<(Host, Page, usize, super::system::PlacedSystemArray, PagedProcedure), KernelError> {
    let program = case.program(direction);
    let procedure = case.procedure(values);
    let mut config = MachineConfig::preset("vm7").unwrap();
    if by_words {
        config.enable("dma-words").unwrap();
    }
    let mut kernels = Kernels::new(&procedure, &program)?;
    let plan = Plan::new(&procedure, &mut kernels, program.image(), config.core())?;
    let mut host = Host::new(config, &Environment::new().execution(*program.core()));
    let placed = place_arrays(&mut host, &procedure, &kernels, &plan)?;
    let page = plan.pages(&kernels, &placed)?.remove(0).remove(0);
    let base = plan.rooms[0].words.start;
    let placed = placed[0].clone();
    Ok((host, page, base, placed, procedure))
}

/// Whether an error says that the channel cannot do it, which is no fault of the case.
fn is_refusal(error: &KernelError) -> bool {
    let text = error.to_string();
    ["beats", "four equal blocks", "cannot store", "stored twice", "beyond the array"]
        .iter()
        .any(|reason| text.contains(reason))
}

/// Loads random parts; returns how many could be.
fn load_parts(by_words: bool) -> usize {
    let (mut state, mut done) = (1, 0);
    for number in 0..3000 {
        let case = case(&mut state, by_words);
        let values = random_array(&mut state, case.element, &case.shape);
        let (mut host, page, base, ..) = match made(&case, "in", Some(values.clone()), by_words) {
            Ok(made) => made,
            Err(error) => {
                assert!(is_refusal(&error), "case {number}: {error}");
                continue;
            }
        };
        let load = Page { commands: Vec::new(), ..page };
        pages::run(&mut host, &[load], &mut |_| {}).unwrap();
        let found = &host.machine().cp2.state.lmem;
        let bits = case.places().into_iter().map(|place| place.map_or(0, |k| values.bits(k)));
        let part = Array::from_bits(values.kind, case.declared(), bits);
        let placed = case.placed(base);
        let mut expected = vec![[0; SECTIONS]; found.len()];
        placed.write(&mut expected, &part);
        // The part of a word behind the last element is nobody's, and so is the word behind an odd number of words that
        // the program has not fixed.
        let words = placed.range();
        for (word, (a, b)) in found.iter().zip(&expected).enumerate() {
            let is_last = word + 1 == words.end && case.element.is_half();
            let is_behind = word == words.end && word % 2 == 1 && !case.fixed;
            let mask = if is_last { 0xffff_ffff << 32 } else { u64::MAX };
            let of = |quad: &[u64; SECTIONS]| quad.map(|word| word & mask);
            assert!(is_behind || of(a) == of(b), "case {number}, word {word}: {a:x?} {b:x?}");
        }
        done += 1;
    }
    done
}

#[test]
fn parts_are_loaded_as_the_kernel_declares_them_and_nothing_else_is_changed() {
    let done = load_parts(false);
    assert!(done > 1000, "{done} cases");
}

#[test]
fn parts_of_any_words_are_loaded_with_the_extension() {
    let done = load_parts(true);
    assert!(done > 1000, "{done} cases");
}

/// Stores random parts; returns how many could be.
fn store_parts(by_words: bool) -> usize {
    let (mut state, mut done) = (2, 0);
    for number in 0..3000 {
        let case = Case { edge: None, ..case(&mut state, by_words) };
        let before = random_array(&mut state, case.element, &case.shape);
        let made = made(&case, "out", Some(before.clone()), by_words);
        let (mut host, page, base, system, procedure) = match made {
            Ok(made) => made,
            Err(error) => {
                assert!(is_refusal(&error), "case {number}: {error}");
                continue;
            }
        };
        let placed = case.placed(base);
        let results = random_array(&mut state, case.element, &case.declared());
        let mut quads = vec![[7; SECTIONS]; host.machine().cp2.state.lmem.len()];
        placed.write(&mut quads, &results);
        for section in 0..SECTIONS {
            let words: Vec<u64> = quads.iter().map(|quad| quad[section]).collect();
            host.write_local(section, words);
        }
        let store = Page { load: Vec::new(), commands: Vec::new(), ..page };
        pages::run(&mut host, &[store], &mut |_| {}).unwrap();
        let mut expected: Vec<u128> = (0..before.len()).map(|k| before.bits(k)).collect();
        for (k, place) in case.places().into_iter().enumerate() {
            expected[place.unwrap()] = results.bits(k);
        }
        let found = system.read(&host, &procedure.arrays[0]).unwrap();
        let expected = Array::from_bits(before.kind, case.shape.clone(), expected.into_iter());
        assert_eq!(found, expected, "case {number}");
        done += 1;
    }
    done
}

#[test]
fn parts_are_stored_where_they_belong_and_nothing_else_is_changed() {
    let done = store_parts(false);
    assert!(done > 300, "{done} cases");
}

#[test]
fn parts_of_any_words_are_stored_with_the_extension() {
    let done = store_parts(true);
    assert!(done > 300, "{done} cases");
}
