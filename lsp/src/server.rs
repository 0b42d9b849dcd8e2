//! The loop of the server: messages of the client, and analyses that come back from their thread.

use crate::actions::actions;
use crate::analysis::{Analysis, Job, work};
use crate::completion::completion;
use crate::document::{Document, Encoding};
use crate::findings::diagnostics;
use crate::formatting::formatting;
use crate::hints::inlay_hints;
use crate::hover::hover;
use crate::language::TextLanguage;
use crate::lenses::lenses;
use crate::machine_file;
use crate::signature::signature;
use crate::structure::{TOKEN_TYPES, symbols, tokens};
use crate::uri::path_of;
use crate::words::{NamePlaces, has_name, new_name, places};
use crate::workload_file;
use cp2_isa::Core;
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use gen_lsp_types::*;
use lsp_server::{
    Connection, ErrorCode, Message, ProtocolError, Request as Asked, RequestId, Response,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt;
use std::path::Path;

/// The reason why the server ended before the client asked it to.
#[derive(Debug)]
pub enum ServerError {
    /// The client broke the protocol, or is gone.
    Protocol(ProtocolError),
    /// A message of the begin cannot be read.
    Message(serde_json::Error),
    /// The standard streams cannot be read or written.
    Stream(std::io::Error),
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protocol(error) => write!(f, "the client: {error}"),
            Self::Message(error) => write!(f, "a message of the client: {error}"),
            Self::Stream(error) => write!(f, "the standard streams: {error}"),
        }
    }
}

impl std::error::Error for ServerError {}

impl From<ProtocolError> for ServerError {
    fn from(error: ProtocolError) -> Self {
        Self::Protocol(error)
    }
}

impl From<serde_json::Error> for ServerError {
    fn from(error: serde_json::Error) -> Self {
        Self::Message(error)
    }
}

/// Serves the client at the other end of the standard streams, as [`serve`] does.
///
/// # Errors
/// The client breaks the protocol, or the streams fail.
pub fn serve_standard(core: Core) -> Result<(), ServerError> {
    let (connection, threads) = Connection::stdio();
    serve(&connection, core)?;
    drop(connection);
    threads.join().map_err(ServerError::Stream)
}

/// Serves a client, for programs of a core, until it asks for the end.
///
/// # Errors
/// The client breaks the protocol.
pub fn serve(connection: &Connection, core: Core) -> Result<(), ServerError> {
    let (id, first) = connection.initialize_start()?;
    let client: InitializeParams = serde_json::from_value(first)?;
    let offered = client.capabilities.general.and_then(|general| general.position_encodings);
    let encoding = Encoding::of(offered.as_deref());
    let hints = client.capabilities.workspace.and_then(|workspace| workspace.inlay_hint);
    let refreshes = hints.and_then(|hints| hints.refresh_support).unwrap_or(false);
    let info = json!({ "name": "cp2", "version": env!("CARGO_PKG_VERSION") });
    let capabilities = serde_json::to_value(capabilities(encoding))?;
    connection
        .initialize_finish(id, json!({ "capabilities": capabilities, "serverInfo": info }))?;
    let (jobs, waiting) = unbounded();
    let (done, results) = unbounded();
    std::thread::scope(|scope| {
        scope.spawn(move || work(core, &waiting, &done));
        let (documents, analyses) = (HashMap::new(), HashMap::new());
        let server =
            Server { connection, core, encoding, refreshes, jobs, documents, analyses, asked: 0 };
        server.run(&results);
    });
    Ok(())
}

/// Returns what the server can do.
fn capabilities(encoding: Encoding) -> ServerCapabilities {
    let triggers = [".", "%"].map(str::to_owned).to_vec();
    let legend = SemanticTokensLegend {
        token_types: TOKEN_TYPES.map(str::to_owned).to_vec(),
        token_modifiers: Vec::new(),
    };
    let tokens = SemanticTokensOptions { legend, full: Some(true.into()), ..Default::default() };
    let rename = RenameOptions { prepare_provider: Some(true), ..Default::default() };
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncKind::Incremental.into()),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(triggers),
            ..Default::default()
        }),
        hover_provider: Some(true.into()),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some([" ", ","].map(str::to_owned).to_vec()),
            ..Default::default()
        }),
        document_formatting_provider: Some(true.into()),
        code_action_provider: Some(true.into()),
        code_lens_provider: Some(CodeLensOptions::default()),
        definition_provider: Some(true.into()),
        references_provider: Some(true.into()),
        document_symbol_provider: Some(true.into()),
        rename_provider: Some(rename.into()),
        semantic_tokens_provider: Some(tokens.into()),
        inlay_hint_provider: Some(true.into()),
        ..Default::default()
    }
}

