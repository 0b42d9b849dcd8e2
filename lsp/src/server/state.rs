//! Open texts with what is known of them, and the client that is told.

use crate::analysis::{Analysis, Job, Tried, stamp};
use crate::document::{Document, Encoding};
use crate::findings::diagnostics;
use crate::uri::path_of;
use cp2_asm::sched::Interrupt;
use cp2_isa::Core;
use crossbeam_channel::Sender;
use gen_lsp_types::*;
use lsp_server::{Connection, ErrorCode, Message, Request as Asked, RequestId, Response};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Abilities and wishes of the client.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begin {
    pub(super) encoding: Encoding,
    /// Whether the client asks for hints again when it is told to.
    pub(super) refreshes: bool,
    /// Whether the client tells of changed files that it is asked to watch.
    pub(super) watches: bool,
}

/// A request that cannot be answered, with a sentence for the user.
pub(super) struct Refused(pub(super) ErrorCode, pub(super) String);

pub(super) type Answer = Result<Value, Refused>;

/// The client, to which messages are sent.
pub(super) struct Client<'c> {
    pub(super) connection: &'c Connection,
    /// Requests that were sent to the client.
    asked: i32,
}

impl Client<'_> {
    fn send(&self, message: impl Into<Message>) {
        // If the client is gone, the next receive tells so.
        let _ = self.connection.sender.send(message.into());
    }

    pub(super) fn answer(&self, id: RequestId, answer: Answer) {
        self.send(match answer {
            Ok(value) => Response::new_ok(id, value),
            Err(Refused(code, message)) => Response::new_err(id, code as i32, message),
        });
    }

    pub(super) fn refuse_late(&self, id: RequestId) {
        let sentence = "the server was asked to shut down, and answers no more".to_owned();
        self.answer(id, Err(Refused(ErrorCode::InvalidRequest, sentence)));
    }

    fn ask(&mut self, method: &str, params: Value) {
        self.asked += 1;
        self.send(Asked::new(RequestId::from(self.asked), method.to_owned(), params));
    }

    fn publish(&self, uri: &str, version: Option<i32>, diagnostics: Vec<Diagnostic>) {
        let params = PublishDiagnosticsParams { uri: Uri(uri.to_owned()), version, diagnostics };
        let method = "textDocument/publishDiagnostics".to_owned();
        self.send(lsp_server::Notification::new(method, params));
    }
}

/// An open text.
pub(super) struct OpenText {
    pub(super) document: Document,
    /// Path of its file, if it has one.
    pub(super) path: Option<PathBuf>,
    text: Arc<str>,
    /// Number of the last job.
    serial: u64,
    interrupt: Interrupt,
    /// Last analysis, which may be of an earlier version.
    pub(super) latest: Option<Analysis>,
    /// Last analysis without an error.
    pub(super) whole: Option<Analysis>,
}

impl OpenText {
    /// Returns the last analysis, unless that is of an earlier version, whose lines may be others.
    pub(super) fn current(&self) -> Option<&Analysis> {
        self.latest.as_ref().filter(|analysis| analysis.version == self.document.version)
    }

    /// Returns the last analysis, and the last one without an error if that is another.
    pub(super) fn known(&self) -> [Option<&Analysis>; 2] {
        let latest = self.latest.as_ref();
        let is_other = |whole: &&Analysis| latest.is_none_or(|last| last.serial != whole.serial);
        [latest, self.whole.as_ref().filter(is_other)]
    }

    fn depends_on(&self, path: &Path) -> bool {
        self.latest.as_ref().is_some_and(|analysis| analysis.files.contains_key(path))
    }
}

/// The server with all that it knows.
pub(super) struct Server<'c> {
    pub(super) client: Client<'c>,
    pub(super) core: Core,
    pub(super) begin: Begin,
    jobs: Sender<Job>,
    pub(super) texts: HashMap<String, OpenText>,
    /// Number of the last job.
    serial: u64,
    /// Names of files that the client was asked to watch.
    watched: BTreeSet<String>,
}

impl<'c> Server<'c> {
    pub(super) fn new(
        connection: &'c Connection,
        core: Core,
        begin: Begin,
        jobs: Sender<Job>,
    ) -> Self {
        let client = Client { connection, asked: 0 };
        let (texts, watched) = (HashMap::new(), BTreeSet::new());
        Self { client, core, begin, jobs, texts, serial: 0, watched }
    }

