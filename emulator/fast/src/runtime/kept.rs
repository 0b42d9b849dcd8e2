//! Translations kept from process to process. What was made from the contents of an instruction memory, for a core and a
//! host, is one entry of a store that the caller gives. It is read when the first of these blocks is asked for, and
//! a block is taken from it where else one would be translated; so blocks and their order are those of an engine without a
//! store. An entry is written by an engine that made what is not in it, when that forgets its blocks.

use crate::abi::context::Live;
use crate::analysis::contract::Contract;
use crate::analysis::speculation::Speculation;
use crate::back_end::code::{Code, Executable};
use crate::back_end::encoding::Host;
use crate::front_end::environment::Environment;
use crate::front_end::region::{Extent, LONGEST, Place};
use crate::front_end::shape::Shape;
use crate::known::Known;
use crate::lowering::translation::Facts;
use crate::runtime::executor::can_be_kept;
use cp2_isa::{BundleAddress, BundleBits, Core};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::hash::Hasher as _;
use std::ops::Range;
use twox_hash::XxHash64;

/// Where translations are kept from process to process. What it gives is run as machine code, so it gives nothing but what
/// this build of the program has put under the key, and nobody else can write there.
pub trait Store: fmt::Debug + Send {
    /// What was put under a key, or nothing.
    fn get(&mut self, key: &str) -> Option<Vec<u8>>;
    /// Keeps an entry under a key; it may be forgotten at any time.
    fn put(&mut self, key: &str, entry: &[u8]);
}

/// Blocks of an entry.
const MOST: usize = 2000;

/// Bytes of machine code of an entry, and about as many of what has to be known of it.
const MOST_BYTES: usize = 8 << 20;

/// Distance of places at which blocks stand in memory: a line of the host's cache.
const LINE: usize = 64;

/// What a translation depends on besides core, host and bundles. Registers are not part of it: a block tells what it
/// takes for granted of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Asked {
    pub(crate) place: Place,
    pub(crate) shape: Shape,
    pub(crate) environment: Environment,
    pub(crate) extent: Extent,
    /// Bundles that it may have.
    pub(crate) most: usize,
    pub(crate) speculation: Speculation,
}

/// What translating gives.
pub(crate) struct Translated {
    pub(crate) facts: Facts,
    pub(crate) code: Code,
}

/// What was asked for, and where it stands; nowhere if the first bundle has to be left to the portable engine.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    asked: Asked,
    made: Option<Made>,
    /// It is one of the engine's blocks.
    #[serde(skip)]
    is_taken: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct Made {
    /// Its contract and facts, among those of all.
    facts: Range<usize>,
    /// Its machine code, among that of all, and how far behind the beginning the first instruction stands.
    code: Range<usize>,
    entry: usize,
}

/// Number of a block of the engine.
type Number = u32;

/// What an entry begins with, behind its digest.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Head {
    /// All instruction memory up to the last word that is not 0.
    iram: Vec<BundleBits>,
    #[serde(deserialize_with = "some_records")]
    records: Vec<Record>,
    /// Bytes of contracts and facts.
    facts: usize,
}

impl Head {
    /// Whether all blocks stand within the bytes behind it, of which so many are code.
    fn is_sound(&self, code: usize) -> bool {
        let is_within = |part: &Range<usize>, all| part.start <= part.end && part.end <= all;
        let is_there = |Made { facts, code: part, entry }: &Made| {
            is_within(facts, self.facts) && is_within(part, code) && *entry < part.len()
        };
        self.records.iter().filter_map(|record| record.made.as_ref()).all(is_there)
    }
}

/// At most so many records, however many there are said to be: one takes far fewer bytes in an entry than in memory.
fn some_records<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Record>, D::Error> {
    struct Records;
    impl<'de> Visitor<'de> for Records {
        type Value = Vec<Record>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{MOST} blocks at most")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut records: A) -> Result<Self::Value, A::Error> {
            let mut all = Vec::new();
            while let Some(record) = records.next_element()? {
                if all.len() == MOST {
                    return Err(A::Error::custom(format_args!("more than {MOST} blocks")));
                }
                all.push(record);
            }
            Ok(all)
        }
    }
    from.deserialize_seq(Records)
}

