//! Findings of a checked run: each place of the program once, with the number of times that the finding happened, and
//! in words.

use super::declared::{Declared, Element};
use super::mask;
use super::shadow::Origin;
use super::step::{FindingKind, Hit};
use cp2_asm::image::Image;
use cp2_isa::{BundleAddress, Core, RunCycle, SECTIONS, Storage, WordAddress, decode};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;

/// A finding of a checked run, as [`Sanitizer`](super::Sanitizer) makes it: a bundle that uses a value that nothing has
/// written, stores outside of arrays, or accesses two words at an odd address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Code of the kind of finding, `C0801` to `C0807`, which stays the same from version to version; `cp2 explain`
    /// tells its meaning.
    pub code: &'static str,
    /// Source position of the bundle, as `file:line:column`; `None` if the image does not tell it.
    pub place: Option<String>,
    /// Address of the bundle; of the bundle that stopped, for elements of arrays that the caller gets.
    pub address: BundleAddress,
    /// Cycle, counted from the begin of the run, in which the finding happened first.
    pub cycle: RunCycle,
    /// Number of times that the finding happened; for arrays that the caller gets, the number of undefined elements.
    pub count: u64,
    /// Message that says what happened, the first time that it did.
    pub message: String,
    /// Text that says where the undefined value comes from; `None` if the finding is about no undefined value.
    pub origin: Option<String>,
    /// Element of a declared array that the finding is about; `None` if it is about none.
    pub element: Option<Element>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: ")?,
            None => write!(f, "bundle {}: ", self.address)?,
        }
        write!(f, "{} [{}]", self.message, self.code)?;
        if self.count > 1 {
            write!(f, ", {} times", self.count)?;
        }
        match &self.origin {
            Some(origin) => write!(f, "; {origin}"),
            None => Ok(()),
        }
    }
}

impl Finding {
    /// Returns the finding as a JSON object, with the fields of the finding; `origin` and `element` only if there are
    /// some.
    pub fn to_json(&self) -> Value {
        let Self { code, place, address, cycle, count, message, origin, element } = self;
        let mut value = json!({
            "code": code,
            "place": place,
            "address": address.0,
            "cycle": cycle,
            "count": count,
            "message": message,
        });
        if let Some(origin) = origin {
            value["origin"] = origin.as_str().into();
        }
        if let Some(Element { array, index, section, word }) = element {
            value["element"] =
                json!({ "array": array, "index": index, "section": section, "word": word });
        }
        value
    }
}

impl FindingKind {
    /// Returns the code of the findings of this kind.
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Store => "C0801",
            Self::Predicate => "C0802",
            Self::Address => "C0803",
            Self::Flow => "C0804",
            Self::Result => "C0805",
            Self::Outside => "C0806",
            Self::Odd => "C0807",
        }
    }
}

/// Key of findings that are told once: bundle, code and register.
type Key = (BundleAddress, &'static str, Storage, u8);

/// All findings of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    found: BTreeMap<Key, Finding>,
    /// Number of further findings, at places whose source allows them.
    pub(super) allowed: u64,
    /// Number of all findings, so that a change is seen.
    pub(super) total: u64,
}

/// Image, core and words from which messages are made.
pub(super) struct MessageContext<'a> {
    pub(super) image: &'a Image,
    pub(super) core: &'a Core,
    pub(super) declared: &'a Declared,
}

impl Findings {
    /// Notes what happened in a bundle.
    pub(super) fn note(
        &mut self,
        words: &MessageContext<'_>,
        at: (BundleAddress, RunCycle),
        hit: &Hit,
    ) {
        let (address, cycle) = at;
        let code = hit.kind.code();
        self.total += 1;
        if is_allowed(words.image, address, code) {
            self.allowed += 1;
            return;
        }
        let (storage, number) = hit.register;
        let make = || words.finding(at, hit);
        let found = self.found.entry((address, code, storage, number)).or_insert_with(make);
        found.count += 1;
        found.cycle = found.cycle.min(cycle);
    }

    /// Notes results that are undefined at the end, at the bundle that stops.
    pub(super) fn results(
        &mut self,
        words: &MessageContext<'_>,
        (address, cycle): (BundleAddress, RunCycle),
        undefined: Vec<(usize, usize, Element, mask::Mask)>,
    ) {
        let code = FindingKind::Result.code();
        for (k, (count, of, element, _)) in (0..).zip(undefined) {
            self.total += 1;
            if is_allowed(words.image, address, code) {
                self.allowed += 1;
                continue;
            }
            let message = match count {
                1 => format!("{element} is undefined at the end of the run"),
                _ => format!(
                    "{count} of the {of} elements of {} are undefined at the end of the run; the first is {element}",
                    element.array
                ),
            };
            let found = Finding {
                code,
                place: place(words.image, address),
                address,
                cycle,
                count: count as u64,
                message,
                origin: Some(
                    "the kernel has not written it, or has written an undefined value".into(),
                ),
                element: Some(element),
            };
            self.found.insert((address, code, Storage::Lmem, k), found);
        }
    }

