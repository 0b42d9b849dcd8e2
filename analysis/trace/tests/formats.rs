//! Small traces in every form: what is in them, and that a window of a recording gives the same bytes as the
//! run did. Forms that are no text are read back first; signals are read back by `readers/`.

#[path = "formats/konata.rs"]
mod konata;
#[path = "formats/packets.rs"]
mod packets;
#[path = "formats/runs.rs"]
mod runs;

use cp2_isa::{Core, CoreNumbers, Cycle, Extensions};
use cp2_trace::{Selection, TraceFormat};
use runs::{Asked, Run};

const TWELVE: &str = include_str!("../../../examples/twelve.s");

/// A loop that is skipped, both slots, a word that is stored and loaded again.
const MIXED: &str = "\
        .kernel mixed
        seti g1, 0
        | do g1, skipped
        nop
skipped: psadd f1, f1, f1
        nop
        psadd f2, f3, f3 | seti a1, 16
        | swi f3, 16
        | lwo f4, (r1)
        nop
        nop
        nop
        psadd f5, f4, f4 | sync
        | stopi 3
";

/// An access of four banks, in each section another one.
const SPREAD: &str = "\
        .requires section-addressing
        .kernel spread
        section f1
        | seti g1, 7
        | setsa r1, g1
        | lwsa f4, (r1)+1
        nop
        nop
        nop
        nop
        lshifti f2, f1, 11
        nop
        nop
        nop
        nop
        nop
        nop
        nop
        | lwfa f3, f2.lo
        | stopi 0
";

/// Returns a core with section addressing and four banks.
fn with_section_addressing() -> Core {
    let extensions = Extensions::SECTION_ADDRESSING;
    let numbers = CoreNumbers { extensions, banks: 4, ..*Core::CP2.numbers() };
    Core::new(numbers).expect("within the limits")
}

fn traced(run: &Run, format: TraceFormat) -> String {
    String::from_utf8(run.live(&Asked::whole(format)).bytes).expect("text")
}

#[test]
fn a_run_as_text() {
    insta::assert_snapshot!(traced(&Run::new("twelve.s", TWELVE), TraceFormat::Text));
}

#[test]
fn a_run_as_rows() {
    let run = Run::new("mixed.s", MIXED);
    insta::assert_snapshot!(traced(&run, TraceFormat::Csv));
}

#[test]
fn parquet_has_the_rows_of_csv() {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    let run = Run::new("mixed.s", MIXED);
    let values = Asked { values: true, ..Asked::whole(TraceFormat::Parquet) };
    let bytes = run.live(&values).bytes;
    let csv = run.live(&Asked { format: TraceFormat::Csv, ..values }).bytes;
    let csv = String::from_utf8(csv).expect("text");
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).expect("a table");
    let rows = reader.get_row_iter(None).expect("rows").map(|row| {
        let row = row.expect("a row");
        let cell = |field: &parquet::record::Field| match field {
            parquet::record::Field::Null => String::new(),
            parquet::record::Field::Str(text) if text.contains(',') => format!("\"{text}\""),
            parquet::record::Field::Str(text) => text.clone(),
            field => field.to_string(),
        };
        row.get_column_iter().map(|(_, field)| cell(field)).collect::<Vec<_>>().join(",")
    });
    assert_eq!(rows.collect::<Vec<_>>(), csv.lines().skip(1).collect::<Vec<_>>());
}

#[test]
fn a_run_as_kanata() {
    let text = traced(&Run::new("twelve.s", TWELVE), TraceFormat::Kanata);
    konata::check(&text);
    insta::assert_snapshot!(text);
}

