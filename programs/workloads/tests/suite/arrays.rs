//! Arrays and arguments of a user's program: layouts round-trip, types convert exactly or are refused, what does
//! not fit is told, and no file makes the reader panic.

use cp2_asm::Image;
use cp2_asm::interface::{ElementType, Layout, Packing, Spread};
use cp2_emu::{Cp2, Machine, MachineConfig};
use cp2_isa::{BundleAddress, Core, MemoryAddress};
use cp2_session::arrays::{
    ArrayRequest, FileDirection, FileTransfer, PlacedArray, convert, kind_of, load_memory, prepare,
    store_memory,
};
use cp2_session::load::load;
use cp2_session::npy::{Array, NumberType, Value};
use proptest::prelude::*;
use std::num::NonZeroUsize;

fn layouts() -> impl Strategy<Value = Layout> {
    let chunk = (1usize..9).prop_map(|n| Spread::Interleaved(NonZeroUsize::new(n).unwrap()));
    let section = (0u8..4).prop_map(Spread::Section);
    let spread = prop_oneof![Just(Spread::All), Just(Spread::Blocks), chunk, section];
    let packing = proptest::sample::select(Packing::ALL.to_vec());
    (spread, packing).prop_map(|(spread, packing)| Layout { spread, packing })
}

fn elements() -> impl Strategy<Value = ElementType> {
    proptest::sample::select(ElementType::ALL.to_vec())
}

/// Returns an array of random bits.
fn random(kind: NumberType, shape: Vec<usize>, seed: u64) -> Array {
    let count = shape.iter().product::<usize>() as u64;
    let mask = u128::MAX >> (128 - 8 * kind.bytes());
    let mix = |n: u64| u128::from((seed ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15)) * 0x1_0001_0003;
    Array::from_bits(kind, shape, (0..count).map(|n| mix(n + 1) & mask))
}

proptest! {
    #[test]
    fn what_is_put_into_local_memory_is_taken_out_of_it(
        layout in layouts(),
        element in elements(),
        shape in prop::collection::vec(0usize..9, 0..4),
        base in 0usize..64,
        seed: u64,
    ) {
        let array = random(kind_of(element), shape.clone(), seed);
        let placed = PlacedArray { element, layout, base, shape };
        prop_assume!(layout.takes(placed.count()));
        // Words that the array does not take stay as they were.
        let mut lmem = vec![[seed; 4]; 1024];
        placed.write(&mut lmem, &array);
        prop_assert_eq!(placed.take(&lmem).unwrap(), array);
        let outside = |at: &usize| !placed.range().contains(at);
        prop_assert!((0..1024).filter(outside).all(|at| lmem[at] == [seed; 4]));
    }

    #[test]
    fn whole_numbers_convert_exactly_or_not_at_all(bits: u64, from in 0usize..9, to in 0usize..9) {
        let [from, to] = [from, to].map(|n| NumberType::all().nth(n).unwrap());
        prop_assume!(!matches!((from, to), (NumberType::Bool, _) | (_, NumberType::Bool)));
        let mask = u64::MAX >> (64 - 8 * from.bytes().min(8));
        let array = Array::from_bits(from, vec![1], std::iter::once((bits & mask).into()));
        match convert(&array, to, false) {
            Ok(converted) => prop_assert_eq!(converted.value(0), array.value(0)),
            Err(unfit) => {
                prop_assert_eq!(unfit.value, array.value(0));
                let Value::Int(n) = array.value(0) else { panic!("a whole number") };
                let size = 8 * to.bytes() as u32;
                let is_signed = to.name().starts_with("int");
                let (least, most) = match is_signed {
                    true => (-(1i128 << (size - 1)), 1i128 << (size - 1)),
                    false => (0, 1i128 << size),
                };
                prop_assert!(!(least..most).contains(&n));
            }
        }
    }

    #[test]
    fn floats_that_convert_are_the_nearest(x: f64) {
        let array = Array::from_bits(NumberType::Float64, vec![1], std::iter::once(x.to_bits().into()));
        match convert(&array, NumberType::Float32, false) {
            Ok(single) => {
                prop_assert_eq!(single.bits(0), u128::from((x as f32).to_bits()));
                let wide = convert(&single, NumberType::Float64, false).unwrap();
                prop_assert_eq!(wide.value(0), Value::Float(f64::from(x as f32)));
            }
            Err(_) => prop_assert!(x.is_nan() || x.abs() > f64::from(f32::MAX)),
        }
    }

    #[test]
    fn no_header_makes_the_reader_panic(
        version in 0u8..4,
        descr in "[<>|=]?[a-z?][0-9]{0,3}",
        order in "(True|False|true|0)",
        shape in "\\(?[0-9]{0,12}(, ?[0-9]{0,20}){0,6},?\\)?",
        extra in "(, 'x': [\\[\\]\\(\\){}'0-9]{0,8})?",
        data in prop::collection::vec(any::<u8>(), 0..80),
        length in prop_oneof![Just(None), any::<u16>().prop_map(Some)],
    ) {
        let header =
            format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}{extra}}}\n");
        let mut file = b"\x93NUMPY".to_vec();
        file.extend([version, 0]);
        let length = length.unwrap_or(header.len() as u16);
        match version {
            0 | 1 => file.extend(length.to_le_bytes()),
            _ => file.extend(u32::from(length).to_le_bytes()),
        }
        file.extend(header.bytes());
        file.extend(data);
        if let Ok(array) = Array::read(&file) {
            let count = array.len();
            prop_assert_eq!(array.shape.iter().product::<usize>(), count);
            prop_assert!((0..count).all(|at| !array.value(at).to_string().is_empty()));
            prop_assert_eq!(Array::read(&array.write()).unwrap(), array);
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Array::read(&bytes);
        let _ = Array::read(&[b"\x93NUMPY\x01\0", &bytes[..]].concat());
    }
}

