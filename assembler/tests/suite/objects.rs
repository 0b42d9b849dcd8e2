//! Object files: what is written is read back, binutils read them, and no bytes make trouble.

use crate::harness::image;
use cp2_asm::diagnostic::Sources;
use cp2_asm::promises::{Promises, SetPromise};
use cp2_asm::{Image, object_file};
use cp2_isa::{BundleAddress, Core, CoreNumbers, Extensions, Resource, WordAddress, decode};
use proptest::prelude::*;
use std::process::Command;

fn sample() -> Image {
    image(
        "\
.equ n, 8
.equ minus, -5
.global n
.kernel fft
.live f0, f2-f5
start: seti a0, buffer
loop: if(cc3) cadd f1, f2, f3 | ldo f4, (r0)+2 @allow(C0501, C0504)
    stopi 0
.kernel other
.org 100
.include \"part.inc\"
.dmabank 1
    nop
    stopi n
end:
.lmem all
.org 100
buffer: .quad 1, 2, 3
.org 200
    .complex 1.5, -2.5
.lmem 2
    .zero 3
.org 4000
bare:
; file: part.inc
    nop
    nop
",
    )
}

fn bytes(image: &Image) -> Vec<u8> {
    object_file::write(image).unwrap()
}

#[test]
fn what_is_written_is_read() {
    let image = sample();
    assert!(!image.hints.allowed.is_empty() && image.files.len() == 2);
    assert_eq!(object_file::read(&bytes(&image), &Core::CP2).unwrap(), image);
}

#[test]
fn promises_of_linear_code_are_kept() {
    let image = image(
        "\
.kernel one
 seti g3, 0
.linear
 .disjoint r0, r1, abs
 .even r0, r2
 .scratch g15
 .loop g2, min=8, multiple=4
 lwo %x, (r0)+1
 swo %x, (r1)+1
 .endloop
.endlinear
 stopi 0
.kernel two
.linear inner
 .loop g4
 .loop g5, min=2
 lwo %x, (r0)+1
 swo %x, (r1)+1
 .endloop
 .endloop
.endlinear
 stopi 0
",
    );
    let [one, two] = &image.promises[..] else { panic!("{:?}", image.promises) };
    let counts = |p: &Promises| -> Vec<_> {
        p.counts.iter().map(|c| (c.gpr, c.min, c.multiple, c.place.unwrap().line)).collect()
    };
    assert_eq!(counts(one), [(2, 8, 4, 7)]);
    assert_eq!(counts(two), [(4, 1, 1, 15), (5, 2, 1, 16)]);
    assert_eq!((one.name.as_str(), two.name.as_str()), ("one", "inner"));
    let sets = |all: &[SetPromise]| -> Vec<_> {
        all.iter().map(|p| (p.sets.clone(), p.place.unwrap().line)).collect()
    };
    assert_eq!(sets(&one.disjoint), [(vec![0, 1, 16], 4)]);
    assert_eq!(sets(&one.even), [(vec![0], 5), (vec![2], 5)]);
    // Each count is taken where a bundle reads its register.
    for count in image.promises.iter().flat_map(|p| &p.counts) {
        let bundle = decode(image.word(count.at).unwrap(), &Core::CP2).unwrap();
        let mut is_read = false;
        bundle.footprint(&mut |a| is_read |= a.used() == Some(Resource::Gpr(count.gpr)));
        assert!(is_read, "{bundle}");
    }
    assert_eq!(object_file::read(&bytes(&image), &Core::CP2).unwrap(), image);
}

#[test]
fn an_image_without_lines_hints_and_symbols_is_an_object_too() {
    let mut image = sample();
    image.lines.clear();
    image.exchange_lines.clear();
    image.calls.clear();
    image.merged_lines.clear();
    image.files.clear();
    image.symbols.clear();
    image.hints = cp2_asm::image::Hints::default();
    assert_eq!(object_file::read(&bytes(&image), &Core::CP2).unwrap(), image);
    assert_eq!(object_file::read(&bytes(&Image::default()), &Core::CP2).unwrap(), Image::default());
}

#[test]
fn the_same_image_gives_the_same_bytes() {
    assert_eq!(bytes(&sample()), bytes(&sample()));
}

/// Runs a tool of binutils on an object; `None` if it is not installed.
fn binutils(tool: &str, arguments: &[&str], object: &[u8]) -> Option<(bool, String, String)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sample.o");
    std::fs::write(&path, object).unwrap();
    match Command::new(tool).args(arguments).arg(&path).output() {
        Ok(out) => {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            Some((out.status.success(), text(&out.stdout), text(&out.stderr)))
        }
        Err(e) => {
            assert_eq!(e.kind(), std::io::ErrorKind::NotFound, "{tool} does not run: {e}");
            eprintln!("{tool} is not installed; this part of the test is left out");
            None
        }
    }
}

