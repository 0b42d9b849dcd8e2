//! The commands of the viewer, as one table: names, keys, and how they are searched. A search also finds cycles,
//! registers, words, labels, source lines and operations.

use crate::model::program::Program;
use crate::model::session::Selection;
use crate::model::value::ValueTest;
use crate::worker::Way;
use cp2_analysis::arrays::WordNames;
use cp2_isa::{BundleAddress, Core, Cycle, Section, Storage, StorageCell};
use egui::{Key, KeyboardShortcut, Modifiers};

macro_rules! commands {
    ($($id:ident $name:literal $group:literal [$($modifiers:ident + $key:ident),*];)*) => {
        /// A command of the viewer, such as to zoom in or to run again: the action of a key, or of a result of the
        /// search. The text of a variant is its name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Command {
            $(#[doc = $name] $id,)*
        }

        impl Command {
            /// All commands, in the order in which lists show them.
            pub const ALL: &[Self] = &[$(Self::$id),*];

            /// Returns the name of the command for people, such as `Zoom in`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$id => $name,)* }
            }

            /// Returns the name of the group in which lists show the command, such as `Time`.
            pub const fn group(self) -> &'static str {
                match self { $(Self::$id => $group,)* }
            }

            /// Returns the keys that do the command, each with its modifiers; any one of them does it. Empty if it has
            /// none.
            pub const fn keys(self) -> &'static [KeyboardShortcut] {
                match self {
                    $(Self::$id => const {
                        &[$(KeyboardShortcut::new(Modifiers::$modifiers, Key::$key)),*]
                    },)*
                }
            }
        }
    };
}

commands! {
    Palette "Search commands, cycles, registers and labels" "General" [COMMAND + K, NONE + Slash];
    Help "Show all keys" "General" [NONE + F1];
    Open "Open a file" "General" [COMMAND + O];
    Start "Show the start page" "General" [];
    Theme "Switch between the dark and the light theme" "General" [NONE + T];
    ResetLayout "Reset the layout of the views" "General" [];
    StepForward "Step forward 1 cycle" "Time" [NONE + ArrowRight];
    StepBack "Step back 1 cycle" "Time" [NONE + ArrowLeft];
    JumpForward "Step forward 10 cycles" "Time" [SHIFT + ArrowRight];
    JumpBack "Step back 10 cycles" "Time" [SHIFT + ArrowLeft];
    Begin "Go to the first cycle" "Time" [NONE + Home];
    End "Go to the last cycle" "Time" [NONE + End];
    ZoomIn "Zoom in" "Time" [NONE + W, NONE + Plus, NONE + Equals, NONE + ArrowUp];
    ZoomOut "Zoom out" "Time" [NONE + S, NONE + Minus, NONE + ArrowDown];
    PanLeft "Move to earlier cycles" "Time" [NONE + A];
    PanRight "Move to later cycles" "Time" [NONE + D];
    Fit "Show the whole run" "Time" [NONE + F];
    ZoomToCursor "Show single cycles at the cursor" "Time" [NONE + Z, NONE + Enter];
    Format "Show values in the next format" "Values" [NONE + X];
    WhoWrote "Go to the last write of the selected register or word" "Values" [NONE + G];
    BecameNan "Go to where the selected register or word became NaN" "Values" [NONE + N];
    Pin "Show or hide the selected register or word in the view Values" "Values" [NONE + P];
    Mark "Set a bookmark at the cursor, or remove it" "Time" [NONE + B];
    NextMark "Go to the next bookmark" "Time" [NONE + CloseBracket];
    PreviousMark "Go to the previous bookmark" "Time" [NONE + OpenBracket];
    GoBack "Go back to the previous cycle of the cursor" "Values" [NONE + Backspace];
    ShowSource "Show the source" "Views" [NONE + Num1];
    ShowBundles "Show the bundles" "Views" [NONE + Num2];
    ShowSchedule "Show the schedules of pipelined loops" "Views" [NONE + Num3];
    ShowRegisters "Show the registers" "Views" [NONE + Num4];
    ShowMemory "Show local memory" "Views" [NONE + Num5];
    ShowWhy "Show the origin of the selected value" "Views" [NONE + Num6];
    ShowPlots "Show the plots" "Views" [NONE + Num7];
    ShowCompare "Show the comparison of two runs" "Views" [NONE + Num8, NONE + C];
    ShowValues "Show values in the course of cycles" "Views" [NONE + Num0, NONE + V];
    ShowMachine "Show the machine of the next run" "Views" [NONE + Num9, NONE + M];
    Edit "Edit the source" "Experiment" [NONE + E];
    RunAgain "Run again and compare" "Experiment" [COMMAND + Enter];
    DropBase "End the comparison" "Experiment" [];
    CopyCommand "Copy the command of the view under the pointer" "Export" [NONE + Y];
    CopyLink "Copy a link to the cycles in view" "Export" [COMMAND + L];
    ExportSvg "Write the view under the pointer to an SVG file" "Export" [COMMAND + E];
    ExportCsv "Write the view under the pointer to a CSV file" "Export" [COMMAND + S];
}

