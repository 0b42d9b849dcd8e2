//! Page schemes whose kernels only store, so that pages load nothing.

use super::{opened, outcome, request, right};
use cp2_session::npy::{Array, NumberType};
use cp2_session::workload::Platform;

/// A kernel that only stores: the first page has nothing to load, and the channel begins with what a later step stores.
#[test]
fn pages_that_load_nothing_are_stored_when_they_are_computed() {
    const FILL: &str = "
        .kernel fill
        .arg    n, g2, min=1
        .array  y, out, uint64, 4*n, layout=blocks, at=g4
        move    a0, g4
        .linear
        .scratch g15
        mtfpr   %v, g2, all
        .loop   g2, min=1
        swo     %v, (r0)+1
        .endloop
        .endlinear
        stopi   0
";
    let one = "[[pass]]\n[pass.page]\ny = [\":\"]\n";
    let many = "[[pass]]\nloops = [\"k = 5\"]\n[pass.page]\ny = [\"80*k : +80\"]\n";
    for (scheme, n) in [(one, 100), (many, 20)] {
        for between in ["", "host_work = \"between\"\n"] {
            let scheme = scheme.replace("[pass.page]", &format!("{between}[pass.page]"));
            let text = format!(
                "[[variant]]\nsource = \"k.s\"\n[arguments]\nn = {n}\n[array.y]\n{}{scheme}",
                "expected = \"y.npy\"\nrtol = 0\n"
            );
            let words: Vec<u8> = (0..400_u64).flat_map(|_| (n as u64).to_be_bytes()).collect();
            let kind = NumberType::from_name("uint64").unwrap();
            let y = Array::from_bytes(kind, vec![400], words).write();
            right(&text, &[("k.s", FILL.as_bytes()), ("y.npy", &y)], "vm7");
        }
    }
}

/// A kernel that reads data of its own program: no array of the file, on CP2 alone and page by page.
#[test]
fn what_a_kernel_reads_may_be_data_of_its_program() {
    const SCALE: &str = "
        .kernel scale
        .arg    n, g2, min=1
        .array  x, in,  float32, 4, 2*n, layout=blocks, at=g4
        .array  y, out, float32, 4, 2*n, layout=blocks, at=g5
        .array  w, in,  float32, 2
        move    a0, g4
        move    a1, g5
        lwi     f3, w
        .linear
        .disjoint r0, r1
        .scratch g15
        .loop   g2, min=1
        lwo     %x0, (r0)+1
        psmul   %x0, %x0, f3
        swo     %x0, (r1)+1
        .endloop
        .endlinear
        stopi   0
        .lmem all
w:      .complex 3.0, 3.0
";
    let x: Vec<f32> = (0..256).map(|k| k as f32).collect();
    let y: Vec<f32> = x.iter().map(|x| 3.0 * x).collect();
    let [x, y] = [x, y].map(|values| Array::from_floats(vec![4, 64], &values).write());
    let file = "[[variant]]\nsource = \"k.s\"\n[array.x]\nfile = \"x.npy\"\n[array.y]\nexpected = \"y.npy\"\n";
    let pages = "[[pass]]\nloops = [\"k = 8\"]\n[pass.page]\nx = [\":\", \"8*k : +8\"]\ny = [\":\", \"8*k : +8\"]\n";
    let files = |source: &str| -> Vec<(String, Vec<u8>)> {
        let of = |name: &str, bytes: &[u8]| (name.to_owned(), bytes.to_vec());
        vec![of("k.s", source.as_bytes()), of("x.npy", &x), of("y.npy", &y)]
    };
    for scheme in ["", pages] {
        let files = files(SCALE);
        let files: Vec<_> = files.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
        right(&format!("{file}{scheme}"), &files, "vm7");
        // Without data in the program the file has to have the array.
        let zeros = SCALE.replace(".complex 3.0, 3.0", ".zero 1");
        let files = files.iter().map(|&(name, bytes)| match name {
            "k.s" => (name, zeros.as_bytes()),
            _ => (name, bytes),
        });
        let files: Vec<_> = files.collect();
        let told = outcome(&format!("{file}{scheme}"), &files, "vm7").unwrap_err();
        assert!(told.contains("array.w") || told.contains("array w"), "{told}");
    }
}

/// Doubles pairs of numbers, all of which each section has.
const PAIRS: &str = "
        .kernel pairs
        .arg    n, g2, min=1
        .array  x, in,  float32, 2*n, at=g0
        .array  y, out, float32, 2*n, at=g1
        move    a0, g0
        move    a1, g1
        .linear
        .disjoint r0, r1
        .loop   g2, min=1
        lwo     %x, (r0)+1
        psadd   %x, %x, %x
        swo     %x, (r1)+1
        .endloop
        .endlinear
        stopi   0
";

#[test]
fn with_the_extension_parts_begin_at_any_word() {
    let text = "[[variant]]\nsource = \"pairs.s\"\n[array.x]\nrandom = \"normal\"\nshape = [8, 11]\n[array.y]\n\
                expected = \"y.npy\"\n[[pass]]\nloops = [\"k = 8\"]\n[pass.page]\nx = [\"k\", \"3 : +6\"]\ny = \
                [\"k\", \":\"]\n";
    let program = PAIRS.as_bytes();
    let empty = Array::from_floats(vec![8, 6], &[0.0; 48]).write();
    let file = opened(text, &[("pairs.s", program), ("y.npy", &empty)]);
    let x = file.values("x").unwrap().to_floats();
    let y: Vec<f32> = x.chunks(11).flat_map(|row| &row[3..9]).map(|x| 2.0 * x).collect();
    let y = Array::from_floats(vec![8, 6], &y).write();
    let files: [(&str, &[u8]); 2] = [("pairs.s", program), ("y.npy", &y)];
    let told = outcome(text, &files, "vm7").unwrap_err();
    assert!(
        told.contains("contiguous elements take 24 bytes") && told.contains("dma-words"),
        "{told}"
    );
    for machine in ["vm7", "vm9"] {
        let workload = opened(text, &files).on(Platform::Machine).unwrap();
        let request = request(machine, &["extensions.dma_words=true"]);
        let done = workload.execute(request, &mut |_: usize, _: usize| {}).unwrap();
        assert_eq!((done.verdict.complaint, done.verdict.is_checked), (None, true), "{machine}");
    }
}
