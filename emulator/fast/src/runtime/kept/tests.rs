//! Translations that are kept and read again.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
use super::*;
use crate::runtime::coupled::Translator;
use cp2_emu::trace::NoObserver;
use cp2_emu::{Cp2, Engine, Machine, ReferenceEngine};
use cp2_isa::{Arith, Bundle, CoreNumbers, Exch, WordAddress, encode};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// Store in memory, shared by all engines that have a copy of it.
#[derive(Clone, Debug, Default)]
struct Entries(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

impl Store for Entries {
    fn get(&mut self, key: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get(key).cloned()
    }

    fn put(&mut self, key: &str, entry: &[u8]) {
        self.0.lock().unwrap().insert(key.to_owned(), entry.to_vec());
    }
}

impl Entries {
    fn all(&self) -> BTreeMap<String, Vec<u8>> {
        self.0.lock().unwrap().clone()
    }

    fn engine(&self, native_isa: NativeIsa) -> Translator {
        Translator::with_native(Some(native_isa)).keeping(Box::new(self.clone()))
    }
}

/// Writes a loop without end from bundle `first` on, that goes through local memory in such steps.
fn program(iram: &mut [BundleBits], first: usize, step: i32) {
    let mut bundles = [Bundle::NOP; 4];
    bundles[0].arith.op = Arith::Add;
    bundles[0].arith.values[..3].copy_from_slice(&[1, 1, 2]);
    for (bundle, op) in bundles.iter_mut().zip([Exch::Lwo, Exch::Swo]) {
        bundle.exch.op = op;
        bundle.exch.values[..2].copy_from_slice(&[6, 16 * step]);
    }
    bundles[2].exch.op = Exch::Jumpi;
    bundles[2].exch.values[0] = first as i32;
    iram[first..][..4].copy_from_slice(&bundles.map(|bundle| encode(&bundle)));
}

/// Creates a machine with the loop of [`program`] at bundle 0.
fn machine(core: &Core, step: i32) -> Machine {
    let mut cp2 = Cp2::new(*core);
    program(&mut cp2.state.iram, 0, step);
    cp2.state.fpr[2] = [3; 4];
    Machine::alone(cp2)
}

/// Runs an engine for some cycles, and checks that it does what the reference engine does.
fn run(engine: &mut Translator, machine: &mut Machine, address: u16) {
    let mut reference = machine.clone();
    let engines: [(&mut dyn Engine, &mut Machine); 2] =
        [(engine, machine), (&mut ReferenceEngine, &mut reference)];
    for (engine, machine) in engines {
        machine.start_kernel(BundleAddress(address));
        assert_eq!(engine.advance_kernel(machine, 3000, &mut NoObserver), None);
    }
    assert!(machine.cp2.state == reference.cp2.state);
    assert_eq!(machine.cp2.stats(), reference.cp2.stats());
}

/// Returns the number of blocks that an engine of its own translates for the loop.
fn translations(entries: &Entries, native_isa: NativeIsa, core: &Core, step: i32) -> u64 {
    let mut engine = entries.engine(native_isa);
    run(&mut engine, &mut machine(core, step), 0);
    engine.translations()
}

#[test]
fn nothing_is_translated_twice() {
    let (Some(native_isa), entries) = (NativeIsa::detect(), Entries::default()) else { return };
    assert!(translations(&entries, native_isa, &Core::CP2, 1) > 0);
    let before = entries.all();
    assert_eq!(before.len(), 1);
    assert_eq!(translations(&entries, native_isa, &Core::CP2, 1), 0);
    assert_eq!(entries.all(), before);
    // A block is taken only for registers of which holds what it takes for granted.
    let cycles = [entries.engine(native_isa), Translator::with_native(Some(native_isa))].map(
        |mut engine| {
            let mut other = machine(&Core::CP2, 1);
            other.cp2.state.a[0] = WordAddress(4095);
            run(&mut engine, &mut other, 0);
            engine.translated_cycles()
        },
    );
    assert_eq!(cycles[0], cycles[1]);
}

#[test]
fn what_is_damaged_is_made_anew() {
    let (Some(native_isa), mut entries) = (NativeIsa::detect(), Entries::default()) else { return };
    let made = translations(&entries, native_isa, &Core::CP2, 1);
    let (key, whole) = entries.all().pop_first().unwrap();
    let machine = machine(&Core::CP2, 1);
    let is_taken = |entry: &[u8]| {
        let mut entries = Entries::default();
        entries.put(&key, entry);
        let of = (&Core::CP2, &machine.cp2.state.iram[..]);
        !StoreEntry::open(&mut entries, native_isa, of).records.is_empty()
    };
    assert!(is_taken(&whole));
    for n in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[n] ^= 1 << (n % 8);
        assert!(!is_taken(&damaged), "byte {n} changed");
        assert!(!is_taken(&whole[..n]), "the first {n} bytes");
    }
    let empty: &[u8] = &[];
    for wrong in [empty, &whole[..whole.len() / 2], &[0xff; 100]] {
        entries.put(&key, wrong);
        assert_eq!(translations(&entries, native_isa, &Core::CP2, 1), made);
        assert_eq!(entries.all()[&key], whole);
    }
}

