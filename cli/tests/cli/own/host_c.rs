//! Host programs in C that `cp2 kernels run FILE --emit c` writes. Those of all page schemes are built and run by
//! `programs/c/emitted.sh`, where there is a cross compiler; here what is written is looked at, and run as it was built.

use super::workload_files::{copied, with_pages};
use crate::arrays::read;
use crate::control::process::with_example;
use crate::kit::unwrapped;

/// The lines of a text that are no bundles, whose bits are the assembler's business.
fn without_bundles(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with("  0x"));
    lines.map(|line| line.to_owned() + "\n").collect()
}

#[test]
fn a_workload_becomes_a_folder_with_all_that_its_program_is_built_with() {
    let folder = copied("polynomial");
    let told = folder.expect(0, "kernels run work.toml --emit c");
    assert_eq!(
        told,
        "polynomial-host: 15 files, variant polynomial; in it:\n  \
         bash compile polynomial.elf -Wa,-I. libcp2/cp2.c libcp2/scheme.c polynomial.c\n  \
         cp2 run polynomial.elf --machine vm9 --load array_c=c.npy --load array_x=x.npy --store array_y=y_result.npy:float32:shape=1024\n"
    );
    let text = std::fs::read_to_string(folder.path("polynomial-host/polynomial.c")).unwrap();
    insta::assert_snapshot!(without_bundles(&text));
    for file in ["compile", "libcp2/scheme.h", "runtime/link.ld", "polynomial.o", "c.npy", "x.npy"]
    {
        assert!(folder.path("polynomial-host").join(file).exists(), "{file}");
    }
}

#[test]
fn the_program_of_a_workload_computes_what_the_workload_does() {
    let folder = copied("polynomial");
    let built = with_example("polynomial.elf");
    std::fs::copy(built.path("polynomial.elf"), folder.path("polynomial.elf")).unwrap();
    folder.expect(0, "kernels run work.toml --machine vm9 --output own.npy");
    let run = "run polynomial.elf --machine vm9 --load array_c=c.npy --load array_x=x.npy \
               --store array_y=y.npy:float32:shape=1024";
    assert!(folder.expect(0, run).contains("polynomial: "));
    assert_eq!(read(&folder, "y.npy"), read(&folder, "own.npy"));
}

#[test]
fn a_page_scheme_is_written_for_the_machine_with_what_changes_it() {
    let folder = with_pages();
    let told = unwrapped(&folder.expect(0, "kernels run pages/gather.toml --machine vm7 --enable section-addressing --emit c --into own"));
    assert!(told.contains("variant gather_sections"), "{told}");
    assert!(told.contains("--machine machine.toml"), "{told}");
    let machine = std::fs::read_to_string(folder.path("own/machine.toml")).unwrap();
    assert!(machine.contains("section_addressing"), "{machine}");
    let text = std::fs::read_to_string(folder.path("own/gather.c")).unwrap();
    assert!(text.contains("/* beside page k = 31 */"), "{text}");
    // Rows with what lies around them are made by the program.
    folder.expect(0, "kernels run pages/resid.toml --emit c --into resid");
    let text = std::fs::read_to_string(folder.path("resid/resid.c")).unwrap();
    assert!(text.contains("cp2_place(&form_u);"), "{text}");
    assert!(text.contains("CP2_PAIRS, CP2_WRAP"), "{text}");
}

#[test]
fn what_has_no_program_in_c_is_refused_and_nothing_is_written() {
    let folder = with_pages();
    folder.write(
        "wide.s",
        ".kernel wide\n.array y, out, uint64, 16, layout=blocks, at=0\nlwi f100, 0\nnop\nnop\nnop\nswi f100, 0\nstopi 0\n",
    );
    folder.write("wide.toml", "[[variant]]\nsource = \"wide.s\"\n[array.y]\nshape = [16]\n");
    let before = folder.names();
    std::fs::create_dir(folder.path("there")).unwrap();
    for (code, command, message) in [
        (
            2,
            "fft256 --machine vm7 --emit c",
            "--emit takes a workload file (TOML), and fft256 is none",
        ),
        (3, "pages/gather.toml --emit c --into there", "there exists already; give another name"),
        (3, "pages/gather.toml --emit c --into no/where", "cannot make no/where"),
        (2, "pages/gather.toml --machine vm7 --into own", "--emit"),
        (2, "pages/gather.toml --emit c --json", "cannot be used with"),
        (2, "pages/gather.toml --emit c --vectors 2", "takes no --vectors"),
        (
            3,
            "wide.toml --emit c --enable more-fprs=128",
            "bundles of this machine have more than 64 bits",
        ),
    ] {
        let told = unwrapped(&folder.expect(code, &format!("kernels run {command}")));
        assert!(told.contains(message), "{command}\n{told}");
    }
    std::fs::remove_dir(folder.path("there")).unwrap();
    assert_eq!(folder.names(), before);
}

/// Names that C or the library has, or that would be those of another array.
#[test]
fn names_of_arrays_are_no_names_of_c() {
    let folder = copied("polynomial");
    for name in ["while", "NULL", "CP2_GET", "main", "array_x", "form_x"] {
        let rename = |file: &str, from: &str, to: &str| {
            let text = std::fs::read_to_string(folder.path(file)).unwrap();
            text.replace(from, to)
        };
        let source = rename("polynomial.s", ".array  c,", &format!(".array  {name},"));
        folder.write(
            "named.s",
            source
                .replace("seti    a2, c\n", &format!("seti    a2, {name}\n"))
                .replace("\nc:", &format!("\n{name}:")),
        );
        let file = rename("work.toml", "[array.c]", &format!("[array.{name}]"));
        folder.write("named.toml", file.replace("polynomial.s", "named.s"));
        folder.expect(0, &format!("kernels run named.toml --emit c --into {name}-host"));
        let text =
            std::fs::read_to_string(folder.path(&format!("{name}-host/polynomial.c"))).unwrap();
        assert!(text.contains(&format!("float array_{name}[6]")), "{text}");
    }
}
