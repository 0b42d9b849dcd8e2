//! The measurements as a page of the book, `specs/src/star-gpu.md`.

use serde_json::Value;
use std::fmt::Write as _;

/// Text of the page, with names in double braces for its parts.
const PAGE: &str = include_str!("../data/page.md");

/// The measurements, a JSON object a line.
const DATA: &str = include_str!("../data/2026-11-29.jsonl");

/// Closures of an earlier call, whose launches made events.
const EVENTS: &str = include_str!("../data/2026-11-29-events.jsonl");

/// Closures on another card, with launches of one argument, beside launches that do nothing.
const LAUNCHES: &str = include_str!("../data/2026-11-29-h200.jsonl");

/// A column of a table: its head, the name of the number, and the factor by which it is shown.
type Column = (&'static str, &'static str, f64);

/// Returns the page.
///
/// # Errors
/// A line of the data is no JSON object, or none has measured a part.
pub fn page() -> Result<String, String> {
    let (lines, events, launches) = (parsed(DATA)?, parsed(EVENTS)?, parsed(LAUNCHES)?);
    let first = lines.first().ok_or("the data of the page are empty")?;
    let mut page = PAGE.to_owned();
    let mut parts = parts(&lines);
    parts.push(("events-5000", number(&closure(&events, 5000, "pivot_s"), 1e3)));
    parts.extend(of_launches(&launches));
    for (name, text) in parts {
        page = page.replace(&format!("{{{{{name}}}}}"), &text);
    }
    Ok(page.replace("{{when}}", &when(first)))
}

/// Returns a sentence with the device and the processor of a measurement.
fn when(line: &Value) -> String {
    let [device, driver, processor, date] =
        ["device", "driver", "processor", "date"].map(|name| text(line, name));
    let threads = number(&line["threads"], 1.0);
    format!("One {device}, driver {driver}, {date}; {processor}, {threads} threads.")
}

/// Returns the parts of the page about launches, by their names in it.
fn of_launches(lines: &[Value]) -> Vec<(&'static str, String)> {
    let each = |name| number(&closure(lines, 5000, name), 1e6 / 5000.0);
    vec![
        ("launches", table(lines, "closure", LAUNCHES_TABLE)),
        ("launches-when", lines.first().map_or_else(String::new, when)),
        ("launches-5000", number(&closure(lines, 5000, "pivot_s"), 1e3)),
        ("launches-each", each("pivot_s")),
        ("nothing-5000", number(&closure(lines, 5000, "nothing_s"), 1e3)),
        ("nothing-each", each("nothing_s")),
    ]
}

fn parsed(data: &str) -> Result<Vec<Value>, String> {
    let lines = data.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>();
    lines.map_err(|error| format!("the data of the page: {error}"))
}

/// Returns a number of the closure of a graph of n vertices that is no cycle.
fn closure(lines: &[Value], n: u64, name: &str) -> Value {
    let mut of_n = lines.iter().filter(|line| line["subject"] == "closure" && line["n"] == n);
    of_n.rfind(|line| line["graph"] != "cycle").map_or(Value::Null, |line| line[name].clone())
}

fn parts(lines: &[Value]) -> Vec<(&'static str, String)> {
    let of = |subject: &'static str, columns: &[Column]| table(lines, subject, columns);
    let mut all = vec![
        ("closure", of("closure", CLOSURE)),
        ("insertions", of("insertions", INSERTIONS)),
        ("paths", of("paths", PATHS)),
        ("paths-insert", of("paths-insert", PATHS_INSERT)),
        ("elementary", of("elementary", ELEMENTARY)),
        ("library", of("library", LIBRARY)),
    ];
    all.extend(verdicts(lines));
    all
}

/// Returns the numbers that the sentences of the page name.
fn verdicts(lines: &[Value]) -> Vec<(&'static str, String)> {
    let launch = |n: u64| number(&closure(lines, n, "pivot_s"), 1e6 / n as f64);
    let per_pass = |line: &Value| line["paths_s"].as_f64().zip(line["passes"].as_f64());
    let passes = lines.iter().filter(|line| line["subject"] == "paths").filter_map(per_pass);
    let pass = passes.map(|(seconds, passes)| 1e6 * seconds / passes).fold(0.0, f64::max);
    let looked =
        |line: &Value| line["sequential_arcs"].as_f64().zip(line["sequential_passes"].as_f64());
    let inserted = lines.iter().filter(|line| line["subject"] == "paths-insert");
    let arcs = inserted.filter_map(looked).map(|(arcs, passes)| arcs / passes).fold(0.0, f64::max);
    vec![
        ("pivot-5000", number(&closure(lines, 5000, "pivot_s"), 1e3)),
        ("launch-5000", launch(5000)),
        ("launch-256", launch(256)),
        ("blocks-5000", number(&closure(lines, 5000, "pivots_64_s"), 1e3)),
        ("pass", format!("{pass:.1}")),
        ("looked-at", format!("{arcs:.0}")),
        ("faster-row", faster_from(lines, ["row_us", "sequential_us"])),
        ("faster-each", faster_from(lines, ["each_us", "sequential_us"])),
        ("faster-halves", faster_from(lines, ["halves_us", "halves_sequential_us"])),
    ]
}

