//! Programs of the control processor: exit codes, messages, options.

use crate::ends::{FOR_EVER, start};
use crate::kit::Folder;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;

/// Returns a folder with a copy of a file of the project.
fn with_copy(place: &str, name: &str) -> Folder {
    let folder = Folder::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(place).join(name);
    folder.write(name, std::fs::read(from).unwrap());
    folder
}

/// Returns a folder with a fixture of the control processor.
fn with(fixture: &str) -> Folder {
    with_copy("emulator/k64/tests/fixtures", fixture)
}

/// Returns a folder with a program in C that drives CP2.
pub(crate) fn with_example(name: &str) -> Folder {
    with_copy("programs/c/built", name)
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
    // Words behind the program are its own, with or without `--`.
    assert_eq!(folder.expect(1, "run --user suite.elf files"), expected);
    assert_eq!(folder.expect(2, "run --user suite.elf --json"), "no such program\n");
}

#[cfg(unix)]
#[test]
fn a_linux_program_has_the_environment_of_the_command_line() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = with("suite.elf");
    let run = |options: &[&[u8]]| {
        std::process::Command::new(env!("CARGO_BIN_EXE_cp2"))
            .args(["run", "--user"])
            .args(options.iter().map(|option| std::ffi::OsStr::from_bytes(option)))
            .args(["suite.elf", "words", "--env", "A=b"])
            .current_dir(folder.path(""))
            .env("HERE", "not there")
            .output()
            .unwrap()
    };
    let output = run(&[]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && !text.contains("environment"), "{text}");
    assert!(text.contains("2d 2d 65 6e 76"), "--env behind the program is its own: {text}");
    let output =
        run(&[b"--env", b"A=1", b"--env=CAF\xc9=\xe9=", b"--env", b"E=", b"--env", b"A=2"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let variables: Vec<_> = text.lines().filter(|line| line.starts_with("environment")).collect();
    let expected =
        ["environment: 43 41 46 c9 3d e9 3d", "environment: 45 3d", "environment: 41 3d 32"];
    assert_eq!(variables, expected);
    for bad in ["--env=A", "--env==b", "--env="] {
        let output = run(&[bad.as_bytes()]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{bad}: {told}");
        assert!(told.contains("NAME=VALUE, with a name that is not empty"), "{bad}: {told}");
    }
    folder.expect(2, "run --env A=b suite.elf");
}

/// Returns an ELF file with the instructions of a program.
fn program(instructions: &[u32]) -> Vec<u8> {
    const ADDRESS: u64 = 0x1_2000_0000;
    let mut bytes = b"\x7fELF\x02\x02\x01".to_vec();
    bytes.resize(16, 0);
    bytes.extend([0, 2, 0, 8, 0, 0, 0, 1]);
    // Entry, program headers, no sections.
    for word in [ADDRESS + 120, 64, 0] {
        bytes.extend(word.to_be_bytes());
    }
    bytes.extend([0, 0, 0, 0, 0, 64, 0, 56, 0, 1, 0, 64, 0, 0, 0, 0]);
    // A segment that is loaded, read and executed.
    bytes.extend([0, 0, 0, 1, 0, 0, 0, 5]);
    let length = 120 + 4 * instructions.len() as u64;
    for word in [0, ADDRESS, ADDRESS, length, length, 4096] {
        bytes.extend(word.to_be_bytes());
    }
    bytes.extend(instructions.iter().flat_map(|word| word.to_be_bytes()));
    bytes
}

#[cfg(unix)]
#[test]
fn an_interrupted_program_tells_its_place() {
    // `b .`, `nop`; then a read of a byte from standard input to the stack, again and again.
    let endless: &[u32] = &[0x1000_ffff, 0];
    let reading: &[u32] =
        &[0x2402_1388, 0x2404_0000, 0x03a0_282d, 0x2406_0001, 0x0000_000c, 0x1000_fffa, 0];
    let folder = Folder::new();
    for (instructions, place) in [(endless, "0x120000078"), (reading, "0x120000088")] {
        std::fs::write(folder.path("program.elf"), program(instructions)).unwrap();
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_cp2"))
            .args(["run", "--user", "program.elf"])
            .current_dir(folder.path(""))
            .stdin(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        // The program is in its loop, or waits, when the signal comes, or is about to.
        std::thread::sleep(std::time::Duration::from_millis(500));
        let id = child.id().to_string();
        let kill = std::process::Command::new("kill").args(["-INT", &id]).status();
        assert!(kill.unwrap().success());
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{told}");
        assert!(told.contains("interrupted after ") && told.contains(place), "{told}");
        drop(input);
    }
}

#[cfg(unix)]
#[test]
fn a_program_whose_output_nobody_reads_ends_by_a_signal() {
    let folder = with("suite.elf");
    let cp2 = env!("CARGO_BIN_EXE_cp2");
    let script =
        format!("(sleep 0.2; {cp2} run --user suite.elf language; echo $? >code) | true; sleep 1");
    let status = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(folder.path(""))
        .status();
    assert!(status.unwrap().success());
    assert_eq!(std::fs::read_to_string(folder.path("code")).unwrap().trim(), "141");
}

#[test]
fn faults_are_told_with_place_and_registers() {
    let folder = with("faults.elf");
    let unknown = folder.expect(3, "run --user faults.elf");
    assert!(unknown.contains("faults.elf: unknown instruction ec000000; pc 0x"), "{unknown}");
    assert!(unknown.contains("table+0x10"), "{unknown}");
    let unaligned = folder.expect(4, "run --user faults.elf -- x");
    assert!(unaligned.contains("unaligned load at 0x"), "{unaligned}");
    assert!(unaligned.contains("(./faults.s:20)") && unaligned.contains("  ra "), "{unaligned}");
}

#[test]
fn limits_and_bad_files() {
    let folder = with("suite.elf");
    for n in [1, 4, 97, 999, 1003, 123_456] {
        let limit = folder.expect(5, &format!("run --user --max-instructions {n} suite.elf mg"));
        let is_exact = |n: u64| limit.contains(&format!("stopped after {n} instructions"));
        // A branch and its delay slot are done together.
        assert!(is_exact(n) || is_exact(n + 1), "{n}: {limit}");
    }
    folder.write("text.elf", "text");
    assert!(folder.expect(3, "run --user text.elf").contains("text.elf: no ELF file"));
    assert!(folder.expect(3, "run --user none.elf").contains("none.elf"));
    assert!(folder.expect(3, "run --user --folder none suite.elf").contains("--folder none"));
    folder.expect(2, "run --json --user suite.elf");
    // With and without an option that --user conflicts with.
    for machine in ["", "--machine vm9 ", "--functional ", "--time "] {
        for option in ["--folder data", "--env A=1", "--memory 64", "--max-instructions 10"] {
            let text = folder.expect(2, &format!("run {machine}{option} suite.elf"));
            assert!(text.contains("--user"), "{text}");
        }
        assert!(folder.expect(2, &format!("run {machine}suite.elf -- a")).contains("--user"));
    }
}

#[test]
fn a_program_for_the_bare_machine_prints_and_has_its_exit_code() {
    assert_eq!(with("words.elf").expect(7, "run words.elf"), "words\n");
    let folder = with("privileged.elf");
    assert!(folder.expect(42, "run privileged.elf --machine vm9").ends_with("pending 1\n"));
    let limit = folder.expect(5, "run privileged.elf --max-cycles 500");
    assert!(
        limit.contains("did not end within 500 cycles (--max-cycles), and was at 0x"),
        "{limit}"
    );
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
    assert!(text.contains("waits for an interrupt that can never come"), "{text}");
    assert!(text.contains("Status ") && text.contains("DMA channel: idle"), "{text}");
    let program = crate::kit::twelve();
    for option in ["--gdb 0", "--time", "--functional", "--release 1"] {
        let text = program.expect(2, &format!("run twelve.s {option}"));
        assert!(text.contains(" is for programs of the control processor"), "{text}");
    }
}

#[test]
fn errors_of_cp2_and_the_channel_are_told_with_all_registers() {
    for (name, error) in [("fault.elf", ": CP2: "), ("transfer.elf", ": the DMA channel: ")] {
        let text = with_example(name).expect(4, &format!("run {name}"));
        assert!(text.starts_with("before\n") && text.contains(error), "{text}");
        for part in ["the processor was at 0xffffffff80", "  ra ", "  pc ", "Status ", "stop code"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(text.contains("BASEADDR "), "{text}");
    }
}

#[test]
fn release_1_has_no_instruction_of_release_2() {
    let folder = with("suite.elf");
    folder.expect(0, "run --user suite.elf -- language");
    let text = folder.expect(3, "run --user --release 1 suite.elf -- language");
    assert!(text.contains("unknown instruction ") && text.contains(", of release 2"), "{text}");
    folder.expect(2, "run --user --release 6 suite.elf");
}

#[test]
fn programs_of_the_other_kind_are_told_how_to_run() {
    let text = with("suite.elf").expect(3, "run suite.elf");
    assert!(text.contains("a program for Linux runs with --user"), "{text}");
    let folder = with("words.elf");
    let text = folder.expect(3, "run --user words.elf");
    assert!(text.contains("a program for the bare machine"), "{text}");
    for command in ["stats words.elf", "trace words.elf -o t.csv", "dis words.elf"] {
        let text = folder.expect(3, command);
        assert!(text.contains("a program for the control processor"), "{command}: {text}");
    }
    assert_eq!(folder.names(), ["words.elf"]);
}

/// Sends a packet as gdb does; returns the first packet of the answer.
pub(crate) fn asked(gdb: &mut TcpStream, text: &str) -> String {
    let sum = text.bytes().fold(0u8, u8::wrapping_add);
    write!(gdb, "${text}#{sum:02x}").unwrap();
    let mut bytes = Vec::new();
    while bytes.iter().rev().nth(2) != Some(&b'#') {
        let mut byte = [0];
        gdb.read_exact(&mut byte).unwrap();
        bytes.push(byte[0]);
    }
    gdb.write_all(b"+").unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn a_session_of_gdb_is_recorded_as_it_goes_on() {
    let folder = with_example("coprocessor.elf");
    let plain = folder.expect(0, "run coprocessor.elf --time");
    let mut child = start(&folder, "run coprocessor.elf --time --gdb 0 --record c.cp2rec");
    let mut messages = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    messages.read_line(&mut line).unwrap();
    let port = line.trim_end().rsplit(':').next().unwrap().parse().unwrap();
    let mut gdb = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    assert!(!asked(&mut gdb, "qSupported:swbreak+").contains("ReverseStep+"));
    assert!(asked(&mut gdb, "c").contains("W00"));
    let mut time = String::new();
    messages.read_to_string(&mut time).unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0), "{time}");
    let first =
        |text: &str| text.lines().find(|line| line.contains(" cycles, ")).map(str::to_owned);
    assert!(first(&time).is_some() && first(&plain).is_some(), "{time}");
    assert!(folder.expect(0, "stats c.cp2rec").contains("cycles"));
}

#[test]
fn a_linux_program_is_debugged_and_has_its_exit_code() {
    let folder = with("suite.elf");
    for (request, answer, code) in [("c", "W02", 2), ("k", "", 0), ("D", "OK", 2)] {
        let mut child = start(&folder, "run --user --gdb 0 suite.elf nothing");
        let mut messages = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        messages.read_line(&mut line).unwrap();
        let port = line.trim_end().rsplit(':').next().unwrap().parse().unwrap();
        let mut gdb = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
        let features = asked(&mut gdb, "qSupported:swbreak+");
        assert!(features.contains("hwbreak+") && !features.contains("ReverseStep+"), "{features}");
        assert!(asked(&mut gdb, "Z2,120000000,200000").contains("OK"));
        let stopped = asked(&mut gdb, "c");
        assert!(stopped.contains("watch:0120"), "{stopped}");
        assert!(asked(&mut gdb, "z2,120000000,200000").contains("OK"));
        if answer.is_empty() {
            write!(gdb, "${request}#6b").unwrap();
        } else {
            assert!(asked(&mut gdb, request).contains(answer), "{request}");
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{request}");
    }
}

#[test]
fn a_program_for_the_bare_machine_reads_standard_input() {
    let folder = with("monitor.elf");
    let (code, text) = folder.piped("run monitor.elf --machine vm9", b"c e 1234\nq\n");
    assert_eq!((code, text.as_str()), (Some(0), "\n>  reads 1234\n> end\n"));
}

#[test]
#[cfg(unix)]
fn a_signal_ends_a_run_of_the_bare_machine_with_its_recording() {
    let folder = with("words.elf");
    let mut bytes = std::fs::read(folder.path("words.elf")).unwrap();
    // A branch to itself at the entry.
    bytes[0x1000..0x1008].copy_from_slice(&[0x10, 0, 0xff, 0xff, 0, 0, 0, 0]);
    folder.write("words.elf", bytes);
    let child = start(&folder, &format!("run words.elf {FOR_EVER} --record r.cp2rec"));
    let size = || std::fs::metadata(folder.path("r.cp2rec")).map_or(0, |data| data.len());
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while size() == 0 && std::time::Instant::now() < deadline {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    crate::ends::send(&child, "INT");
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(
        text.contains("interrupted after ") && text.contains("at 0xffffffff80100000"),
        "{text}"
    );
    let stats = folder.expect(0, "stats r.cp2rec");
    assert!(!stats.contains("interrupted"), "{stats}");
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
    let folder = with_example("coprocessor.elf");
    let plain = folder.expect(0, "run coprocessor.elf --time");
    assert_eq!(folder.expect(0, "run coprocessor.elf --time --record c.cp2rec"), plain);
    let stats = folder.expect(0, "stats c.cp2rec");
    assert!(stats.contains("cycles"), "{stats}");
}