/// An entry at work.
#[derive(Debug)]
pub(crate) struct Kept {
    key: String,
    host: Host,
    core: Core,
    /// The instruction memory that its blocks were made from.
    iram: Vec<BundleBits>,
    records: Vec<Record>,
    by_place: Known<BundleAddress, Vec<usize>>,
    facts: Vec<u8>,
    memory: Option<Executable>,
    /// What the engine has asked for, and the number of the block that it got.
    asked: Vec<(Asked, Option<Number>)>,
    /// Something was made that is not in the entry.
    has_more: bool,
}

/// The words that a block may have been made from: its bundles and one more, which may be a delay slot.
pub(crate) fn words_of(pc: BundleAddress, iram: &[BundleBits]) -> Range<usize> {
    let end = (pc.index() + LONGEST + 2).min(iram.len());
    pc.index().min(end)..end
}

fn trimmed(iram: &[BundleBits]) -> &[BundleBits] {
    let end = iram.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
    &iram[..end]
}

fn digest(key: &str, entry: &[u8]) -> u64 {
    let mut hash = XxHash64::with_seed(0);
    hash.write(key.as_bytes());
    hash.write(entry);
    hash.finish()
}

fn key(host: Host, core: &Core, iram: &[BundleBits]) -> String {
    let mut hash = XxHash64::with_seed(0);
    trimmed(iram).iter().for_each(|word| hash.write(&word.to_le_bytes()));
    format!("blocks {host:?} {:?} {:016x}", core.numbers(), hash.finish())
}

impl Kept {
    /// What a store has of the blocks of an instruction memory.
    pub(crate) fn open(
        store: &mut dyn Store,
        host: Host,
        (core, iram): (&Core, &[BundleBits]),
    ) -> Self {
        let key = key(host, core, iram);
        let mut kept = Self {
            host,
            core: *core,
            iram: iram.to_vec(),
            records: Vec::new(),
            by_place: Known::default(),
            facts: Vec::new(),
            memory: None,
            asked: Vec::new(),
            has_more: false,
            key,
        };
        let entry = store.get(&kept.key);
        _ = entry.and_then(|entry| kept.read(&entry));
        kept
    }

    /// Takes over what an entry says, if it is whole and was made from this instruction memory.
    fn read(&mut self, entry: &[u8]) -> Option<()> {
        let (found, rest) = entry.split_first_chunk()?;
        if u64::from_le_bytes(*found) != digest(&self.key, rest) {
            return None;
        }
        let (head, rest): (Head, _) = postcard::take_from_bytes(rest).ok()?;
        if head.iram != trimmed(&self.iram) {
            return None;
        }
        let (facts, code) = rest.split_at_checked(head.facts)?;
        if !head.is_sound(code.len()) {
            return None;
        }
        self.memory = Some(Executable::new(code).ok()?);
        self.facts = facts.to_vec();
        self.records = head.records;
        for (number, record) in self.records.iter().enumerate() {
            self.by_place.entry(record.asked.place.pc).or_default().push(number);
        }
        Some(())
    }

    /// Whether a block that begins here is made from words that are the same now as in the entry.
    pub(crate) fn agrees(&self, iram: &[BundleBits], pc: BundleAddress) -> bool {
        let words = words_of(pc, iram);
        self.iram.get(words.clone()) == iram.get(words)
    }

    /// What was made of the same words when this was asked for with registers for which it holds; `Some(None)` if nothing
    /// could be made.
    pub(crate) fn take(&mut self, asked: &Asked, live: &Live) -> Option<Option<Translated>> {
        let numbers = self.by_place.get(&asked.place.pc)?;
        let found = numbers.iter().find_map(|&number| {
            let record = &self.records[number];
            let is_it = !record.is_taken && record.asked == *asked;
            let translated = match &record.made {
                _ if !is_it => return None,
                Some(made) => Some(self.translated(made, live)?),
                None => None,
            };
            Some((number, translated))
        });
        let (number, translated) = found?;
        self.records[number].is_taken = true;
        Some(translated)
    }

    /// A translation, if what it takes for granted is so.
    fn translated(&self, made: &Made, live: &Live) -> Option<Translated> {
        let (contract, facts) = self.contract(made)?;
        if !contract.guards.hold(live) {
            return None;
        }
        let facts = self.facts(facts, &contract)?;
        let place = (made.code.clone(), made.entry);
        let code = Code::within(self.memory.as_ref()?, place, self.host, contract)?;
        Some(Translated { facts, code })
    }