/// Returns an entry that says something else, with the digest that belongs to it.
fn sealed(key: &str, rest: &[u8]) -> Vec<u8> {
    [&digest(key, rest).to_le_bytes()[..], rest].concat()
}

#[test]
fn an_entry_that_says_what_no_engine_says_is_met_without_a_panic() {
    let (Some(native_isa), entries) = (NativeIsa::detect(), Entries::default()) else { return };
    assert!(translations(&entries, native_isa, &Core::CP2, 1) > 0);
    let (key, whole) = entries.all().pop_first().unwrap();
    let machine = machine(&Core::CP2, 1);
    let of = (&Core::CP2, &machine.cp2.state.iram[..]);
    let (head, behind): (Head, _) = postcard::take_from_bytes(&whole[8..]).unwrap();
    let n_read = whole.len() - behind.len() + head.facts;
    let blocks = |entry: &[u8]| {
        let mut entries = Entries::default();
        entries.put(&key, entry);
        let mut kept = StoreEntry::open(&mut entries, native_isa, of);
        let asked: Vec<_> = kept.records.iter().map(|record| record.asked.clone()).collect();
        asked.iter().for_each(|asked| _ = kept.take(asked, &Live::ZERO));
        blocks_kept(&mut entries, native_isa, of)
    };
    assert_eq!(blocks(&whole), Some(head.records.len()));
    let mut refused = 0;
    for n in 8..n_read {
        for wrong in [0, 1, 17, 0x7f, 0x80, 0xff, whole[n].wrapping_add(1)] {
            let mut rest = whole[8..].to_vec();
            rest[n - 8] = wrong;
            refused += usize::from(blocks(&sealed(&key, &rest)).is_none());
        }
    }
    assert!(refused > n_read, "{refused} of {n_read}");
}

#[test]
fn places_out_of_bounds_are_refused_with_the_entry() {
    let (Some(native_isa), entries) = (NativeIsa::detect(), Entries::default()) else { return };
    assert!(translations(&entries, native_isa, &Core::CP2, 1) > 0);
    let (key, whole) = entries.all().pop_first().unwrap();
    let machine = machine(&Core::CP2, 1);
    let of = (&Core::CP2, &machine.cp2.state.iram[..]);
    let changed = |change: &dyn Fn(&mut Head)| {
        let (mut head, behind): (Head, _) = postcard::take_from_bytes(&whole[8..]).unwrap();
        change(&mut head);
        let rest = [&postcard::to_stdvec(&head).unwrap(), behind].concat();
        let mut entries = Entries::default();
        entries.put(&key, &sealed(&key, &rest));
        let is_taken = !StoreEntry::open(&mut entries, native_isa, of).records.is_empty();
        (is_taken, blocks_kept(&mut entries, native_isa, of).is_some())
    };
    fn first(head: &mut Head) -> &mut Made {
        head.records.iter_mut().find_map(|record| record.made.as_mut()).unwrap()
    }
    assert_eq!(changed(&|_| ()), (true, true));
    let wrong: [&dyn Fn(&mut Head); 9] = [
        &|head| first(head).code.end = usize::MAX,
        &|head| first(head).code = Range { start: 5, end: 3 },
        &|head| first(head).entry = usize::MAX,
        &|head| first(head).entry = first(head).code.len(),
        &|head| first(head).facts.end += 1 << 40,
        &|head| first(head).facts = Range { start: 3, end: 1 },
        &|head| head.facts = usize::MAX,
        &|head| head.iram.push(1),
        &|head| {
            let one = head.records[0].asked.clone();
            let one = || Record { asked: one.clone(), made: None, is_taken: false };
            head.records.extend((0..MOST).map(|_| one()));
        },
    ];
    for (number, wrong) in wrong.iter().enumerate() {
        assert_eq!(changed(wrong), (false, false), "{number}");
    }
}

