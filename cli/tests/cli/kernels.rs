//! `cp2 kernels`: arrays in and out, options that a workload takes or refuses.

mod searches;

use super::kit::{Folder, npy, unwrapped};

#[test]
fn a_kernel_runs_on_another_core_and_says_so() {
    let folder = Folder::new();
    let text = folder.expect(0, "kernels run resid --set core.arithmetic_latency=6");
    assert!(text.contains("on a core with core.arithmetic_latency = 6 (CP2: 8)"), "{text}");
    let text = folder.expect(2, "kernels run resid --set memory.clock_mhz=300");
    assert!(text.contains("without --machine only numbers of the core can be set"), "{text}");
}

#[test]
fn kernels_run_on_numpy_arrays() {
    let folder = Folder::new();
    // Two vectors of 64 points: an impulse at 0 in the first, at 1 in the second.
    let mut npy = npy("(2, 64)", 0.0, 2 * 64);
    let start = npy.len() - 2 * 64 * 8;
    npy[start..start + 4].copy_from_slice(&1f32.to_le_bytes());
    npy[start + 65 * 8..start + 65 * 8 + 4].copy_from_slice(&1f32.to_le_bytes());
    folder.write("x.npy", &npy);
    let text = folder.expect(0, "kernels run fft64 --input x.npy --output y.npy");
    assert!(text.contains("fft64: 2 vectors of 64 points in 264 kernel cycles"), "{text}");
    let out = std::fs::read(folder.path("y.npy")).unwrap();
    let data = &out[out.len() - 2 * 64 * 8..];
    let float = |i: usize| f32::from_le_bytes(data[4 * i..4 * i + 4].try_into().unwrap());
    assert!((0..64).all(|k| float(2 * k) == 1.0 && float(2 * k + 1) == 0.0));
    assert_eq!((float(128), float(129)), (1.0, 0.0));
    assert_eq!((float(128 + 32), float(128 + 33)), (0.0, -1.0), "exp(-2 pi i 16 / 64)");
    for (name, bytes, message) in [
        (
            "kernels run fft128 --input x.npy",
            &npy[..],
            "shape (2, 64); fft128 takes (vectors, 128)",
        ),
        ("kernels run fft64 --input y2.npy", &npy[..start + 100], "cut short"),
        ("kernels run fft64 --input y2.npy", b"hello", "not a .npy file"),
    ] {
        folder.write("y2.npy", bytes);
        let text = folder.expect(3, &format!("{name} --output z.npy"));
        assert!(text.contains(message), "{text}");
        assert!(!folder.path("z.npy").exists());
    }
    assert!(
        folder.expect(3, "kernels run fft32").contains("the kernels are fft64, fft128, fft256")
    );
    folder.expect(5, "kernels run fft64 --max-cycles 10 --output z.npy");
    assert!(!folder.path("z.npy").exists());
}

