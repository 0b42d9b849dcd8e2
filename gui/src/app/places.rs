//! Places in runs that were looked at, kept from one start of the program to the next by recording: cycles in view, cursor,
//! bookmarks, values that are shown, and where the views stand.

use crate::app::panes::{self, Pane};
use crate::model::command;
use crate::model::session::{Bookmark, Session};
use crate::worker::Stored;
use cp2_isa::{Cycle, Storage, StorageCell};
use egui_tiles::Tree;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Weak};

/// Most runs whose places are kept.
const MOST_RUNS: usize = 40;

/// Place in a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct KeptPlace {
    /// Digest of the recording.
    digest: String,
    /// Cycles in view, from the first to the second.
    view: (f64, f64),
    cursor: u64,
    bookmarks: Vec<Bookmark>,
    /// Registers and words whose values are shown, as [`command::place`] reads them.
    pins: Vec<String>,
    /// Places of the views.
    layout: Tree<Pane>,
}

/// Run that is looked at: the digest and the file of its recording.
#[derive(Debug)]
struct Seen {
    digest: String,
    stored: Weak<Stored>,
}

/// Places in the runs that were looked at last, the latest first.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Places {
    kept: Vec<KeptPlace>,
    /// The run that is looked at.
    #[serde(skip)]
    now: Option<Seen>,
}

/// Returns a register or word as [`command::place`] reads it.
fn text(place: StorageCell) -> String {
    let StorageCell { storage, number, section } = place;
    match storage {
        Storage::Lmem => format!("[{number}].{section}"),
        _ if storage.info().layout.is_numbered() => {
            format!("{}{number}.{section}", storage.info().name)
        }
        _ => format!("{}.{section}", storage.info().name),
    }
}

/// Shows the place that was kept of a run.
fn restore(kept: KeptPlace, session: &mut Session, tree: &mut Tree<Pane>) {
    let Some(core) = session.run.as_ref().and_then(|run| run.info()).map(|info| info.core) else {
        return;
    };
    session.marked.pins = kept.pins.iter().filter_map(|pin| command::place(pin, &core)).collect();
    session.marked.bookmarks = kept.bookmarks;
    // A comparison is shown from its begin.
    if session.compared.base.is_none() {
        session.view.show(kept.view.0, kept.view.1);
        session.seek(Cycle(kept.cursor));
        if panes::is_complete(&kept.layout) {
            *tree = kept.layout;
        }
    }
}

impl Places {
    /// Goes to the kept place of a run that has just become open, or begins to keep its place; notes the place in a run that was
    /// open before.
    pub(super) fn follow(&mut self, session: &mut Session, tree: &mut Tree<Pane>) {
        let Some(info) = session.run.as_ref().and_then(|run| run.info()) else { return };
        let is_now = |now: &Seen| std::ptr::eq(now.stored.as_ptr(), Arc::as_ptr(&info.stored));
        if self.now.as_ref().is_some_and(is_now) {
            return self.note(session);
        }
        let digest = info.provenance.digest.clone();
        let seen = Seen { digest: digest.clone(), stored: Arc::downgrade(&info.stored) };
        if let Some(before) = self.now.replace(seen)
            && let Some(kept) = self.kept.iter_mut().find(|kept| kept.digest == before.digest)
        {
            kept.layout = tree.clone();
        }
        match self.kept.iter().find(|kept| kept.digest == digest).cloned() {
            Some(kept) => restore(kept, session, tree),
            None => self.keep(session, tree),
        }
    }

    /// Notes the place in the run that is looked at, if the run has an entry.
    fn note(&mut self, session: &Session) {
        let Some(now) = &self.now else { return };
        let known = self.kept.iter_mut().find(|kept| kept.digest == now.digest);
        let Some(kept) = known else { return };
        kept.view = (session.view.begin(), session.view.begin() + session.view.span());
        kept.cursor = session.cursor.0;
        if kept.bookmarks != session.marked.bookmarks {
            kept.bookmarks.clone_from(&session.marked.bookmarks);
        }
        kept.pins = session.marked.pins.iter().map(|&place| text(place)).collect();
    }

    /// Keeps the place in the run that is looked at, and where the views stand.
    pub(super) fn keep(&mut self, session: &Session, tree: &Tree<Pane>) {
        let Some(info) = session.run.as_ref().and_then(|run| run.info()) else { return };
        let kept = KeptPlace {
            digest: info.provenance.digest.clone(),
            view: (session.view.begin(), session.view.begin() + session.view.span()),
            cursor: session.cursor.0,
            bookmarks: session.marked.bookmarks.clone(),
            pins: session.marked.pins.iter().map(|&place| text(place)).collect(),
            layout: tree.clone(),
        };
        self.kept.retain(|known| known.digest != kept.digest);
        self.kept.insert(0, kept);
        self.kept.truncate(MOST_RUNS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cp2_isa::{Core, Section};

    #[test]
    fn every_register_and_word_that_is_kept_is_found_again() {
        for storage in Storage::ALL {
            let info = storage.info();
            let last = (info.count)(&Core::CP2).saturating_sub(1);
            let is_per_section = info.layout.is_per_section();
            for section in Section::ALL.into_iter().take(if is_per_section { 4 } else { 1 }) {
                for number in [0, last] {
                    let cell = StorageCell { storage, number, section };
                    let found = command::place(&text(cell), &Core::CP2);
                    assert_eq!(found, Some(cell), "{}", text(cell));
                }
            }
        }
    }

    #[test]
    fn places_are_the_same_after_a_restart() {
        let kept = KeptPlace {
            digest: "2a4544432d7a16cf".to_owned(),
            view: (12.5, 4096.0),
            cursor: 700,
            bookmarks: vec![Bookmark { cycle: 9, name: "here".to_owned() }],
            pins: vec!["f12.3".to_owned(), "[100].0".to_owned()],
            layout: panes::layout(),
        };
        let text =
            serde_json::to_string(&Places { kept: vec![kept], now: None }).unwrap_or_default();
        let again: Places = serde_json::from_str(&text).unwrap_or_default();
        assert_eq!(again.kept.len(), 1);
        assert_eq!(serde_json::to_string(&again).unwrap_or_default(), text);
        assert!(again.kept.iter().all(|kept| panes::is_complete(&kept.layout)));
        let older: Places = serde_json::from_str("{}").unwrap_or_default();
        assert!(older.kept.is_empty());
    }
}
