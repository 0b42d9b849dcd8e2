//! Diagnostics, SARIF, the registry of codes, and the time that a large image takes.

use crate::kit::*;
use cp2_asm::codes;
use cp2_asm::diagnostic::Sources;
use cp2_asm::expansion::Expansions;
use cp2_asm::image::{Image, SourcePosition};
use cp2_isa::{BundleAddress, Core, Exch};
use cp2_lint::{Options, diagnostics, lint_for, sarif, to_json};
use serde_json::Value;
use std::time::{Duration, Instant};

const SOURCE: &str = ".kernel k\n    lwi f1, 0   ; load\n    psadd f2, f1, f1 ; use\n    stopi 0\n";

fn with_lines() -> Image {
    let mut image = image(&[load(1), add(2, 1), stop()]);
    image.files.push("dir/a b.s".into());
    image.lines = (0..3)
        .map(|k| (BundleAddress(k), SourcePosition { file: 0, line: u32::from(k) + 2, column: 5 }))
        .collect();
    image
}

#[test]
fn diagnostic_with_source() {
    let image = with_lines();
    let mut sources = Sources::default();
    sources.add("other.s", "");
    sources.add("dir/a b.s", SOURCE);
    let all = diagnostics(&findings(&image), &image, &sources, &Expansions::new());
    assert_eq!(all.len(), 1);
    let span = all[0].span.clone().unwrap();
    assert_eq!(&sources.text(span.file)[span.range], "psadd f2, f1, f1");
    assert_eq!(all[0].code, "C0501");
    assert_eq!(
        all[0].message,
        "f1 is read before its value arrives: 1 cycle after the write, but it takes 3"
    );
    assert_eq!(
        all[0].help.as_deref(),
        Some(
            "issue it 2 bundles later, at distance 3, or mark it `@allow(C0501)` if the old value is meant"
        )
    );
    let (related, text) = &all[0].related[0];
    assert_eq!(&sources.text(related.file)[related.range.clone()], "lwi f1, 0");
    assert_eq!(text, "written here");
}

#[test]
fn diagnostic_without_source() {
    let image = image(&[load(1), add(2, 1), stop()]);
    let all = diagnostics(&findings(&image), &image, &Sources::default(), &Expansions::new());
    assert_eq!(all[0].span, None);
    assert!(all[0].message.starts_with("k+1 `psadd f2, f1, f1`: f1 is read"), "{}", all[0].message);
    assert!(all[0].notes[0].starts_with("k+0 `| lwi f1, 0`: written here"), "{:?}", all[0].notes);
}

#[test]
fn diagnostic_with_lines_that_do_not_fit_the_source() {
    let image = with_lines();
    let mut sources = Sources::default();
    sources.add("dir/a b.s", "short\n");
    let all = diagnostics(&findings(&image), &image, &sources, &Expansions::new());
    assert_eq!(all[0].span, None);
    assert!(all[0].message.starts_with("dir/a b.s:3:5: k+1 `psadd"), "{}", all[0].message);
}

#[test]
fn diagnostic_of_hex_has_the_text_of_the_bundle() {
    let program = image(&[load(1), add(2, 1), stop()]);
    let lines: Vec<String> =
        program.kernels[0].words.iter().map(|word| format!("{word:016x}\n")).collect();
    let mut sources = Sources::default();
    let file = sources.add("a.hex", lines.concat());
    let image = cp2_asm::hex::read(&sources, file, &Core::CP2).unwrap();
    let all = diagnostics(&findings(&image), &image, &sources, &Expansions::new());
    assert_eq!(all.len(), 1);
    assert!(all[0].message.contains("+1 `psadd f2, f1, f1`: f1 is read"), "{}", all[0].message);
    assert_eq!(sources.line_column(&all[0].span.clone().unwrap()), (2, 1));
}

fn text<'a>(value: &'a Value, path: &str) -> &'a str {
    value.pointer(path).and_then(Value::as_str).unwrap_or_else(|| panic!("{path} in {value:#}"))
}

fn list<'a>(value: &'a Value, path: &str) -> &'a [Value] {
    let found = value.pointer(path).and_then(Value::as_array);
    found.unwrap_or_else(|| panic!("{path} in {value:#}"))
}

