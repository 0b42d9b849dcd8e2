//! Translations that engines on several threads share: a block that one of them has made, the others need not make again.

use super::kept::{Asked, Store, Translated, words_of};
use crate::abi::context::Live;
use crate::front_end::region::CodeSource;
use cp2_isa::{BundleBits, Core};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Number of translations after which all are forgotten, to bound the memory.
const MOST: usize = 4000;

/// Translations of all engines that have a clone of this value, which all use one instruction set of the native machine.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedBlocks(Arc<Mutex<Blocks>>);

/// Translations that an engine need not make, because they were made before or beside it.
#[derive(Debug, Default)]
pub(crate) struct MadeElsewhere {
    /// Store in which translations are kept from process to process.
    pub(crate) store: Option<Box<dyn Store>>,
    /// Translations that other engines have made, and where they find those of this one.
    pub(crate) shared: SharedBlocks,
}

/// Translations by the code from which they were made.
#[derive(Debug, Default)]
struct Blocks {
    codes: Vec<BlocksOfCode>,
    n_blocks: usize,
}

/// Translations from one content of instruction memory, by request: several of one request take other things for granted of
/// the registers; `None` if the first bundle has to be left to the portable engine.
#[derive(Debug)]
struct BlocksOfCode {
    core: Core,
    iram: Box<[BundleBits]>,
    by_request: HashMap<Asked, Vec<Option<Translated>>>,
}

impl BlocksOfCode {
    /// Whether a request means the same for this code: the words that its translation may be made of are the same.
    fn agrees(&self, source: CodeSource<'_>, asked: &Asked) -> bool {
        let words = words_of(asked.place.pc, source.iram);
        self.core == *source.core && self.iram.get(words.clone()) == source.iram.get(words)
    }
}

impl SharedBlocks {
    /// Returns a translation that was made of the same words for the same request and that holds for these registers;
    /// `Some(None)` if nothing could be made.
    pub(crate) fn take(
        &self,
        source: CodeSource<'_>,
        asked: &Asked,
        live: &Live,
    ) -> Option<Option<Translated>> {
        let blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_request = |code: &BlocksOfCode| {
            let made = code.by_request.get(asked).filter(|_| code.agrees(source, asked))?;
            let holds = |made: &&Option<Translated>| {
                made.as_ref().is_none_or(|made| made.code.contract().guards.hold(live))
            };
            made.iter().find(holds).cloned()
        };
        blocks.codes.iter().find_map(of_request)
    }

    /// Puts a translation, or that there can be none, where the other engines find it.
    pub(crate) fn put(&self, source: CodeSource<'_>, asked: &Asked, made: Option<&Translated>) {
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Blocks { codes, n_blocks } = &mut *blocks;
        if *n_blocks >= MOST {
            codes.clear();
            *n_blocks = 0;
        }
        *n_blocks += 1;
        let number = codes.iter().position(|code| code.agrees(source, asked));
        let number = number.unwrap_or_else(|| {
            let CodeSource { core, iram } = source;
            codes.push(BlocksOfCode { core: *core, iram: iram.into(), by_request: HashMap::new() });
            codes.len() - 1
        });
        codes[number].by_request.entry(asked.clone()).or_default().push(made.cloned());
    }
}