#[test]
fn konata_takes_every_window_and_every_bundle_once() {
    for (name, text) in [("twelve.s", TWELVE), ("mixed.s", MIXED)] {
        let run = Run::new(name, text);
        let whole = konata::check(&traced(&run, TraceFormat::Kanata));
        assert_eq!(whole.len() as u64, run.bundles(), "{name}");
        for (from, to) in [(0, 3), (4, 9), (12, 16), (15, 30), (7, 8)] {
            let asked =
                Asked { window: Cycle(from)..Cycle(to), ..Asked::whole(TraceFormat::Kanata) };
            let text = String::from_utf8(run.live(&asked).bytes).expect("text");
            let part = konata::check(&text);
            // The same bundle has the same retire id in every window.
            let expected: Vec<_> = whole.iter().filter(|i| (from..to).contains(&i.cycle)).collect();
            let told = |i: &konata::Instruction| (i.cycle, i.retire, i.is_flushed, i.label.clone());
            assert_eq!(
                part.iter().map(told).collect::<Vec<_>>(),
                expected.into_iter().map(told).collect::<Vec<_>>(),
                "{name} {from}..{to}"
            );
        }
    }
}

/// The value that a bundle reads comes from the bundle whose result has landed, not from the latest that was issued.
#[test]
fn konata_shows_who_produced_a_value_that_has_landed() {
    let early = "\
        psadd f1, f2, f2
        | seti g1, 5
        psadd f3, f1, f1
        nop
        nop
        nop
        nop
        nop
        psadd f4, f1, f1
        | stopi 0
";
    let text = traced(&Run::new("early.s", early), TraceFormat::Kanata);
    let found = konata::check(&text);
    let producers = |cycle: u64| {
        let consumer = found.iter().find(|i| i.cycle == cycle).expect("a bundle");
        consumer.producers.iter().map(|&id| found[id as usize].cycle).collect::<Vec<_>>()
    };
    // Issued in cycle 0, seen from cycle 8 on: too early for the bundle of cycle 2.
    assert_eq!(producers(2), [0; 0]);
    assert_eq!(producers(8), [0]);
}

#[test]
fn a_run_as_perfetto() {
    let bytes = Run::new("mixed.s", MIXED).live(&Asked::whole(TraceFormat::Perfetto)).bytes;
    insta::assert_snapshot!(packets::text(&bytes));
}

#[test]
fn a_run_as_signals() {
    let run = Run::new("mixed.s", MIXED);
    let mut selection = Selection::default();
    selection.add_registers("f1-f5,g1,a1,[16]", &Core::CP2).expect("registers");
    selection.set_sections("0,3").expect("sections");
    let asked = Asked { selection, ..Asked::whole(TraceFormat::Vcd) };
    insta::assert_snapshot!(String::from_utf8(run.live(&asked).bytes).expect("text"));
}

#[test]
fn banks_of_all_sections_are_shown() {
    let run = Run::on(with_section_addressing(), "spread.s", SPREAD);
    insta::assert_snapshot!("spread_rows", traced(&run, TraceFormat::Csv));
    insta::assert_snapshot!("spread_text", traced(&run, TraceFormat::Text));
    let mut selection = Selection::default();
    selection.add_registers("f3", &Core::CP2).expect("a register");
    let asked = Asked { selection, ..Asked::whole(TraceFormat::Vcd) };
    insta::assert_snapshot!(
        "spread_signals",
        String::from_utf8(run.live(&asked).bytes).expect("text")
    );
    let bytes = run.live(&Asked::whole(TraceFormat::Perfetto)).bytes;
    insta::assert_snapshot!("spread_perfetto", packets::text(&bytes));
}

#[test]
fn lines_registers_and_sections_choose_operations() {
    let run = Run::new("mixed.s", MIXED);
    let shown = |add: &dyn Fn(&mut Selection)| {
        let mut selection = Selection::default();
        add(&mut selection);
        let asked = Asked { selection, ..Asked::whole(TraceFormat::Text) };
        let text = String::from_utf8(run.live(&asked).bytes).expect("text");
        let lines = text.lines().skip(1).filter(|line| !line.contains("  ("));
        let last = |line: &str| line.rsplit("  ").next().unwrap_or_default().to_owned();
        lines.map(last).collect::<Vec<_>>()
    };
    assert_eq!(
        shown(&|s| s.add_lines("mixed.s:7..9").expect("lines")),
        ["psadd f2, f3, f3", "seti a1, 16", "[16]"]
    );
    assert_eq!(shown(&|s| s.add_lines("9").expect("lines")).len(), 1);
    let of = |registers: &'static str| {
        shown(&move |s| s.add_registers(registers, &Core::CP2).expect("registers"))
    };
    assert_eq!(of("f2,g1"), ["seti g1, 0", "psadd f2, f3, f3"]);
    assert_eq!(of("[16..18]"), ["[16]"]);
    assert_eq!(of("f63"), [""; 0]);
}