    /// The contract of a translation, and the bytes of its facts, if it can be one on this core.
    fn contract(&self, made: &Made) -> Option<(Contract, &[u8])> {
        let bytes = self.facts.get(made.facts.clone())?;
        let (contract, facts) = postcard::take_from_bytes::<Contract>(bytes).ok()?;
        can_be_kept(&contract, &self.core).then_some((contract, facts))
    }

    /// The facts of a translation, if they can be those of one on this core.
    fn facts(&self, bytes: &[u8], contract: &Contract) -> Option<Facts> {
        let (facts, rest): (Facts, _) = postcard::take_from_bytes(bytes).ok()?;
        (rest.is_empty() && facts.is_sound(&self.core, contract)).then_some(facts)
    }

    /// Whether everything that is said of a translation can be so.
    fn is_sound(&self, made: &Made) -> bool {
        let sound = self.contract(made).and_then(|(contract, facts)| {
            // Whether it fits is asked of an engine's registers only; to ask must do no harm.
            let _ = contract.guards.hold(&Live::ZERO).then(|| contract.guards.passes(&Live::ZERO));
            self.facts(facts, &contract)
        });
        sound.is_some()
    }

    /// Remembers what was asked for and which block it got, a new one or one that was taken from here.
    pub(crate) fn remember(&mut self, asked: (Asked, Option<Number>), is_new: bool) {
        self.asked.push(asked);
        self.has_more |= is_new;
    }

    /// Writes the entry anew if there is more than it has: what the engine asked for in this order, then what it did not
    /// ask for.
    pub(crate) fn write<'a>(
        &self,
        store: &mut dyn Store,
        block: impl Fn(Number) -> Option<(&'a Facts, &'a Code)>,
    ) {
        if !self.has_more {
            return;
        }
        let mut entry = Entry::default();
        for (asked, number) in &self.asked {
            entry.add_block(asked, number.and_then(&block));
        }
        for record in self.records.iter().filter(|record| !record.is_taken) {
            entry.add_record(self, record);
        }
        if let Some(bytes) = entry.bytes(&self.key, &self.iram) {
            store.put(&self.key, &bytes);
        }
    }
}

/// An entry under construction.
#[derive(Default)]
struct Entry {
    head: Head,
    facts: Vec<u8>,
    code: Vec<u8>,
}

/// A translation in an entry: contract and facts, machine code with its constants, and how far behind the beginning of the
/// code the first instruction stands.
struct Written<'a> {
    facts: &'a [u8],
    code: &'a [u8],
    entry: usize,
}

impl Entry {
    /// Adds a block of the engine, or that there is none.
    fn add_block(&mut self, asked: &Asked, block: Option<(&Facts, &Code)>) {
        let Some((facts, code)) = block else { return self.add(asked, None) };
        let parts = [postcard::to_stdvec(code.contract()), postcard::to_stdvec(facts)];
        if let [Ok(contract), Ok(facts)] = parts {
            let (code, entry) = code.bytes();
            self.add(asked, Some(Written { facts: &[contract, facts].concat(), code, entry }));
        }
    }

    /// Adds what another entry has, if it can be so.
    fn add_record(&mut self, from: &Kept, record: &Record) {
        let Some(made) = &record.made else { return self.add(&record.asked, None) };
        if !from.is_sound(made) {
            return;
        }
        let code = from.memory.as_ref().and_then(|memory| memory.part(&made.code));
        if let (Some(facts), Some(code)) = (from.facts.get(made.facts.clone()), code) {
            self.add(&record.asked, Some(Written { facts, code, entry: made.entry }));
        }
    }

    fn add(&mut self, asked: &Asked, made: Option<Written<'_>>) {
        let is_full =
            self.head.records.len() >= MOST || self.code.len().max(self.facts.len()) >= MOST_BYTES;
        if is_full {
            return;
        }
        let made = made.map(|Written { facts, code, entry }| {
            self.code.resize(self.code.len().next_multiple_of(LINE), 0);
            let facts = appended(&mut self.facts, facts);
            Made { facts, code: appended(&mut self.code, code), entry }
        });
        self.head.records.push(Record { asked: asked.clone(), made, is_taken: false });
    }

    /// The entry as it is kept: digest of the key and all that follows, head, facts, machine code.
    fn bytes(self, key: &str, iram: &[BundleBits]) -> Option<Vec<u8>> {
        let Self { head, facts, code } = self;
        let head = Head { iram: trimmed(iram).to_vec(), facts: facts.len(), ..head };
        let head = postcard::to_stdvec(&head).ok()?;
        let rest = [head, facts, code].concat();
        Some([&digest(key, &rest).to_le_bytes()[..], &rest].concat())
    }
}

