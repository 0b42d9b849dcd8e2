//! Programs that GCC compiled, against what qemu made of them; `programs/build.sh` makes the fixtures anew.

mod common;

use common::{fixture, run};
use cp2_k64::user::ProcessEnd;
use std::os::unix::fs::symlink;

/// Runs a program of the suite; its output must be that under qemu, to the last byte.
fn as_under_qemu(name: &str) {
    let (end, output, _) = run("suite.elf", &["suite", name], None);
    let ProcessEnd::Exit(code) = end else {
        panic!("{name}: {end:?}\n{}", String::from_utf8_lossy(&output))
    };
    let text = format!("{}exit code {code}\n", String::from_utf8_lossy(&output));
    assert_eq!(text, String::from_utf8_lossy(&fixture(&format!("{name}.txt"))), "{name}");
}

#[test]
fn corner_cases_of_integers() {
    as_under_qemu("integers");
}

#[test]
fn floating_point_in_four_rounding_modes() {
    as_under_qemu("floats");
}

#[test]
fn the_c_library() {
    as_under_qemu("library");
}

#[test]
fn the_language() {
    as_under_qemu("language");
}

#[test]
fn clocks_go_on_in_sleep() {
    as_under_qemu("clocks");
}

#[test]
fn signals_call_handlers_and_end_what_has_none() {
    as_under_qemu("signals");
}

#[test]
fn multigrid_gives_the_value_of_npb() {
    as_under_qemu("mg");
}

#[test]
fn conjugate_gradients_give_the_value_of_npb() {
    as_under_qemu("cg");
}

#[test]
fn random_instructions_leave_the_registers_and_flags_of_qemu() {
    for seed in ["random1", "random2"] {
        let (end, output, _) = run(&format!("{seed}.elf"), &[seed], None);
        assert_eq!(end, ProcessEnd::Exit(0), "{seed}");
        let expected = fixture(&format!("{seed}.bin"));
        let differs = output.iter().zip(&expected).position(|(a, b)| a != b);
        // 67 doublewords for each block: 32 general and 32 floating-point registers, FCSR, HI, LO.
        let place = differs.map(|at| format!("block {}, word {}", at / 8 / 67, at / 8 % 67));
        assert_eq!(place, None, "{seed}");
        assert_eq!(output.len(), expected.len(), "{seed}");
    }
}

#[test]
fn files_are_those_of_the_folder_and_no_others() {
    let outside = tempfile::tempdir().expect("a folder");
    let inside = tempfile::tempdir().expect("a folder");
    std::fs::write(outside.path().join("secret"), "secret").expect("a file");
    let link =
        |to: &std::path::Path, name: &str| symlink(to, inside.path().join(name)).expect("a link");
    link(outside.path(), "link-out");
    link(&outside.path().join("secret"), "link-to-file");
    link(&outside.path().join("new"), "link-new");
    let name = outside.path().file_name().expect("a name");
    link(&std::path::Path::new("..").join(name), "link-up");
    let fifo = std::process::Command::new("mkfifo").arg(inside.path().join("fifo")).status();
    assert!(fifo.expect("mkfifo").success());
    let (end, output, _) = run("suite.elf", &["suite", "files"], Some(inside.path()));
    assert_eq!(end, ProcessEnd::Exit(0));
    let text = String::from_utf8(output).expect("text");
    assert_eq!(
        text,
        "line 2\n14 bytes, regular 1\n0 0 0 /folder\n\
         moved.txt: open\n../folder/moved.txt: open\n\
         ../../../../../etc/passwd: No such file or directory\n/etc/passwd: No such file or directory\n\
         /dev/null: No such file or directory\n/link-out: Permission denied\n\
         /link-out/secret: Permission denied\n/link-to-file: Permission denied\n\
         /link-up/secret: Permission denied\n/link-new: Permission denied\n\
         /link-new: Permission denied\nempty.txt: open\nempty.txt: File exists\n\
         /fifo: Permission denied\n/proc/self/mem: No such file or directory\n\
         -1\n/: . 4 .. 4 fifo 0 folder 4 link-new 10 link-out 10 link-to-file 10 link-up 10, .\n\
         /link-out: Permission denied\n..: . 4 .. 4 fifo 0 folder 4 link-new 10 link-out 10 link-to-file 10 link-up 10, .\n\
         79800\n0 link 1\n-1 -1\n20 0 7\n0 /\n/nothing: No such file or directory\n-1 -1 -1\n0 -1\n"
    );
    let left: Vec<_> = std::fs::read_dir(outside.path()).expect("a folder").collect();
    assert_eq!(left.len(), 1, "only the secret is there");
    assert_eq!(std::fs::read(outside.path().join("secret")).expect("the secret"), b"secret");
}

#[test]
fn without_a_folder_there_are_no_files() {
    let (end, output, _) = run("suite.elf", &["suite", "files"], None);
    assert_eq!(end, ProcessEnd::Exit(1));
    assert_eq!(String::from_utf8_lossy(&output), "cannot make a file: Permission denied\n");
}

#[test]
fn no_mapping_is_larger_than_the_memory_of_the_process_or_reaches_its_stack() {
    let folder = tempfile::tempdir().expect("a folder");
    let (end, output, _) = run("suite.elf", &["suite", "limits"], Some(folder.path()));
    assert_eq!(end, ProcessEnd::Exit(0));
    let none = "Cannot allocate memory\n";
    let text = format!("stack 8388608\n{none}{none}{none}{none}{none}mapped\nfile: {none}");
    assert_eq!(String::from_utf8_lossy(&output), text);
}