fn number(value: &Value, path: &str) -> u64 {
    value.pointer(path).and_then(Value::as_u64).unwrap_or_else(|| panic!("{path} in {value:#}"))
}

fn check_rule(rule: &Value) {
    assert!(!text(rule, "/id").is_empty());
    for field in ["shortDescription", "fullDescription", "help"] {
        assert!(!text(rule, &format!("/{field}/text")).is_empty());
    }
}

fn check_location(location: &Value) {
    assert_eq!(number(location, "/physicalLocation/address/absoluteAddress") % 8, 0);
    if location.pointer("/physicalLocation/region").is_some() {
        assert!(!text(location, "/physicalLocation/artifactLocation/uri").contains(' '));
        assert!(number(location, "/physicalLocation/region/startLine") >= 1);
        assert!(number(location, "/physicalLocation/region/startColumn") >= 1);
    }
}

/// Checks the fields that SARIF 2.1.0 requires of the objects that are written.
fn check_sarif(log: &Value) {
    assert_eq!(text(log, "/version"), "2.1.0");
    assert!(text(log, "/$schema").contains("sarif-2.1.0"));
    assert!(!text(log, "/runs/0/tool/driver/name").is_empty());
    assert_eq!(text(log, "/runs/0/tool/driver/semanticVersion").split('.').count(), 3);
    let rules = list(log, "/runs/0/tool/driver/rules");
    rules.iter().for_each(check_rule);
    for result in list(log, "/runs/0/results") {
        assert!(!text(result, "/message/text").is_empty());
        assert!(["error", "warning"].contains(&text(result, "/level")));
        assert_eq!(rules[number(result, "/ruleIndex") as usize]["id"], result["ruleId"]);
        assert_eq!(list(result, "/locations").len(), 1);
        list(result, "/locations").iter().for_each(check_location);
        if result.get("relatedLocations").is_some() {
            list(result, "/relatedLocations").iter().for_each(check_location);
        }
    }
}

#[test]
fn sarif_with_lines() {
    let image = with_lines();
    let log = sarif::report(&Core::CP2, &findings(&image), &image, &Sources::default());
    check_sarif(&log);
    let result = log.pointer("/runs/0/results/0").unwrap();
    assert_eq!(text(result, "/ruleId"), "C0501");
    let place = result.pointer("/locations/0/physicalLocation").unwrap();
    assert_eq!(text(place, "/artifactLocation/uri"), "dir/a%20b.s");
    assert_eq!(place["region"]["startLine"], 3);
    assert_eq!(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 2);
    assert_eq!(result["properties"]["needed"], 3);
}

#[test]
fn sarif_without_lines() {
    let image = image(&[jumpi(3), stop(), nops(1), stop()]);
    let log = sarif::report(&Core::CP2, &findings(&image), &image, &Sources::default());
    check_sarif(&log);
    let result = log.pointer("/runs/0/results/0").unwrap();
    assert_eq!(text(result, "/level"), "error");
    let place = result.pointer("/locations/0/physicalLocation").unwrap();
    assert!(place.get("artifactLocation").is_none());
    assert_eq!(text(place, "/address/fullyQualifiedName"), "k+1");
    assert!(place.get("region").is_none());
}

#[test]
fn sarif_of_nothing_has_results() {
    let image = image(&[stop()]);
    let log = sarif::report(&Core::CP2, &findings(&image), &image, &Sources::default());
    check_sarif(&log);
    assert_eq!(log.pointer("/runs/0/results").unwrap().as_array().unwrap().len(), 0);
}

#[test]
fn sarif_knows_the_end_of_a_bundle_in_its_source() {
    let image = with_lines();
    let mut sources = Sources::default();
    sources.add("dir/a b.s", SOURCE);
    let log = sarif::report(&Core::CP2, &findings(&image), &image, &sources);
    check_sarif(&log);
    let region = "/runs/0/results/0/locations/0/physicalLocation/region";
    assert_eq!(number(&log, &format!("{region}/startColumn")), 5);
    assert_eq!(number(&log, &format!("{region}/endColumn")), 5 + "psadd f2, f1, f1".len() as u64);
}