const PROGRAM: &str = "
        .kernel scale
        .arg    n, g2, min=2, multiple=2
        .arg    a, f0
        .arg    w, f1, complex64
        .array  x, in,  float32, 8*n, layout=blocks
        .array  y, out, float32, 4, 2*n, layout=blocks
        .array  t, in,  int32, 4, at=g5
        stopi   0
        .kernel plain
        stopi   0
        .lmem   all
x:      .zero   64
y:      .zero   64
z:      .zero   4
";

fn machine() -> (Cp2, Image) {
    let image = cp2_asm::assemble_str("scale.s", PROGRAM).unwrap();
    let mut cp2 = Cp2::new(Core::CP2);
    load(&image, &mut cp2);
    (cp2, image)
}

fn floats(shape: &[usize]) -> Array {
    let count = shape.iter().product::<usize>();
    let bits = (0..count).map(|i| u128::from((i as f32).to_bits()));
    Array::from_bits(NumberType::Float32, shape.to_vec(), bits)
}

/// Prepares a run with arguments, loads and stores written as on the command line; the arrays of the loads are
/// `fN.npy` for N floats, `fAxB.npy`, `d8.npy` for doubles and `i4.npy` for integers of 32 bits.
fn prepared(entry: u16, options: &str) -> Result<Cp2, String> {
    let (mut cp2, image) = machine();
    let mut request = ArrayRequest::default();
    let mut words = options.split_whitespace();
    while let (Some(option), Some(text)) = (words.next(), words.next()) {
        match option {
            "--arg" => {
                let (name, value) = text.split_once('=').unwrap();
                request.arguments.push((name.into(), value.into()));
            }
            "--load" => {
                let transfer = FileTransfer::read(FileDirection::Load, text)?;
                let name = transfer.path.trim_end_matches(".npy");
                let shape: Vec<usize> = name[1..].split('x').map(|n| n.parse().unwrap()).collect();
                let kind = match &name[..1] {
                    "f" => NumberType::Float32,
                    "d" => NumberType::Float64,
                    _ => NumberType::Int32,
                };
                let array = match kind {
                    NumberType::Float32 => floats(&shape),
                    kind => convert(&floats(&shape), kind, false).unwrap(),
                };
                request.loads.push((transfer, array));
            }
            _ => request.stores.push(FileTransfer::read(FileDirection::Store, text)?),
        }
    }
    prepare(&mut cp2, &image, BundleAddress(entry), &request)
        .map(|_| cp2)
        .map_err(|e| e.to_string())
}

const GIVEN: &str = "--arg a=0.5 --arg w=1:-1 --load t=i4.npy";

#[test]
fn arguments_and_arrays_are_where_the_kernel_declares_them() {
    let mut cp2 = prepared(0, &format!("{GIVEN} --load x=f2x16.npy --store y=y.npy")).unwrap();
    let state = &mut cp2.state;
    // 32 elements are 8 n; the array without a label follows the data, from an even word on.
    assert_eq!((state.gpr[2], state.gpr[5]), (4, 132));
    assert_eq!(state.fpr[0], [0x3f00_0000_3f00_0000; 4]);
    assert_eq!(state.fpr[1], [0x3f80_0000_bf80_0000; 4]);
    assert_eq!(state.lmem[0].map(|w| f32::from_bits((w >> 32) as u32)), [0.0, 8.0, 16.0, 24.0]);
    assert_eq!(state.lmem[133], [2 << 32 | 3; 4]);
    // An argument that is given need not be found.
    assert!(prepared(0, &format!("{GIVEN} --arg n=4 --load x=f32.npy")).is_ok());
}

