//! Arrays and arguments on the command line: `run`, `dma`, `kernels run`, and the examples.

use crate::kit::Folder;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn example(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(path);
    path.canonicalize().unwrap().display().to_string()
}

/// Returns a `.npy` file of float32.
pub(crate) fn floats(shape: &str, values: &[f32]) -> Vec<u8> {
    let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
    let mut npy = b"\x93NUMPY\x01\x00".to_vec();
    npy.extend((118_u16).to_le_bytes());
    npy.extend(format!("{header:<117}\n").bytes());
    values.iter().for_each(|x| npy.extend(x.to_le_bytes()));
    npy
}

/// Returns the numbers of a `.npy` file of float32.
fn values(bytes: &[u8]) -> Vec<f32> {
    let (_, data) = bytes.split_at(128);
    data.chunks_exact(4).map(|x| f32::from_le_bytes(x.try_into().unwrap())).collect()
}

pub(crate) fn read(folder: &Folder, name: &str) -> Vec<f32> {
    values(&std::fs::read(folder.path(name)).unwrap())
}

pub(crate) const NEGATE: &str = "
        .kernel negate
        .arg    n, g2, min=1
        .array  x, in,  float32, 8*n, layout=blocks
        .array  y, out, float32, 8*n, layout=blocks
        | seti  a0, x
        | seti  a1, y
        nop
        | do    g2, last
        | lwo   f0, (r0)+1
        nop
        nop
        psneg   f1, f0
        .rept   7
        nop
        .endr
last:   | swo   f1, (r1)+1
        nop
        | stopi 0
        .lmem   all
x:      .zero   16
y:      .zero   16
";

#[test]
fn a_program_takes_and_gives_arrays_by_name() {
    let folder = Folder::new();
    folder.write("negate.s", NEGATE);
    let x: Vec<f32> = (1..=16).map(|i| i as f32).collect();
    folder.write("x.npy", floats("(16,)", &x));
    folder.write("x48.npy", floats("(4, 4)", &x));
    folder.expect(0, "asm negate.s -o negate.o");
    for program in ["negate.s", "negate.o"] {
        folder.expect(0, &format!("run {program} --load x=x.npy --store y=y.npy"));
        assert_eq!(read(&folder, "y.npy"), x.iter().map(|x| -x).collect::<Vec<_>>());
    }
    // Another shape of as many elements is kept; the type of the file can be another.
    folder.expect(0, "run negate.s --load x=x48.npy --store y=y2.npy:shape=4x4:as=float64");
    let bytes = std::fs::read(folder.path("y2.npy")).unwrap();
    assert!(bytes.windows(6).any(|text| text == b"(4, 4)") && bytes.len() == 128 + 16 * 8);
    // Labels and addresses, without the declaration's help.
    folder.expect(
        0,
        "run negate.s --arg n=2 --load x=x.npy --store 16=z.npy:blocks:float32:shape=16",
    );
    assert_eq!(read(&folder, "z.npy"), read(&folder, "y.npy"));
    // Nothing is given: the registers are as after reset, and that is said.
    let text = folder.expect(0, "run negate.s");
    assert!(text.contains("cp2: note: `negate` declares n, x, y, but none is given"), "{text}");
    let text = folder.expect(0, "run negate.o --interface");
    assert!(text.contains("--arg n=VALUE  g2, int64, min=1"), "{text}");
    assert!(text.contains("--load x=FILE.npy  in, float32 8*n, layout blocks, from word 0 on"));
    // A run that does not stop stores nothing.
    let names = folder.names();
    folder.expect(5, "run negate.s --max-cycles 5 --load x=x.npy --store y=never.npy");
    assert_eq!(folder.names(), names);
}

