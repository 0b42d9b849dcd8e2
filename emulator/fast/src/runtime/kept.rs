//! Translations that are kept from process to process. All that was translated from one content of instruction memory,
//! for a core and an instruction set of the native machine, is one entry of a store that the caller gives. The entry is
//! read when the first of these blocks is needed, and a block is taken from it instead of being translated; so blocks
//! and their order are those of an engine without a store. The engine writes the entry anew when it forgets its blocks,
//! if it has made some that are not in it.

use crate::abi::context::Live;
use crate::analysis::contract::Contract;
use crate::analysis::speculation::Speculation;
use crate::back_end::code::{Executable, MachineCode};
use crate::back_end::encoding::NativeIsa;
use crate::front_end::environment::Environment;
use crate::front_end::region::{BlockStart, CodeSource, Extent, LONGEST};
use crate::front_end::shape::PipelineState;
use crate::known::SmallKeyMap;
use crate::lowering::translation::Facts;
use crate::runtime::executor::can_be_kept;
use cp2_isa::{BundleAddress, BundleBits, Core};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::hash::Hasher as _;
use std::ops::Range;
use twox_hash::XxHash64;

/// Store in which a [`Translator`](crate::Translator) keeps machine code from process to process, by key; one entry has
/// the code for one content of instruction memory. The entries are executed as machine code, so an implementation must
/// return only bytes that this build of the program has put there, and let nobody else write them.
pub trait Store: fmt::Debug + Send {
    /// Returns the bytes of the entry of a key; `None` if there is none.
    fn get(&mut self, key: &str) -> Option<Vec<u8>>;
    /// Keeps an entry under a key, in place of an earlier one. The store may forget it at any time.
    fn put(&mut self, key: &str, entry: &[u8]);
}

/// Number of blocks of an entry at most.
const MOST: usize = 2000;

/// Number of bytes of machine code of an entry, at most, and about as many of what has to be known of it.
const MOST_BYTES: usize = 8 << 20;

/// Distance in bytes of places at which blocks stand in memory: a line of the native machine's cache.
const LINE: usize = 64;

/// Request for a translation: what it depends on besides core, instruction set and bundles. Registers are not part of it: a
/// block tells what it takes for granted of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Asked {
    pub(crate) place: BlockStart,
    pub(crate) shape: PipelineState,
    pub(crate) environment: Environment,
    pub(crate) extent: Extent,
    /// Number of bundles that the translation may have.
    pub(crate) most: usize,
    pub(crate) speculation: Speculation,
}

/// Result of a translation.
#[derive(Clone, Debug)]
pub(crate) struct Translated {
    pub(crate) facts: Facts,
    pub(crate) code: MachineCode,
}

/// Request for a translation, and where its result stands; nowhere if the first bundle has to be left to the portable engine.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    asked: Asked,
    made: Option<Made>,
    /// Whether the translation is one of the engine's blocks.
    #[serde(skip)]
    is_taken: bool,
}

#[derive(Debug, Serialize, Deserialize)]
struct Made {
    /// Place of contract and facts, among those of all translations.
    facts: Range<usize>,
    /// Place of the machine code, among that of all translations.
    code: Range<usize>,
    /// Offset in bytes of the first instruction from the beginning of the code.
    entry: usize,
}

/// Number of a block of the engine.
type Number = u32;

/// Head of an entry, behind its digest.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Head {
    /// Contents of instruction memory up to the last word that is not 0.
    iram: Vec<BundleBits>,
    #[serde(deserialize_with = "some_records")]
    records: Vec<Record>,
    /// Number of bytes of contracts and facts.
    facts: usize,
}

impl Head {
    /// Whether all blocks stand within the bytes behind the head, of which so many are code.
    fn is_sound(&self, code: usize) -> bool {
        let is_within = |part: &Range<usize>, all| part.start <= part.end && part.end <= all;
        let is_there = |Made { facts, code: part, entry }: &Made| {
            is_within(facts, self.facts) && is_within(part, code) && *entry < part.len()
        };
        self.records.iter().filter_map(|record| record.made.as_ref()).all(is_there)
    }
}

/// Reads [`MOST`] records at most, however many there are said to be: one takes far fewer bytes in an entry than in memory.
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