/// A result of [`search`]: a command to do, a cycle to go to, or a register, word or bundle to select.
#[derive(Clone, Debug, PartialEq)]
pub enum Hit {
    /// A command that is to be done.
    Command(Command),
    /// A cycle that the cursor is to go to.
    Cycle(Cycle),
    /// A register, word or bundle that is to be selected, and its name for the list of results.
    Select(Selection, String),
    /// A value that a register or word is to become, and the way from the cursor to such a cycle.
    Value(StorageCell, ValueTest, Way),
}

/// The open run in which [`search`] finds cycles, registers, words, labels and source lines.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'a> {
    /// Program of the open run, whose labels and source lines are searched.
    pub program: &'a Program,
    /// Core of the open run, which tells its registers and words.
    pub core: &'a Core,
    /// Names of words of local memory at the cursor.
    pub words: &'a WordNames,
    /// Cycle after the last one of the run.
    pub end: Cycle,
}

/// Returns the distance of a text from a search whose letters it has in their order: less is better.
fn distance(text: &str, search: &str) -> Option<usize> {
    let (text, search) = (text.to_lowercase(), search.to_lowercase());
    if let Some(at) = text.find(&search) {
        return Some(at);
    }
    let (mut letters, mut gaps, mut last) = (text.char_indices(), 0, 0);
    for wanted in search.chars().filter(|c| !c.is_whitespace()) {
        let (at, _) = letters.find(|&(_, c)| c == wanted)?;
        gaps += at - last;
        last = at;
    }
    Some(100 + gaps)
}

/// Reads a number of cycles, with `k`, `M` or `G`.
fn cycle(text: &str) -> Option<Cycle> {
    let text: String = text.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
    let (digits, unit) = match text.chars().last()? {
        'k' | 'K' => (&text[..text.len() - 1], 1e3),
        'm' | 'M' => (&text[..text.len() - 1], 1e6),
        'g' | 'G' => (&text[..text.len() - 1], 1e9),
        _ => return text.parse().ok().map(Cycle),
    };
    let number: f64 = digits.parse().ok()?;
    (number >= 0.0).then_some(Cycle((number * unit) as u64))
}

/// Reads a register or word: `f12`, `g2`, `[100]`, also with a section behind a dot, `f12.3`. `None` if the core has none
/// of this name.
pub fn place(text: &str, core: &Core) -> Option<StorageCell> {
    let (name, section) = match text.rsplit_once('.') {
        Some((name, section)) => (name, section.parse().ok().and_then(Section::new)?),
        None => (text, Section::FIRST),
    };
    let word = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let (storage, number) = match word {
        Some(number) => (Storage::Lmem, number.trim().parse().ok()?),
        None => Storage::from_name(name)?,
    };
    let info = storage.info();
    let section = if info.layout.is_per_section() { section } else { Section::FIRST };
    (number < (info.count)(core)).then_some(StorageCell { storage, number, section })
}

/// Reads an element of an array, such as `grid[3][4]`: the word that has it, in the first section that does.
fn element(text: &str, words: &WordNames) -> Option<StorageCell> {
    let (word, section) = words.place(text)?;
    let section = section.unwrap_or(Section::FIRST);
    Some(StorageCell { storage: Storage::Lmem, number: word.index(), section })
}