#[test]
fn what_is_wrong_with_arrays_is_told_before_the_run() {
    let folder = Folder::new();
    folder.write("negate.s", NEGATE);
    folder.write("x.npy", floats("(16,)", &[1.0; 16]));
    folder.write("long.npy", floats("(136,)", &[1.0; 136]));
    folder.write("bad.npy", b"\x93NUMPY no");
    let names = folder.names();
    for (code, options, message) in [
        (2, "--load x", "--load x: write PLACE=FILE.npy"),
        (
            2,
            "--load x=x.npy:rows",
            "there is no option `:rows`; the options are layouts all, blocks",
        ),
        (2, "--store y=y.npy:shape=4y", "`4y` is not a shape"),
        (2, "--arg n", "--arg n: write NAME=VALUE"),
        (2, "--load x=x.npy --store y=x.npy", "x.npy would replace the input"),
        (2, "--load x=x.npy --interface", "cannot be used with"),
        (3, "--load x=none.npy", "cannot read none.npy"),
        (3, "--load x=bad.npy", "not a .npy file"),
        (3, "--load y=x.npy", "array x: `negate` reads it, but nothing is loaded"),
        (
            3,
            "--load x=long.npy",
            "136 elements of float32 take 17 words of a section from word 0 on, and there are 16 up to `y`",
        ),
        (3, "--arg n=0", "argument n = 0: `negate` declares min=1"),
        (3, "--load x=x.npy --store y=none/y.npy", "no folder none"),
        (3, "--load x=x.npy --store z=y.npy", "there is no label `z` of local memory"),
    ] {
        let text = folder.expect(code, &format!("run negate.s {options}"));
        assert!(text.contains(message), "{options}: {text}");
        assert_eq!(folder.names(), names, "{options}");
    }
}

#[test]
fn system_memory_takes_and_gives_arrays() {
    let folder = Folder::new();
    let pages = example("pages.toml");
    let x: Vec<f32> = (0..4096).map(|i| i as f32).collect();
    folder.write("x.npy", floats("(4096,)", &x));
    let store = "--store 0x100000=y.npy:float32:shape=64x64";
    let run = format!("dma {pages} --machine vm9 --release 2000 --load 0x100000=x.npy {store}");
    folder.expect(0, &run);
    assert_eq!(read(&folder, "y.npy"), x);
    let text = folder.expect(3, &format!("dma {pages} --machine vm9 --load x=x.npy"));
    assert!(text.contains("system memory has no label `x`"), "{text}");
}

#[test]
fn the_examples_do_what_their_tests_say() {
    let folder = Folder::new();
    for name in ["fir", "polynomial", "matvec"] {
        let text = folder.expect(0, &format!("test {}", example(name)));
        assert!(text.contains("1 file, 1 case") && text.contains(" 0 failed"), "{text}");
    }
    let fir = |file: &str| example(&format!("fir/{file}"));
    let (source, x, h) = (fir("fir.s"), fir("x.npy"), fir("h.npy"));
    folder.expect(0, &format!("run {source} --load x={x} --load h={h} --store y=y.npy"));
    assert_eq!(std::fs::metadata(folder.path("y.npy")).unwrap().len(), 128 + 4 * 256 * 8);
}

#[test]
fn the_arrays_of_examples_are_those_that_their_script_writes() {
    let folder = Folder::new();
    let copy = |from: &Path, to: PathBuf| std::fs::copy(from, to).unwrap();
    for name in ["fir", "polynomial", "matvec"] {
        std::fs::create_dir(folder.path(name)).unwrap();
    }
    copy(Path::new(&example("make_data.py")), folder.path("make_data.py"));
    let status = Command::new("python3").arg(folder.path("make_data.py")).status().unwrap();
    assert!(status.success());
    for file in
        ["fir/x", "fir/h", "fir/expected", "polynomial/expected", "matvec/a", "matvec/expected"]
    {
        let name = format!("{file}.npy");
        let made = std::fs::read(folder.path(&name)).unwrap();
        assert!(made == std::fs::read(example(&name)).unwrap(), "{name}");
    }
}