#[test]
fn readelf_reads_it_without_complaint() {
    for image in [sample(), Image::default()] {
        let Some((good, out, err)) = binutils("readelf", &["-a", "-W"], &bytes(&image)) else {
            return;
        };
        assert!(good, "{out}{err}");
        assert_eq!(err, "");
        assert!(!out.contains("Warning") && !out.contains("Error"), "{out}");
    }
    let Some((_, out, _)) = binutils("readelf", &["-a", "-W"], &bytes(&sample())) else { return };
    for expected in
        [".text.fft", ".text.other", ".lmem.all", ".lmem.2", "FUNC    GLOBAL", "OBJECT  LOCAL"]
    {
        assert!(out.contains(expected), "{expected}\n{out}");
    }
}

#[test]
fn objdump_reads_it_without_complaint() {
    for arguments in [["-s"], ["-t"], ["-h"]] {
        let Some((good, out, err)) = binutils("objdump", &arguments, &bytes(&sample())) else {
            return;
        };
        assert!(good, "{out}{err}");
        assert_eq!(err, "");
    }
}

#[test]
fn readelf_finds_the_line_of_every_bundle() {
    let arguments = ["--debug-dump=decodedline,info,abbrev"];
    let Some((good, out, err)) = binutils("readelf", &arguments, &bytes(&sample())) else { return };
    assert!(good && err.is_empty(), "{out}{err}");
    let rows: Vec<Vec<&str>> = out.lines().map(|l| l.split_whitespace().collect()).collect();
    for row in
        [["main.s", "6", "0", "x"], ["main.s", "8", "0x10", "x"], ["part.inc", "1", "0x320", "x"]]
    {
        assert!(rows.iter().any(|r| *r == row), "{row:?}\n{out}");
    }
}

#[test]
fn error_names_that_no_symbol_can_have() {
    let mut image = sample();
    image.kernels[0].name = "a kernel".into();
    let error = object_file::write(&image).unwrap_err();
    assert_eq!(error.to_string(), "a symbol cannot have the name `a kernel` [C0460]");
}

#[test]
fn error_bytes_that_are_no_object() {
    for text in [&b""[..], b"nop\n", b"\x7fELF", &[0; 4096]] {
        let error = object_file::read(text, &Core::CP2).unwrap_err();
        assert!(error.to_string().starts_with("not a big-endian ELF64 file"), "{error}");
        assert_eq!(error.diagnostic().code, "C0460");
    }
}

/// Returns the error about the sample with one field of the header replaced.
fn patched(at: usize, with: &[u8]) -> String {
    let mut object = bytes(&sample());
    object[at..at + with.len()].copy_from_slice(with);
    object_file::read(&object, &Core::CP2).unwrap_err().to_string()
}

#[test]
fn an_object_says_what_extensions_it_needs() {
    let numbers = CoreNumbers { extensions: Extensions::FFT_DIRECTION, ..*Core::CP2.numbers() };
    let with = Core::new(numbers).unwrap();
    let mut sources = Sources::default();
    let root = sources.add("a.s", ".requires fft-direction\nstopi 0\n");
    let mut none = |_: &str, path: &str| Err(path.to_owned());
    let (image, _) = cp2_asm::assemble_with(&mut sources, &[root], &mut none, with).unwrap();
    let object = bytes(&image);
    assert_eq!(object_file::read(&object, &with).unwrap(), image);
    let refusal = object_file::read(&object, &Core::CP2).unwrap_err().to_string();
    assert!(refusal.contains("needs fft-direction"), "{refusal}");
    assert!(patched(48, &[0, 1, 0, 0]).contains("the flags 0x10000 are unknown"));
}

#[test]
fn error_object_of_another_machine() {
    assert_eq!(patched(18, &[0, 8]), "the object is for machine 0x8, CP2 is 0xc2c2 [C0460]");
}

#[test]
fn error_object_that_is_not_placed() {
    assert_eq!(patched(16, &[0, 1]), "the object is not a placed program (ET_EXEC) [C0460]");
}

#[test]
fn error_object_with_little_endian_data() {
    assert!(patched(5, &[1]).starts_with("not a big-endian ELF64 file"));
}

/// Writes the sample after a change that the reader must refuse.
fn refused(change: impl FnOnce(&mut Image)) -> String {
    let mut image = sample();
    change(&mut image);
    object_file::read(&bytes(&image), &Core::CP2).unwrap_err().to_string()
}

#[test]
fn error_kernels_that_overlap() {
    assert_eq!(
        refused(|i| i.kernels[1].start = BundleAddress(2)),
        "kernels `fft` and `other` overlap [C0460]"
    );
}

#[test]
fn error_kernels_of_one_name() {
    assert_eq!(
        refused(|i| i.kernels[1].name = "fft".into()),
        "two kernels have the name `fft` [C0460]"
    );
}

#[test]
fn error_kernel_outside_of_instruction_memory() {
    let text = refused(|i| i.kernels[1].start = BundleAddress(8190));
    assert_eq!(text, "section `.text.other` does not fit in 8192 words [C0460]");
}

#[test]
fn error_empty_kernel() {
    let text = refused(|i| i.kernels[1].words.clear());
    assert_eq!(text, "section `.text.other` is not made of 64-bit words [C0460]");
}

#[test]
fn error_data_that_overlap() {
    let text = refused(|i| i.data[2].start = WordAddress(100));
    assert_eq!(text, "word 100 of local memory is given a value twice [C0460]");
}