/// Two operations of one bundle may come from two lines of linear code: each has its own.
#[test]
fn operations_stand_at_the_lines_that_they_come_from() {
    let source = include_str!("../../../examples/axpy.s");
    let run = Run::new("axpy.s", source);
    let lines: Vec<&str> = source.lines().collect();
    let rows = traced(&run, TraceFormat::Csv);
    // Commas within quotes end no cell.
    let cells = |row: &str| -> Vec<String> {
        let outside = row.split('"').step_by(2);
        let within = row.split('"').skip(1).step_by(2).chain([""]);
        let marked = outside.zip(within).map(|(out, text)| out.replace(',', "\n") + text);
        marked.collect::<String>().split('\n').map(str::to_owned).collect()
    };
    let names = cells(rows.lines().next().expect("a heading"));
    let column = |row: &str, name: &str| {
        let at = names.iter().position(|cell| cell == name)?;
        cells(row).get(at).cloned()
    };
    let mut shared = 0;
    let mut before = None;
    for row in rows.lines().skip(1) {
        let cell = |name| column(row, name).expect(name);
        let operation = cell("operation");
        if operation.is_empty() {
            continue;
        }
        let line: usize = cell("line").parse().expect("a line");
        let text = lines[line - 1];
        let is_of_loop = text.contains(".loop") || text.contains(".linear");
        assert!(text.contains(&operation) || is_of_loop, "{operation} at `{text}`");
        let place = (cell("issue_cycle"), line);
        shared +=
            usize::from(before.is_some_and(|(cycle, other)| cycle == place.0 && other != line));
        before = Some(place);
    }
    assert!(shared > 100, "{shared} bundles of two lines");
}

#[test]
fn a_window_of_a_recording_is_that_of_the_run() {
    let spread = with_section_addressing();
    for (core, name, text) in [
        (Core::CP2, "twelve.s", TWELVE),
        (Core::CP2, "mixed.s", MIXED),
        (spread, "spread.s", SPREAD),
    ] {
        let run = Run::on(core, name, text);
        let recording = run.recording();
        let windows = [(0, u64::MAX), (0, 5), (3, 9), (12, 16), (14, 40), (1, 2)];
        for (from, to) in windows {
            for format in TraceFormat::ALL {
                let window = Cycle(from)..Cycle(to);
                let asked = Asked { window, values: to % 2 == 0, ..Asked::whole(format) };
                let (live, again) = (run.live(&asked), run.recorded(&recording, &asked));
                assert!(live == again, "{name} {from}..{to} as {}", format.name());
            }
        }
    }
}

/// A trace that is cut at any limit is a begin of the whole one, and ends with a whole cycle.
#[test]
fn a_trace_ends_whole_at_its_limit() {
    let run = Run::new("twelve.s", TWELVE);
    for format in [
        TraceFormat::Text,
        TraceFormat::Csv,
        TraceFormat::Kanata,
        TraceFormat::Perfetto,
        TraceFormat::Vcd,
    ] {
        let whole = run.live(&Asked::whole(format)).bytes;
        let mut ends = std::collections::BTreeSet::new();
        for limit in (0..whole.len() as u64).step_by(37) {
            let part = run.live(&Asked { limit, ..Asked::whole(format) });
            let heading = run.live(&Asked { limit: 0, ..Asked::whole(format) }).bytes.len();
            assert!(part.bytes.len() <= heading.max(limit as usize), "{}", format.name());
            assert!(whole.starts_with(&part.bytes), "{} at {limit}", format.name());
            let full_at = part.full_at.unwrap_or_else(|| panic!("{} at {limit}", format.name()));
            ends.insert((full_at, part.bytes.len()));
        }
        let cycles: std::collections::BTreeSet<_> = ends.iter().map(|(cycle, _)| cycle).collect();
        assert_eq!(cycles.len(), ends.len(), "{}: one length for each cycle", format.name());
    }
}
