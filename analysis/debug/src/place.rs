//! Places in programs: what stands at a cycle, and which bundles a line or a label has.

use cp2_asm::image::{Image, SourcePosition, SymbolKind};
use cp2_asm::sites::short;
use cp2_isa::{BundleAddress, Core, Cycle, decode};

/// Place at which a run stands: a cycle that is about to begin, and the bundle that issues in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopPlace {
    /// The cycle, counted from reset.
    pub cycle: Cycle,
    /// Address of the bundle that issues in the cycle, or that holds the issue; `None` while no kernel runs, and at the end.
    pub address: Option<BundleAddress>,
    /// Kernel with label and the number of bundles behind it, such as `loop+3`; empty without one.
    pub label: String,
    /// Source file as the program names it, and line from 1, of either operation of the bundle, the arithmetic one first, each once.
    pub lines: Vec<(String, u32)>,
    /// Operations of the bundle as the assembler writes them; empty while no kernel runs.
    pub operations: String,
    /// Word for a cycle in which no bundle issues; empty in one in which one does.
    pub cause: &'static str,
}

impl StopPlace {
    /// Returns the place as a line of text.
    pub fn text(&self) -> String {
        let lines: Vec<String> =
            self.lines.iter().map(|(file, line)| format!("{}:{line}", short(file))).collect();
        let address = self.address.map_or(String::new(), |address| format!("@{address}"));
        let parts = [
            format!("cycle {}", self.cycle),
            address,
            self.label.clone(),
            lines.join(", "),
            self.cause.to_owned(),
            self.operations.clone(),
        ];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join("  ")
    }
}

/// Returns the operations of a bundle as text.
pub(crate) fn operations_text(image: &Image, address: BundleAddress, core: &Core) -> String {
    match image.word(address).map(|word| decode(word, core)) {
        Some(Ok(bundle)) => bundle.to_string(),
        _ => String::new(),
    }
}

/// Returns the source lines of a bundle, those of operations that it does too and of macro calls behind those of its operations: file as the program names it, and line
/// from 1.
pub(crate) fn lines_of(image: &Image, address: BundleAddress) -> Vec<(String, u32)> {
    let both = [image.lines.get(&address), image.exchange_lines.get(&address)];
    let merged = image.merged_lines.get(&address).into_iter().flatten();
    let mut found: Vec<(String, u32)> = Vec::new();
    for line in both.into_iter().flatten().chain(merged).map(|place| line_of(image, *place)) {
        if !found.contains(&line) {
            found.push(line);
        }
    }
    for line in calls_of(image, address) {
        if !found.contains(&line) {
            found.push(line);
        }
    }
    found
}

/// Returns the lines of the macro calls through which a bundle came, the outermost first.
pub(crate) fn calls_of(image: &Image, address: BundleAddress) -> Vec<(String, u32)> {
    let calls = image.calls.get(&address).into_iter().flatten();
    calls.map(|position| line_of(image, *position)).collect()
}

fn line_of(image: &Image, position: SourcePosition) -> (String, u32) {
    (image.files.get(position.file as usize).cloned().unwrap_or_default(), position.line)
}

/// Returns whether a path is that of a file of a program, which may be named by less of its path.
pub(crate) fn is_file(named: &str, path: &str) -> bool {
    let parts = |text: &str| -> Vec<String> {
        let parts = text.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".");
        parts.map(str::to_owned).collect()
    };
    let (named, path) = (parts(named), parts(path));
    !named.is_empty() && !path.is_empty() && (path.ends_with(&named) || named.ends_with(&path))
}

/// Returns the bundles that have operations of a file, any file if none is named, by the line of the operation, and of the macro
/// calls through which it came.
pub(crate) fn bundles_by_line(
    image: &Image,
    file: Option<&str>,
) -> impl Iterator<Item = (u32, BundleAddress)> {
    let named: Vec<bool> =
        image.files.iter().map(|path| file.is_none_or(|file| is_file(path, file))).collect();
    let listed = image.calls.iter().chain(&image.merged_lines);
    let listed = listed.flat_map(|(address, places)| places.iter().map(move |p| (address, p)));
    let all = image.lines.iter().chain(&image.exchange_lines).chain(listed);
    all.filter(move |(_, position)| {
        named.get(position.file as usize).copied().unwrap_or(file.is_none())
    })
    .map(|(address, position)| (position.line, *address))
}

/// Returns the bundle that has a label, or that a kernel of this name begins with.
pub(crate) fn bundle_of_label(image: &Image, label: &str) -> Option<BundleAddress> {
    let is_label = |kind| kind == SymbolKind::Bundle;
    let symbol = image.symbols.iter().find(|s| s.name == label && is_label(s.kind));
    let of_symbol = symbol.and_then(|s| u16::try_from(s.value).ok()).map(BundleAddress);
    of_symbol.or_else(|| image.kernel(label).map(|kernel| kernel.start))
}

#[cfg(test)]
mod tests {
    use super::is_file;

    #[test]
    fn a_file_is_found_by_more_or_less_of_its_path() {
        assert!(is_file("examples/axpy.s", "/k/a/examples/axpy.s"));
        assert!(is_file("/k/a/examples/axpy.s", "axpy.s"));
        assert!(is_file("./axpy.s", "axpy.s") && is_file("C:\\k\\axpy.s", "k/axpy.s"));
        assert!(!is_file("axpy.s", "/k/a/other.s") && !is_file("xaxpy.s", "axpy.s"));
        assert!(!is_file("", "axpy.s") && !is_file("axpy.s", ""));
    }
}
