//! Programs of the control processor: exit codes, messages, options.

use super::kit::Folder;
use std::path::Path;

/// A folder with a fixture of the control processor.
fn with(fixture: &str) -> Folder {
    let folder = Folder::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../emulator/k64/tests/fixtures");
    folder.write(fixture, std::fs::read(fixtures.join(fixture)).unwrap());
    folder
}

#[test]
fn a_linux_program_has_its_own_exit_code_and_output() {
    let folder = with("suite.elf");
    assert_eq!(folder.expect(2, "run --user suite.elf"), "no such program\n");
    let expected = "cannot make a file: Permission denied\n";
    assert_eq!(folder.expect(1, "run --user suite.elf -- files"), expected);
    std::fs::create_dir(folder.path("data")).unwrap();
    folder.expect(0, "run --user --folder data suite.elf -- files");
    assert!(folder.path("data/folder/empty.txt").exists());
}

#[test]
fn faults_are_told_with_place_and_registers() {
    let folder = with("faults.elf");
    let unknown = folder.expect(3, "run --user faults.elf -- x");
    assert!(unknown.contains("faults.elf: unknown instruction ec000000 at 0x"), "{unknown}");
    assert!(unknown.contains("table+0x10"), "{unknown}");
    let unaligned = folder.expect(4, "run --user faults.elf -- x x");
    assert!(unaligned.contains("unaligned load at 0x"), "{unaligned}");
    assert!(unaligned.contains("(./faults.s:20)") && unaligned.contains("  ra "), "{unaligned}");
}

#[test]
fn limits_and_bad_files() {
    let folder = with("suite.elf");
    let limit = folder.expect(5, "run --user --max-instructions 1000 suite.elf");
    assert!(limit.contains("stopped after 10"), "{limit}");
    folder.write("text.elf", "text");
    assert!(folder.expect(3, "run --user text.elf").contains("text.elf: no ELF file"));
    assert!(folder.expect(3, "run --user none.elf").contains("none.elf"));
    assert!(folder.expect(3, "run --user --folder none suite.elf").contains("--folder none"));
    folder.expect(2, "run --user suite.elf --json");
    folder.expect(2, "run suite.elf --folder data");
}
