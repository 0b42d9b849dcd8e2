//! Devices that are lost in the middle of a run: a layer of OpenCL, `losing_layer.c`, fails all calls from some call on.

use crate::kit::{Folder, schedules, unwrapped};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles the layer and returns its path.
fn layer(folder: &Folder) -> PathBuf {
    let source = format!("{}/tests/cli/gpu/losing_layer.c", env!("CARGO_MANIFEST_DIR"));
    let library = folder.path("losing_layer.so");
    let words = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o"];
    let output = Command::new("gcc").args(words).arg(&library).arg(source).output();
    let output = output.unwrap_or_else(|e| panic!("gcc: {e}"));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "package opencl-c-headers has the headers of layers: {told}");
    library
}

/// Runs `cp2 gpu run` with devices that are lost after so many calls; returns the exit code and what it prints.
fn run(folder: &Folder, layer: &Path, after: usize, arguments: &str) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_cp2"))
        .current_dir(folder.path(""))
        .env("CP2_CACHE_DIR", schedules())
        .env("OPENCL_LAYERS", layer)
        .env("CP2_LOSE_AFTER", after.to_string())
        .args(["gpu", "run"])
        .args(arguments.split(' '))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap_or_else(|| panic!("{arguments}: killed: {told}")), told.into())
}

#[test]
fn gpu_devices_that_are_lost_in_the_middle_of_a_run_are_told() {
    let folder = Folder::new();
    let layer = layer(&folder);
    let options = "--items 8 --groups 3";
    for arguments in [
        "mg --runs 1",
        "mg --runs 1 --parts 2",
        "cg --runs 1",
        "cg --runs 1 --parts 2",
        "ft --runs 1",
        "ft --runs 1 --pages 1048576 --parts 2",
        &format!("queens {options}"),
    ] {
        let mut after = 0;
        // Each time later by half, until the run ends before its devices are lost.
        loop {
            let (code, told) = run(&folder, &layer, after, arguments);
            if code == 0 {
                assert!(after > 4, "{arguments}: nothing was lost after {after} calls");
                break;
            }
            let told = unwrapped(&told);
            assert!(
                code == 3 && told.starts_with("cp2: error: "),
                "{arguments} {after}: {code} {told}"
            );
            assert!(
                told.contains(" was lost in ") && told.contains("nothing of the run is left"),
                "{told}"
            );
            after = 3 * after + 1;
        }
    }
}
