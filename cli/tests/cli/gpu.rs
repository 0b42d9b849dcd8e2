//! `cp2 gpu`, and `cp2 star --backend gpu`, on devices of PoCL, or on those that there are.

mod lost;
mod search;

use super::kit::{Folder, unwrapped};
use serde_json::Value;

/// Asserts that a document is as its schema says, by what schemas of reports have: types, members, items and constants.
fn assert_conforms(value: &Value, schema: &Value, place: &str) {
    if let Some(constant) = schema.get("const") {
        assert_eq!(value, constant, "{place}");
        return;
    }
    let is_of = |kind: &Value| match kind.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        _ => value.is_null(),
    };
    let kinds = &schema["type"];
    assert!(
        kinds.as_array().map_or_else(|| is_of(kinds), |all| all.iter().any(is_of)),
        "{place}: {value}"
    );
    for (name, member) in value.as_object().into_iter().flatten() {
        assert_conforms(member, &schema["properties"][name], &format!("{place}.{name}"));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter(|_| value.is_object()) {
        assert!(value.get(name.as_str().unwrap()).is_some(), "{place}: {name} is missing");
    }
    for item in value.as_array().into_iter().flatten() {
        assert_conforms(item, &schema["items"], &format!("{place}[]"));
    }
}

/// Returns what a command of `cp2 gpu` prints as JSON, which is as the schema of this name says.
fn report(folder: &Folder, arguments: &str, name: &str) -> Value {
    let text = folder.expect(0, &format!("gpu {arguments} --json"));
    let report: Value = serde_json::from_str(&text).unwrap();
    let schema = folder.expect(0, &format!("schema {name}"));
    assert_conforms(&report, &serde_json::from_str(&schema).unwrap(), name);
    report
}

/// Returns a number of a report.
fn figure(report: &Value, name: &str) -> f64 {
    let all = report["figures"].as_array().unwrap();
    let found = all.iter().find(|figure| figure["name"] == name);
    found.and_then(|figure| figure["value"].as_f64()).unwrap_or_else(|| panic!("{name}: {report}"))
}

/// Text of a symmetric matrix of 3 rows: 2 on the diagonal, -1 beside it.
const MATRIX: &str =
    "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 2\n2 1 -1\n2 2 2\n3 2 -1\n3 3 2\n";