/// Most source lines, and most operations, that a search finds by their text.
const MOST_TEXTS: usize = 14;

/// Returns the source lines and the operations of a program that contain a text, whatever the case of its letters. An
/// operation whose source line is found already is left out.
fn texts(program: &Program, text: &str) -> Vec<(usize, Hit)> {
    let wanted = text.to_lowercase();
    let place_of = |of: &str| of.to_lowercase().find(&wanted);
    let mut found = Vec::new();
    let lines = program.lines().filter_map(|(line, bundles)| {
        let shown = program.text(line)?.trim();
        let name = format!("{}  {shown}", program.place(line));
        Some((3 + place_of(shown)?, Hit::Select(Selection::Bundle(*bundles.first()?), name)))
    });
    found.extend(lines.take(MOST_TEXTS));
    let rows = program.rows.iter().filter_map(|row| {
        let at = row.text.iter().find_map(|of| place_of(of))?;
        let source = row.line.and_then(|line| program.text(line));
        if source.is_some_and(|source| place_of(source).is_some()) {
            return None;
        }
        let both: Vec<&str> =
            row.text.iter().map(String::as_str).filter(|t| !t.is_empty()).collect();
        let name = format!("bundle {}  {}", row.address, both.join(" | "));
        Some((4 + at, Hit::Select(Selection::Bundle(row.address), name)))
    });
    found.extend(rows.take(MOST_TEXTS));
    found
}

/// Searches commands and, if a run is open (`scope`), its cycles (`1.5M`), registers (`f12.3`), words (`[100]`, `x[7]`), labels,
/// source lines by number (`:12`) and, from two letters on, source lines and operations by their text. Returns at most
/// 40 results, the best first; for an empty text all commands.
pub fn search(text: &str, scope: Option<Scope<'_>>) -> Vec<Hit> {
    let text = text.trim();
    if text.is_empty() {
        return Command::ALL.iter().map(|&command| Hit::Command(command)).collect();
    }
    let mut hits: Vec<(usize, Hit)> = Vec::new();
    if let Some(Scope { program, core, words, end }) = scope {
        if let Some(cycle) = cycle(text) {
            hits.push((0, Hit::Cycle(cycle.min(end.saturating_sub(1)))));
        }
        if let Some(place) = place(text, core) {
            hits.push((0, Hit::Select(Selection::Place(place), place.to_string())));
        }
        if let Some(place) = element(text, words) {
            hits.push((0, Hit::Select(Selection::Place(place), format!("{text}  {place}"))));
        }
        let any_place = |name: &str| place(name, core).or_else(|| element(name, words));
        if let Some((name, value)) = text.split_once('=')
            && let (Some(place), Some(test)) = (any_place(name.trim()), ValueTest::read(value))
        {
            hits.push((0, Hit::Value(place, test, Way::Back)));
            hits.push((0, Hit::Value(place, test, Way::Forward)));
        }
        let named = program.rows.iter().filter(|row| !row.label.contains('+'));
        for row in named.filter(|row| !row.label.is_empty()) {
            if let Some(distance) = distance(&row.label, text) {
                let name = format!("{} (bundle {})", row.label, row.address);
                hits.push((distance + 1, Hit::Select(Selection::Bundle(row.address), name)));
            }
        }
        if let Some(line) = text.strip_prefix(':').and_then(|line| line.parse::<u32>().ok()) {
            let of_line = program.lines().find(|((_, n), _)| *n == line);
            if let Some((line, [first, ..])) = of_line {
                let hit = Hit::Select(Selection::Bundle(*first), program.place(line));
                hits.push((0, hit));
            }
        }
        if text.len() >= 2 {
            hits.extend(texts(program, text));
        }
    }
    for &command in Command::ALL {
        if let Some(distance) = distance(command.name(), text) {
            hits.push((distance + 2, Hit::Command(command)));
        }
    }
    hits.sort_by_key(|(distance, _)| *distance);
    hits.into_iter().map(|(_, hit)| hit).take(40).collect()
}