/// Entry of a store, while an engine works with it.
#[derive(Debug)]
pub(crate) struct StoreEntry {
    key: String,
    native_isa: NativeIsa,
    core: Core,
    /// Instruction memory from which the blocks of the entry were made.
    iram: Vec<BundleBits>,
    records: Vec<Record>,
    by_place: SmallKeyMap<BundleAddress, Vec<usize>>,
    facts: Vec<u8>,
    memory: Option<Executable>,
    /// Requests of the engine, and the number of the block that each got.
    asked: Vec<(Asked, Option<Number>)>,
    /// Whether something was made that is not in the entry.
    has_more: bool,
}

/// Core, and the part of instruction memory from which blocks were made.
#[derive(Debug)]
pub(crate) struct KnownCode {
    pub(super) core: Core,
    first: usize,
    words: Vec<BundleBits>,
    /// Places, away from landmarks, where runs went on that had met the channel, and how often.
    pub(super) resumed: SmallKeyMap<BundleAddress, u32>,
    /// Entries of the store with blocks of this code, one for each content of the whole memory in which a block was asked for
    /// first.
    pub(super) kept: Vec<StoreEntry>,
}

impl KnownCode {
    /// Creates the code of a core from which nothing has been made yet.
    pub(super) fn new(core: &Core) -> Self {
        Self {
            core: *core,
            words: Vec::new(),
            resumed: SmallKeyMap::default(),
            kept: Vec::new(),
            first: 0,
        }
    }

    /// Whether blocks of this code serve a program: its core and the words from which they were made are the same.
    pub(super) fn is_in(&self, program: CodeSource<'_>) -> bool {
        let CodeSource { core, iram } = program;
        self.core == *core
            && iram.get(self.first..self.first + self.words.len()) == Some(&self.words)
    }

    /// Remembers what instruction memory holds where a block was made or refused.
    pub(super) fn watch(&mut self, iram: &[BundleBits], pc: BundleAddress) {
        let Range { start: begin, end } = words_of(pc, iram);
        let known = self.first..self.first + self.words.len();
        if known.contains(&begin) && end <= known.end {
            return;
        }
        let whole = if self.words.is_empty() {
            begin..end
        } else {
            begin.min(self.first)..end.max(self.first + self.words.len())
        };
        (self.first, self.words) = (whole.start, iram[whole].to_vec());
    }

    /// Returns the entry of a store with blocks that were made from the words that are there now.
    pub(super) fn entry(
        &mut self,
        store: &mut dyn Store,
        native_isa: NativeIsa,
        (iram, pc): (&[BundleBits], BundleAddress),
    ) -> Option<&mut StoreEntry> {
        let Self { core, kept, .. } = self;
        let number = kept.iter().position(|kept| kept.agrees(iram, pc));
        let number = number.unwrap_or_else(|| {
            kept.push(StoreEntry::open(store, native_isa, (core, iram)));
            kept.len() - 1
        });
        kept.get_mut(number)
    }
}

/// Returns the words from which a block may have been made: its bundles and one more, which may be a delay slot.
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

fn key(native_isa: NativeIsa, core: &Core, iram: &[BundleBits]) -> String {
    let mut hash = XxHash64::with_seed(0);
    trimmed(iram).iter().for_each(|word| hash.write(&word.to_le_bytes()));
    format!("blocks {native_isa:?} {:?} {:016x}", core.numbers(), hash.finish())
}

