//! Page schemes of workload files: the shipped procedures as files, kernels in sequence, parts that stay, random schemes,
//! and what is refused.

mod generated;

use cp2_emu::MachineConfig;
use cp2_kernels::multigrid::GridKernel;
use cp2_procedures::{fft, multigrid};
use cp2_session::Environment;
use cp2_session::npy::Array;
use cp2_session::random::split_mix_64;
use cp2_session::workload::{Platform, Request, Tally, WorkloadOutcome};
use cp2_workloads::file::{CommandVerdict, Surroundings, WorkloadFile};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Files in memory; no program is started.
struct Memory(BTreeMap<String, Vec<u8>>);

impl Surroundings for Memory {
    fn read(&self, _: &str, path: &str) -> Result<(String, Vec<u8>), String> {
        let file = self.0.get(path).ok_or_else(|| format!("{path}: there is no such file"))?;
        Ok((path.to_owned(), file.clone()))
    }

    fn run(&self, _: &str, _: &[String], _: &[(String, Array)]) -> CommandVerdict {
        CommandVerdict::NotRun
    }
}

fn opened(text: &str, files: &[(&str, &[u8])]) -> Arc<WorkloadFile> {
    let files = files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect();
    let around: Arc<dyn Surroundings> = Arc::new(Memory(files));
    let file = WorkloadFile::open("work.toml", text, &around);
    let plain = |refusal: &cp2_session::Refusal| {
        let style = cp2_asm::render::Style::Plain;
        cp2_asm::render::render_all(&refusal.diagnostics, &refusal.sources, style)
    };
    Arc::new(file.unwrap_or_else(|refusal| panic!("{}\n{text}", plain(&refusal))))
}

fn request(machine: &str, changes: &[&str]) -> Request {
    let mut config = MachineConfig::preset(machine).unwrap();
    changes.iter().for_each(|change| config.apply_set(change).unwrap());
    Request { machine: Some(config), ..Request::default() }
}

fn outcome(text: &str, files: &[(&str, &[u8])], machine: &str) -> Result<WorkloadOutcome, String> {
    let workload = opened(text, files).on(Platform::Machine).unwrap();
    let run = workload.execute(request(machine, &[]), &mut |_: usize, _: usize| {});
    run.map_err(|e| e.to_string())
}

/// Runs a file whose results are right, and returns its counts.
fn right(text: &str, files: &[(&str, &[u8])], machine: &str) -> Tally {
    let workload = opened(text, files).on(Platform::Machine).unwrap();
    let tally = workload.tally(request(machine, &[])).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(tally.verdict.complaint, None, "{text}");
    tally
}

/// The text of an example without the program that checks its results.
fn example(text: &str) -> &str {
    text.split("[check]").next().unwrap()
}

fn within_two_percent(file: u64, shipped: u64) {
    let ratio = file as f64 / shipped as f64;
    assert!(
        (0.98..=1.02).contains(&ratio),
        "{file} cycles of the file, {shipped} of the procedure"
    );
}

#[test]
fn shipped_procedures_as_files_take_as_many_cycles_and_give_the_same_bits() {
    let environment = Environment::new();
    for machine in ["vm7", "vm9"] {
        let config = MachineConfig::preset(machine).unwrap();
        let text = example(include_str!("../../../../examples/pages/fft256.toml"));
        let x = opened(text, &[]).values("x").unwrap().to_complex();
        let shipped =
            fft::run(config.clone(), 256, &x, &fft::Options::default(), &mut |_, _| {}).unwrap();
        let y = Array::from_complex(vec![256, 256], &shipped.output).write();
        let text =
            text.replace("shape = [256, 256]\n\n[[pass]]", "expected = \"y.npy\"\n\n[[pass]]");
        let tally = right(&text, &[("y.npy", &y)], machine);
        assert_eq!(tally.cycles, shipped.cost.cycles(), "fft256 on {machine}");

        let text = example(include_str!("../../../../examples/pages/resid.toml"));
        let file = opened(text, &[]);
        let [u, v] = ["u", "v"].map(|name| file.values(name).unwrap().to_floats());
        let execution = environment.execution(*config.core());
        let kernel = GridKernel::Resid;
        let shipped =
            multigrid::apply(config, kernel, (64, &u, &v), &execution, &mut |_, _| {}).unwrap();
        let result = Array::from_floats(vec![64; 3], &shipped.output).write();
        let text = text.replace(
            "[array.result]\nshape = [64, 64, 64]",
            "[array.result]\nexpected = \"result.npy\"",
        );
        let tally = right(&text, &[("result.npy", &result)], machine);
        within_two_percent(tally.cycles, shipped.cost.cycles());
    }
}