/// A request that cannot be answered, with a sentence for the user.
struct Refused(ErrorCode, String);

type Answer = Result<Value, Refused>;

struct Server<'c> {
    connection: &'c Connection,
    core: Core,
    encoding: Encoding,
    /// Whether the client asks for hints again when it is told to.
    refreshes: bool,
    jobs: Sender<Job>,
    documents: HashMap<String, Document>,
    /// Last analysis of each document, which may be of an earlier version.
    analyses: HashMap<String, Analysis>,
    /// Requests that were sent to the client.
    asked: i32,
}

impl Server<'_> {
    fn run(mut self, results: &Receiver<Analysis>) {
        loop {
            select! {
                recv(self.connection.receiver) -> message => match message {
                    Ok(Message::Request(request)) => {
                        // Once the client has asked for the end, the server ends whatever comes behind.
                        match self.connection.handle_shutdown(&request) {
                            Ok(false) => self.answer(request),
                            Ok(true) | Err(_) => return,
                        }
                    }
                    Ok(Message::Notification(note)) => self.note(&note.method, note.params),
                    Ok(Message::Response(_)) => {}
                    // The client is gone.
                    Err(_) => return,
                },
                recv(results) -> analysis => {
                    if let Ok(analysis) = analysis {
                        self.publish(analysis);
                    }
                }
            }
        }
    }

    fn send(&self, message: impl Into<Message>) {
        // If the client is gone, the next receive tells so.
        let _ = self.connection.sender.send(message.into());
    }

    /// Returns the language of the open text that a request is about, if it is about one.
    fn language(&self, params: &Value) -> Option<TextLanguage> {
        let uri = params["textDocument"]["uri"].as_str()?;
        Some(TextLanguage::of(uri, self.documents.get(uri)?.text()))
    }

    fn answer(&self, Asked { id, method, params }: Asked) {
        let answer = match self.language(&params) {
            None | Some(TextLanguage::Assembly) => self.answer_of_assembly(&method, params),
            Some(language) => self.answer_of_other(language, &method, params),
        };
        self.send(response(id, answer));
    }

    /// Answers a request that is about a text of another language than assembly, of which there is nothing but findings, a layout and, for
    /// machine files and workload files, the meaning of keys.
    fn answer_of_other(&self, language: TextLanguage, method: &str, params: Value) -> Answer {
        match (method, language) {
            ("textDocument/formatting", _) => self.answer_of_text(method, params),
            ("textDocument/hover", _) => self.asked_at::<HoverParams>(params, |server, p| {
                let at = p.text_document_position_params;
                let (_, document) = server.document(&at.text_document.uri)?;
                to_value(match language {
                    TextLanguage::Machine => machine_file::hover(document, at.position),
                    TextLanguage::Workload => workload_file::hover(document, at.position),
                    _ => None,
                })
            }),
            ("textDocument/completion", _) => {
                self.asked_at::<CompletionParams>(params, |server, p| {
                    let at = p.text_document_position_params;
                    let (_, document) = server.document(&at.text_document.uri)?;
                    to_value(match language {
                        TextLanguage::Machine => machine_file::completion(document, at.position),
                        TextLanguage::Workload => workload_file::completion(document, at.position),
                        _ => Vec::new(),
                    })
                })
            }
            ("textDocument/rename", _) => {
                let what = "names of this language are not renamed".to_owned();
                Err(Refused(ErrorCode::RequestFailed, what))
            }
            ("textDocument/semanticTokens/full", _) => {
                to_value(SemanticTokens { result_id: None, data: Vec::new() })
            }
            _ => Ok(Value::Null),
        }
    }

    fn answer_of_assembly(&self, method: &str, params: Value) -> Answer {
        match method {
            "textDocument/hover" => self.asked_at::<HoverParams>(params, |server, p| {
                let at = p.text_document_position_params;
                let (document, analysis) = server.analysed(&at.text_document.uri)?;
                to_value(hover(&server.core, document, analysis, at.position))
            }),
            "textDocument/completion" => self.asked_at::<CompletionParams>(params, |server, p| {
                let at = p.text_document_position_params;
                let (_, document) = server.document(&at.text_document.uri)?;
                to_value(completion(document, at.position))
            }),
            "textDocument/signatureHelp" => {
                self.asked_at::<SignatureHelpParams>(params, |server, p| {
                    let at = p.text_document_position_params;
                    let (_, document) = server.document(&at.text_document.uri)?;
                    to_value(signature(&server.core, document, at.position))
                })
            }
            "textDocument/definition" => self.asked_at::<DefinitionParams>(params, |server, p| {
                server.locations(&p.text_document_position_params, |defines| defines)
            }),
            "textDocument/references" => self.asked_at::<ReferenceParams>(params, |server, p| {
                let all = p.context.include_declaration;
                server.locations(&p.text_document_position_params, |defines| all || !defines)
            }),
            "textDocument/prepareRename" => {
                self.asked_at::<PrepareRenameParams>(params, |server, p| {
                    let at = p.text_document_position_params;
                    let (_, document) = server.document(&at.text_document.uri)?;
                    to_value(places(document, at.position).map(|found| found.here))
                })
            }
            "textDocument/rename" => {
                self.asked_at::<RenameParams>(params, |server, p| server.rename(&p))
            }
            _ => self.answer_of_text(method, params),
        }
    }

    /// Answers a request that is about a text, or lines of it.
    fn answer_of_text(&self, method: &str, params: Value) -> Answer {
        match method {
            "textDocument/documentSymbol" => self
                .asked_at::<DocumentSymbolParams>(params, |server, p| {
                    to_value(symbols(server.document(&p.text_document.uri)?.1))
                }),
            "textDocument/semanticTokens/full" => {
                self.asked_at::<SemanticTokensParams>(params, |server, p| {
                    let data = tokens(server.document(&p.text_document.uri)?.1);
                    to_value(SemanticTokens { result_id: None, data })
                })
            }
            "textDocument/formatting" => {
                self.asked_at::<DocumentFormattingParams>(params, |server, p| {
                    let (uri, document) = server.document(&p.text_document.uri)?;
                    to_value(formatting(uri, document))
                })
            }
            "textDocument/codeAction" => self.asked_at::<CodeActionParams>(params, |server, p| {
                let (document, analysis) = server.analysed(&p.text_document.uri)?;
                to_value(analysis.map(|analysis| actions(document, analysis, p.range)))
            }),
            "textDocument/codeLens" => self.asked_at::<CodeLensParams>(params, |server, p| {
                let (uri, document) = server.document(&p.text_document.uri)?;
                to_value(lenses(uri, document))
            }),
            "textDocument/inlayHint" => self.asked_at::<InlayHintParams>(params, |server, p| {
                let (document, analysis) = server.analysed(&p.text_document.uri)?;
                to_value(analysis.map(|analysis| inlay_hints(document, analysis, p.range)))
            }),
            _ => Err(Refused(ErrorCode::MethodNotFound, format!("`{method}` is not served"))),
        }
    }

    /// Returns a document, and its analysis unless that is of an earlier version, whose lines may be others.
    fn analysed(&self, uri: &Uri) -> Result<(&Document, Option<&Analysis>), Refused> {
        let (uri, document) = self.document(uri)?;
        let analysis = self.analyses.get(uri);
        Ok((document, analysis.filter(|analysis| analysis.version == document.version)))
    }

    /// Reads the parameters of a request and answers it.
    fn asked_at<P: DeserializeOwned>(
        &self,
        params: Value,
        answer: impl FnOnce(&Self, P) -> Answer,
    ) -> Answer {
        match serde_json::from_value(params) {
            Ok(params) => answer(self, params),
            Err(error) => Err(Refused(ErrorCode::InvalidParams, error.to_string())),
        }
    }

    fn document(&self, uri: &Uri) -> Result<(&str, &Document), Refused> {
        let found = self.documents.get_key_value(&uri.0);
        found
            .map(|(uri, document)| (uri.as_str(), document))
            .ok_or_else(|| Refused(ErrorCode::InvalidParams, format!("{} is not open", uri.0)))
    }

    fn locations(
        &self,
        at: &TextDocumentPositionParams,
        is_wanted: impl Fn(bool) -> bool,
    ) -> Answer {
        let (_, document) = self.document(&at.text_document.uri)?;
        let all = places(document, at.position).map(|found| found.all).unwrap_or_default();
        let wanted = all.into_iter().filter(|(_, defines)| is_wanted(*defines));
        let uri = &at.text_document.uri;
        let locations = wanted.map(|(range, _)| Location { uri: uri.clone(), range });
        to_value(locations.collect::<Vec<_>>())
    }

    fn rename(&self, asked: &RenameParams) -> Answer {
        let at = &asked.text_document_position_params;
        let (_, document) = self.document(&at.text_document.uri)?;
        let refused = |sentence| Refused(ErrorCode::RequestFailed, sentence);
        let found = places(document, at.position)
            .ok_or_else(|| refused("there is no name here that could be renamed".to_owned()))?;
        let name = new_name(document, &found, &asked.new_name).map_err(refused)?;
        if let Some(file) = self.other_file(&at.text_document.uri, &found) {
            let sentence = format!(
                "`{}` stands in {file} too, which is assembled with this text; rename it by hand in both",
                found.name
            );
            return Err(refused(sentence));
        }
        let edit = |(range, _)| TextEdit { range, new_text: name.clone() };
        let edits: Vec<TextEdit> = found.all.into_iter().map(edit).collect();
        let changes = HashMap::from([(at.text_document.uri.clone(), edits)]);
        to_value(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() })
    }

    /// Returns the file of another text with a name of this one: a text that it includes, or one that is open and includes
    /// it with others.
    fn other_file(&self, uri: &Uri, found: &NamePlaces) -> Option<&str> {
        if found.is_virtual {
            return None;
        }
        let path = path_of(&uri.0);
        let is_own = |name: &str| path.as_deref().is_some_and(|path| path == Path::new(name));
        let together = self.analyses.values().filter(|analysis| {
            analysis.uri == uri.0 || analysis.sources.names().skip(1).any(is_own)
        });
        let texts = together.flat_map(|analysis| {
            let own = usize::from(analysis.uri == uri.0);
            let sources = &analysis.sources;
            sources
                .names()
                .enumerate()
                .skip(own)
                .map(|(file, name)| (name, sources.text(file as u32)))
        });
        let others = texts.filter(|(name, text)| !is_own(name) && has_name(text, &found.name));
        others.map(|(name, _)| name).next()
    }

    /// Takes a message that wants no answer. One that cannot be read is passed over, as the protocol has no answer for it.
    fn note(&mut self, method: &str, params: Value) {
        match method {
            "textDocument/didOpen" => {
                let Ok(opened) = serde_json::from_value::<DidOpenTextDocumentParams>(params) else {
                    return;
                };
                let TextDocumentItem { uri, version, text, .. } = opened.text_document;
                self.documents.insert(uri.0.clone(), Document::new(text, version, self.encoding));
                self.ask_for_analysis(&uri.0);
            }
            "textDocument/didChange" => {
                let Ok(changed) = serde_json::from_value::<DidChangeTextDocumentParams>(params)
                else {
                    return;
                };
                let uri = changed.text_document.text_document_identifier.uri.0;
                let Some(document) = self.documents.get_mut(&uri) else { return };
                changed.content_changes.into_iter().for_each(|change| document.change(change));
                document.version = changed.text_document.version;
                self.ask_for_analysis(&uri);
            }
            "textDocument/didClose" => {
                let Ok(closed) = serde_json::from_value::<DidCloseTextDocumentParams>(params)
                else {
                    return;
                };
                let uri = closed.text_document.uri;
                self.documents.remove(&uri.0);
                self.analyses.remove(&uri.0);
                self.publish_list(&uri.0, None, Vec::new());
            }
            _ => {}
        }
    }

    fn ask_for_analysis(&self, uri: &str) {
        let Some(document) = self.documents.get(uri) else { return };
        let (path, text) = (path_of(uri), document.text().to_owned());
        let job = Job { uri: uri.to_owned(), path, version: document.version, text };
        // The thread ends only behind the server.
        let _ = self.jobs.send(job);
    }

    /// Tells the client what was found, unless the text has changed since.
    fn publish(&mut self, analysis: Analysis) {
        let Some(document) = self.documents.get(&analysis.uri) else { return };
        if document.version != analysis.version {
            return;
        }
        let list = diagnostics(document, &analysis, self.encoding);
        self.publish_list(&analysis.uri, Some(analysis.version), list);
        self.analyses.insert(analysis.uri.clone(), analysis);
        if self.refreshes {
            self.asked += 1;
            let method = "workspace/inlayHint/refresh".to_owned();
            self.send(Asked::new(RequestId::from(self.asked), method, Value::Null));
        }
    }

    fn publish_list(&self, uri: &str, version: Option<i32>, diagnostics: Vec<Diagnostic>) {
        let params = PublishDiagnosticsParams { uri: Uri(uri.to_owned()), version, diagnostics };
        let method = "textDocument/publishDiagnostics".to_owned();
        self.send(lsp_server::Notification::new(method, params));
    }
}

fn to_value(value: impl serde::Serialize) -> Answer {
    serde_json::to_value(value)
        .map_err(|error| Refused(ErrorCode::InternalError, error.to_string()))
}

fn response(id: RequestId, answer: Answer) -> Response {
    match answer {
        Ok(value) => Response::new_ok(id, value),
        Err(Refused(code, message)) => Response::new_err(id, code as i32, message),
    }
}
