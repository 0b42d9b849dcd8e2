//! A program as the viewer shows it: source lines and bundles, which lines belong to which bundles, findings of the
//! linter, and the schedules of loops.

use cp2_analysis::arrays::WordNames;
use cp2_analysis::attribution::Attribution;
use cp2_analysis::stages::Stages;
use cp2_asm::diagnostic::{Severity, Sources};
use cp2_asm::image::Image;
use cp2_asm::listing::PipelineCell;
use cp2_asm::sites::{BundleNames, short};
use cp2_isa::{Arith, Bundle, BundleAddress, BundleBits, Core, Exch, bundle_digits, decode};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most letters of the name of a file that stands before the number of a line.
const MOST_LETTERS: usize = 32;

/// A source file of a program, with its text if that is at hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Name of the file, as the assembler was given it.
    pub name: String,
    /// Lines of the file; empty if its text is not at hand.
    pub lines: Vec<String>,
}

/// A source line of a program: the index of its file in [`Program::files`], and the number of the line in it, from 1.
pub type LineId = (usize, u32);

/// A bundle of a program as the viewer lists it, with its text, its label and its source line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Address of the bundle.
    pub address: BundleAddress,
    /// Decoded bundle; `None` if its bits are no valid bundle.
    pub bundle: Option<Bundle>,
    /// Texts of the arithmetic and of the exchange operation; empty for `nop`. Bits that are no valid bundle stand as
    /// digits in the first text.
    pub text: [String; 2],
    /// Nearest label at or before the bundle, and the distance from it in bundles, such as `loop+3`; empty without a
    /// label.
    pub label: String,
    /// Source line of the bundle; `None` if it is not known.
    pub line: Option<LineId>,
    /// Findings of the linter on the bundle, as indices into the list `hazards` of the program.
    pub findings: Vec<usize>,
}

/// A finding of the linter on a bundle: code, message, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// Address of the bundle that the finding is about.
    pub address: BundleAddress,
    /// Code of the finding, such as `C0501`.
    pub code: &'static str,
    /// Whether the finding is an error, which leaves the bundle without a meaning, and not a warning.
    pub is_error: bool,
    /// Message that says what is wrong with the bundle.
    pub message: String,
    /// Text that says what to do about it.
    pub help: String,
}

/// A loop of linear code that the scheduler pipelined, so that its iterations overlap, with the steady state of its
/// schedule, the kernel of the pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Position of the loop in the source, as `file:line`; empty if it is not known.
    pub place: String,
    /// Cycles from the begin of one iteration to that of the next (initiation interval), and the lower bound of them.
    pub interval: (i64, i64),
    /// Number of iterations of the loop that are under way at once.
    pub stages: i64,
    /// Number of iterations in one pass of the kernel of the pipeline, its steady state.
    pub unroll: i64,
    /// Address of the first bundle of the kernel of the pipeline.
    pub start: BundleAddress,
    /// Operations of the arithmetic and the exchange slot in each cycle of the kernel of the pipeline.
    pub rows: Vec<[PipelineCell; 2]>,
}

/// A program as the viewer shows it: source files, bundles, and findings of the linter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Source files of the program, by the numbers that the image gives them.
    pub files: Vec<File>,
    /// Bundles of the program, in the order of their addresses.
    pub rows: Vec<Row>,
    /// Findings of the linter on the program.
    pub hazards: Vec<Hazard>,
    /// Attribution of the cycles of bundles to the source lines that pay for them.
    pub attribution: Attribution,
    /// Stages that notes of the texts name.
    pub stages: Stages,
    /// Names that the program by itself gives to words of local memory.
    pub words: Arc<WordNames>,
    by_line: BTreeMap<LineId, Vec<BundleAddress>>,
}

fn texts(bundle: &Bundle) -> [String; 2] {
    let predicate = if bundle.cc == 0 { String::new() } else { format!("if(cc{}) ", bundle.cc) };
    let arith = match bundle.arith.op {
        Arith::Nop => String::new(),
        op if op.row().obeys(bundle.cc) => format!("{predicate}{}", bundle.arith),
        _ => bundle.arith.to_string(),
    };
    let exch = match bundle.exch.op {
        Exch::Nop => String::new(),
        op if op.row().obeys(bundle.cc) => format!("{predicate}{}", bundle.exch),
        _ => bundle.exch.to_string(),
    };
    [arith, exch]
}

fn row(address: BundleAddress, word: BundleBits, core: &Core) -> Row {
    let bundle = decode(word, core).ok();
    let unknown = || [format!("?? {}", bundle_digits(word)), String::new()];
    let text = bundle.as_ref().map_or_else(unknown, texts);
    Row { address, bundle, text, label: String::new(), line: None, findings: Vec::new() }
}