/// Wrong options: the entry of the kernel, the options, and a part of the message.
const WRONG: [(u16, &str, &str); 28] = [
    (
        0,
        "--arg m=4",
        "--arg m=4: `scale` has no argument `m`; it takes n (g2, min=2, multiple=2); a (f0, float32); w (f1, complex64)",
    ),
    (1, "--arg m=4", "`plain` has no argument `m`; it declares no arguments"),
    (
        0,
        "--load t=i4.npy --arg n=4",
        "argument a: `scale` needs it; give --arg a=VALUE; it takes n",
    ),
    (
        0,
        "--arg a=1 --arg w=1:1 --load t=i4.npy",
        "argument n: `scale` needs it; give --arg n=VALUE, or load x, whose size gives it",
    ),
    (0, "--arg n=3", "argument n = 3: `scale` declares multiple=2 for it"),
    (0, "--arg n=1", "argument n = 1: `scale` declares min=2 for it"),
    (
        0,
        "--load x=f24.npy",
        "argument n = 3, which follows from the sizes of the arrays: `scale` declares multiple=2",
    ),
    (0, "--arg n=x", "--arg n=x: `x` is not a whole number"),
    (0, "--arg n=18446744073709551616", "not a whole number"),
    (0, "--arg n=4 --arg g2=4", "--arg g2=4: g2 is given twice"),
    (0, "--arg a=1e40", "1e40 is too large for single precision"),
    (0, "--arg w=1", "write RE:IM"),
    (
        0,
        "--load x=d32.npy",
        "--load x=d32.npy: `scale` takes x as float32, and the array has float64; `:as=float32` converts it",
    ),
    (0, "--load x=d32.npy:as=int32", "`scale` takes x as float32, not int32"),
    (1, "--load z=d4.npy", "local memory cannot hold float64, but float32, complex64"),
    (
        1,
        "--load x=f129.npy",
        "take 65 words of a section from word 0 on, and there are 64 up to `y`",
    ),
    (
        1,
        "--load 8000=f385.npy",
        "take 193 words of a section from word 8000 on, and there are 192 up to the end of local memory",
    ),
    (1, "--load 8192=f1.npy", "word 8192 is outside local memory, which has 8192 words"),
    (
        1,
        "--load x=f6.npy:blocks",
        "6 elements cannot be divided into four equal blocks; pad them to 8",
    ),
    (1, "--load xx=f6.npy", "there is no label `xx` of local memory; did you mean `x`?"),
    (1, "--load table=f6.npy", "there is no label `table` of local memory; there are x, y, z"),
    (1, "--load plain=f6.npy", "it is a label of bundles"),
    (
        1,
        "--load x=f8.npy --load 3=f2.npy",
        "--load 3=f2.npy: it would overwrite words that --load x=f8.npy has loaded",
    ),
    (
        1,
        "--store x=x.npy",
        "the program does not declare `x`; give its type and shape, such as :float32:shape=4x256",
    ),
    (
        0,
        "--load x=f32.npy:all",
        "`scale` declares x as float32 in layout blocks; leave the type and the layout out",
    ),
    (
        0,
        "--load x=f32.npy --store y=y.npy:shape=8x4",
        "the array has shape (8, 4), and `scale` takes y of 4 x 2*n = (4, 8)",
    ),
    (
        0,
        "--load x=f32.npy --load y=f4x8.npy --arg n=6",
        "the array has shape (32,), and `scale` takes x of 8*n = (48,)",
    ),
    (
        0,
        "--arg n=66 --load x=f528.npy",
        "array x: 528 elements of float32 take 66 words of a section from word 0 on, and there are 64 up to `y`",
    ),
];

#[test]
fn what_is_wrong_is_told_with_its_values() {
    for (entry, options, part) in WRONG {
        let rest =
            if options.contains(" t=") || entry == 1 || part.contains("give") { "" } else { GIVEN };
        let rest = rest.split(" --").filter(|word| {
            let name = word.trim_start_matches('-').split('=').next().unwrap_or_default();
            !options.contains(&format!("{name}="))
        });
        let rest: Vec<String> =
            rest.map(|word| format!("--{}", word.trim_start_matches('-'))).collect();
        let options = format!("{options} {}", rest.join(" "));
        let message = prepared(entry, &options).map(|_| ()).expect_err(&options);
        assert!(message.contains(part), "{options}\n{message}");
    }
    let message = prepared(0, "--arg a=1 --arg w=1:1 --load x=f32.npy").map(|_| ()).unwrap_err();
    assert_eq!(
        message,
        "array t: `scale` reads it, but nothing is loaded; give --load t=FILE.npy, int32 4"
    );
}

