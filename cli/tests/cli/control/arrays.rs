//! Arrays in the memory of a program of the control processor: `cp2 run a.elf --load` and `--store`.

use super::process::{asked, with_example};
use crate::arrays::{floats, read};
use crate::ends::start;
use crate::kit::Folder;
use std::io::{BufRead as _, BufReader};
use std::net::{Ipv4Addr, TcpStream};

/// Physical addresses of the variables `x` and `y` of `scale.elf`, of 256 numbers each.
const X: u32 = 0x106480;
const Y: u32 = 0x106080;

/// Returns the numbers 0, 0.5, 1, ...
fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|k| k as f32 / 2.0).collect()
}

/// Returns a folder with the example `scale` and arrays for it: y = a x, where a is 2 in the file.
fn with_arrays() -> Folder {
    let folder = with_example("scale.elf");
    folder.write("x.npy", floats("(256,)", &numbers(256)));
    folder.write("long.npy", floats("(257,)", &numbers(257)));
    folder.write("a.npy", floats("(1,)", &[3.0]));
    folder
}

#[test]
fn arrays_go_to_variables_and_addresses_and_come_back() {
    let folder = with_arrays();
    let times = |a: f32| numbers(256).iter().map(|x| a * x).collect::<Vec<_>>();
    folder.expect(0, "run scale.elf --load x=x.npy --store y=y.npy:float32:shape=256");
    assert_eq!(read(&folder, "y.npy"), times(2.0));
    // `x` and `y` are set to 0 by start-up code, `a` has a value in the file.
    let loads = "--load x=x.npy --load a=a.npy:as=float32";
    for machine in ["vm7 --functional", "vm9"] {
        let stores =
            format!("--store y=z.npy:float32:shape=256 --store {Y}=w.npy:float32:shape=4x64");
        folder.expect(0, &format!("run scale.elf --machine {machine} {loads} {stores}"));
        assert_eq!(read(&folder, "z.npy"), times(3.0));
        assert_eq!(read(&folder, "w.npy"), times(3.0));
    }
    // What nobody uses stays as it is.
    let far = "--load 0x20000000=x.npy --store 0x20000000=f.npy:float32:shape=256";
    folder.expect(0, &format!("run scale.elf {far}"));
    assert_eq!(read(&folder, "f.npy"), numbers(256));
}

#[test]
fn places_that_are_no_place_are_refused_before_the_run() {
    let folder = with_arrays();
    std::fs::copy(folder.path("scale.elf"), folder.path("same.elf")).unwrap();
    let x = X + 1020;
    for (options, message) in [
        ("--load x=long.npy", "--load x=long.npy: the array has 1028 bytes, and `x` 1024"),
        ("--store y=o.npy:float32:shape=257", "the array has 1028 bytes, and `y` 1024"),
        ("--load xx=x.npy", "no global variable `xx`; did you mean `x`?"),
        ("--load input=x.npy", "no global variable `input`; it has a, x, y"),
        ("--load main=x.npy", "no global variable `main`"),
        ("--load queue=x.npy", "`queue` belongs to one file of the program"),
        (
            "--load 0x100000=x.npy",
            "would replace a part of the program, which lies at 0x100000 to ",
        ),
        (&format!("--load {x}=x.npy"), "would replace a part of the program"),
        ("--load 0x10000000=x.npy", "the processor has no memory from 0x10000000"),
        ("--load 0x0fffff00=x.npy", "the processor has no memory from 0xfffff00"),
        ("--store 0x18000000=o.npy:float32:shape=4", "the processor has no memory from 0x18000000"),
        ("--load 0x40000000=x.npy", "outside system memory, which ends before 0x40000000"),
        ("--load 0x200000=x.npy --load 0x2003ff=a.npy", "overlap; move one of them"),
        (&format!("--load x=x.npy --load {X}=a.npy"), "would replace a part of the program"),
        ("--load x=x.npy --load x=x.npy", "overlap; move one of them"),
        ("--load x=x.npy:blocks", "system memory has no sections"),
        ("--load x=x.npy:as=int8", "element [1]"),
        ("--load x=none.npy", "cannot read none.npy"),
        ("--store y=o.npy", "give its type and shape"),
        ("--store y=none/o.npy:float32:shape=256", "none"),
    ] {
        let text = folder.expect(3, &format!("run scale.elf --record r.cp2rec {options}"));
        assert!(text.contains(message), "{options}: {text}");
    }
    for (options, message) in [
        ("--load x=x.npy --store y=x.npy:float32:shape=256", "would replace the input x.npy"),
        ("--store y=scale.elf:float32:shape=256", "would replace the input scale.elf"),
        ("--store y=o.npy:float32:shape=256 --store x=o.npy:float32:shape=256", "two outputs"),
        ("--store y=-:float32:shape=256", "the program prints to standard output"),
        ("--load x", "write PLACE=FILE.npy"),
        ("--arg n=4", "--arg is for programs of CP2"),
        ("--init s.json", "--init is for programs of CP2"),
    ] {
        let text = folder.expect(2, &format!("run scale.elf {options}"));
        assert!(text.contains(message), "{options}: {text}");
    }
    assert_eq!(folder.names(), ["a.npy", "long.npy", "same.elf", "scale.elf", "x.npy"]);
    let stripped = with_example("fft.elf");
    stripped.write("x.npy", floats("(256,)", &numbers(256)));
    let text = stripped.expect(3, "run fft.elf --load x=x.npy");
    assert!(text.contains("the program has no symbols"), "{text}");
    assert!(folder.path("scale.elf").exists());
}