#[test]
fn error_data_of_a_section_that_is_none() {
    let text = refused(|i| i.data[2].section = Some(4));
    assert_eq!(text, "there is no section `4` of local memory [C0460]");
}

#[test]
fn error_hint_of_a_register_that_is_none() {
    let text = refused(|i| i.hints.live_out.get_mut("fft").unwrap().push(64));
    assert_eq!(text, "line 2 of the hints is malformed [C0460]");
}

fn word() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), any::<u64>()]
}

prop_compose! {
    fn kernels()(sizes in prop::collection::vec((0u16..20, prop::collection::vec(word(), 1..20)), 0..6)) -> Vec<cp2_asm::image::Kernel> {
        let mut next = 0;
        sizes.into_iter().enumerate().map(|(i, (gap, words))| {
            let start = next + gap;
            next = start + words.len() as u16;
            let words = words.into_iter().map(u128::from).collect();
            cp2_asm::image::Kernel { name: format!("k_{i}"), start: BundleAddress(start), words }
        }).collect()
    }
}

prop_compose! {
    fn chunks()(sizes in prop::collection::vec((0u8..4, 1u16..20, prop::collection::vec(word(), 1..20)), 0..6)) -> Vec<cp2_asm::image::Chunk> {
        let mut next = 0;
        let mut all: Vec<_> = sizes.into_iter().map(|(section, gap, words)| {
            let start = next + gap;
            next = start + words.len() as u16;
            let start = WordAddress(start);
            cp2_asm::image::Chunk { section: section.checked_sub(1), start, words }
        }).collect();
        all.sort_by_key(|c| (c.section, c.start));
        all
    }
}

prop_compose! {
    pub(crate) fn images()(kernels in kernels(), data in chunks()) -> Image {
        let image = Image { kernels, data, ..Image::default() };
        Image { requires: image.used(), ..image }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn random_images_are_read_back(image in images()) {
        prop_assert_eq!(object_file::read(&bytes(&image), &Core::WIDEST), Ok(image));
    }

    #[test]
    fn random_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
        prop_assert!(object_file::read(&bytes, &Core::CP2).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn a_damaged_object_gives_an_image_or_an_error(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        static SAMPLE: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
        let mut object = SAMPLE.get_or_init(|| bytes(&sample())).clone();
        for (at, byte) in changes {
            let at = at.index(object.len());
            object[at] = byte;
        }
        if let Some(cut) = cut {
            object.truncate(cut.index(object.len()));
        }
        if let Ok(image) = object_file::read(&object, &Core::CP2) {
            // What was read is a good image: it can be listed and, names permitting, written.
            prop_assert!(!cp2_asm::disassemble(&image, &Core::CP2).contains('\0') || !image.kernels.is_empty());
            prop_assert!(object_file::write(&image).is_ok());
        }
    }
}

/// What kernels declare, in an object and in the text of a disassembly.
#[test]
fn interfaces_come_back_from_objects_and_from_text() {
    let source = "
        .arg    n, g2, min=16, multiple=4
        .arg    a, f0
        .array  x, in, float32, 8*n + pad, layout=blocks
        .equ    pad, 3
        nop
        .kernel other
        .arg    w, f1.lo, int32, min=-2, max=7, default=-1
        .array  t, inout, uint64, 4, (w - 1)*2, layout=interleaved/4, at=a3
        .array  u, out, int32, 5, layout=s2, pack=both, at=100
        stopi   0
        .lmem   all
        .org    40
x:      .zero   500
";
    let image = cp2_asm::assemble_str("k.s", source).unwrap();
    let [main, other] = ["main", "other"].map(|name| &image.interfaces[name]);
    assert_eq!(
        main.to_string().lines().map(str::trim).collect::<Vec<_>>(),
        [
            ".arg n, g2, min=16, multiple=4",
            ".arg a, f0",
            ".array x, in, float32, 8*n+3, layout=blocks, at=40",
        ]
    );
    assert_eq!(other.arrays.len(), 2);
    let bytes = object_file::write(&image).unwrap();
    assert_eq!(object_file::read(&bytes, &Core::CP2).unwrap().interfaces, image.interfaces);
    let text = cp2_asm::disassemble(&image, &Core::CP2);
    assert_eq!(cp2_asm::assemble_str("dis.s", &text).unwrap().interfaces, image.interfaces);
    // Another version, a kernel that is not there, a size that is none.
    for (old, new, message) in [
        ("version 1", "version 2", "the interfaces have version 2; this program reads version 1"),
        ("array other u", "array othex u", "the interface of `othex` belongs to no kernel"),
        ("w,1,-,2,*", "w,1,-,2,v", "line 6 of the interfaces is malformed"),
        ("w,1,-,2,*", "w,1,-,*,*", "line 6 of the interfaces is malformed"),
    ] {
        let mut damaged = bytes.clone();
        let at = damaged.windows(old.len()).position(|part| part == old.as_bytes()).unwrap();
        damaged[at..at + old.len()].copy_from_slice(new.as_bytes());
        let error = object_file::read(&damaged, &Core::CP2).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}