    /// Takes a message that wants no answer. One that cannot be read is passed over, as the protocol has no answer for it.
    pub(super) fn note(&mut self, method: &str, params: Value) {
        match method {
            "textDocument/didOpen" => {
                if let Ok(opened) = serde_json::from_value(params) {
                    self.open(opened);
                }
            }
            "textDocument/didChange" => {
                if let Ok(changed) = serde_json::from_value(params) {
                    self.change(changed);
                }
            }
            "textDocument/didClose" => {
                if let Ok(closed) = serde_json::from_value::<DidCloseTextDocumentParams>(params) {
                    self.close(&closed.text_document.uri.0);
                }
            }
            "workspace/didChangeWatchedFiles" => self.look_at_files(),
            _ => {}
        }
    }

    fn open(&mut self, opened: DidOpenTextDocumentParams) {
        let TextDocumentItem { uri, version, text, .. } = opened.text_document;
        let uri = uri.0;
        let opened = OpenText {
            path: path_of(&uri),
            text: text.as_str().into(),
            document: Document::new(text, version, self.begin.encoding),
            serial: 0,
            interrupt: Interrupt::new(),
            latest: None,
            whole: None,
        };
        if let Some(before) = self.texts.insert(uri.clone(), opened) {
            before.interrupt.raise();
        }
        self.analyse_with_dependents(&uri);
    }

    fn change(&mut self, changed: DidChangeTextDocumentParams) {
        let uri = changed.text_document.text_document_identifier.uri.0;
        let Some(open) = self.texts.get_mut(&uri) else { return };
        changed.content_changes.into_iter().for_each(|change| open.document.change(change));
        open.document.version = changed.text_document.version;
        open.text = open.document.text().into();
        self.analyse_with_dependents(&uri);
    }

    fn close(&mut self, uri: &str) {
        let Some(closed) = self.texts.remove(uri) else { return };
        closed.interrupt.raise();
        self.client.publish(uri, None, Vec::new());
        self.analyse_dependents(closed.path.as_deref());
    }

    fn analyse_with_dependents(&mut self, uri: &str) {
        self.ask_for_analysis(uri);
        let path = self.texts.get(uri).and_then(|open| open.path.clone());
        self.analyse_dependents(path.as_deref());
    }

    /// Analyses the texts anew that depend on a file.
    fn analyse_dependents(&mut self, path: Option<&Path>) {
        let Some(path) = path else { return };
        self.analyse_where(|open| open.path.as_deref() != Some(path) && open.depends_on(path));
    }

    fn analyse_where(&mut self, is_wanted: impl Fn(&OpenText) -> bool) {
        let wanted = self.texts.iter_mut().filter(|(_, open)| is_wanted(open));
        let wanted: Vec<String> = wanted
            .map(|(uri, open)| {
                // Schedules may depend on the file that has changed.
                open.whole = None;
                uri.clone()
            })
            .collect();
        wanted.iter().for_each(|uri| self.ask_for_analysis(uri));
    }

    /// Analyses the texts anew of which a file has changed on the disk, or vanished. Files that are open in the editor count as they
    /// are there.
    pub(super) fn look_at_files(&mut self) {
        let opened: BTreeSet<PathBuf> =
            self.texts.values().filter_map(|open| open.path.clone()).collect();
        self.analyse_where(|open| {
            // A text that is being analysed reads its files anew; what changes meanwhile is found behind it.
            let latest = open.latest.iter().filter(|analysis| analysis.serial == open.serial);
            let mut files = latest.flat_map(|analysis| &analysis.files);
            files.any(|(path, before)| !opened.contains(path) && stamp(path) != *before)
        });
    }

    fn ask_for_analysis(&mut self, uri: &str) {
        let texts = self.texts.values();
        let texts = texts.filter_map(|open| Some((open.path.clone()?, Arc::clone(&open.text))));
        let all = Arc::new(texts.collect());
        let root = self.root_of(uri);
        self.serial += 1;
        let Some(open) = self.texts.get_mut(uri) else { return };
        open.interrupt.raise();
        (open.interrupt, open.serial) = (Interrupt::new(), self.serial);
        let job = Job {
            uri: uri.to_owned(),
            path: open.path.clone(),
            version: open.document.version,
            serial: self.serial,
            text: Arc::clone(&open.text),
            root,
            open: all,
            interrupt: open.interrupt.clone(),
        };
        // The threads end only behind the server.
        let _ = self.jobs.send(job);
    }

