//! A program that a text makes, or that includes it: findings, schedules and bundles, with their places in the text.

use super::RegionHints;
use cp2_asm::diagnostic::{Diagnostic, Sources, Span};
use cp2_asm::image::{Image, SourcePosition};
use cp2_asm::{Scheduled, without_comment};
use cp2_isa::{BundleAddress, Core};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

/// A text with the bytes at which its lines begin.
#[derive(Clone, Debug)]
pub(crate) struct AnalysedText {
    text: Arc<str>,
    starts: Arc<[usize]>,
}

impl AnalysedText {
    pub(super) fn new(text: &Arc<str>) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text: Arc::clone(text), starts: std::iter::once(0).chain(ends).collect() }
    }

    /// Returns the text itself.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|&begin| begin <= byte).saturating_sub(1)
    }
}

/// A scheduled region of linear code.
#[derive(Clone, Debug)]
pub(crate) struct AnalysedRegion {
    pub(crate) scheduled: Arc<Scheduled>,
    /// Hints for each innermost loop; `None` while promises are being tried.
    pub(crate) hints: Option<RegionHints>,
}

/// A program with what is known of it. A text makes one, a file test one for each case, a text that is included is a part of one.
#[derive(Clone, Debug)]
pub(crate) struct AnalysedProgram {
    pub(crate) core: Core,
    pub(crate) text: AnalysedText,
    /// Texts to which places refer.
    pub(crate) sources: Sources,
    /// Numbers of the sources whose bytes stand in the document where they stand in the source.
    pub(super) own: Vec<u32>,
    /// Lines of the document, from 0, that the program has; those of a file test may belong to other cases.
    pub(super) lines: Vec<Range<usize>>,
    /// Lines of the document, from 0, of which another program tells.
    pub(super) told_elsewhere: Range<usize>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) regions: Vec<AnalysedRegion>,
    /// The program, or what of it is known in spite of errors.
    pub(crate) image: Image,
    /// Whether every bundle has its place.
    pub(crate) is_placed: bool,
}

impl AnalysedProgram {
    /// Returns the program of a text of which nothing but findings is known; the text is the first of the sources.
    pub(super) fn of_findings(
        core: &Core,
        text: &AnalysedText,
        (sources, diagnostics): (Sources, Vec<Diagnostic>),
    ) -> Self {
        Self {
            core: *core,
            text: text.clone(),
            sources,
            own: vec![0],
            lines: std::iter::once(0..usize::MAX).collect(),
            told_elsewhere: 0..0,
            diagnostics,
            regions: Vec::new(),
            image: Image::default(),
            is_placed: false,
        }
    }

    /// Whether a place is in the document.
    pub(crate) fn is_own(&self, span: &Span) -> bool {
        self.own.contains(&span.file)
    }

    /// Whether a source is the document, or a part of it.
    pub(crate) fn is_own_source(&self, file: usize) -> bool {
        self.own.iter().any(|own| *own as usize == file)
    }

    /// Whether the program tells of a line of the document, from 0.
    pub(crate) fn has_line(&self, line: usize) -> bool {
        self.lines.iter().any(|lines| lines.contains(&line)) && !self.told_elsewhere.contains(&line)
    }

    /// Returns the line, from 0, that a place is in, if it is in the document.
    pub(crate) fn line_of(&self, span: Option<&Span>) -> Option<usize> {
        let span = span.filter(|span| self.is_own(span))?;
        Some(self.text.line_of(span.range.start))
    }

    /// Returns the lines of a region, from 0: from `.linear` to `.endlinear`.
    pub(crate) fn lines_of(&self, scheduled: &Scheduled) -> Option<RangeInclusive<usize>> {
        let begin = self.line_of(scheduled.region.span.as_ref())?;
        let mut rest = self.text.text().split('\n').enumerate().skip(begin);
        let is_end = |line: &str| line.split_whitespace().any(|word| word == ".endlinear");
        let end = rest.find(|(_, line)| is_end(without_comment(line)))?.0;
        Some(begin..=end)
    }

    /// Returns the region that has a line, from 0.
    pub(crate) fn region_at(&self, line: usize) -> Option<&AnalysedRegion> {
        let has = |region: &&AnalysedRegion| {
            self.lines_of(&region.scheduled).is_some_and(|lines| lines.contains(&line))
        };
        self.regions.iter().find(has)
    }

    /// Whether a place of a bundle is in the document.
    pub(crate) fn is_own_place(&self, place: &SourcePosition) -> bool {
        let name = self.image.files.get(place.file as usize);
        let mut own = self.own.iter().map(|own| self.sources.name(*own));
        name.is_some_and(|name| own.any(|own| own == name))
    }

    /// Returns the addresses of the bundles that a line, from 0, of the document wrote itself.
    pub(crate) fn bundles_of(&self, line: usize) -> impl Iterator<Item = BundleAddress> {
        let is_here = move |place: &&SourcePosition| {
            place.line as usize == line + 1 && self.is_own_place(place)
        };
        let (lines, halves) = (self.image.lines.iter(), self.image.exchange_lines.iter());
        let mut all: Vec<BundleAddress> =
            lines.chain(halves).filter(|(_, place)| is_here(place)).map(|(at, _)| *at).collect();
        all.sort_unstable();
        all.dedup();
        all.into_iter()
    }
}