impl Program {
    /// Creates the program of an image that runs on a core, with the findings of the linter for it. `text` returns the
    /// text of a source file by its name, or `None` if it is not at hand.
    pub fn new(image: &Image, core: &Core, mut text: impl FnMut(&str) -> Option<String>) -> Self {
        let mut sources = Sources::default();
        let files: Vec<File> = image
            .files
            .iter()
            .map(|name| {
                let text = text(name).unwrap_or_default();
                sources.add(name, text.as_str());
                File { name: name.clone(), lines: text.lines().map(str::to_owned).collect() }
            })
            .collect();
        let places = BundleNames::new(image, core);
        let mut rows = Vec::new();
        let mut by_line: BTreeMap<LineId, Vec<BundleAddress>> = BTreeMap::new();
        for (address, word) in image.kernels.iter().flat_map(|k| k.bundles()) {
            let line = image.lines.get(&address).map(|p| (p.file as usize, p.line));
            let exchange = image.exchange_lines.get(&address).map(|p| (p.file as usize, p.line));
            for line in line.into_iter().chain(exchange) {
                by_line.entry(line).or_default().push(address);
            }
            let label = places.site(address).label_text();
            rows.push(Row { label, line, ..row(address, word, core) });
        }
        rows.sort_by_key(|row| row.address);
        let options = cp2_lint::Options { core: *core, undefined: false };
        let hazards = cp2_lint::lint_for(image, &options).into_iter().map(|finding| Hazard {
            address: finding.address,
            code: finding.code,
            is_error: finding.severity == Severity::Error,
            message: finding.message,
            help: finding.help,
        });
        let attribution = Attribution::new(image, core);
        let hazards = hazards.collect();
        let words = Arc::new(WordNames::of(image, core));
        let stages = Stages::of(image, &sources);
        let mut program = Self { files, rows, hazards, attribution, stages, words, by_line };
        for k in 0..program.hazards.len() {
            if let Some(at) = program.index(program.hazards[k].address) {
                program.rows[at].findings.push(k);
            }
        }
        program
    }

    /// Returns the index in [`Program::rows`] of the bundle at an address; `None` if the program has none there.
    pub fn index(&self, address: BundleAddress) -> Option<usize> {
        self.rows.binary_search_by_key(&address, |row| row.address).ok()
    }

    /// Returns the bundle at an address; `None` if the program has none there.
    pub fn row(&self, address: BundleAddress) -> Option<&Row> {
        self.index(address).map(|at| &self.rows[at])
    }

    /// Returns the addresses of the bundles that stand in a source line, or whose exchange operation does; empty if
    /// there are none.
    pub fn bundles(&self, line: LineId) -> &[BundleAddress] {
        self.by_line.get(&line).map_or(&[], Vec::as_slice)
    }

    /// Returns all source lines in which bundles or their exchange operations stand, in the order of files and lines,
    /// with the addresses of these bundles.
    pub fn lines(&self) -> impl Iterator<Item = (LineId, &[BundleAddress])> {
        self.by_line.iter().map(|(&line, bundles)| (line, bundles.as_slice()))
    }

    /// Returns the findings of the linter on the bundles of a source line.
    pub fn hazards(&self, line: LineId) -> impl Iterator<Item = &Hazard> {
        let rows = self.bundles(line).iter().filter_map(|&at| self.row(at));
        rows.flat_map(|row| row.findings.iter().map(|&k| &self.hazards[k]))
    }

    /// Returns the text of a source line; `None` if it is not at hand.
    pub fn text(&self, (file, line): LineId) -> Option<&str> {
        let lines = &self.files.get(file)?.lines;
        lines.get((line as usize).checked_sub(1)?).map(String::as_str)
    }

    /// Returns the name of a source line: the last part of the name of its file and the number of the line, such as
    /// `fir.s:12`; the number alone behind a name of more than 32 letters. Empty if the program has no such file.
    pub fn place(&self, (file, line): LineId) -> String {
        let name = self.files.get(file).map(|file| short(&file.name));
        match name {
            // The text of a procedure is named by all kernels in it.
            Some(name) if name.chars().count() > MOST_LETTERS => format!("line {line}"),
            Some(name) => format!("{name}:{line}"),
            None => String::new(),
        }
    }

    /// Returns what notes of the source call the work of a line, such as `stage 3, butterfly 5`.
    pub fn note(&self, (file, line): LineId) -> Option<&str> {
        self.stages.note((u32::try_from(file).ok()?, line))
    }

    /// Whether the text of at least one source file is at hand.
    pub fn has_source(&self) -> bool {
        self.files.iter().any(|file| !file.lines.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cp2_session::Environment;

    const TEXT: &str = "\
        .kernel k
        cmul f3, f1, f2 | seti a0, 5
        cadd f4, f3, f3
        | stopi 0
";

    #[test]
    fn lines_and_bundles_know_each_other() {
        let image = Environment::new().assemble(&Core::CP2, "k.s", TEXT).expect("a program");
        let program = Program::new(&image, &Core::CP2, |_| Some(TEXT.to_owned()));
        assert_eq!(program.rows.len(), 3);
        assert_eq!(program.rows[0].text, ["cmul f3, f1, f2", "seti a0, 5"]);
        assert_eq!(program.bundles((0, 3)), [BundleAddress(1)]);
        assert_eq!(program.text((0, 3)), Some("        cadd f4, f3, f3"));
        assert_eq!(program.text((0, 0)), None);
        assert_eq!(program.place((0, 3)), "k.s:3");
    }

    #[test]
    fn hazards_are_at_their_lines() {
        let image = Environment::new().assemble(&Core::CP2, "k.s", TEXT).expect("a program");
        let program = Program::new(&image, &Core::CP2, |_| None);
        assert!(!program.has_source());
        let codes: Vec<_> = program.hazards((0, 3)).map(|h| h.code).collect();
        assert_eq!(codes, ["C0501"]);
        assert_eq!(program.hazards((0, 2)).count(), 0);
    }
}
