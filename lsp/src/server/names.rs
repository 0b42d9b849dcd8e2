//! Names over the texts that are assembled together: where each gets its meaning, where it stands, and its rename.

use super::requests::to_value;
use super::state::{Answer, Refused, Server};
use crate::analysis::AnalysedProgram;
use crate::document::Document;
use crate::uri::{path_of, uri_of};
use crate::words::{NamePlaces, has_name, new_name, places, symbol_at, symbol_places};
use cp2_asm::outline::WordKind;
use gen_lsp_types::*;
use lsp_server::ErrorCode;
use std::collections::HashMap;
use std::path::Path;

impl Server<'_> {
    /// Returns the other texts that are assembled together with an open one, each with its name in the protocol: those that it
    /// includes, the open ones that include it, and what these include. A text that is open is as it is there, another one as it was when
    /// it was assembled.
    pub(super) fn together(&self, uri: &str) -> Vec<(String, Document)> {
        let path = path_of(uri);
        let is_own = |name: &str| path.as_deref().is_some_and(|path| path == Path::new(name));
        let analyses = self.texts.values().filter_map(|open| open.latest.as_ref());
        let others = |program: &AnalysedProgram| {
            let names = program.sources.names().map(str::to_owned).enumerate();
            names.filter(|(file, _)| !program.is_own_source(*file)).collect::<Vec<_>>()
        };
        let has_own = |program: &AnalysedProgram| others(program).iter().any(|(_, n)| is_own(n));
        let mut all: Vec<(String, Document)> = Vec::new();
        let mut enter = |other: String, text: &str| {
            if other == uri || all.iter().any(|(known, _)| *known == other) {
                return;
            }
            let document = match self.texts.get(&other) {
                Some(open) => open.document.clone(),
                None => Document::new(text.to_owned(), 0, self.begin.encoding),
            };
            all.push((other, document));
        };
        for analysis in analyses {
            for program in &analysis.programs {
                if analysis.uri != uri && !has_own(program) {
                    continue;
                }
                if analysis.uri != uri {
                    enter(analysis.uri.clone(), &analysis.text);
                }
                for (file, name) in others(program) {
                    if !is_own(&name) {
                        enter(uri_of(&name), program.sources.text(file as u32));
                    }
                }
            }
        }
        all
    }

    /// Returns the places of the name at a place, in all texts that are assembled together.
    pub(super) fn locations(
        &self,
        at: &TextDocumentPositionParams,
        is_wanted: &dyn Fn(bool) -> bool,
    ) -> Answer {
        let uri = &at.text_document.uri;
        let (_, document) = self.document(uri)?;
        let place = |(range, defines): (Range, bool), uri: &str| {
            (Location { uri: Uri(uri.to_owned()), range }, defines)
        };
        let mut all = Vec::new();
        if let Some((name, kind)) = symbol_at(document, at.position) {
            // A macro of another text has no place here that gives it its meaning.
            let own = places(document, at.position).map(|found| found.all);
            let own = own.unwrap_or_else(|| symbol_places(document, &name));
            all.extend(own.into_iter().map(|found| place(found, &uri.0)));
            for (other, document) in self.together(&uri.0) {
                let found = symbol_places(&document, &name);
                all.extend(found.into_iter().map(|found| place(found, &other)));
            }
            // The operations of the machine are no names of the texts.
            if kind == WordKind::Operation && !all.iter().any(|(_, defines)| *defines) {
                all.clear();
            }
        } else if let Some(found) = places(document, at.position) {
            all.extend(found.all.into_iter().map(|found| place(found, &uri.0)));
        }
        let wanted = all.into_iter().filter(|(_, defines)| is_wanted(*defines));
        to_value(wanted.map(|(location, _)| location).collect::<Vec<_>>())
    }

    pub(super) fn rename(&self, asked: &RenameParams) -> Answer {
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
    fn other_file(&self, uri: &Uri, found: &NamePlaces) -> Option<String> {
        if found.is_virtual {
            return None;
        }
        let mut others = self.together(&uri.0).into_iter();
        let (other, _) = others.find(|(_, text)| has_name(text, &found.name))?;
        Some(path_of(&other).map_or(other, |path| path.to_string_lossy().into_owned()))
    }
}