#[test]
fn nothing_is_stored_of_a_program_that_does_not_end() {
    let folder = with_example("fault.elf");
    let store = "--store 0x200000=o.npy:float32:shape=4";
    folder.expect(4, &format!("run fault.elf {store}"));
    folder.expect(5, &format!("run fault.elf --max-cycles 100 {store}"));
    assert_eq!(folder.names(), ["fault.elf"]);
    // One that cannot be taken, so none is: bits of a NaN.
    folder.write("n.npy", floats("(4,)", &[f32::NAN; 4]));
    std::fs::copy(with_arrays().path("scale.elf"), folder.path("scale.elf")).unwrap();
    let stores =
        "--store a=a.npy:float32:shape=1 --store 0x200000=o.npy:float32:shape=4:as=float64";
    let text = folder.expect(3, &format!("run scale.elf --load 0x200000=n.npy {stores}"));
    assert!(text.contains("--store 2097152=o.npy") && text.contains("NaN"), "{text}");
    assert_eq!(folder.names(), ["fault.elf", "n.npy", "scale.elf"]);
}

#[test]
fn a_recording_has_what_was_loaded() {
    let folder = with_arrays();
    let run = "run scale.elf --load x=x.npy --time";
    let plain = folder.expect(0, run);
    assert_eq!(folder.expect(0, &format!("{run} --record a.cp2rec")), plain);
    folder.expect(0, &format!("{run} --load a=a.npy --record b.cp2rec"));
    assert!(folder.expect(0, "stats a.cp2rec --verify").contains("cycles"));
    folder.expect(0, "diff a.cp2rec a.cp2rec");
    let told = folder.expect(1, "diff a.cp2rec b.cp2rec");
    assert!(told.contains("4040000040400000") && told.contains("4000000040000000"), "{told}");
}

#[test]
fn a_debugged_program_has_its_arrays() {
    let folder = with_arrays();
    let arguments = "run scale.elf --gdb 0 --load x=x.npy --store y=y.npy:float32:shape=256";
    let mut child = start(&folder, arguments);
    let mut messages = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    messages.read_line(&mut line).unwrap();
    let port = line.trim_end().rsplit(':').next().unwrap().parse().unwrap();
    let mut gdb = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    asked(&mut gdb, "qSupported:swbreak+");
    // The second number of `x`, at its address in the program.
    let number = asked(&mut gdb, "mffffffff80106484,4");
    assert!(number.contains("$3f"), "{number}");
    assert!(asked(&mut gdb, "c").contains("W00"));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(read(&folder, "y.npy")[3], 3.0);
}
