//! What the tests share: assembling texts of one or several files, and short forms of results.

use cp2_asm::{Diagnostic, Image, Sources, assemble};
use cp2_isa::{Core, decode};

/// Result of assembling a text.
pub(crate) struct Outcome {
    pub(crate) sources: Sources,
    pub(crate) image: Option<Image>,
    /// Errors, or the warnings of a text without errors.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Assembles a text that lines `; file: NAME` divide into files. The first is `main.s`; those that
/// end in `.s` are assembled, the others can be included.
pub(crate) fn run(text: &str) -> Outcome {
    let mut files = vec![("main.s".to_owned(), String::new())];
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("; file: ") {
            Some(name) => files.push((name.trim().to_owned(), String::new())),
            None => {
                if let Some((_, text)) = files.last_mut() {
                    text.push_str(line);
                }
            }
        }
    }
    let mut sources = Sources::default();
    let roots: Vec<u32> = files
        .iter()
        .filter(|(name, _)| name.ends_with(".s"))
        .map(|(name, text)| sources.add(name, text))
        .collect();
    let mut loader = |_: &str, path: &str| {
        let found = files.iter().find(|(name, _)| name == path);
        found.cloned().ok_or_else(|| "there is no such file".to_owned())
    };
    match assemble(&mut sources, &roots, &mut loader) {
        Ok((image, diagnostics)) => Outcome { sources, image: Some(image), diagnostics },
        Err(diagnostics) => Outcome { sources, image: None, diagnostics },
    }
}

impl Outcome {
    /// Returns `file:line:column CODE` of each diagnostic, without `main.s:`.
    pub(crate) fn places(&self) -> Vec<String> {
        let place = |d: &Diagnostic| match &d.span {
            Some(span) => cp2_asm::render::place(span, &self.sources),
            None => "-".into(),
        };
        let short = |d: &Diagnostic| format!("{} {}", place(d), d.code);
        self.diagnostics.iter().map(|d| short(d).trim_start_matches("main.s:").to_owned()).collect()
    }

    /// Returns the diagnostics as the user sees them.
    pub(crate) fn rendered(&self) -> String {
        let style = cp2_asm::render::Style::Plain;
        cp2_asm::render::render_all(&self.diagnostics, &self.sources, style)
    }
}

/// Returns the image of a text that has no errors.
pub(crate) fn image(text: &str) -> Image {
    let outcome = run(text);
    match outcome.image {
        Some(image) => image,
        None => panic!("{text}\n{}", outcome.rendered()),
    }
}

/// Returns the bundles of the only kernel, as text.
pub(crate) fn bundles(text: &str) -> Vec<String> {
    let image = image(text);
    assert_eq!(image.kernels.len(), 1);
    let show = |&word| match decode(word, &Core::CP2) {
        Ok(bundle) => bundle.to_string(),
        Err(undefined) => undefined.to_string(),
    };
    image.kernels[0].words.iter().map(show).collect()
}
