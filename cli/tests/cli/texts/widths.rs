//! Texts for people, which fit 80 columns.

use crate::kit::{Folder, twelve};
use std::path::Path;

const WIDTH: usize = 80;

/// Returns the lines of what a command prints that are too wide, but for a word that is too long alone.
fn wide(text: &str) -> Vec<&str> {
    let is_wide = |line: &&str| {
        let longest = line.split(' ').map(|word| word.chars().count()).max().unwrap_or(0);
        line.chars().count() > WIDTH.max(longest + WIDTH / 2)
    };
    text.lines().filter(is_wide).collect()
}

/// Expects that a command prints no line that is too wide.
fn expect_narrow(folder: &Folder, code: i32, arguments: &str) {
    let text = folder.expect(code, arguments);
    assert!(text.lines().count() > 1, "cp2 {arguments}\n{text}");
    assert_eq!(wide(&text), Vec::<&str>::new(), "cp2 {arguments}");
}

/// Returns a folder with a program in files of short and of long names, and with long labels.
fn programs() -> Folder {
    let folder = twelve();
    let axpy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/axpy.s");
    let axpy = std::fs::read_to_string(axpy).unwrap();
    folder.write("axpy.s", &axpy);
    folder.write("a_program_whose_file_has_a_long_name_as_generators_make_them.s", &axpy);
    folder.write("twice.s", axpy.replace("min=16", "min=32"));
    let label = "a_label_of_more_characters_than_most_have";
    let text = std::fs::read_to_string(folder.path("twelve.s")).unwrap();
    folder.write("labels.s", text.replace("last", label));
    folder
}

#[test]
fn every_help_text_fits() {
    let folder = Folder::new();
    let main = folder.expect(0, "--help");
    let names = main.lines().filter_map(|line| line.strip_prefix("  "));
    let names = names.filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
    let names: Vec<&str> = names.filter_map(|line| line.split(' ').next()).collect();
    assert!(names.len() > 20, "{names:?}");
    let within = ["kernels list", "kernels run", "kernels source", "sweep best", "sweep status"];
    // The viewer has a help text of its own.
    let is_own = |name: &&str| !["view", "help"].contains(name);
    expect_narrow(&folder, 0, "--help");
    for name in names.into_iter().filter(is_own).chain(within) {
        expect_narrow(&folder, 0, &format!("{name} --help"));
        expect_narrow(&folder, 0, &format!("{name} -h"));
    }
}

#[test]
fn texts_about_programs_fit() {
    let folder = programs();
    let long = "a_program_whose_file_has_a_long_name_as_generators_make_them.s";
    for name in ["axpy.s", "twelve.s", "labels.s", long] {
        expect_narrow(&folder, 0, &format!("stats {name} --stretches 5"));
        expect_narrow(&folder, 0, &format!("run {name} --profile"));
        for cycle in [0, 5, 12, 20] {
            expect_narrow(&folder, 0, &format!("why {name} --cycle {cycle}"));
        }
    }
    for depth in [2, 60] {
        expect_narrow(&folder, 0, &format!("why {long} --value f7.s2@1200 --depth {depth}"));
    }
    expect_narrow(&folder, 1, "diff axpy.s twelve.s");
    expect_narrow(&folder, 1, &format!("diff {long} labels.s"));
    expect_narrow(&folder, 1, "diff axpy.s axpy.s --set-b core.load_latency=4");
}

#[test]
fn texts_about_kernels_and_procedures_fit() {
    let folder = Folder::new();
    expect_narrow(&folder, 0, "kernels list");
    for arguments in [
        "fft256",
        "fft512 --vectors 3 --batch 1",
        "cmul",
        "resid",
        "axpy",
        "multigrid_cycle",
        "spmv_sorted",
        "fft256 --machine vm7 --timeline",
        "fft8192 --machine vm9 --vectors 2 --timeline",
        "fft2d --machine vm9",
        "ft --machine vm7",
        "convolution --machine vm7",
        "spmv --machine vm7",
        "cg --machine vm9",
        "mg --machine vm7 --record mg.cp2rec",
        "mg --machine vm9 --set memory.clock_mhz=800 --record other.cp2rec",
    ] {
        let output = folder.cp2(&format!("kernels run {arguments}"));
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.lines().count() > 1, "{arguments}\n{text}");
        assert_eq!(wide(&text), Vec::<&str>::new(), "cp2 kernels run {arguments}");
    }
    expect_narrow(&folder, 0, "stats mg.cp2rec --stretches 5");
    for cycle in [100, 300_000, 700_000, 1_000_000] {
        expect_narrow(&folder, 0, &format!("why mg.cp2rec --cycle {cycle}"));
    }
    expect_narrow(&folder, 0, "why mg.cp2rec --value f7.s2@300000");
    expect_narrow(&folder, 1, "diff mg.cp2rec other.cp2rec --reach 100000");
}

#[test]
fn studies_fit() {
    let folder = Folder::new();
    expect_narrow(&folder, 0, "whatif axpy --set core.banks=1 --enable word-access,more-fprs=128");
    let changes = "--set memory.outstanding=8 --set memory.clock_mhz=800 --enable word-access";
    expect_narrow(&folder, 0, &format!("whatif fft8192 --machine vm9 --vectors 2 {changes}"));
    expect_narrow(&folder, 0, "whatif fft8192 --machine vm9 --vectors 2 --sensitivity");
    expect_narrow(&folder, 0, "roofline --machine vm9 fft256 axpy");
}