#[test]
fn kernels_take_and_give_arrays() {
    let folder = Folder::new();
    let x: Vec<f32> = (0..64).map(|i| i as f32).collect();
    folder.write("x.npy", floats("(64,)", &x));
    folder.write("y.npy", floats("(64,)", &[1.0; 64]));
    folder.write("short.npy", floats("(63,)", &[1.0; 63]));
    folder.write("a.npy", floats("(1,)", &[2.0]));
    folder.expect(
        0,
        "kernels run axpy --input x=x.npy --input y=y.npy --input a=a.npy --output z.npy",
    );
    assert_eq!(read(&folder, "z.npy"), x.iter().map(|x| 1.0 + 2.0 * x).collect::<Vec<_>>());
    folder.expect(0, "kernels run dot --input x=x.npy --input y=y.npy --output d.npy");
    assert_eq!(read(&folder, "d.npy"), [2016.0]);
    // One array need not be named.
    folder.expect(0, "kernels run max_abs --input x.npy --output m.npy");
    assert_eq!(read(&folder, "m.npy"), [63.0]);
    // Blocks of four sections with faces: the residual of u = 0 is v.
    let v: Vec<f32> = (0..4 * 4 * 4 * 8).map(|i| (i % 7) as f32).collect();
    folder.write("u.npy", floats("(4, 6, 6, 10)", &[0.0; 4 * 6 * 6 * 10]));
    folder.write("v.npy", floats("(4, 4, 4, 8)", &v));
    folder.expect(0, "kernels run resid --input u=u.npy --input v=v.npy --output r.npy");
    assert_eq!(read(&folder, "r.npy"), v);
    folder
        .write("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 64 2\n1 3 0.5\n2 64 2\n");
    folder.expect(0, "kernels run spmv_sliced --matrix m.mtx --input x.npy --output s.npy");
    assert_eq!(read(&folder, "s.npy"), [1.0, 126.0]);
    let names = folder.names();
    for (code, run, message) in [
        (2, "axpy --input x.npy", "write NAME=FILE; the arrays are x, y, a"),
        (2, "axpy --input x=x.npy --input x=y.npy", "x is given twice"),
        (2, "axpy --input x=x.npy --seed 3", "--seed cannot be used with --input"),
        (3, "axpy --input x=x.npy", "axpy needs x, y, a; y is missing"),
        (3, "axpy --input x=x.npy --input y=short.npy", "n is 63 in y and 64 in x"),
        (3, "resid --input u=u.npy --input v=x.npy", "resid takes v of (4, n3, n2, n1)"),
        (3, "spmv_sliced --matrix m.mtx --input short.npy", "the matrix has 64 columns"),
    ] {
        let text = folder.expect(code, &format!("kernels run {run} --output out.npy"));
        assert!(text.contains(message), "{run}: {text}");
        assert_eq!(folder.names(), names, "{run}");
    }
    // The text of a kernel takes the same arrays, and gives the same.
    let source = folder.expect(0, "kernels source axpy");
    folder.write("axpy.s", source);
    folder.write("x128.npy", floats("(128,)", &[3.0; 128]));
    let run = "run axpy.s --load x=x128.npy --load y=x128.npy --arg a=0.5 --store y=w.npy";
    folder.expect(0, run);
    assert_eq!(read(&folder, "w.npy"), [4.5; 128]);
    let list: serde_json::Value =
        serde_json::from_str(&folder.expect(0, "kernels list --json")).unwrap();
    let kernels = list["kernels"].as_array().unwrap();
    let axpy = kernels.iter().find(|k| k["name"] == "axpy").unwrap();
    let interface = &axpy["kernel"]["interface"];
    assert_eq!(interface["arguments"][0]["register"], "g2");
    assert_eq!(interface["arrays"][1]["direction"], "inout");
    for name in ["fft64", "cmul", "resid", "norm", "proj", "interp", "dot"] {
        let kernel = kernels.iter().find(|k| k["name"] == name).unwrap();
        assert!(kernel["kernel"]["interface"]["arrays"].is_array(), "{name}");
    }
}