#[test]
fn copies_that_differ_are_not_stored_as_one() {
    let (mut cp2, image) = machine();
    let store = FileTransfer::read(FileDirection::Store, "z=z.npy:float32:shape=2").unwrap();
    let request = ArrayRequest { stores: vec![store], ..ArrayRequest::default() };
    let prepared = prepare(&mut cp2, &image, BundleAddress(1), &request).unwrap().stores.remove(0);
    assert!(prepared.take(&cp2.state.lmem).is_ok());
    cp2.state.lmem[128][2] = 7;
    let message = prepared.take(&cp2.state.lmem).unwrap_err().to_string();
    assert!(message.contains("element 1 is 0x0 in section 0 and 0x7 in section 2"), "{message}");
}

#[test]
fn registers_that_are_set_count_where_no_argument_is_given() {
    let (mut cp2, image) = machine();
    cp2.state.gpr[2] = 4;
    cp2.state.gpr[5] = 100;
    let store = FileTransfer::read(FileDirection::Store, "y=y.npy").unwrap();
    let request = ArrayRequest { stores: vec![store], is_set: true, ..ArrayRequest::default() };
    let prepared = prepare(&mut cp2, &image, BundleAddress(0), &request).unwrap().stores.remove(0);
    assert_eq!(prepared.placed.shape, [4, 8]);
    assert_eq!((cp2.state.gpr[2], cp2.state.gpr[5]), (4, 100));
}

#[test]
fn arrays_of_system_memory_are_big_endian() {
    let mut machine = Machine::new(&MachineConfig::preset("vm7").unwrap());
    let transfer = |direction, text: &str| FileTransfer::read(direction, text).unwrap();
    let load = transfer(FileDirection::Load, "0x100=x.npy:as=complex64");
    let (address, bytes) = load_memory(&machine, &load, &floats(&[2, 2])).unwrap();
    assert_eq!((address, bytes.len()), (MemoryAddress(256), 32));
    assert_eq!(bytes[8..16], [0x3f, 0x80, 0, 0, 0, 0, 0, 0]);
    machine.memory.write(address, &bytes).unwrap();
    let store = transfer(FileDirection::Store, "0x100=y.npy:complex64:shape=4:as=float32");
    assert_eq!(store_memory(&machine, &store).unwrap(), floats(&[4]));
    for (text, part) in [
        ("x=y.npy:float32:shape=4", "system memory has no label `x`"),
        ("0=y.npy:blocks:float32:shape=4", "system memory has no sections"),
        ("0=y.npy:float32", "give its type and shape"),
        ("0xffffffffffff=y.npy:float32:shape=4", "0xffffffffffff"),
    ] {
        let message =
            store_memory(&machine, &transfer(FileDirection::Store, text)).unwrap_err().to_string();
        assert!(message.contains(part), "{text}: {message}");
    }
}

#[test]
fn a_new_project_has_a_kernel_name_and_its_files() {
    use cp2_workloads::project::{TEMPLATES, kernel_name, tests};
    assert_eq!(kernel_name("my-kernel").as_deref(), Ok("my_kernel"));
    assert!(["", "3d", "g2", "a b", "rind"].iter().all(|name| kernel_name(name).is_err()));
    assert_eq!(tests("tests = [\"a.s\", \"b\"]"), Ok(vec!["a.s".into(), "b".into()]));
    for text in ["", "tests = []", "tests = 3", "tests = [1]", "test = [\"a.s\"]", "tests"] {
        assert!(tests(text).is_err(), "{text}");
    }
    for template in &TEMPLATES {
        let all = template.files("blur").unwrap();
        assert_eq!(all[0].0, "blur.s", "{}", template.name);
        for file in ["make_data.py", "Makefile", "cp2.toml", "work.toml", "README.md"] {
            assert!(all.iter().any(|(name, _)| name == file), "{}: {file}", template.name);
        }
        let words = [&b"NAME"[..], b"WORK", b"TESTS", b"ABOUT"];
        let is_left = |bytes: &[u8]| {
            words.iter().any(|word| bytes.windows(word.len()).any(|text| text == *word))
        };
        assert!(all.iter().all(|(_, bytes)| !is_left(bytes)), "{}", template.name);
    }
    assert!(TEMPLATES[0].files("x").unwrap_err().contains("`x` cannot be the name"));
}