/// Returns the least n from which on the first number of insertions into closures is less than the second; a dash if there is none.
fn faster_from(lines: &[Value], [device, host]: [&str; 2]) -> String {
    let mut from = None;
    let insertions = lines.iter().filter(|line| line["subject"] == "insertions");
    let mut sorted: Vec<&Value> = insertions.collect();
    sorted.sort_by_key(|line| line["n"].as_u64());
    for line in sorted {
        let is_faster = line[device].as_f64() < line[host].as_f64();
        from = if is_faster { from.or(line["n"].as_u64()) } else { None };
    }
    from.map_or("-".to_owned(), |n| n.to_string())
}

const LAUNCHES_TABLE: &[Column] = &[
    ("graph", "graph", 0.0),
    ("n", "n", 1.0),
    ("launch a pivot", "pivot_s", 1e3),
    ("as many launches of nothing", "nothing_s", 1e3),
    ("32 pivots", "pivots_32_s", 1e3),
    ("64 pivots", "pivots_64_s", 1e3),
    ("one thread", "one_thread_s", 1e3),
    ("all threads", "threads_s", 1e3),
];
const CLOSURE: &[Column] = &[
    ("graph", "graph", 0.0),
    ("n", "n", 1.0),
    ("launch a pivot", "pivot_s", 1e3),
    ("32 pivots", "pivots_32_s", 1e3),
    ("64 pivots", "pivots_64_s", 1e3),
    ("one thread", "one_thread_s", 1e3),
    ("all threads", "threads_s", 1e3),
    ("petgraph", "petgraph_s", 1e3),
    ("runs", "runs", 1.0),
];

const INSERTIONS: &[Column] = &[
    ("n", "n", 1.0),
    ("in a row", "row_us", 1.0),
    ("waiting for each", "each_us", 1.0),
    ("sequential", "sequential_us", 1.0),
    ("two halves", "halves_us", 1.0),
    ("halves, sequential", "halves_sequential_us", 1.0),
];

const PATHS: &[Column] = &[
    ("graph", "graph", 0.0),
    ("n", "n", 1.0),
    ("passes", "passes", 1.0),
    ("paths", "paths_s", 1e3),
    ("heap", "sequential_s", 1e3),
    ("petgraph", "petgraph_s", 1e3),
    ("reach", "reach_s", 1e3),
    ("petgraph, reach", "petgraph_reach_s", 1e3),
];

const PATHS_INSERT: &[Column] = &[
    ("graph", "graph", 0.0),
    ("weights", "weights", 0.0),
    ("arcs", "stream", 1.0),
    ("changed", "changed", 1.0),
    ("most affected", "most_affected", 1.0),
    ("passes", "passes", 1.0),
    ("in one launch", "row_us", 1.0),
    ("a launch each", "each_us", 1.0),
    ("sequential", "sequential_us", 1.0),
];

const ELEMENTARY: &[Column] = &[
    ("n", "n", 1.0),
    ("ROW read", "row_us", 1.0),
    ("ROW write", "put_row_us", 1.0),
    ("COL read", "column_us", 1.0),
    ("or", "or_us", 1.0),
    ("FND", "find_us", 1.0),
    ("SOME", "some_us", 1.0),
    ("NUMB", "number_us", 1.0),
];

const LIBRARY: &[Column] = &[
    ("rows", "n", 1.0),
    ("MIN", "min_us", 1.0),
    ("MIN, elementary", "min_elementary_us", 1.0),
    ("MATCH", "match_us", 1.0),
    ("SETMIN", "setmin_us", 1.0),
    ("SUBTV", "subtv_us", 1.0),
    ("WCOPY", "wcopy_us", 1.0),
    ("TMERGE", "tmerge_us", 1.0),
];

fn text<'v>(line: &'v Value, name: &str) -> &'v str {
    line[name].as_str().unwrap_or_default()
}

/// Returns a number with three significant digits, whole ones as they are; a dash if there is none.
fn number(value: &Value, factor: f64) -> String {
    if let (Some(whole), true) = (value.as_u64(), factor == 1.0) {
        return whole.to_string();
    }
    let Some(value) = value.as_f64() else { return "-".to_owned() };
    let shown = value * factor;
    let digits = 2 - shown.abs().max(1e-9).log10().floor() as i32;
    format!("{shown:.*}", digits.clamp(0, 6) as usize)
}

/// Returns the measurements of a subject as a table in Markdown, in the order of n and the data. Of several of the same thing the
/// last stands.
fn table(lines: &[Value], subject: &str, columns: &[Column]) -> String {
    let key = |line: &Value| ["graph", "n", "weights"].map(|name| line[name].to_string());
    let mut rows: Vec<&Value> = Vec::new();
    for line in lines.iter().filter(|line| line["subject"] == subject) {
        match rows.iter_mut().find(|row| key(row) == key(line)) {
            Some(row) => *row = line,
            None => rows.push(line),
        }
    }
    rows.sort_by_key(|line| line["n"].as_u64());
    let mut made = String::new();
    let heads: Vec<&str> = columns.iter().map(|column| column.0).collect();
    let rule = vec!["---"; columns.len()];
    // Writing to a string does not fail.
    let _ = write!(made, "| {} |\n| {} |", heads.join(" | "), rule.join(" | "));
    for line in rows {
        let cell = |&(_, name, factor): &Column| match factor {
            0.0 => text(line, name).to_owned(),
            factor => number(&line[name], factor),
        };
        let cells: Vec<String> = columns.iter().map(cell).collect();
        let note = if line["verified"] == true { "" } else { " not verified" };
        let _ = write!(made, "\n| {}{note} |", cells.join(" | "));
    }
    made
}
