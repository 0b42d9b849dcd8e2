//! What `path` tells of programs and recordings.

use super::json;
use crate::kit::{Folder, twelve};

#[test]
fn a_path_has_all_cycles_and_a_shorter_latency_is_tried() {
    let folder = twelve();
    let path = json(&folder, 0, "path twelve.s --less core.load_latency --json");
    assert_eq!((&path["schema"], &path["cycles"]), (&"cp2-path-1".into(), &37.into()));
    let kinds = path["kinds"].as_array().expect("kinds");
    let sum: u64 = kinds.iter().filter_map(|kind| kind["cycles"].as_u64()).sum();
    assert_eq!(sum, 37);
    // The program stands as it is written, so a shorter latency of loads alone saves nothing.
    assert_eq!(
        (&path["shorter"][0]["value"], &path["shorter"][0]["saved"]),
        (&2.into(), &0.into())
    );
    let text = folder.expect(0, "path twelve.s");
    assert!(text.contains("37 cycles, all cycles of the run"), "{text}");
    assert!(text.contains("core.arithmetic_latency"), "{text}");
}

#[test]
fn a_path_of_a_procedure_goes_over_channel_and_host() {
    let folder = Folder::new();
    folder.expect(0, "kernels run fft8192 --machine vm7 --vectors 1 --record r.cp2rec");
    let path = json(&folder, 0, "path r.cp2rec --json");
    let walked = json(&folder, 0, "path r.cp2rec --every-cycle --json");
    assert_eq!(path["kinds"], walked["kinds"]);
    let kinds = path["kinds"].as_array().expect("kinds");
    let has = |name: &str| kinds.iter().any(|kind| kind["kind"] == name);
    assert!(has("dma_beat") && has("host") && has("arithmetic_slot"), "{kinds:?}");
    let refused = folder.expect(2, "path r.cp2rec --less core.load_latency");
    assert!(refused.contains("cp2 whatif"), "{refused}");
    let unknown = folder.expect(2, "path twelve.s --less core.speed");
    assert!(unknown.contains("--dump-config"), "{unknown}");
}