#[test]
fn gpu_schemas_are_those_of_the_room() {
    let folder = Folder::new();
    for (room, name) in
        [("procedures", "gpu"), ("procedures", "gpu-devices"), ("recursion", "gpu-search")]
    {
        let path =
            format!("{}/../gpu/{room}/schemas/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
        let file = std::fs::read_to_string(path).unwrap();
        assert!(
            file == folder.expect(0, &format!("schema {name}")),
            "{name}: `cargo xtask bless gpu` makes it anew"
        );
    }
}

#[test]
fn gpu_runs_take_matrices_of_users_in_both_formats() {
    let folder = Folder::new();
    folder.write("m.mtx", MATRIX);
    for options in ["", " --format framed", " --format framed --search", " --parts 2"] {
        let arguments = format!("run cg --matrix m.mtx --runs 1{options}");
        let found = report(&folder, &arguments, "gpu");
        assert_eq!(found["verified"], true, "{found}");
        assert_eq!(figure(&found, "nonzeros"), 7.0);
        assert!(figure(&found, "product_one") > 0.0);
    }
    let found = report(&folder, "run cg --format framed --runs 1", "gpu");
    assert_eq!(found["subject"], "cg S framed");
    for (text, sentence) in [
        (
            "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n",
            "m.mtx: line 3: entry (1, 3) is outside",
        ),
        (
            "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1e999\n",
            "m.mtx: line 3: '1e999' is not finite",
        ),
        ("%%MatrixMarket matrix coordinate real general\n0 2 0\n", "both must be at least 1"),
    ] {
        folder.write("m.mtx", text);
        let told = unwrapped(&folder.expect(3, "gpu run cg --matrix m.mtx"));
        assert!(told.contains(sentence), "{told}");
    }
}

/// The commands that the page of graphics processors shows.
#[test]
fn gpu_commands_of_the_page_run() {
    let folder = Folder::new();
    folder.write("m.mtx", MATRIX);
    let page = format!("{}/../specs/src/gpu.md", env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(page).unwrap();
    let block = page.split("```").nth(1).unwrap();
    let commands: Vec<&str> = block.lines().filter_map(|line| line.strip_prefix("cp2 ")).collect();
    assert!(commands.len() > 6, "{commands:?}");
    for command in commands {
        let command = command.split("   ").next().unwrap();
        let told = unwrapped(&folder.expect(0, command));
        let words: &[&str] = match command.split(' ').nth(1).unwrap() {
            "devices" => &["units", "local memory"],
            "measure" => &["bw_both", "bw_cp", "sectors_bound", "MOPS"],
            "run" => &["verified"],
            _ => &["system.bw_mb_s"],
        };
        assert!(words.iter().all(|word| told.contains(word)), "{command}: {told}");
    }
}

#[test]
fn gpu_devices_are_listed_with_their_numbers() {
    let folder = Folder::new();
    assert!(folder.expect(0, "gpu devices").starts_with("0  "));
    let list = report(&folder, "devices", "gpu-devices");
    let first = &list["devices"][0];
    assert!(first["units"].as_u64().unwrap() > 0 && first["double"] == true, "{list}");
}

#[test]
fn gpu_runs_are_verified_and_compared_with_the_estimate() {
    let folder = Folder::new();
    for arguments in
        ["mg", "mg --fused", "mg --parts 2", "cg", "cg --parts 2", "ft", "ft --pages 1048576"]
    {
        let found = report(&folder, &format!("run {arguments} --runs 1"), "gpu");
        assert_eq!(found["verified"], true, "{arguments}: {found}");
        assert!(figure(&found, "seconds") > 0.0, "{arguments}: {found}");
    }
    let text = folder.expect(0, "gpu run mg --runs 1");
    assert!(text.contains("\nverified\n") && text.contains("formula 2.12"), "{text}");
}

#[test]
fn gpu_shapes_are_searched_and_kept_for_the_device() {
    let folder = Folder::new();
    let kept = folder.path("kept");
    folder.printed_with_schedules(&kept, "gpu run ft --runs 1 --search");
    let files: Vec<_> =
        std::fs::read_dir(kept.join("gpu")).unwrap().map(|e| e.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    let text = std::fs::read_to_string(&files[0]).unwrap();
    assert!(text.contains("lines 64x64x64 = "), "{text}");
    std::fs::write(&files[0], "lines 64x64x64 = many\n").unwrap();
    let output = folder.cp2_with_schedules(kept, "gpu run ft --runs 1");
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("line 1: `lines 64x64x64 = many`"));
}

#[test]
fn gpu_wrong_uses_are_told() {
    let folder = Folder::new();
    for (arguments, code, sentence) in [
        ("run mg --class Z", 2, "--class Z: mg has the classes S, W, A, B, C, D"),
        ("run ft --class E", 2, "--class E: ft has the classes S, W, A, B, C, D"),
        ("run ft --class D", 3, "FT class D takes"),
        ("run cg --fused", 2, "unexpected argument '--fused'"),
        ("run mg --pages 4096", 2, "unexpected argument '--pages'"),
        ("run mg --fused --parts 2", 2, "the fused form runs on one"),
        ("run mg --device 99", 3, "there is no device 99; there are"),
        ("run mg --parts 250", 3, "cannot be divided into 250 parts"),
        ("run ft --pages 4096", 3, "3 pages take at least 196608 bytes, and 4096 were given"),
        ("run ft --parts 2", 3, "by pages (--pages) it goes through several"),
        ("run mg --class D", 3, "MG class D takes"),
        ("run mg --device 0,0,0", 3, "3 devices; the grid is halved along up to three axes"),
        ("run mg --device 0,99", 3, "there is no device 99; there are"),
        ("run mg --matrix m.mtx", 2, "unexpected argument '--matrix'"),
        ("run ft --format framed", 2, "unexpected argument '--format'"),
        ("run cg --matrix none.mtx", 3, "none.mtx"),
        ("run cg --matrix m.mtx --class S", 2, "cannot be used with"),
    ] {
        let text = unwrapped(&folder.expect(code, &format!("gpu {arguments}")));
        assert!(text.contains(sentence), "{arguments}: {text}");
    }
}

#[test]
fn gpu_star_programs_give_what_the_native_machine_gives() {
    let folder = Folder::new();
    for program in ["paths", "reachability", "warshall-at-once --cheap"] {
        let run = format!("star {program} --rmat 5 --bits 12 --json");
        let of = |backend: &str| -> serde_json::Value {
            serde_json::from_str(&folder.expect(0, &format!("{run} --backend {backend}"))).unwrap()
        };
        let (native, mut device) = (of("native"), of("gpu"));
        assert!(native["gpu"].is_null());
        assert!(device["gpu"]["launches"].as_u64().unwrap() > 100, "{device}");
        assert!(device["gpu"]["reads"].as_u64().unwrap() > 10, "{device}");
        device["gpu"] = serde_json::Value::Null;
        assert_eq!(native, device, "{program}");
    }
    let text = folder.expect(0, "star paths --rmat 4 --bits 12 --backend gpu --device 0");
    assert!(text.contains(" kernels launched, ") && text.contains("Dist: table[h]"), "{text}");
}

#[test]
fn gpu_star_devices_that_are_not_there_are_told() {
    let folder = Folder::new();
    let text = folder.expect(3, "star paths --rmat 4 --bits 12 --backend gpu --device 99");
    assert!(unwrapped(&text).contains("there is no device 99; there are"), "{text}");
    let text = folder.expect(2, "star paths --rmat 4 --bits 12 --backend cp2 --device 0");
    assert!(text.contains("--device 0: only programs with --backend gpu"), "{text}");
    let text = folder.expect(3, "gpu run ft --class S --pages 10");
    assert!(unwrapped(&text).contains("3 pages take at least 196608 bytes, and 10 were"), "{text}");
}
