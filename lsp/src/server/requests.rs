//! Requests about open texts, and their answers.

use super::state::{Answer, OpenText, Refused, Server};
use crate::actions::actions;
use crate::completion::completion;
use crate::document::Document;
use crate::formatting::formatting;
use crate::hints::inlay_hints;
use crate::hover::hover;
use crate::language::TextLanguage;
use crate::lenses::lenses;
use crate::machine_file;
use crate::signature::signature;
use crate::structure::{symbols, tokens};
use crate::words::places;
use crate::workload_file;
use gen_lsp_types::*;
use lsp_server::{ErrorCode, Request as Asked};
use serde::de::DeserializeOwned;
use serde_json::Value;

impl Server<'_> {
    /// Returns the language of the open text that a request is about, if it is about one.
    fn language(&self, params: &Value) -> Option<TextLanguage> {
        let uri = params["textDocument"]["uri"].as_str()?;
        Some(TextLanguage::of(uri, self.texts.get(uri)?.document.text()))
    }

    /// Answers a request.
    pub(super) fn answer(&self, Asked { id, method, params }: Asked) {
        let answer = match self.language(&params) {
            None | Some(TextLanguage::Assembly) => self.answer_of_assembly(&method, params),
            Some(language) => self.answer_of_other(language, &method, params),
        };
        self.client.answer(id, answer);
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
                        TextLanguage::Other if at.text_document.uri.0.ends_with(".toml") => {
                            machine_file::first_headers(document, at.position)
                        }
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
                let (uri, open) = server.opened(&at.text_document.uri)?;
                let others = server.together(uri);
                to_value(hover(
                    &server.core,
                    &open.document,
                    (open.current(), &others),
                    at.position,
                ))
            }),
            "textDocument/completion" => self.asked_at::<CompletionParams>(params, |server, p| {
                let at = p.text_document_position_params;
                let (_, document) = server.document(&at.text_document.uri)?;
                to_value(server.completed(document, &at))
            }),
            "textDocument/signatureHelp" => {
                self.asked_at::<SignatureHelpParams>(params, |server, p| {
                    let at = p.text_document_position_params;
                    let (_, document) = server.document(&at.text_document.uri)?;
                    to_value(signature(&server.core, document, at.position))
                })
            }
            "textDocument/definition" => self.asked_at::<DefinitionParams>(params, |server, p| {
                server.locations(&p.text_document_position_params, &|defines| defines)
            }),
            "textDocument/references" => self.asked_at::<ReferenceParams>(params, |server, p| {
                let all = p.context.include_declaration;
                server.locations(&p.text_document_position_params, &|defines| all || !defines)
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
                let (_, open) = server.opened(&p.text_document.uri)?;
                let current = open.current();
                to_value(current.map(|analysis| actions(&open.document, analysis, p.range)))
            }),
            "textDocument/codeLens" => self.asked_at::<CodeLensParams>(params, |server, p| {
                let (uri, document) = server.document(&p.text_document.uri)?;
                to_value(lenses(uri, document))
            }),
            "textDocument/inlayHint" => self.asked_at::<InlayHintParams>(params, |server, p| {
                let (_, open) = server.opened(&p.text_document.uri)?;
                let known = open.known();
                to_value(inlay_hints(&open.document, &known, p.range))
            }),
            _ => Err(Refused(ErrorCode::MethodNotFound, format!("`{method}` is not served"))),
        }
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

    /// Returns an open text with its name in the protocol.
    pub(super) fn opened(&self, uri: &Uri) -> Result<(&str, &OpenText), Refused> {
        let found = self.texts.get_key_value(&uri.0);
        found
            .map(|(uri, open)| (uri.as_str(), open))
            .ok_or_else(|| Refused(ErrorCode::InvalidParams, format!("{} is not open", uri.0)))
    }

    pub(super) fn document(&self, uri: &Uri) -> Result<(&str, &Document), Refused> {
        let (uri, open) = self.opened(uri)?;
        Ok((uri, &open.document))
    }

    fn completed(
        &self,
        document: &Document,
        at: &TextDocumentPositionParams,
    ) -> Vec<CompletionItem> {
        let others = self.together(&at.text_document.uri.0);
        completion(&self.core, document, &others, at.position)
    }
}

/// Returns an answer of a value.
pub(super) fn to_value(value: impl serde::Serialize) -> Answer {
    serde_json::to_value(value)
        .map_err(|error| Refused(ErrorCode::InternalError, error.to_string()))
}
