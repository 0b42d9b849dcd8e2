//! The loop of the server: messages of the client, and analyses that come back from their threads.

mod lifecycle;
mod names;
mod requests;
mod state;

use crate::analysis::{Inclusions, environment, try_promises, work};
use crate::document::Encoding;
use crate::stream::{StreamError, connected};
use crate::structure::TOKEN_TYPES;
use cp2_isa::Core;
use crossbeam_channel::unbounded;
use gen_lsp_types::*;
use lifecycle::{initialized, run};
use lsp_server::Connection;
use state::Server;
use std::fmt;

/// Threads that analyse texts.
const ANALYSING: usize = 2;

/// The reason why the server ended before the client asked it to.
#[derive(Debug)]
pub enum ServerError {
    /// The client sent `exit` without `shutdown` before it.
    Exit,
    /// The client is gone: its stream ended.
    Gone,
    /// The client sent what is no message.
    Stream(StreamError),
    /// The message with which the client begins cannot be read.
    Message(serde_json::Error),
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit => f.write_str("the client sent `exit` without `shutdown` before it"),
            Self::Gone => f.write_str("the client is gone; it did not send `shutdown` and `exit`"),
            Self::Stream(error) => write!(f, "{error}; the server cannot go on behind that"),
            Self::Message(error) => write!(f, "`initialize` of the client cannot be read: {error}"),
        }
    }
}

impl std::error::Error for ServerError {}

/// Serves the client at the other end of the standard streams, as [`serve`] does.
///
/// # Errors
/// The client breaks the protocol, or the streams fail.
pub fn serve_standard(core: Core) -> Result<(), ServerError> {
    let input = std::io::BufReader::new(std::io::stdin());
    let (sender, receiver, threads) = connected(input, std::io::stdout());
    let connection = Connection { sender, receiver };
    let served = serve(&connection, core);
    drop(connection);
    match (served, threads.fault()) {
        (Err(ServerError::Gone), Some(fault)) => Err(ServerError::Stream(fault)),
        (served, _) => served,
    }
}

/// Serves a client, for programs of a core, until it asks for the end.
///
/// # Errors
/// The client breaks the protocol, or is gone without having asked for the end.
pub fn serve(connection: &Connection, core: Core) -> Result<(), ServerError> {
    let Some(begin) = initialized(connection, capabilities)? else {
        return Ok(());
    };
    let (environment, inclusions) = (&environment(), &Inclusions::default());
    let (jobs, waiting) = unbounded();
    let (done, analyses) = unbounded();
    let (wanted, trials) = unbounded();
    let (found, tried) = unbounded();
    std::thread::scope(|scope| {
        for _ in 0..ANALYSING {
            let (waiting, done, wanted) = (waiting.clone(), done.clone(), wanted.clone());
            scope.spawn(move || work((environment, inclusions), core, &waiting, (&done, &wanted)));
        }
        drop((done, wanted));
        scope.spawn(move || try_promises(environment, &trials, &found));
        run(Server::new(connection, core, begin, jobs), &analyses, &tried)
    })
}

/// Returns what the server can do.
fn capabilities(encoding: Encoding) -> ServerCapabilities {
    let triggers = [".", "%", "@", "\\", "(", "[", "\""].map(str::to_owned).to_vec();
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
