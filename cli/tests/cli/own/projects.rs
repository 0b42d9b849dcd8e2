//! Projects that `cp2 new` begins, from every template.

use crate::kit::Folder;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

/// Results that a template has to come to.
struct Expected {
    template: &'static str,
    /// Last line of `cp2 test`.
    tested: &'static str,
    /// Parts of what `cp2 kernels run work.toml` says.
    run: [&'static str; 2],
    /// Option that names a machine, if the workload needs one.
    machine: &'static str,
    /// Change of the machine, and the cycles without and with it.
    change: &'static str,
    cycles: [&'static str; 2],
}

const EXPECTED: [Expected; 6] = [
    Expected {
        template: "axpy",
        tested: "1 file, 1 case, 4 checks: 0 failed",
        run: ["p: 228 cycles; bound 199", "z: float32 (1024,), exactly as data/expected.npy"],
        machine: "",
        change: "--set core.load_latency=2",
        cycles: ["228", "227"],
    },
    Expected {
        template: "fir",
        tested: "1 file, 1 case, 5 checks: 0 failed",
        run: ["p: 2075 cycles; bound 2049", "y: complex64 (4, 128), exactly as data/expected.npy"],
        machine: "",
        change: "--set core.arithmetic_latency=4",
        cycles: ["2075", "2070"],
    },
    Expected {
        template: "stencil",
        tested: "1 file, 1 case, 5 checks: 0 failed",
        run: ["p: 1382 cycles; bound 1284", "w: float32 (4, 16, 32), exactly as data/expected.npy"],
        machine: "",
        change: "--set core.arithmetic_latency=4",
        cycles: ["1382", "1334"],
    },
    Expected {
        template: "reduction",
        tested: "1 file, 1 case, 5 checks: 0 failed",
        run: ["p: 351 cycles; bound 273", "sum: float32 (1,), exactly as data/expected.npy"],
        machine: "",
        change: "--set core.arithmetic_latency=4",
        cycles: ["351", "315"],
    },
    Expected {
        template: "gather",
        tested: "2 files, 2 cases, 10 checks: 0 failed",
        run: [
            "p, variant p of 2: 1130 cycles; bound 1095",
            "y: float32 (4, 256, 2), exactly as data/expected.npy",
        ],
        machine: "",
        change: "--enable section-addressing",
        cycles: ["1130", "612"],
    },
    Expected {
        template: "pages",
        tested: "1 file, 1 case, 5 checks: 0 failed",
        run: [
            "p on vm7 in 4 pages, 15344 cycles",
            "y: float32 (128, 128), exactly as data/expected.npy",
        ],
        machine: " --machine vm7",
        change: "--set host.page_cycles=1000",
        cycles: ["15344", "14232"],
    },
];

/// Runs `cp2` in the folder of a project.
fn inside(project: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cp2"));
    let output = command.current_dir(project).args(arguments).output().unwrap();
    let text =
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    (output.status.code(), text)
}

/// Returns the sources of a project's folder: their names and texts.
fn sources(project: &Path) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(project).unwrap().map(|entry| entry.unwrap().path());
    let sources = entries.filter(|path| path.extension().is_some_and(|ending| ending == "s"));
    let read = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    sources.map(read).collect()
}

/// Returns the first command at the top of a source, as words.
fn first_command(source: &str) -> Vec<&str> {
    let mut lines = source.lines().map(|line| line.trim_start_matches([';', ' ']));
    lines.find_map(|line| line.strip_prefix("cp2 ")).unwrap().split(' ').collect()
}

#[test]
fn every_template_is_a_kernel_that_is_right_at_its_bound_and_can_be_asked() {
    for expected in EXPECTED {
        let folder = Folder::new();
        let told = folder.expect(0, &format!("new p --template {}", expected.template));
        assert!(told.ends_with(" files; cd p && cp2 test\n"), "{told}");
        let told = folder.expect(0, "test p");
        assert!(told.contains(expected.tested), "{told}");
        let told = crate::kit::unwrapped(
            &folder.expect(0, &format!("kernels run p/work.toml{}", expected.machine)),
        );
        assert!(expected.run.iter().all(|part| told.contains(part)), "{told}");
        for machine in ["vm7", "vm9"] {
            folder.expect(0, &format!("kernels run p/work.toml --machine {machine}"));
        }
        let told = folder
            .expect(0, &format!("whatif p/work.toml{} {}", expected.machine, expected.change));
        for cycles in expected.cycles {
            assert!(told.contains(&format!("\n{cycles:>6} ")), "{cycles} cycles\n{told}");
        }
        for (name, source) in sources(&folder.path("p")) {
            let is_extended = source.contains(".requires section-addressing");
            let enable = if is_extended { " --enable section-addressing" } else { "" };
            let told = folder.expect(0, &format!("lint p/{name}{enable}"));
            assert_eq!(told, "0 findings\n", "{name}");
            let told = folder.expect(0, &format!("sched p/{name}{enable}"));
            assert!(told.contains("100.0 % of the bound"), "{name}\n{told}");
            assert!(!told.contains("promised"), "{name} wants a promise\n{told}");
            let mut command = first_command(&source);
            command.extend((command[0] == "run").then_some("--check"));
            let (code, told) = inside(&folder.path("p"), &command);
            assert_eq!(code, Some(0), "{name}: {command:?}\n{told}");
        }
    }
}

#[test]
fn the_data_of_every_template_are_those_that_its_script_writes() {
    for template in EXPECTED.map(|expected| expected.template) {
        let folder = Folder::new();
        folder.expect(0, &format!("new p --template {template}"));
        let data = || {
            let entries = std::fs::read_dir(folder.path("p/data")).unwrap();
            let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
            files.sort();
            files.into_iter().map(|path| (std::fs::read(&path).unwrap(), path)).collect::<Vec<_>>()
        };
        let before = data();
        std::fs::remove_dir_all(folder.path("p/data")).unwrap();
        match Command::new("python3").arg(folder.path("p/make_data.py")).output() {
            Err(e) if e.kind() == ErrorKind::NotFound => return,
            Err(e) => panic!("python3: {e}"),
            Ok(output) => assert!(output.status.success(), "{template}: {output:?}"),
        }
        assert!(before == data(), "{template}: make_data.py writes other data than cp2 new");
    }
}

#[test]
fn a_new_project_passes_its_test_and_an_old_one_is_left_alone() {
    let folder = Folder::new();
    let text = folder.expect(0, "new first-kernel");
    assert_eq!(text, "first-kernel: 10 files; cd first-kernel && cp2 test\n");
    let project = folder.path("first-kernel");
    let inside = |arguments: &[&str]| inside(&project, arguments);
    let (code, text) = inside(&["test"]);
    assert_eq!((code, text.as_str()), (Some(0), "1 file, 1 case, 4 checks: 0 failed\n"));
    let (code, text) = inside(&["kernels", "run", "work.toml"]);
    assert!(
        code == Some(0) && text.contains("z: float32 (1024,), exactly as data/expected.npy"),
        "{text}"
    );
    let source = std::fs::read_to_string(project.join("first_kernel.s")).unwrap();
    assert_eq!(inside(&first_command(&source)).0, Some(0));
    assert_eq!(
        std::fs::read(project.join("z.npy")).unwrap(),
        std::fs::read(project.join("data/expected.npy")).unwrap()
    );
    std::fs::write(project.join("cp2.toml"), "tests = 1\n").unwrap();
    assert_eq!(inside(&["test"]).0, Some(3));
    std::fs::write(project.join("cp2.toml"), "tests = [\".\"]\n").unwrap();
    // A wrong result is found, and its place.
    std::fs::copy(project.join("data/x.npy"), project.join("data/expected.npy")).unwrap();
    let (code, text) = inside(&["test"]);
    assert!(code == Some(1) && text.contains("z is not data/expected.npy: 1"), "{text}");
    let text = folder.expect(3, "new first-kernel");
    assert!(text.contains("first-kernel exists already"), "{text}");
    let text = folder.expect(2, "new 3d");
    assert!(text.contains("`3d` cannot be the name of a kernel"), "{text}");
    let text = folder.expect(3, "new none/kernel");
    assert!(text.contains("cannot make none/kernel"), "{text}");
    let text = folder.expect(2, "new q --template stensil");
    assert!(
        text.contains("[possible values: axpy, fir, stencil, reduction, gather, pages]"),
        "{text}"
    );
    assert!(text.contains("a similar value exists: 'stencil'"), "{text}");
    let text = folder.expect(2, "new taps --template fir");
    assert!(text.contains("`taps` cannot be the name of a kernel of the template fir"), "{text}");
    assert!(!folder.path("taps").exists());
}