    /// Returns the path of an open text that includes one, by its last analysis: that which nothing includes, the first by name.
    fn root_of(&self, uri: &str) -> Option<PathBuf> {
        let own = self.texts.get(uri)?.path.as_ref()?;
        let includes = |open: &&OpenText| open.path.as_ref() != Some(own) && open.depends_on(own);
        let root = |open: &OpenText| {
            let known = open.latest.as_ref().and_then(|analysis| analysis.root.clone());
            known.or_else(|| open.path.clone())
        };
        let all = self.texts.values().filter(includes).filter_map(root);
        all.filter(|root| root != own).min()
    }

    /// Analyses the open texts anew that were taken for programs of their own, and are included by a text that has just been analysed.
    fn analyse_included(&mut self, uri: &str) {
        let Some(analysis) = self.texts.get(uri).and_then(|open| open.latest.as_ref()) else {
            return;
        };
        let is_included = |open: &OpenText| {
            let has_root = open.latest.as_ref().is_none_or(|latest| latest.root.is_some());
            let path = open.path.as_ref().filter(|path| analysis.files.contains_key(*path));
            path.is_some() && !has_root
        };
        let known = self.texts.iter().filter(|(other, open)| *other != uri && is_included(open));
        let known: Vec<String> = known.map(|(other, _)| other.clone()).collect();
        for other in known {
            if self.root_of(&other).is_some() {
                self.ask_for_analysis(&other);
            }
        }
    }

    /// Tells the client what was found, unless the text has changed since.
    pub(super) fn publish(&mut self, analysis: Analysis) {
        let uri = analysis.uri.clone();
        let Some(open) = self.texts.get_mut(&uri) else { return };
        if open.serial != analysis.serial {
            return;
        }
        if analysis.is_whole {
            open.whole = Some(analysis.clone());
        }
        open.latest = Some(analysis);
        self.tell_findings(&uri);
        self.analyse_included(&uri);
        self.watch();
    }

    /// Tells the client what promises would win, unless the text has changed since.
    pub(super) fn publish_tried(&mut self, tried: Tried) {
        let Tried { uri, serial, regions } = tried;
        let Some(open) = self.texts.get_mut(&uri) else { return };
        for analysis in open.latest.iter_mut().chain(&mut open.whole) {
            if analysis.serial == serial {
                for (region, hints) in analysis.regions_mut().zip(&regions) {
                    region.hints = Some(Arc::clone(hints));
                }
            }
        }
        if open.serial == serial {
            self.tell_findings(&uri);
        }
    }

    fn tell_findings(&mut self, uri: &str) {
        let Some(open) = self.texts.get(uri) else { return };
        let Some(analysis) = open.current() else { return };
        let list = diagnostics(&open.document, analysis, self.begin.encoding);
        self.client.publish(uri, Some(analysis.version), list);
        if self.begin.refreshes {
            self.client.ask("workspace/inlayHint/refresh", Value::Null);
        }
    }

    /// Asks the client to watch the files that open texts depend on.
    fn watch(&mut self) {
        if !self.begin.watches {
            return;
        }
        let files = self.texts.values().flat_map(|open| &open.latest);
        let files = files.flat_map(|analysis| analysis.files.keys());
        let names: BTreeSet<String> = files
            .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
            .collect();
        if names == self.watched {
            return;
        }
        let (id, method) = ("cp2-files", "workspace/didChangeWatchedFiles");
        if !self.watched.is_empty() {
            let all = json!([{ "id": id, "method": method }]);
            self.client.ask("client/unregisterCapability", json!({ "unregisterations": all }));
        }
        if !names.is_empty() {
            // Characters that mean something in a pattern stand for any one.
            let plain = |name: &String| name.replace(['*', '?', '[', ']', '{', '}', '\\'], "?");
            let pattern = |name| json!({ "globPattern": format!("**/{}", plain(name)) });
            let watchers: Vec<Value> = names.iter().map(pattern).collect();
            let options = json!({ "watchers": watchers });
            let all = json!([{ "id": id, "method": method, "registerOptions": options }]);
            self.client.ask("client/registerCapability", json!({ "registrations": all }));
        }
        self.watched = names;
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        // What is under way ends soon, so that the threads do.
        self.texts.values().for_each(|open| open.interrupt.raise());
    }
}
