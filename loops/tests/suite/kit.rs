//! Nests from texts.

use cp2_asm::diagnostic::Sources;
use cp2_nest::{Nest, read_nest};

pub(crate) fn nest(text: &str) -> Nest {
    let mut sources = Sources::default();
    sources.add("nest.c", text);
    read_nest(&sources, 0).unwrap_or_else(|problems| {
        panic!("{}", cp2_asm::render::render_all(&problems, &sources, Default::default()))
    })
}
