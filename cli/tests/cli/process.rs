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
    let unknown = folder.expect(3, "run --user faults.elf");
    assert!(unknown.contains("faults.elf: unknown instruction ec000000 at 0x"), "{unknown}");
    assert!(unknown.contains("table+0x10"), "{unknown}");
    let unaligned = folder.expect(4, "run --user faults.elf -- x");
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

#[test]
fn a_program_for_the_bare_machine_prints_and_has_its_exit_code() {
    assert_eq!(with("words.elf").expect(7, "run words.elf"), "words\n");
    let folder = with("privileged.elf");
    assert!(folder.expect(42, "run privileged.elf --machine vm9").ends_with("pending 1\n"));
    let limit = folder.expect(5, "run privileged.elf --max-cycles 500");
    assert!(limit.contains("did not end within 500 cycles, and was at 0x"), "{limit}");
    let time = folder.expect(42, "run privileged.elf --time");
    assert!(time.contains(" cycles, ") && time.contains("lines from memory"), "{time}");
    let time = folder.expect(42, "run privileged.elf --time --functional");
    assert!(time.contains(" cycles, ") && !time.contains("lines from memory"), "{time}");
    for option in ["--json", "--dump x.json", "--trace t.csv", "--profile", "--entry 0", "--check"]
    {
        let text = folder.expect(2, &format!("run privileged.elf {option}"));
        assert!(text.contains("this one is for the control processor"), "{text}");
    }
}

#[test]
fn faults_and_hangs_of_the_bare_machine_are_told() {
    let folder = with("unhandled.elf");
    let text = folder.expect(4, "run unhandled.elf");
    assert!(text.starts_with("before\n"), "{text}");
    assert!(text.contains("bus error: load at 0xffffffff98000000"), "{text}");
    assert!(text.contains("main+") && text.contains("unhandled.c:6)"), "{text}");
    let text = with("hang.elf").expect(5, "run hang.elf");
    assert!(text.contains("waits for an interrupt that cannot come"), "{text}");
    let program = super::kit::twelve();
    assert!(program.expect(2, "run twelve.s --gdb 0").contains("--gdb is for programs of the"));
}

#[test]
fn files_that_are_no_programs_are_told_apart() {
    let folder = with("words.elf");
    let bytes = std::fs::read(folder.path("words.elf")).unwrap();
    let with = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        folder.write(name, bytes);
    };
    // Byte 5 is the order of bytes, 18 and 19 the machine, 16 and 17 the kind, 24 to 27 the entry (of 32 bits).
    with("little.elf", &|bytes| {
        bytes[5] = 1;
        bytes.swap(18, 19);
    });
    with("short.elf", &|bytes| bytes.truncate(100));
    with("relocatable.elf", &|bytes| bytes[17] = 1);
    with("shared.elf", &|bytes| bytes[17] = 3);
    with("entry.elf", &|bytes| bytes[24..28].fill(0x10));
    for (name, reason) in [
        ("little.elf", "little-endian"),
        ("short.elf", ""),
        ("relocatable.elf", "link with -static -no-pie"),
        ("shared.elf", "link with -static -no-pie"),
    ] {
        for user in ["", "--user "] {
            let text = folder.expect(3, &format!("run {user}{name}"));
            assert!(text.contains(&format!("{name}: ")) && text.contains(reason), "{text}");
        }
    }
    let text = folder.expect(4, "run entry.elf");
    assert!(text.contains("entry.elf: ") && text.contains("  pc "), "{text}");
}

#[test]
fn the_run_of_a_c_program_is_recorded() {
    let folder = Folder::new();
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/c/built");
    folder.write("c.elf", std::fs::read(built.join("coprocessor.elf")).unwrap());
    let plain = folder.expect(0, "run c.elf --time");
    assert_eq!(folder.expect(0, "run c.elf --time --record c.cp2rec"), plain);
    let stats = folder.expect(0, "stats c.cp2rec");
    assert!(stats.contains("cycles"), "{stats}");
    folder.expect(2, "run c.elf --record c.cp2rec --gdb 0");
}