/// Multiplies eight vectors of each section by the first filter of the section.
const PRODUCT: &str = "
        .kernel product
        .array  z, inout, complex64, 4, 8, 256, layout=blocks, at=g0
        .array  filter, in, complex64, 4, 2, 256, layout=blocks, at=g1
        move    a0, g0
        .linear
        .disjoint r0, r1
        .even   r0, r1
        .scratch g14, g15
        .loop   8
        move    a1, g1
        .loop   128
        ldo     %a:%b, (r0)
        ldo     %h:%i, (r1)+2
        cmul    %a, %a, %h
        cmul    %b, %b, %i
        sdo     %a:%b, (r0)+2
        .endloop
        .endloop
        .endlinear
        stopi   0
";

/// The transform of the filter by a pass of its own, then three kernels for each page.
const CONVOLUTION: &str = "
[[variant]]
source = \"program.s\"
[array.x]
random = \"uniform\"
type = \"complex64\"
shape = [64, 256]
[array.h]
random = \"uniform\"
seed = 2
type = \"complex64\"
shape = [4, 2, 256]
[array.y]
expected = \"y.npy\"
rtol = 0
atol = 1e-2
[[pass]]
name = \"filter\"
[[pass.call]]
entry = \"fft256\"
arrays = { x = \"h\", y = \"filter\" }
[[pass]]
name = \"vectors\"
loops = [\"k = 2\"]
[pass.page]
x = [\"32*k + 8*section : +8\", \":\"]
y = [\"32*k + 8*section : +8\", \":\"]
[[pass.call]]
entry = \"fft256\"
arrays = { y = \"middle\" }
[[pass.call]]
entry = \"product\"
arrays = { z = \"middle\" }
[[pass.call]]
entry = \"fft256\"
inverse = true
arrays = { x = \"middle\" }
";

/// A convolution as three kernels in sequence: the transform of the filter is made by a pass of its own and stays in
/// local memory.
#[test]
fn kernels_follow_each_other_and_what_they_share_stays() {
    let core = cp2_isa::Core::CP2;
    let program = cp2_kernels::fft::source(&core, 256).unwrap() + PRODUCT;
    let program = program.into_bytes();
    let empty = Array::from_complex(vec![64, 256], &vec![Default::default(); 64 * 256]).write();
    let file = opened(CONVOLUTION, &[("program.s", &program), ("y.npy", &empty)]);
    let [x, h] = ["x", "h"].map(|name| file.values(name).unwrap().to_complex());
    // Section s has the filters 2s and 2s + 1, and multiplies each vector by the first.
    let transforms = fft::reference(256, &h, false);
    let spectra = fft::reference(256, &x, false);
    let products: Vec<_> = spectra
        .iter()
        .enumerate()
        .map(|(k, z)| {
            let product = z * transforms[k / 256 % 32 / 8 * 512 + k % 256];
            num_complex::Complex32::new(product.re as f32, product.im as f32)
        })
        .collect();
    let back = fft::reference(256, &products, true);
    let back: Vec<_> =
        back.iter().map(|z| num_complex::Complex32::new(z.re as f32, z.im as f32)).collect();
    let y = Array::from_complex(vec![64, 256], &back).write();
    let files: [(&str, &[u8]); 2] = [("program.s", &program), ("y.npy", &y)];
    for machine in ["vm7", "vm9"] {
        let tally = right(CONVOLUTION, &files, machine);
        let passes = tally.cost.unwrap().passes;
        assert_eq!(passes.len(), 2);
        // The filter's transform is neither stored nor loaded.
        assert_eq!(passes[0].moved.store_bytes, 0);
        let moved = &passes[1].moved;
        assert_eq!(moved.load_bytes + moved.prepare_bytes, 64 * 256 * 8);
    }
}

/// Each pass has its pages turned as it says, also beside passes that say otherwise.
#[test]
fn passes_turn_their_pages_each_in_its_way() {
    let [beside, between] = ["beside", "between"];
    let cycles = |ways: [&str; 3]| {
        let mut text = SUMS.split("[[pass]]").next().unwrap().replace("expected = \"y.npy\"\n", "");
        for (row, way) in ways.into_iter().enumerate() {
            text += &format!(
                "[[pass]]\nloops = [\"j = 8\"]\nhost_work = \"{way}\"\n[pass.page]\nx = [\"{row}\", \"j\", \
                 \":\"]\ny = [\"{row}\", \":\"]\n"
            );
        }
        right(&text, &[("add.s", ADD.as_bytes())], "vm7").cycles
    };
    let [all, none] = [cycles([beside; 3]), cycles([between; 3])];
    let [one, two] = [cycles([beside, between, beside]), cycles([between, beside, between])];
    assert!(all < one && one < two && two < none, "{all} {one} {two} {none}");
}

/// A kernel y := a x of any layout, whose arguments are in registers of three kinds.
fn scaled(layout: &str) -> String {
    let words = if layout == "all" { 8 } else { 2 };
    let mut text = format!(
        "
        .kernel scaled
        .arg    n, g2, min=1
        .arg    a, f3
        .array  x, in,  float32, 16*n, layout={layout}, at=g0
        .array  y, out, float32, 16*n, layout={layout}, at=a5
        move    a0, g0
        .linear
        .disjoint r0, r5
        .even   r0, r5
        .scratch g15
        .loop   g2, min=1
"
    );
    for k in 0..words / 2 {
        text += &format!(
            "        ldo %u{k}:%v{k}, (r0)+2\n        psmul %u{k}, %u{k}, f3\n        psmul %v{k}, %v{k}, f3\n        sdo %u{k}:%v{k}, (r5)+2\n"
        );
    }
    text + "        .endloop\n        .endlinear\n        stopi 0\n"
}

fn pick(state: &mut u64, of: &[usize]) -> usize {
    of[(split_mix_64(state) % of.len() as u64) as usize]
}

/// Returns the file of a random scheme that cuts arrays of three axes into pages, and the shape of the arrays.
fn random_scheme(state: &mut u64) -> (String, String, [usize; 3]) {
    let layout = ["all", "blocks", "interleaved/4", "interleaved/8"][pick(state, &[0, 1, 2, 3])];
    let by_section = layout == "blocks" && pick(state, &[0, 1]) == 0;
    let tile = [pick(state, &[1, 2, 3]), pick(state, &[1, 2, 4]), pick(state, &[32, 64, 128])];
    let counts = [pick(state, &[1, 2, 3]), pick(state, &[1, 2]), pick(state, &[1, 2, 3])];
    let sections = if by_section { 4 } else { 1 };
    let shape = [tile[0] * counts[0] * sections, tile[1] * counts[1], tile[2] * counts[2]];
    let mut loops: Vec<String> =
        ["i", "j", "k"].iter().zip(counts).map(|(name, n)| format!("\"{name} = {n}\"")).collect();
    for _ in 0..3 {
        let turn = pick(state, &[0, 1, 2]);
        loops.rotate_left(turn);
        loops.swap(0, 1);
    }
    let [a, b, c] = tile;
    let first = match by_section {
        true => format!("{a}*(4*i + section) : +{a}"),
        false => format!("{a}*i : {a}*i + {a}"),
    };
    let part = format!("[\"{first}\", \"{b}*j : +{b}\", \"{c}*k : +{c}\"]");
    let buffers =
        ["", "buffers = 1\n", "buffers = 2\n", "buffers = 3\n"][pick(state, &[0, 1, 2, 3])];
    let host = ["", "host_work = \"between\"\n"][pick(state, &[0, 1])];
    let wait = ["", "wait = [\"j\"]\n"][pick(state, &[0, 1])];
    let text = format!(
        "[[variant]]\nsource = \"scaled.s\"\n[arguments]\na = 2.0\n[array.x]\nrandom = \"normal\"\nshape = \
         {shape:?}\n[array.y]\nexpected = \"y.npy\"\n[[pass]]\nloops = [{}]\n{buffers}{host}{wait}[pass.page]\nx = \
         {part}\ny = {part}\n",
        loops.join(", ")
    );
    (text, scaled(layout), shape)
}

#[test]
fn random_schemes_give_every_element() {
    let (mut state, mut done) = (7, 0);
    for number in 0..60 {
        let (text, program, shape) = random_scheme(&mut state);
        let program = program.into_bytes();
        let empty = Array::from_floats(shape.to_vec(), &vec![0.0; shape.iter().product()]).write();
        let file = opened(&text, &[("scaled.s", &program), ("y.npy", &empty)]);
        let x = file.values("x").unwrap().to_floats();
        let y: Vec<f32> = x.iter().map(|x| 2.0 * x).collect();
        let y = Array::from_floats(shape.to_vec(), &y).write();
        let machine = if number % 2 == 0 { "vm7" } else { "vm9" };
        let files: [(&str, &[u8]); 2] = [("scaled.s", &program), ("y.npy", &y)];
        match outcome(&text, &files, machine) {
            Ok(outcome) => assert_eq!(outcome.verdict.complaint, None, "{text}"),
            // Blocks of a page may begin within its rows.
            Err(told) if told.contains("do not begin at its rows") => continue,
            Err(told) => panic!("{told}\n{text}"),
        }
        done += 1;
    }
    assert!(done >= 40, "{done} schemes");
}

/// Adds x to y; both are dealt to the sections.
const ADD: &str = "
        .kernel add
        .arg    n, g2, min=1
        .array  x, in,    float32, 16*n, layout=interleaved/4, at=g0
        .array  y, inout, float32, 16*n, layout=interleaved/4, at=g1
        move    a0, g0
        move    a1, g1
        .linear
        .disjoint r0, r1
        .even   r0, r1
        .scratch g15
        .loop   g2, min=1
        ldo     %u:%v, (r0)+2
        ldo     %y:%z, (r1)
        psadd   %y, %y, %u
        psadd   %z, %z, %v
        sdo     %y:%z, (r1)+2
        .endloop
        .endlinear
        stopi   0
";

const SUMS: &str = "
[[variant]]
source = \"add.s\"
[array.x]
random = \"integers\"
high = 9
shape = [3, 8, 256]
[array.y]
fill = 1
shape = [3, 256]
expected = \"y.npy\"
[[pass]]
loops = [\"i = 3\", \"j = 8\"]
[pass.page]
x = [\"i\", \"j\", \":\"]
y = [\"i\", \":\"]
";

#[test]
fn a_part_that_several_pages_have_moves_once() {
    let empty = Array::from_floats(vec![3, 256], &[0.0; 768]).write();
    let file = opened(SUMS, &[("add.s", ADD.as_bytes()), ("y.npy", &empty)]);
    let x = file.values("x").unwrap().to_floats();
    let sum = |k: usize| 1.0 + (0..8).map(|j| x[(k / 256 * 8 + j) * 256 + k % 256]).sum::<f32>();
    let y = Array::from_floats(vec![3, 256], &(0..768).map(sum).collect::<Vec<_>>()).write();
    let files: [(&str, &[u8]); 2] = [("add.s", ADD.as_bytes()), ("y.npy", &y)];
    let tally = right(SUMS, &files, "vm7");
    let moved = &tally.cost.unwrap().passes[0].moved;
    assert_eq!(moved.load_bytes, 4 * (3 * 8 * 256 + 3 * 256));
    assert_eq!(moved.store_bytes, 4 * 3 * 256);
    // The other way around, each page needs what the page before has stored.
    let turned = SUMS.replace("[\"i = 3\", \"j = 8\"]", "[\"j = 8\", \"i = 3\"]");
    right(&turned, &files, "vm7");
    let one = turned.replace("[\"j = 8\", \"i = 3\"]", "[\"j = 8\", \"i = 1\"]");
    let told = outcome(&one, &files, "vm7");
    // One part alone stays all the time.
    assert!(told.unwrap().verdict.complaint.unwrap().contains("512 of 768 elements differ"));
    // What is only read can be expected too.
    let read = SUMS.replace("high = 9\n", "high = 9\nexpected = \"y.npy\"\n");
    let told = outcome(&read, &files, "vm7").unwrap().verdict.complaint.unwrap();
    assert!(told.contains("x: it has shape (3, 8, 256); the expected shape is (3, 256)"), "{told}");
}

const X_PART: &str = "x = [\"i\", \"j\", \":\"]";
const Y_PART: &str = "y = [\"i\", \":\"]";
const LOOPS: &str = "loops = [\"i = 3\", \"j = 8\"]";

/// Changes of [`SUMS`], and what is told about each.
const REFUSED: &[(&str, &str, &str)] = &[
    (
        Y_PART,
        "y = [\"i\", \"16*j : +256\"]",
        "page 1 (i = 0, j = 1), array y: axis 1: the range 16 : 272 reaches beyond the array, which has 0 : 256; `edge` of the array gives values there",
    ),
    (
        Y_PART,
        "y = [\"i\", \"16*j : +16\"]",
        "kernel add, array y: the array has shape (16,), and `add` takes y of 16*n = (256,): it has 16 elements, not 256",
    ),
    (
        Y_PART,
        "y = [\"2 - i : +1\", \": \"]\nz = {array = \"y\", part = [\"0\", \":\"]}",
        "pass 1, array z: no kernel of the pass declares it",
    ),
    (
        X_PART,
        "x = [\"i\", \"j : j\", \":\"]",
        "page 0 (i = 0, j = 0), array x: axis 1: the range 0 : 0 has no element",
    ),
    (
        "[array.x]\n",
        "[arguments]\nn = 16\ng9 = 3\n[array.x]\n",
        "arguments.g9: no kernel of the passes declares it",
    ),
    (
        "[array.y]\n",
        "[array.z]\nfill = 1\nshape = [4]\n[array.y]\n",
        "array.z: no kernel of the passes takes it",
    ),
    (LOOPS, "loops = [\"i = 3\", \"j = 0\"]", "pass 1, loop j: it has 0 turns"),
    (LOOPS, "loops = [\"i = 3\", \"j = 8 / 3\"]", "8 / 3 leaves a remainder"),
    (LOOPS, "loops = [\"i = 3\", \"j = 99999999\"]", "make more than 1048576 pages"),
    ("fill = 1\nshape = [3, 256]\n", "", "it reads element [0, 0] of y, which has no value"),
    (
        "high = 9\n",
        "high = 9\ntype = \"int32\"\n",
        "a kernel takes it as float32, and the file has int32; `type = \"float32\"` converts it",
    ),
    (
        "fill = 1\n",
        "fill = 1\nedge = \"zero\"\n",
        "array y: `edge` goes with arrays that no page stores",
    ),
];

/// Returns the files of [`SUMS`].
fn files_of_sums() -> [(&'static str, Vec<u8>); 2] {
    let y = Array::from_floats(vec![3, 256], &[0.0; 768]).write();
    [("add.s", ADD.as_bytes().to_vec()), ("y.npy", y)]
}

#[test]
fn what_a_scheme_cannot_be_is_told_with_page_and_array() {
    let files = files_of_sums();
    let files = files.each_ref().map(|(name, bytes)| (*name, &bytes[..]));
    for (from, to, expected) in REFUSED {
        assert!(SUMS.contains(from), "{from}");
        let text = SUMS.replace(from, to);
        let told = match outcome(&text, &files, "vm7") {
            Ok(_) => "it ran".to_owned(),
            Err(told) => told,
        };
        assert!(told.contains(expected), "{to}\n{told}");
    }
}

#[test]
fn pages_without_room_and_pages_that_come_too_early_are_told() {
    let files = files_of_sums();
    let files = files.each_ref().map(|(name, bytes)| (*name, &bytes[..]));
    // Two buffers of both do not fit; where the file does not ask for them, there is one.
    let wide = SUMS.replace("256", "20480");
    assert!(outcome(&wide, &files, "vm7").unwrap().verdict.complaint.unwrap().contains("shape"));
    let wide = wide.replace("[pass.page]", "buffers = 2\n[pass.page]");
    let told = outcome(&wide, &files, "vm7").unwrap_err();
    let expected =
        "buffer 0 needs 2560 words of each section, and local memory has 8192: x at 0 to 2559";
    assert!(told.contains(expected), "{told}");
    // Rows of y one after the other, each from the one before: a page comes before its row is stored.
    let parts = "x = [\"i\", \"j\", \":\"]\ny = [\"i\", \":\"]";
    let without =
        SUMS.replace("[array.x]\nrandom = \"integers\"\nhigh = 9\nshape = [3, 8, 256]\n", "");
    let twice = without.replace(X_PART, "x = {array = \"y\", part = [\"max(i - 1, 0)\", \":\"]}");
    let told = outcome(&twice, &files, "vm7").unwrap_err();
    let expected = "page 0 (i = 0, j = 0), array y: it changes elements that x also has in local memory, until pass 1, page 15 (i = 1, j = 7)";
    assert!(told.contains(expected), "{told}");
    let chain = without
        .replace("[\"i = 3\", \"j = 8\"]", "[\"i = 2\"]")
        .replace(parts, "x = {array = \"y\", part = [\"i\", \":\"]}\ny = [\"i + 1\", \":\"]");
    let told = outcome(&chain, &files, "vm7").unwrap_err();
    let expected = "page 1 (i = 1), array x: it reads element [1, 0] of y, which pass 1, page 0 (i = 0) stores only while this page is computed; `wait`";
    assert!(told.contains(expected), "{told}");
    assert!(
        outcome(&chain.replace("[pass.page]", "wait = [\"i\"]\n[pass.page]"), &files, "vm7")
            .is_ok()
    );
}