    /// Returns the findings in the order of the bundles; what a scheduler made of one line is one place.
    pub(super) fn all(&self) -> Vec<Finding> {
        let mut all: Vec<Finding> = Vec::new();
        for found in self.found.values() {
            let is_same = |other: &&mut Finding| {
                let of_array = |f: &Finding| f.element.as_ref().map(|e| e.array.clone());
                let is_result = found.code == FindingKind::Result.code();
                found.code == other.code
                    && (found.address == other.address
                        || found.place.is_some() && found.place == other.place)
                    && (!is_result || of_array(found) == of_array(other))
            };
            match all.iter_mut().find(is_same) {
                Some(same) if found.cycle < same.cycle => {
                    let count = same.count + found.count;
                    *same = Finding { count, ..found.clone() };
                }
                Some(same) => same.count += found.count,
                None => all.push(found.clone()),
            }
        }
        all
    }
}

/// Whether the source allows a code at a bundle.
fn is_allowed(image: &Image, address: BundleAddress, code: &str) -> bool {
    allowed(image, address).iter().any(|allowed| allowed == code)
}

/// Returns the codes that the source allows at a bundle.
pub(super) fn allowed(image: &Image, address: BundleAddress) -> &[String] {
    image.hints.allowed.get(&address).map_or(&[], |codes| codes)
}

/// Returns the place of a bundle, `file:line:column`.
pub(super) fn place(image: &Image, address: BundleAddress) -> Option<String> {
    let place = image.lines.get(&address)?;
    let file = image.files.get(place.file as usize)?;
    Some(format!("{file}:{}:{}", place.line, place.column))
}

/// Returns the name of a register.
fn name((storage, number): (Storage, u8)) -> String {
    let info = storage.info();
    match storage {
        Storage::Fccr => format!("cc{number}"),
        Storage::SectionA => format!("the section addresses of r{number}"),
        Storage::SharedA => format!("the shared address of r{number}"),
        Storage::Loops => "the loop registers".to_owned(),
        _ if info.layout.is_numbered() => format!("{}{number}", info.name),
        _ => info.name.to_owned(),
    }
}

/// Returns the names of sections, such as `in section 2`.
fn sections(sections: u8) -> String {
    let all: Vec<String> =
        (0..SECTIONS).filter(|s| sections >> s & 1 == 1).map(|s| s.to_string()).collect();
    match all.len() {
        SECTIONS => "in every section".to_owned(),
        1 => format!("in section {}", all[0]),
        _ => format!("in sections {}", all.join(", ")),
    }
}

impl MessageContext<'_> {
    fn finding(&self, (address, cycle): (BundleAddress, RunCycle), hit: &Hit) -> Finding {
        let section = hit.sections.trailing_zeros() as usize % SECTIONS;
        let element = hit.word.and_then(|word| self.declared.element(word.index(), section));
        Finding {
            code: hit.kind.code(),
            place: place(self.image, address),
            address,
            cycle,
            count: 0,
            message: self.message(address, hit),
            origin: hit.origin.map(|origin| self.origin(origin)),
            element,
        }
    }

    fn message(&self, address: BundleAddress, hit: &Hit) -> String {
        let register = name(hit.register);
        let sections = sections(hit.sections);
        let word = match hit.word {
            Some(word) => self.word(word, hit.sections),
            None => "shared memory".to_owned(),
        };
        let operation = self.operation(address);
        match hit.kind {
            FindingKind::Store => {
                format!("`{operation}` stores {register}, undefined {sections}, into {word}")
            }
            FindingKind::Predicate => {
                format!("{register} decides which sections execute, but is undefined {sections}")
            }
            FindingKind::Address => {
                format!("`{operation}` takes its address from {register}, which is undefined")
            }
            FindingKind::Flow => format!(
                "`{operation}` uses {register}, which is undefined, as a count, as a bundle address or as a control register"
            ),
            FindingKind::Result => {
                format!("`{operation}` returns {register}, which is undefined, to the host")
            }
            FindingKind::Outside => format!(
                "`{operation}` stores into {word}, which is neither an array nor data of the program"
            ),
            FindingKind::Odd => {
                let odd = hit.word.map_or(0, |word| word.0);
                let first = self.word(WordAddress(odd & !1), hit.sections);
                format!(
                    "`{operation}` moves two words at the odd address {odd}; they begin at {first}"
                )
            }
        }
    }

    /// Returns the exchange operation of a bundle, as the assembler writes it.
    fn operation(&self, address: BundleAddress) -> String {
        let bundle = self.image.word(address).and_then(|word| decode(word, self.core).ok());
        bundle.map_or_else(|| "this bundle".to_owned(), |bundle| bundle.exch.to_string())
    }

    fn word(&self, word: WordAddress, sections: u8) -> String {
        let section = sections.trailing_zeros() as usize % SECTIONS;
        match self.declared.name(self.image, word, section) {
            Some(name) => format!("word {word} ({name})"),
            None => format!("word {word}"),
        }
    }

    fn origin(&self, origin: Origin) -> String {
        let by = |at| match place(self.image, at) {
            Some(place) => format!("which {place} loads"),
            None => format!("which bundle {at} loads"),
        };
        match origin {
            Origin::Register(Storage::Lmem | Storage::Shared, _) => {
                "nothing has written it".to_owned()
            }
            Origin::Register(storage, number) => {
                format!("nothing has written {}", name((storage, number)))
            }
            Origin::Word { section, word, at } => format!(
                "nothing has written {} of section {section}, {}",
                self.word(word, 1 << section),
                by(at)
            ),
            Origin::Shared { word, at } => {
                format!("nothing has written word {word} of shared memory, {}", by(at))
            }
        }
    }
}