#[test]
fn procedures_take_npy_to_npy_and_save_their_timeline() {
    let folder = Folder::new();
    let run = "kernels run fft8192 --machine vm9 --vectors 1";
    let text = folder.expect(0, &format!("{run} --output y.npy --timeline --timeline-json t.json"));
    for part in
        ["fft8192 on vm9: 1 vector in 2 pages", "relative RMS error 1.", "CP2  ...", "DMA  "]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let timeline = std::fs::read_to_string(folder.path("t.json")).unwrap();
    assert!(timeline.contains("\"schema\": \"cp2-timeline-1\""));
    let back = "kernels run fft8192 --machine vm7 --input y.npy --inverse --scale --output x.npy";
    folder.expect(0, back);
    let sizes = ["x.npy", "y.npy"].map(|f| std::fs::metadata(folder.path(f)).unwrap().len());
    assert_eq!(sizes[0], sizes[1]);
    let refused = folder.expect(3, "kernels run fft16384");
    for way in
        ["--enable larger-local-memory=16384", "core.local_memory_words = 16384", "--machine vm7"]
    {
        assert!(refused.contains(way), "{refused}");
    }
    let refused = folder.expect(3, "kernels run fft16384 --machine vm7 --input y.npy");
    assert!(refused.contains("shape (1, 8192); fft16384 takes (vectors, 16384)"), "{refused}");
    let refused = folder.expect(3, "kernels run fft96 --machine vm7");
    assert!(refused.contains("there is no procedure `fft96`"), "{refused}");
    for (name, bytes, message) in [
        ("fft64", npy("(1, 64)", f32::NAN, 64), "w.npy: vector 0, element 0 is NaN"),
        ("fft8192", npy("(3, 8000)", 0.0, 24000), "shape (3, 8000); fft8192 takes"),
        ("fft8192", npy("(1, 131072)", 0.0, 131_072), "shape (1, 131072); fft8192 takes"),
        ("fft64", npy("(1, 2, 64)", 0.0, 128), "expected two dimensions"),
    ] {
        folder.write("w.npy", bytes);
        let run = format!("kernels run {name} --machine vm7 --input w.npy --output z.npy");
        let refused = folder.expect(3, &run);
        assert!(refused.contains(message), "{refused}");
    }
    let many = folder.expect(3, "kernels run fft65536 --machine vm7 --vectors 1000000");
    assert!(many.contains("need 524288000000 bytes of system memory"), "{many}");
    let outputs = "--output z.npy --timeline-json z.json";
    folder.expect(5, &format!("kernels run fft4096 --machine vm7 --max-cycles 1000 {outputs}"));
    assert_eq!(folder.names(), ["t.json", "w.npy", "x.npy", "y.npy"], "nothing is half written");
}

#[test]
fn convolutions_take_npy_to_npy() {
    let folder = Folder::new();
    folder.write("x.npy", npy("(2, 5)", 1.0, 10));
    folder.write("h.npy", npy("(3,)", 0.5, 3));
    let run = "kernels run convolution --machine vm7";
    let text = folder.expect(0, &format!("{run} --input x.npy --filter h.npy --output y.npy"));
    let text = unwrapped(&text);
    let begin =
        "convolution on vm7: 2 vectors of 5 points with 3, by FFTs of 64 (banks), in 1 page, ";
    assert!(text.starts_with(begin) && text.contains("2 vectors checked"), "{text}");
    let out = std::fs::read(folder.path("y.npy")).unwrap();
    assert!(String::from_utf8_lossy(&out[..128]).contains("(2, 7"));
    let data: Vec<f32> = out[out.len() - 2 * 7 * 8..]
        .chunks(4)
        .map(|b| f32::from_le_bytes(b.try_into().unwrap()))
        .collect();
    // (1 + i) (0.5 + 0.5 i) = i for every term.
    let expected = [1.0, 2.0, 3.0, 3.0, 3.0, 2.0, 1.0].map(|y: f32| [0.0, y]).concat();
    for (found, expected) in data.iter().zip([expected.clone(), expected].concat()) {
        assert!((found - expected).abs() < 1e-5, "{data:?}");
    }
    let report = folder.expect(
        0,
        "kernels run convolution --machine vm9 --points 90 --taps 20 --vectors 3 --json",
    );
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["schema"], "cp2-convolution-2");
    assert_eq!(report["transform_points"], 128);
    assert_eq!(report["operations"], 3 * 10 * 128 * 7);
    assert!(report["relative_error"].as_f64().unwrap() < 5e-7);
}

