//! `cp2 debug`: commands of the command line and of standard input.

use crate::kit::Folder;

const KERNEL: &str = "\
        .kernel count
        seti    g1, 5
again:  updaddr (r1)+1
        updaddr (r1)+1
        nop
        stopi   0
";

#[test]
fn debug_does_the_commands_of_the_command_line_in_turn() {
    let folder = Folder::new();
    folder.write("count.s", KERNEL);
    let told = folder.expect(0, "debug count.s -x loops -x step -x quit -x where");
    assert_eq!(
        told,
        "no hardware loop is active\ncycle 1  @1  again  count.s:3  | updaddr (r1)+1\n     3  again:  updaddr (r1)+1\n"
    );
    assert!(
        folder.expect(2, "debug count.s -x fly -x where").contains("there is no command `fly`")
    );
}

#[test]
fn debug_reads_commands_and_tells_wrong_ones() {
    let folder = Folder::new();
    folder.write("count.s", KERNEL);
    let (code, told) =
        folder.piped("debug count.s", b"b again\nc\n\np a1\nop 2\nback\nprint a1\nq\nfoo\n");
    assert_eq!(code, Some(0), "{told}");
    for line in [
        "cycle 0  @0  count  count.s:2  | seti g1, 5",
        "breakpoint 1: again",
        "@1  again  count.s:3  | updaddr (r1)+1",
        "     3  again:  updaddr (r1)+1",
        "a1 = 0",
        "a1 = 2",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    let (code, told) = folder.piped("debug count.s", b"stp\nc\n");
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("cp2: error: there is no command `stp`; did you mean `step`?"), "{told}");
    assert!(told.contains("the run ends here"), "{told}");
}

#[test]
fn debug_takes_recordings_and_refuses_what_is_none() {
    let folder = Folder::new();
    folder.write("count.s", KERNEL);
    folder.expect(0, "run count.s --record run.cp2rec");
    let told = folder.expect(0, "debug run.cp2rec -x continue -x back");
    assert!(told.contains("the run ends here") && told.contains("count.s:6"), "{told}");
    assert!(told.contains("stopi   0"), "the recording keeps its source: {told}");
    let told = folder.expect(3, "debug gone.s -x where");
    assert!(told.contains("gone.s"), "{told}");
    let told = folder.expect(2, "debug");
    assert!(told.contains("<RUN>"), "{told}");
    let told = folder.expect(2, "debug --dap count.s -x where");
    assert!(told.contains("--dap") && told.contains("cannot be used with"), "{told}");
    let told = folder.expect(2, "debug run.cp2rec --arg n=3 -x where");
    assert!(told.contains("--arg"), "{told}");
}
