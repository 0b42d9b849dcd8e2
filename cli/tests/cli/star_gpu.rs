//! `cp2 star --backend gpu` on a device of PoCL, or on one that there is.

use super::kit::{Folder, unwrapped};

#[test]
fn star_programs_on_a_device_give_what_the_native_machine_gives() {
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
fn star_devices_that_are_not_there_are_told() {
    let folder = Folder::new();
    let text = folder.expect(3, "star paths --rmat 4 --bits 12 --backend gpu --device 99");
    assert!(unwrapped(&text).contains("there is no device 99; there are"), "{text}");
}
