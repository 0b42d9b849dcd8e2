//! The end of the second pass: raw bundles, data, control-flow rules, and the image.

use super::eval::Value;
use super::eval::single_bits;
use super::layout::Slot;
use super::symbols::Definition;
use super::{Assembler, DataForm, MAX_ERRORS, Site, Target, any_error};
use crate::ast::Expr;
use crate::diagnostic::{Diagnostic, Severity, Sources, Span, column_after};
use crate::image::{Image, Place, Symbol};
use crate::structure::{self, Violation};
use std::collections::HashMap;

impl Assembler<'_> {
    /// A bundle given as a number; undefined ones only where that is allowed.
    pub(super) fn encode_raw(&mut self, site: &Site, word: &Expr, target: Target) {
        let Some(value) = self.integer(site, word) else { return };
        let bits = value as u64;
        let allowed = self.is_allowed(target.address, "C0310");
        if let Err(undefined) = cp2_isa::decode(bits, &self.core)
            && !allowed
        {
            let message = format!("0x{bits:016x} is no bundle: {undefined}");
            let d = site.line.loc(word.at.clone()).error("C0310", message);
            self.report(
                d.help("`@allow(C0310)` keeps the word; the machine stops on it with an error"),
            );
        }
        self.set_bundle(target, Some(bits));
    }

    fn is_allowed(&self, address: Option<u16>, code: &str) -> bool {
        let codes = address.and_then(|a| self.hints.allowed.get(&a));
        codes.is_some_and(|codes| codes.iter().any(|c| c == code))
    }

    /// The words of a line of data.
    pub(super) fn encode_data(
        &mut self,
        site: &Site,
        form: DataForm,
        exprs: &[Expr],
        slot: Option<Slot>,
    ) {
        let per_word = if form == DataForm::Quad { 1 } else { 2 };
        for (index, chunk) in exprs.chunks(per_word).enumerate() {
            let halves: Vec<_> = chunk.iter().map(|e| self.datum(site, form, e)).collect();
            let word = match halves.as_slice() {
                [Some(whole)] if per_word == 1 => *whole,
                [Some(hi), Some(lo)] => hi << 32 | lo,
                _ => continue,
            };
            if let Some(slot) = slot {
                self.layout.set_word(slot, index, word);
            }
        }
    }

    fn datum(&mut self, site: &Site, form: DataForm, expr: &Expr) -> Option<u64> {
        match form {
            DataForm::Quad => Some(self.integer(site, expr)? as u64),
            DataForm::Complex => Some(u64::from(single_bits(self.value(site, expr)?))),
            DataForm::Pair => {
                let value = self.integer(site, expr)?;
                if (i128::from(i32::MIN)..=i128::from(u32::MAX)).contains(&value) {
                    return Some(u64::from(value as u32));
                }
                let message = format!("{value} does not fit in 32 bits");
                self.report(site.line.loc(expr.at.clone()).error("C0420", message));
                None
            }
        }
    }

    /// Checks what needs the whole program, and gives the image or the errors.
    pub(super) fn finish(mut self) -> Result<(Image, Vec<Diagnostic>), Vec<Diagnostic>> {
        for d in self.layout.check_kernels() {
            self.report(d);
        }
        self.warn_of_hiding();
        let layout = std::mem::replace(&mut self.layout, super::layout::Layout::new(self.core));
        let starts: Vec<_> = layout.kernels.iter().map(|k| k.start).collect();
        let (kernels, data) = layout.finish();
        let mut image = Image { kernels, data, ..Image::default() };
        for violation in structure::violations(&image, &self.core) {
            self.report_violation(&violation);
        }
        if any_error(&self.diagnostics) {
            return Err(self.sorted_errors());
        }
        image.symbols = self.image_symbols(&starts);
        (image.files, image.lines) = self.image_lines();
        image.hints = std::mem::take(&mut self.hints);
        let mut warnings = std::mem::take(&mut self.diagnostics);
        sort(&mut warnings);
        Ok((image, warnings))
    }

    fn warn_of_hiding(&mut self) {
        let found: Vec<_> = self
            .symbols
            .hiding()
            .map(|(local, global)| {
                let message = format!("`{}` hides the global symbol of another file", local.name);
                local
                    .loc
                    .diagnose("C0212", Severity::Warning, message)
                    .related(global.loc.span.clone(), "the global one")
                    .help("rename one of them")
            })
            .collect();
        for d in found {
            self.report(d);
        }
    }

    fn report_violation(&mut self, violation: &Violation) {
        if self.is_allowed(Some(violation.address), violation.code) {
            return;
        }
        let Some((bundle, exchange)) = self.bundles.get(&violation.address) else { return };
        let spot = exchange.as_ref().unwrap_or(bundle);
        let mut d = spot.error(violation.code, violation.message.clone());
        for (address, text) in &violation.related {
            if let Some((bundle, exchange)) = self.bundles.get(address) {
                let spot = exchange.as_ref().unwrap_or(bundle);
                d = d.related(spot.loc().span, text.clone());
            }
        }
        self.report(d.help(violation.help));
    }

    /// The errors in the order of their places, cut off where there are too many.
    fn sorted_errors(&mut self) -> Vec<Diagnostic> {
        let mut all = std::mem::take(&mut self.diagnostics);
        sort(&mut all);
        let more = all.len().saturating_sub(MAX_ERRORS);
        all.truncate(MAX_ERRORS);
        if let (Some(last), true) = (all.last_mut(), more > 0) {
            last.notes.push(format!("{more} more errors are not shown"));
        }
        all
    }

    fn image_symbols(&self, starts: &[Option<u32>]) -> Vec<Symbol> {
        let mut all: Vec<_> = self
            .symbols
            .entries
            .iter()
            .filter_map(|entry| {
                let value = match entry.definition {
                    Definition::Value(Value::Int(v)) => v as i64,
                    Definition::Kernel(k) => i64::from(starts[k]?),
                    _ => return None,
                };
                let (name, kind, global) = (entry.name.clone(), entry.kind, entry.global);
                Some(Symbol { name, value, kind, global })
            })
            .collect();
        all.sort_by_key(|s| s.global);
        all
    }

    /// Names of the files, and the line of each bundle: the one that it is written in, also inside
    /// a macro.
    fn image_lines(&self) -> (Vec<String>, std::collections::BTreeMap<u16, Place>) {
        let mut names: Vec<String> = Vec::new();
        let mut indexes: HashMap<u32, (u32, LineStarts)> = HashMap::new();
        for &file in &self.files {
            let name = self.sources.name(file);
            let index = names.iter().position(|n| n == name).unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            });
            indexes.insert(file, (index as u32, LineStarts::of(self.sources.text(file))));
        }
        let mut lines = std::collections::BTreeMap::new();
        for (&address, (spot, _)) in &self.bundles {
            let span = spot.loc().span;
            if let Some((file, starts)) = indexes.get(&span.file) {
                let (line, column) = starts.place(self.sources, &span);
                lines.insert(address, Place { file: *file, line, column });
            }
        }
        (names, lines)
    }
}

fn sort(diagnostics: &mut [Diagnostic]) {
    let place = |d: &Diagnostic| d.span.as_ref().map(|s| (s.file, s.range.start, s.range.end));
    diagnostics.sort_by(|a, b| (place(a), a.code).cmp(&(place(b), b.code)));
}

/// Where the lines of a text begin.
struct LineStarts(Vec<usize>);

impl LineStarts {
    fn of(text: &str) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1);
        Self(std::iter::once(0).chain(starts).collect())
    }

    /// Line and column of the start of a span, as [`Sources::line_column`] gives them.
    fn place(&self, sources: &Sources, span: &Span) -> (u32, u32) {
        let line = self.0.partition_point(|&start| start <= span.range.start);
        let before = &sources.text(span.file)[self.0[line - 1]..span.range.start];
        (line as u32, column_after(before))
    }
}