#[test]
fn json_of_findings() {
    let image = with_lines();
    let json = to_json(&findings(&image), &image, &Expansions::new());
    assert_eq!(text(&json, "/0/code"), "C0501");
    assert_eq!(text(&json, "/0/place/file"), "dir/a b.s");
    assert_eq!(number(&json, "/0/place/line"), 3);
    assert_eq!((number(&json, "/0/found"), number(&json, "/0/needed")), (1, 3));
    assert_eq!(number(&json, "/0/related/0/address"), 0);
    assert_eq!(to_json(&[], &image, &Expansions::new()), serde_json::json!([]));
}

#[test]
fn equal_diagnostics_come_once() {
    // A macro or a repetition gives several bundles one place.
    let mut image = image(&[load(1), add(2, 1), load(1), add(2, 1), stop()]);
    image.files.push("dir/a b.s".into());
    image.lines = (0..5)
        .map(|k| {
            (BundleAddress(k), SourcePosition { file: 0, line: 2 + u32::from(k % 2), column: 5 })
        })
        .collect();
    let mut sources = Sources::default();
    sources.add("dir/a b.s", SOURCE);
    let found = findings(&image);
    let early = found.iter().filter(|f| f.code == "C0501").count();
    assert_eq!(early, 2);
    let all = diagnostics(&found, &image, &sources, &Expansions::new());
    assert_eq!(all.iter().filter(|d| d.code == "C0501").count(), 1);
}

#[test]
fn sarif_and_json_of_open_rules() {
    let image = image(&[exch(Exch::Lwo, &[1, 1 - 16]), stop()]);
    let options = Options { undefined: true, ..Options::default() };
    let found = lint_for(&image, &options);
    let log = sarif::report(&Core::CP2, &found, &image, &Sources::default());
    check_sarif(&log);
    assert_eq!(text(&log, "/runs/0/results/0/ruleId"), "C0520");
    assert_eq!(text(&to_json(&found, &image, &Expansions::new()), "/0/code"), "C0520");
}

#[test]
fn the_codes_of_the_linter_have_no_gap() {
    let all: Vec<&str> = codes::of_linter().map(|code| code.code).collect();
    let expected: Vec<String> = (501..=514).chain(520..=538).map(|n| format!("C0{n}")).collect();
    assert_eq!(all, expected);
}

/// Checks that a full IRAM takes a fraction of a second, whatever it holds; the bound is for a debug build on a busy machine.
fn is_quick(name: &str, parts: &[Part]) {
    let image = image(parts);
    assert_eq!(image.kernels[0].words.len(), 8192, "{name}");
    let start = Instant::now();
    let found = findings(&image);
    let took = start.elapsed();
    println!("{name}: {} findings in {took:?}", found.len());
    assert!(took < Duration::from_secs(5), "{name}: {took:?}");
}

#[test]
fn large_straight_code_is_quick() {
    let work = (0..8191).map(|k| both(&add(k % 60, (k + 7) % 60), &load((k + 13) % 60)));
    is_quick("straight", &work.chain([stop()]).collect::<Vec<_>>());
}

#[test]
fn large_loops_are_quick() {
    // 1023 x 1023 iterations, 800 times.
    let mut parts: Vec<Part> = Vec::new();
    for k in 0..819 {
        let at = k * 10;
        parts.extend([doi(1023, at + 8), doi(1023, at + 4), exch(Exch::Lwnp, &[1, 2])]);
        parts.extend([nops(3), add(1, 1), nops(3)]);
    }
    parts.extend([nops(1), stop()]);
    is_quick("loops", &parts);
}

#[test]
fn many_short_procedures_are_quick() {
    // 2047 calls of one procedure of three bundles.
    let mut parts: Vec<Part> = Vec::new();
    for _ in 0..2047 {
        parts.extend([calli(8189), both(&add(1, 2), &load(3)), nops(2)]);
    }
    parts.extend([stop(), both(&add(4, 1), &exch(Exch::Ret, &[])), add(2, 3), nops(1)]);
    is_quick("procedures", &parts);
}

#[test]
fn endless_kernel_is_quick() {
    let mut parts: Vec<Part> = (0..8190).map(|_| exch(Exch::Lwnp, &[1, 2])).collect();
    parts.extend([jumpi(0), nops(1)]);
    is_quick("endless", &parts);
}
