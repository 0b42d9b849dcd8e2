//! `cp2 gpu`, and `cp2 star --backend gpu`, on devices of PoCL, or on those that there are.

use super::kit::{Folder, unwrapped};

#[test]
fn gpu_devices_are_listed_with_their_numbers() {
    let folder = Folder::new();
    assert!(folder.expect(0, "gpu devices").starts_with("0  "));
    let list: serde_json::Value =
        serde_json::from_str(&folder.expect(0, "gpu devices --json")).unwrap();
    assert!(list[0]["units"].as_u64().unwrap() > 0 && list[0]["double"] == true, "{list}");
}

#[test]
fn gpu_runs_are_verified_and_compared_with_the_estimate() {
    let folder = Folder::new();
    for arguments in
        ["mg", "mg --fused", "mg --parts 2", "cg", "cg --parts 2", "ft", "ft --pages 1048576"]
    {
        let text = folder.expect(0, &format!("gpu run {arguments} --runs 1 --json"));
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["verified"], true, "{arguments}: {report}");
        let figures = report["figures"].as_array().unwrap();
        let seconds = figures.iter().find(|figure| figure["name"] == "seconds").unwrap();
        assert!(seconds["value"].as_f64().unwrap() > 0.0, "{arguments}: {report}");
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
fn gpu_measurements_are_a_system_for_estimates() {
    let folder = Folder::new();
    let text = folder.expect(0, "gpu measure -o system.toml");
    assert!(text.contains("bw_both") && text.contains("bw_cp") && text.contains("MOPS"), "{text}");
    let estimate = folder.expect(
        0,
        "estimate mg --system system.toml --set work.perf_mops=1000 --set work.n=64 --alone",
    );
    assert!(unwrapped(&estimate).contains("system.bw_mb_s"), "{estimate}");
}

#[test]
fn gpu_wrong_uses_are_told() {
    let folder = Folder::new();
    for (arguments, code, sentence) in [
        ("run mg --class Z", 2, "--class Z: mg has the classes S, W, A, B, C, D"),
        ("run ft --class D", 2, "--class D: ft has the classes S, W, A, B, C"),
        ("run cg --fused", 2, "only mg has two"),
        ("run mg --pages 4096", 2, "only ft has them"),
        ("run mg --fused --parts 2", 2, "the fused form runs on one"),
        ("run mg --device 99", 3, "there is no device 99; there are"),
        ("run mg --parts 250", 3, "cannot be divided into 250 parts"),
        ("run ft --pages 4096", 3, "3 pages of FT class S takes 196608 bytes"),
        ("run ft --parts 2", 3, "with pages it goes through several"),
        ("run mg --class D", 3, "MG class D takes"),
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
}
