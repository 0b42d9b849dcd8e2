//! The language server of CP2 sources: findings as one types, what operations and names mean, cycles and intervals beside the lines. Programs
//! of the STAR machine, loop nests, machine files and workload files are checked as one types too. It speaks the Language Server Protocol; `cp2 lsp` starts it.

mod actions;
mod analysis;
mod completion;
mod directives;
mod document;
mod findings;
mod formatting;
mod hints;
mod hover;
mod language;
mod lenses;
mod lifetimes;
mod machine_file;
mod made;
mod registers;
mod server;
mod signature;
mod stream;
mod structure;
mod toml_places;
mod uri;
mod words;
mod workload_file;

pub use server::{ServerError, serve, serve_standard};
pub use stream::StreamError;