impl StoreEntry {
    /// Opens the entry of a store with the blocks of an instruction memory.
    pub(crate) fn open(
        store: &mut dyn Store,
        native_isa: NativeIsa,
        (core, iram): (&Core, &[BundleBits]),
    ) -> Self {
        let key = key(native_isa, core, iram);
        let mut kept = Self {
            native_isa,
            core: *core,
            iram: iram.to_vec(),
            records: Vec::new(),
            by_place: SmallKeyMap::default(),
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

    /// Takes over what an entry says, if the entry is whole and was made from this instruction memory.
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

    /// Whether a block that begins at `pc` is made from words that are the same now as in the entry.
    pub(crate) fn agrees(&self, iram: &[BundleBits], pc: BundleAddress) -> bool {
        let words = words_of(pc, iram);
        self.iram.get(words.clone()) == iram.get(words)
    }

    /// Takes the translation that was made of the same words for the same request and that holds for these registers;
    /// `Some(None)` if nothing could be made.
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

    /// Returns a translation, if what it takes for granted holds for these registers.
    fn translated(&self, made: &Made, live: &Live) -> Option<Translated> {
        let (contract, facts) = self.contract(made)?;
        if !contract.guards.hold(live) {
            return None;
        }
        let facts = self.facts(facts, &contract)?;
        let place = (made.code.clone(), made.entry);
        let code = MachineCode::within(self.memory.as_ref()?, place, self.native_isa, contract)?;
        Some(Translated { facts, code })
    }

    /// Returns the contract of a translation, and the bytes of its facts, if the contract can be one on this core.
    fn contract(&self, made: &Made) -> Option<(Contract, &[u8])> {
        let bytes = self.facts.get(made.facts.clone())?;
        let (contract, facts) = postcard::take_from_bytes::<Contract>(bytes).ok()?;
        can_be_kept(&contract, &self.core).then_some((contract, facts))
    }

    /// Returns the facts of a translation, if they can be those of one on this core.
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

    /// Writes the entry anew if there is more than it has: what the engine asked for in this order, then what it did not ask
    /// for.
    pub(crate) fn write<'a>(
        &self,
        store: &mut dyn Store,
        block: impl Fn(Number) -> Option<(&'a Facts, &'a MachineCode)>,
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

/// Entry under construction.
#[derive(Default)]
struct Entry {
    head: Head,
    facts: Vec<u8>,
    code: Vec<u8>,
}

/// Translation in an entry: contract and facts, machine code with its constants, and how far behind the beginning of the code
/// the first instruction stands.
struct Written<'a> {
    facts: &'a [u8],
    code: &'a [u8],
    entry: usize,
}

impl Entry {
    /// Adds a request with its block of the engine, or without one.
    fn add_block(&mut self, asked: &Asked, block: Option<(&Facts, &MachineCode)>) {
        let Some((facts, code)) = block else { return self.add(asked, None) };
        let parts = [postcard::to_stdvec(code.contract()), postcard::to_stdvec(facts)];
        if let [Ok(contract), Ok(facts)] = parts {
            let (code, entry) = code.bytes();
            self.add(asked, Some(Written { facts: &[contract, facts].concat(), code, entry }));
        }
    }

    /// Adds a record of another entry, if it can be right.
    fn add_record(&mut self, from: &StoreEntry, record: &Record) {
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

    /// Returns the entry as it is kept: digest of the key and all that follows, head, facts, machine code.
    fn bytes(self, key: &str, iram: &[BundleBits]) -> Option<Vec<u8>> {
        let Self { head, facts, code } = self;
        let head = Head { iram: trimmed(iram).to_vec(), facts: facts.len(), ..head };
        let head = postcard::to_stdvec(&head).ok()?;
        let rest = [head, facts, code].concat();
        Some([&digest(key, &rest).to_le_bytes()[..], &rest].concat())
    }
}

/// Returns how many records of translated blocks (pieces of a kernel as machine code) a store has for an instruction
/// set and a `program`: a core and the content of its instruction memory. Records that say that a block cannot be
/// translated count too. Each record is checked and none is executed. `None` if there is no entry, or it has a damaged
/// record; then an engine would translate anew.
pub fn blocks_kept(
    store: &mut dyn Store,
    native_isa: NativeIsa,
    program: (&Core, &[BundleBits]),
) -> Option<usize> {
    let kept = StoreEntry::open(store, native_isa, program);
    kept.memory.as_ref()?;
    let is_sound = |record: &Record| record.made.as_ref().is_none_or(|made| kept.is_sound(made));
    kept.records.iter().all(is_sound).then_some(kept.records.len())
}

/// Puts bytes behind others and returns where they stand.
fn appended(all: &mut Vec<u8>, bytes: &[u8]) -> Range<usize> {
    let begin = all.len();
    all.extend_from_slice(bytes);
    begin..all.len()
}

#[cfg(test)]
mod tests;