#[test]
fn wrong_convolutions_are_named_and_write_nothing() {
    let folder = Folder::new();
    folder.write("x.npy", npy("(2, 5)", 1.0, 10));
    folder.write("h.npy", npy("(3,)", f32::INFINITY, 3));
    folder.write("two.npy", npy("(2, 3)", 1.0, 6));
    folder.write("none.npy", npy("(0,)", 1.0, 0));
    let names = folder.names();
    for (code, options, message) in [
        (
            3,
            "--input x.npy --filter h.npy",
            "filter, element 0 is inf+infi; the filter must be finite",
        ),
        (3, "--input h.npy --taps 2", "h.npy: vector 0, element 0 is inf+infi"),
        (3, "--input x.npy --filter two.npy", "two.npy: the array has shape (2, 3)"),
        (
            3,
            "--input x.npy --filter none.npy",
            "length of the filter is 0; it must be from 1 to 65536",
        ),
        (3, "--input none.npy --taps 2", "length of the vectors is 0"),
        (
            3,
            "--input x.npy --taps 65533",
            "length of the result is 65537; it must be at most 65536",
        ),
        (3, "--points 65536 --taps 2", "length of the result is 65537; it must be at most 65536"),
        (3, "--points 4000000000", "length of the vectors is 4000000000"),
        (3, "--points 60000 --taps 1 --vectors 1000000", "bytes of system memory"),
        (2, "--inverse", "convolution takes no --inverse; it takes --input, --filter, --output"),
        (2, "--batch 2", "convolution takes no --batch"),
        (2, "--matrix m.mtx", "convolution takes no --matrix"),
        (
            2,
            "--input x.npy --filter x.npy --seed 3",
            "--seed cannot be used with --input and --filter",
        ),
        (2, "--taps 0", "--taps 0: it takes from 1 to"),
        (2, "--input x.npy --points 5", "cannot be used with"),
        (2, "--input x.npy --vectors 5", "cannot be used with"),
        (2, "--filter x.npy --taps 5", "cannot be used with"),
        (
            5,
            "--timeline-json t.json --max-cycles 500",
            "the DMA channel was not done within 500 cycles",
        ),
    ] {
        let run = format!("kernels run convolution --machine vm7 {options} --output y.npy");
        let text = folder.expect(code, &run);
        assert!(text.contains(message), "{options}: {text}");
        assert_eq!(folder.names(), names, "{options}");
    }
    // Outputs are looked at before the work begins: these vectors would take minutes.
    let long = "kernels run convolution --machine vm7 --points 32768 --vectors 200";
    for option in ["--output none/y.npy", "--timeline-json none/t.json"] {
        let text = folder.expect(3, &format!("{long} {option}"));
        assert!(text.contains("cannot write none/") && text.contains("no folder none"), "{text}");
    }
    for verb in ["run", "source"] {
        let text = folder.expect(3, &format!("kernels {verb} convolution"));
        assert!(text.contains("`cp2 kernels run convolution --machine vm7`"), "{text}");
    }
}

#[test]
fn the_list_has_kernels_and_procedures() {
    let folder = Folder::new();
    let list: serde_json::Value =
        serde_json::from_str(&folder.expect(0, "kernels list --json")).unwrap();
    let machine = |name: &str| {
        let entry = list["kernels"].as_array().unwrap().iter().find(|k| k["name"] == name);
        entry.map(|e| e["machine"].as_str().unwrap().to_owned())
    };
    for (name, expected) in [
        ("fft64", "optional"),
        ("fft4096", "optional"),
        ("fft8192", "optional"),
        ("fft16384", "optional"),
        ("fft65536", "required"),
        ("convolution", "required"),
        ("axpy", "none"),
    ] {
        assert_eq!(machine(name).as_deref(), Some(expected), "{name}");
    }
    let text = unwrapped(&folder.expect(0, "kernels list"));
    assert!(text.contains("by FFT; needs --machine [complex64 (vectors, points)]"), "{text}");
    // Kernels that leave results in another order than that of the output say so.
    let permuted = "FFT, forward and inverse; results bit-reversed in local memory,";
    assert_eq!(text.matches(permuted).count(), 3, "{text}");
    for name in ["fft4096", "fft8192", "fft16384"] {
        assert!(text.contains(&format!(" {name} {permuted}")), "{text}");
    }
    assert!(text.contains("in the order of the sorted rows"), "{text}");
}