/// Returns the address of the bundle that a result of [`search`] selects; `None` if it selects none.
pub fn bundle(hit: &Hit) -> Option<BundleAddress> {
    match hit {
        Hit::Select(Selection::Bundle(address), _) => Some(*address),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cp2_session::Environment;

    const SOURCE: &str = "        .kernel fir\n        | nop\nloop:   | stopi 0\n";

    fn hits(text: &str) -> Vec<Hit> {
        hits_in(text, Some(SOURCE))
    }

    fn hits_in(text: &str, source: Option<&str>) -> Vec<Hit> {
        let image = Environment::new().assemble(&Core::CP2, "fir.s", SOURCE).expect("a program");
        let program = Program::new(&image, &Core::CP2, |_| source.map(str::to_owned));
        search(
            text,
            Some(Scope {
                program: &program,
                core: &Core::CP2,
                words: &program.words,
                end: Cycle(10_000_000),
            }),
        )
    }

    #[test]
    fn every_key_means_one_thing() {
        let mut seen: Vec<KeyboardShortcut> = Vec::new();
        for keys in Command::ALL.iter().map(|c| c.keys()) {
            for key in keys {
                assert!(!seen.contains(key), "{key:?}");
                seen.push(*key);
            }
        }
    }

    #[test]
    fn names_of_commands_begin_with_a_capital_letter_and_have_no_stop() {
        for command in Command::ALL {
            let name = command.name();
            assert!(name.starts_with(char::is_uppercase) && !name.ends_with('.'), "{name}");
        }
    }

    #[test]
    fn places_are_found_by_their_names() {
        assert_eq!(hits("1.5M")[0], Hit::Cycle(Cycle(1_500_000)));
        assert_eq!(hits("12 345")[0], Hit::Cycle(Cycle(12_345)));
        assert_eq!(hits("99G")[0], Hit::Cycle(Cycle(9_999_999)));
        let place = |storage, number, section: usize| {
            let section = Section::new(section).expect("a section");
            Selection::Place(StorageCell { storage, number, section })
        };
        let first = |text: &str| match hits(text).into_iter().next() {
            Some(Hit::Select(selection, _)) => Some(selection),
            _ => None,
        };
        assert_eq!(first("f12.3"), Some(place(Storage::Fpr, 12, 3)));
        assert_eq!(first("[100]"), Some(place(Storage::Lmem, 100, 0)));
        assert_eq!(first("g2"), Some(place(Storage::Gpr, 2, 0)));
        assert_eq!(first("f64"), None);
        assert_eq!(first("loop"), Some(Selection::Bundle(BundleAddress(1))));
        assert_eq!(first(":3"), Some(Selection::Bundle(BundleAddress(1))));
    }

    #[test]
    fn values_are_looked_for_on_both_ways() {
        let ways = |text: &str| {
            let all = hits(text).into_iter();
            all.filter_map(|hit| match hit {
                Hit::Value(place, test, way) => Some((place.to_string(), test.to_string(), way)),
                _ => None,
            })
            .collect::<Vec<_>>()
        };
        let expected = |way| ("f12 of section 3".to_owned(), "NaN".to_owned(), way);
        assert_eq!(ways("f12.3 = nan"), [expected(Way::Back), expected(Way::Forward)]);
        assert_eq!(ways("[100]=0x10").len(), 2);
        assert_eq!(ways("f12.3 = many"), []);
    }

    #[test]
    fn operations_are_found_by_their_source_or_by_the_bundle() {
        let name = |hits: &[Hit]| match hits.first() {
            Some(Hit::Select(Selection::Bundle(BundleAddress(1)), name)) => name.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(name(&hits("STOPI")), "fir.s:3  loop:   | stopi 0");
        assert_eq!(name(&hits_in("stopi", None)), "bundle 1  stopi 0");
        let selects = |hit: &&Hit| matches!(hit, Hit::Select(..));
        assert_eq!(hits("stopi").iter().filter(selects).count(), 1);
    }

    #[test]
    fn commands_are_found_by_some_of_their_letters() {
        assert_eq!(hits("whole")[0], Hit::Command(Command::Fit));
        assert_eq!(hits("dark")[0], Hit::Command(Command::Theme));
        assert!(hits("zmin").contains(&Hit::Command(Command::ZoomIn)));
        assert_eq!(search("qqqq", None), []);
        assert_eq!(search("", None).len(), Command::ALL.len());
    }
}
