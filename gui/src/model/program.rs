//! A program as people read it: source lines and bundles, which belongs to which, what the linter says, and the
//! schedules of its loops.

use cp2_analysis::attribution::Attribution;
use cp2_asm::diagnostic::Severity;
use cp2_asm::image::Image;
use cp2_asm::listing::PipelineCell;
use cp2_asm::sites::{BundleNames, short};
use cp2_isa::{Arith, Bundle, BundleAddress, BundleBits, Core, Exch, bundle_digits, decode};
use std::collections::BTreeMap;

/// Source file of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Name of the file, as the assembler was given it.
    pub name: String,
    /// Lines of the file; none if its text is not at hand.
    pub lines: Vec<String>,
}

/// Line of a file: the number of the file, and the line from 1.
pub type LineId = (usize, u32);

/// Bundle of a program with its text and its places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Address of the bundle.
    pub address: BundleAddress,
    /// Decoded bundle; none if the word is no bundle.
    pub bundle: Option<Bundle>,
    /// Text of the operation in each slot; empty for `nop`.
    pub text: [String; 2],
    /// Nearest label and the distance from it.
    pub label: String,
    /// Source line of the bundle, if it is known.
    pub line: Option<LineId>,
    /// Numbers of the linter's findings on the bundle, in the list of hazards of the program.
    pub findings: Vec<usize>,
}

/// Finding of the linter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// Address of the bundle that the finding is on.
    pub address: BundleAddress,
    /// Code of the finding, such as `C0501`.
    pub code: &'static str,
    /// Whether the bundle has no meaning at all.
    pub is_error: bool,
    /// Message that says what is wrong.
    pub message: String,
    /// Text that says what to do.
    pub help: String,
}

/// Loop that the scheduler pipelined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Place of the loop in the source.
    pub place: String,
    /// Cycles from one iteration to the next, and the least that there could be.
    pub interval: (i64, i64),
    /// Number of iterations under way at once.
    pub stages: i64,
    /// Number of iterations in one pass of the kernel.
    pub unroll: i64,
    /// Address of the first bundle of the kernel.
    pub start: BundleAddress,
    /// Operations of both slots in every cycle of the kernel.
    pub rows: Vec<[PipelineCell; 2]>,
}

/// Program with its source files, bundles, hazards and loops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Source files of the program.
    pub files: Vec<File>,
    /// Bundles of the program, in the order of their addresses.
    pub rows: Vec<Row>,
    /// Findings of the linter.
    pub hazards: Vec<Hazard>,
    /// Loops that the scheduler pipelined.
    pub loops: Vec<Loop>,
    /// Charges of bundles to the source lines that pay for them.
    pub charges: Attribution,
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
    /// Creates the program of an image, with the texts of those of its files that are at hand.
    pub fn new(image: &Image, core: &Core, mut text: impl FnMut(&str) -> Option<String>) -> Self {
        let files: Vec<File> = image
            .files
            .iter()
            .map(|name| {
                let text = text(name).unwrap_or_default();
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
        let charges = Attribution::new(image, core);
        let hazards = hazards.collect();
        let mut program = Self { files, rows, hazards, loops: Vec::new(), charges, by_line };
        for k in 0..program.hazards.len() {
            if let Some(at) = program.index(program.hazards[k].address) {
                program.rows[at].findings.push(k);
            }
        }
        program
    }

    /// Returns the number of the row of a bundle.
    pub fn index(&self, address: BundleAddress) -> Option<usize> {
        self.rows.binary_search_by_key(&address, |row| row.address).ok()
    }

    /// Returns the row of a bundle.
    pub fn row(&self, address: BundleAddress) -> Option<&Row> {
        self.index(address).map(|at| &self.rows[at])
    }

    /// Returns the bundles that a line became.
    pub fn bundles(&self, line: LineId) -> &[BundleAddress] {
        self.by_line.get(&line).map_or(&[], Vec::as_slice)
    }

    /// Returns the lines that became bundles, with these bundles.
    pub fn lines(&self) -> impl Iterator<Item = (LineId, &[BundleAddress])> {
        self.by_line.iter().map(|(&line, bundles)| (line, bundles.as_slice()))
    }

    /// Returns the hazards of the bundles of a line.
    pub fn hazards(&self, line: LineId) -> impl Iterator<Item = &Hazard> {
        let rows = self.bundles(line).iter().filter_map(|&at| self.row(at));
        rows.flat_map(|row| row.findings.iter().map(|&k| &self.hazards[k]))
    }

    /// Returns the text of a line, if it is at hand.
    pub fn text(&self, (file, line): LineId) -> Option<&str> {
        let lines = &self.files.get(file)?.lines;
        lines.get((line as usize).checked_sub(1)?).map(String::as_str)
    }

    /// Returns the text for a line: the last part of the name of its file, and its number.
    pub fn place(&self, (file, line): LineId) -> String {
        self.files.get(file).map_or(String::new(), |f| format!("{}:{line}", short(&f.name)))
    }

    /// Whether the text of any file is at hand.
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