/// An option that a workload cannot honour, whatever its family, is wrong usage.
#[test]
fn options_that_have_no_effect_are_refused_with_what_is_taken() {
    let folder = Folder::new();
    folder.write("x.npy", npy("(2, 64)", 1.0, 128));
    folder.write("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 0.5\n");
    let names = folder.names();
    for (run, message) in [
        ("fft64 --taps 3", "fft64 takes no --taps; it takes --input, --output, --inverse"),
        ("fft64 --matrix m.mtx", "fft64 takes no --matrix"),
        ("fft64 --timeline", "; with --machine it takes --timeline"),
        ("fft64 --timeline-json t.json", "fft64 takes no --timeline-json"),
        ("fft64 --batch 257", "fft64: --batch 257: it takes from 1 to 256 vectors"),
        ("fft64 --batch 0", "fft64: --batch 0: it takes from 1 to 256 vectors"),
        ("fft64 --vectors 0", "fft64: --vectors 0: it takes from 1 to 1000000 vectors"),
        ("fft4096 --vectors 1000001", "--vectors 1000001: it takes from 1 to 1000000 vectors"),
        (
            "fft4096 --vectors 18446744073709551615",
            "--vectors 18446744073709551615: it takes from 1 to 1000000 vectors",
        ),
        ("fft64 --input x.npy --vectors 5", "--vectors cannot be used with --input"),
        ("fft64 --input x.npy --seed 5", "--seed cannot be used with --input"),
        ("fft64 --machine vm7 --batch 2", "; without --machine it takes --batch"),
        ("fft64 --machine vm7 --taps 3", "fft64 takes no --taps"),
        ("fft64 --machine vm7 --matrix m.mtx", "fft64 takes no --matrix"),
        ("fft64 --machine vm7 --input x.npy --seed 1", "--seed cannot be used with --input"),
        ("fft8192 --machine vm7 --points 3", "fft8192 takes no --points"),
        (
            "cmul --vectors 5",
            "cmul takes no --vectors; it takes --input, --output, --non-finite, --seed",
        ),
        ("cmul --inverse", "cmul takes no --inverse"),
        ("cmul --input x.npy --seed 5", "--seed cannot be used with --input"),
        (
            "cmul --machine vm7",
            "cmul takes no --machine, since it runs on CP2 alone; it takes --input",
        ),
        ("section_sum --input x.npy --seed 2", "--seed cannot be used with --input"),
        ("axpy --points 3", "axpy takes no --points"),
        ("axpy --matrix m.mtx", "axpy takes no --matrix"),
        ("axpy --timeline", "axpy takes no --timeline"),
        ("section_sum --scale", "section_sum takes no --scale"),
        ("spmv_direct --batch 2", "spmv_direct takes no --batch; it takes --matrix, --input"),
        ("spmv_sliced --matrix m.mtx --seed 2", "--seed cannot be used with --matrix"),
        ("spmv_blocks --machine vm7 --matrix m.mtx", "spmv_blocks takes no --machine"),
    ] {
        let text = folder.expect(2, &format!("kernels run {run}"));
        assert!(text.contains(message), "{run}: {text}");
        assert_eq!(folder.names(), names, "{run}");
    }
}

#[test]
fn every_kernel_takes_an_engine_and_a_limit_of_cycles() {
    let folder = Folder::new();
    for name in ["fft64", "cscale", "interp0", "spmv_sorted", "dot", "section_max"] {
        let runs = ["reference", "fast"].map(|engine| {
            folder.expect(0, &format!("kernels run {name} --engine {engine} --json"))
        });
        assert_eq!(runs[0], runs[1]);
        assert_eq!(runs[0], folder.expect(0, &format!("kernels run {name} --json")));
        let text = folder.expect(5, &format!("kernels run {name} --max-cycles 5"));
        assert!(text.contains("did not stop within 5 cycles"), "{text}");
    }
    let run = "kernels run convolution --machine vm7 --vectors 2 --json --engine";
    let runs = ["reference", "fast"].map(|engine| folder.expect(0, &format!("{run} {engine}")));
    assert_eq!(runs[0], runs[1]);
}

