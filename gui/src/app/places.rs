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
    /// Whether kept places are not gone to; those of other runs stay kept.
    #[serde(skip)]
    pub(super) is_fresh: bool,
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
            Some(kept) if !self.is_fresh => restore(kept, session, tree),
            _ => self.keep(session, tree),
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
        // Lanes that others have replaced, or that were put into another order, are as many as before.
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