#[test]
fn what_was_made_for_something_else_is_not_taken() {
    let (Some(native_isa), mut entries) = (NativeIsa::detect(), Entries::default()) else { return };
    let numbers = CoreNumbers { load_latency: 9, ..*Core::CP2.numbers() };
    let slow = Core::new(numbers).unwrap();
    let mut others = vec![(native_isa, Core::CP2, 2), (native_isa, slow, 1)];
    if native_isa != NativeIsa::Avx2 {
        others.push((NativeIsa::Avx2, Core::CP2, 1));
    }
    let made = translations(&entries, native_isa, &Core::CP2, 1);
    let (_, entry) = entries.all().pop_first().unwrap();
    for (native_isa, core, step) in others {
        let alone = Entries::default();
        let fresh = translations(&alone, native_isa, &core, step);
        assert_eq!(translations(&entries, native_isa, &core, step), fresh);
        assert!(fresh > 0 && made > 0);
        // The entry is not taken even under the key that would be right.
        let (key, _) = alone.all().pop_first().unwrap();
        entries.put(&key, &entry);
        assert_eq!(translations(&entries, native_isa, &core, step), fresh);
    }
}

#[test]
fn blocks_belong_to_the_words_that_they_were_made_from() {
    let (Some(native_isa), entries) = (NativeIsa::detect(), Entries::default()) else { return };
    let elsewhere = 4 * LONGEST;
    // A second program is written elsewhere when the first one has run.
    let both = |step| {
        let (mut engine, mut machine) = (entries.engine(native_isa), machine(&Core::CP2, 1));
        run(&mut engine, &mut machine, 0);
        program(&mut machine.cp2.state.iram, elsewhere, step);
        run(&mut engine, &mut machine, elsewhere as u16);
        engine.translations()
    };
    let first = translations(&entries, native_isa, &Core::CP2, 1);
    let second = both(2);
    assert!(first > 0 && second > 0);
    assert_eq!(both(2), 0);
    assert!(both(5) > 0);
    assert_eq!(translations(&entries, native_isa, &Core::CP2, 1), 0);
}

#[test]
fn what_an_engine_forgets_is_kept() {
    let (Some(native_isa), entries) = (NativeIsa::detect(), Entries::default()) else { return };
    let mut engine = entries.engine(native_isa);
    let mut all = || {
        (1..=20).for_each(|step| run(&mut engine, &mut machine(&Core::CP2, step), 0));
        engine.translations()
    };
    let made = all();
    assert!(made >= 20);
    assert_eq!(all(), made);
}

#[test]
fn an_engine_beside_another_takes_what_that_one_has_translated() {
    if NativeIsa::detect().is_none() {
        return;
    }
    let core = Core::default();
    let mut first = Translator::default();
    run(&mut first, &mut machine(&core, 1), 0);
    assert!(first.translations() > 0);
    let mut second = first.beside();
    run(&mut second, &mut machine(&core, 1), 0);
    assert_eq!(second.translations(), 0);
    // Other words at the same place, and other sizes of the machine, are other blocks.
    run(&mut second, &mut machine(&core, 3), 0);
    let of_other_words = second.translations();
    assert!(of_other_words > 0);
    let fewer = CoreNumbers {
        local_memory_words: core.numbers().local_memory_words / 2,
        ..*core.numbers()
    };
    run(&mut second, &mut machine(&Core::new(fewer).unwrap(), 1), 0);
    assert!(second.translations() > of_other_words);
    // The first one finds what the second has made, and a third one everything.
    let before = first.translations();
    run(&mut first, &mut machine(&core, 3), 0);
    assert_eq!(first.translations(), before);
    let mut third = second.beside();
    for step in [3, 1] {
        run(&mut third, &mut machine(&core, step), 0);
    }
    assert_eq!(third.translations(), 0);
}