/// How many blocks and refusals a store has for an instruction memory. Each is looked at and none is run: `None` if an engine
/// would translate anew, because there is no entry, or one that says of a block what is not so of any.
pub fn blocks_kept(
    store: &mut dyn Store,
    host: Host,
    program: (&Core, &[BundleBits]),
) -> Option<usize> {
    let kept = Kept::open(store, host, program);
    kept.memory.as_ref()?;
    let is_sound = |record: &Record| record.made.as_ref().is_none_or(|made| kept.is_sound(made));
    kept.records.iter().all(is_sound).then_some(kept.records.len())
}

/// Puts bytes behind others and tells where they stand.
fn appended(all: &mut Vec<u8>, bytes: &[u8]) -> Range<usize> {
    let begin = all.len();
    all.extend_from_slice(bytes);
    begin..all.len()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]
    use super::*;
    use crate::runtime::coupled::Translator;
    use cp2_emu::trace::Off;
    use cp2_emu::{Cp2, Engine, Machine, Reference};
    use cp2_isa::{Arith, Bundle, CoreNumbers, Exch, WordAddress, encode};
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    /// Entries in memory, for all engines that have a copy of this.
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

        fn engine(&self, host: Host) -> Translator {
            Translator::on(Some(host)).keeping(Box::new(self.clone()))
        }
    }

    /// A loop without end from a bundle on, that goes through local memory in such steps.
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

    /// A machine with such a loop at bundle 0.
    fn machine(core: &Core, step: i32) -> Machine {
        let mut cp2 = Cp2::new(*core);
        program(&mut cp2.state.iram, 0, step);
        cp2.state.fpr[2] = [3; 4];
        Machine::alone(cp2)
    }

    /// Goes on for some cycles as the reference engine does.
    fn run(engine: &mut Translator, machine: &mut Machine, address: u16) {
        let mut reference = machine.clone();
        let engines: [(&mut dyn Engine, &mut Machine); 2] =
            [(engine, machine), (&mut Reference, &mut reference)];
        for (engine, machine) in engines {
            machine.start_kernel(BundleAddress(address));
            assert_eq!(engine.advance_kernel(machine, 3000, &mut Off), None);
        }
        assert!(machine.cp2.state == reference.cp2.state);
        assert_eq!(machine.cp2.stats(), reference.cp2.stats());
    }

    /// How many blocks an engine of its own translates for the loop.
    fn translations(entries: &Entries, host: Host, core: &Core, step: i32) -> u64 {
        let mut engine = entries.engine(host);
        run(&mut engine, &mut machine(core, step), 0);
        engine.translations()
    }

    #[test]
    fn nothing_is_translated_twice() {
        let (Some(host), entries) = (Host::detect(), Entries::default()) else { return };
        assert!(translations(&entries, host, &Core::CP2, 1) > 0);
        let before = entries.all();
        assert_eq!(before.len(), 1);
        assert_eq!(translations(&entries, host, &Core::CP2, 1), 0);
        assert_eq!(entries.all(), before);
        // A block is taken only for registers of which holds what it takes for granted.
        let cycles = [entries.engine(host), Translator::on(Some(host))].map(|mut engine| {
            let mut other = machine(&Core::CP2, 1);
            other.cp2.state.a[0] = WordAddress(4095);
            run(&mut engine, &mut other, 0);
            engine.translated_cycles()
        });
        assert_eq!(cycles[0], cycles[1]);
    }

    #[test]
    fn what_is_damaged_is_made_anew() {
        let (Some(host), mut entries) = (Host::detect(), Entries::default()) else { return };
        let made = translations(&entries, host, &Core::CP2, 1);
        let (key, whole) = entries.all().pop_first().unwrap();
        let machine = machine(&Core::CP2, 1);
        let is_taken = |entry: &[u8]| {
            let mut entries = Entries::default();
            entries.put(&key, entry);
            let of = (&Core::CP2, &machine.cp2.state.iram[..]);
            !Kept::open(&mut entries, host, of).records.is_empty()
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
            assert_eq!(translations(&entries, host, &Core::CP2, 1), made);
            assert_eq!(entries.all()[&key], whole);
        }
    }

    /// An entry that says something else, with the digest that belongs to it.
    fn sealed(key: &str, rest: &[u8]) -> Vec<u8> {
        [&digest(key, rest).to_le_bytes()[..], rest].concat()
    }

    #[test]
    fn an_entry_that_says_what_no_engine_says_is_met_without_a_panic() {
        let (Some(host), entries) = (Host::detect(), Entries::default()) else { return };
        assert!(translations(&entries, host, &Core::CP2, 1) > 0);
        let (key, whole) = entries.all().pop_first().unwrap();
        let machine = machine(&Core::CP2, 1);
        let of = (&Core::CP2, &machine.cp2.state.iram[..]);
        let (head, behind): (Head, _) = postcard::take_from_bytes(&whole[8..]).unwrap();
        let n_read = whole.len() - behind.len() + head.facts;
        let blocks = |entry: &[u8]| {
            let mut entries = Entries::default();
            entries.put(&key, entry);
            let mut kept = Kept::open(&mut entries, host, of);
            let asked: Vec<_> = kept.records.iter().map(|record| record.asked.clone()).collect();
            asked.iter().for_each(|asked| _ = kept.take(asked, &Live::ZERO));
            blocks_kept(&mut entries, host, of)
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
        let (Some(host), entries) = (Host::detect(), Entries::default()) else { return };
        assert!(translations(&entries, host, &Core::CP2, 1) > 0);
        let (key, whole) = entries.all().pop_first().unwrap();
        let machine = machine(&Core::CP2, 1);
        let of = (&Core::CP2, &machine.cp2.state.iram[..]);
        let changed = |change: &dyn Fn(&mut Head)| {
            let (mut head, behind): (Head, _) = postcard::take_from_bytes(&whole[8..]).unwrap();
            change(&mut head);
            let rest = [&postcard::to_stdvec(&head).unwrap(), behind].concat();
            let mut entries = Entries::default();
            entries.put(&key, &sealed(&key, &rest));
            let is_taken = !Kept::open(&mut entries, host, of).records.is_empty();
            (is_taken, blocks_kept(&mut entries, host, of).is_some())
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
        let (Some(host), mut entries) = (Host::detect(), Entries::default()) else { return };
        let numbers = CoreNumbers { load_latency: 9, ..*Core::CP2.numbers() };
        let slow = Core::new(numbers).unwrap();
        let mut others = vec![(host, Core::CP2, 2), (host, slow, 1)];
        if host != Host::Avx2 {
            others.push((Host::Avx2, Core::CP2, 1));
        }
        let made = translations(&entries, host, &Core::CP2, 1);
        let (_, entry) = entries.all().pop_first().unwrap();
        for (host, core, step) in others {
            let alone = Entries::default();
            let fresh = translations(&alone, host, &core, step);
            assert_eq!(translations(&entries, host, &core, step), fresh);
            assert!(fresh > 0 && made > 0);
            // Not even under the key that would be right.
            let (key, _) = alone.all().pop_first().unwrap();
            entries.put(&key, &entry);
            assert_eq!(translations(&entries, host, &core, step), fresh);
        }
    }

    #[test]
    fn blocks_belong_to_the_words_that_they_were_made_from() {
        let (Some(host), entries) = (Host::detect(), Entries::default()) else { return };
        let elsewhere = 4 * LONGEST;
        // A second program is written elsewhere when the first one has run.
        let both = |step| {
            let (mut engine, mut machine) = (entries.engine(host), machine(&Core::CP2, 1));
            run(&mut engine, &mut machine, 0);
            program(&mut machine.cp2.state.iram, elsewhere, step);
            run(&mut engine, &mut machine, elsewhere as u16);
            engine.translations()
        };
        let first = translations(&entries, host, &Core::CP2, 1);
        let second = both(2);
        assert!(first > 0 && second > 0);
        assert_eq!(both(2), 0);
        assert!(both(5) > 0);
        assert_eq!(translations(&entries, host, &Core::CP2, 1), 0);
    }

    #[test]
    fn what_an_engine_forgets_is_kept() {
        let (Some(host), entries) = (Host::detect(), Entries::default()) else { return };
        let mut engine = entries.engine(host);
        let mut all = || {
            (1..=20).for_each(|step| run(&mut engine, &mut machine(&Core::CP2, step), 0));
            engine.translations()
        };
        let made = all();
        assert!(made >= 20);
        assert_eq!(all(), made);
    }
}