#[test]
fn a_matrix_without_entries_is_told_without_a_share() {
    let folder = Folder::new();
    folder.write("m.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 0\n");
    let text = folder.expect(0, "kernels run spmv_sliced --matrix m.mtx");
    assert!(text.contains("kernel cycles, no entry\n") && !text.contains("inf"), "{text}");
}

#[test]
fn an_array_on_standard_output_is_that_of_a_file() {
    let folder = Folder::new();
    let run = "kernels run fft64 --vectors 300 --batch 2 --output";
    folder.expect(0, &format!("{run} y.npy"));
    let output = folder.cp2(&format!("{run} -"));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, std::fs::read(folder.path("y.npy")).unwrap());
}

/// Returns a `.npy` file of float32 numbers in one dimension.
fn floats(values: &[f32]) -> Vec<u8> {
    let header =
        format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({},), }}", values.len());
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    npy.extend(format!("{header:<117}\n").as_bytes());
    values.iter().for_each(|x| npy.extend(x.to_le_bytes()));
    npy
}

#[test]
fn operators_for_any_weights_take_them_as_numbers_or_as_an_array() {
    let folder = Folder::new();
    folder.write("w.npy", floats(&[-3.0, 0.25, 0.5, 0.125]));
    for name in ["resid", "proj", "smooth", "smooth0"].map(|name| format!("{name}_general")) {
        let run = format!("kernels run {name} --output y.npy");
        folder.expect(0, &run);
        let usual = std::fs::read(folder.path("y.npy")).unwrap();
        folder.expect(0, &format!("{run} --weights -3,0.25,0.5,0.125"));
        let by_numbers = std::fs::read(folder.path("y.npy")).unwrap();
        folder.expect(0, &format!("{run} --weights w.npy"));
        assert!(by_numbers == std::fs::read(folder.path("y.npy")).unwrap(), "{name}");
        assert!(by_numbers != usual, "{name}");
    }
    let own = ["proj_general --weights 0.5,0.25,0.125,0.0625", "interp --weights 1,0.5,0.25,0.125"];
    for run in own {
        let name = run.split(' ').next().unwrap();
        let reports = [run, name].map(|run| folder.expect(0, &format!("kernels run {run} --json")));
        assert_eq!(reports[0], reports[1], "these are the weights that it has by default");
    }
    folder.expect(0, "kernels run interp0 --weights 2,-1,0,1e-3");
}

#[test]
fn weights_that_are_none_are_refused_with_their_place() {
    let folder = Folder::new();
    folder.write("three.npy", floats(&[1.0, 2.0, 3.0]));
    folder.write("nan.npy", floats(&[1.0, f32::NAN, 3.0, 4.0]));
    folder.write("complex.npy", npy("(4,)", 1.0, 4));
    for (code, weights, message) in [
        (
            2,
            "1,2,3",
            "--weights 1,2,3: 3 numbers are given; it takes 4: centre, faces, edges, corners",
        ),
        (2, "1,2,3,4,5", "5 numbers are given"),
        (2, "1,2,x,4", "number 3 (edges) is `x`; it takes a number"),
        (2, "1,,3,4", "number 2 (faces) is ``"),
        (2, "1,2,3,nan", "number 4 (corners) is `nan`"),
        (2, "1e39,2,3,4", "number 1 (centre) is `1e39`; it takes a number of at most 3.4028235e38"),
        (3, "none.npy", "cannot read none.npy"),
        (
            3,
            "three.npy",
            "three.npy: the array has shape (3,); resid_general takes weights of (4,)",
        ),
        (3, "nan.npy", "nan.npy: number 2 (faces) is NaN"),
        (3, "complex.npy", "weights is float32, and the file has complex64"),
    ] {
        let text = folder.expect(code, &format!("kernels run resid_general --weights {weights}"));
        assert!(text.contains(message), "{weights}: {text}");
    }
    let text = folder.expect(2, "kernels run resid --weights 1,2,3,4");
    assert!(text.contains("resid takes no --weights"), "{text}");
    let text = folder.expect(2, "kernels run resid --machine vm7 --weights 1,2,3,4");
    assert!(text.contains("resid takes no --weights"), "{text}");
}
