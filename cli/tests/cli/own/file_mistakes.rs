//! Mistakes in workload files: each is told once, with its place, the value, the limit and what to do.

use super::workload_files::{copied, with_pages};
use crate::kit::{Folder, unwrapped};

#[test]
fn a_mistake_is_told_in_words_of_the_file() {
    let folder = copied("matvec");
    let file = std::fs::read_to_string(folder.path("work.toml")).unwrap();
    let matrix = "%%MatrixMarket matrix coordinate real general\n128 128 1\n1 1 2\n";
    folder.write("small.mtx", matrix);
    let check = |command: &str| format!("[check]\ncommand = {command}\n[array.a]");
    for (from, to, message) in [
        (
            "file = \"x.npy\"",
            "matrix = \"small.mtx\"\npart = \"starts\"".to_owned(),
            "`matvec` takes x as float32, and the array has int32; `type = \"float32\"` converts it",
        ),
        (
            "[array.a]",
            check("[\"true\", \"{q}\"]"),
            "there is no array `q`; the arrays are a, x, y",
        ),
        ("[array.a]", check("[\"true\", \"{yy}\"]"), "did you mean `{y}`?"),
        ("[array.a]", check("\"text\""), "check.command is \"text\"; it takes a list of texts"),
        ("[array.a]", check("[]"), "check.command is a list; it takes a list of texts"),
        (
            "file = \"x.npy\"",
            "fill = 1\nshape = [0, 64]".to_owned(),
            "array.x.shape[0] is 0; it takes 1 to 268435456",
        ),
        ("file = \"x.npy\"", "fill = 1\nshape = []".to_owned(), "array.x.shape has no axis"),
        (
            "file = \"x.npy\"",
            "fill = 1\nshape = [16384, 16384]".to_owned(),
            "makes an array of 1073741824 bytes; without [[pass]] it lies in local memory, of which \
             cores have at most 1048576",
        ),
        (
            "file = \"x.npy\"",
            "fill = 1\nshape = [65536, 65536]".to_owned(),
            "makes 4294967296 elements; an array has at most 268435456",
        ),
        ("[array.x]", "[array.\"x:low\"]".to_owned(), "is no name of an array or a label"),
    ] {
        assert!(file.contains(from), "{from}");
        folder.write("bad.toml", file.replacen(from, &to, 1));
        let told = unwrapped(&folder.expect(3, "kernels run bad.toml"));
        assert!(told.contains(message), "{to}\n{told}");
        assert!(told.contains("bad.toml:"), "{to}\n{told}");
        assert_eq!(told.matches("error: ").count(), 1, "{to}\n{told}");
    }
    // Words that are not only a name in braces, and results that the file does not have, are left alone.
    folder.write("work.toml", file.replacen("[array.a]", &check("[\"true\", \"{x}{q}\"]"), 1));
    folder.expect(0, "kernels run work.toml --allow-commands");
}

#[test]
fn one_bad_array_is_one_error() {
    let folder = with_pages();
    let file = std::fs::read_to_string(folder.path("pages/resid.toml")).unwrap();
    folder.write("pages/none.npy", "no array");
    let begin = file.find("[array.u]").unwrap();
    let end = begin + 9 + file[begin + 9..].find("[array.").unwrap();
    for (lines, message) in [
        ("file = \"none.npy\"\nedge = \"wrap\"", "none.npy: not a .npy file"),
        ("shape = [0, 64, 64]\nfill = 1\nedge = \"wrap\"", "array.u.shape[0] is 0; it takes 1 to"),
    ] {
        let text = format!("{}[array.u]\n{lines}\n\n{}", &file[..begin], &file[end..]);
        folder.write("pages/bad.toml", text);
        let told = unwrapped(&folder.expect(3, "kernels run pages/bad.toml --machine vm7"));
        assert!(told.contains(message), "{told}");
        assert_eq!(told.matches("error: ").count(), 1, "{told}");
    }
}

#[test]
fn only_transforms_are_inverse() {
    let folder = with_pages();
    let file = std::fs::read_to_string(folder.path("pages/gather.toml")).unwrap();
    let call = "[[pass.call]]\nentry = \"gather\"\ninverse = true\n\n[check]";
    folder.write("pages/bad.toml", file.replace("[check]", call));
    let told = unwrapped(&folder.expect(3, "kernels run pages/bad.toml --machine vm9"));
    assert!(told.contains("inverse = true, and `gather` is no transform"), "{told}");
}

#[test]
fn a_workload_file_is_no_program_and_may_end_in_capitals() {
    let folder = copied("matvec");
    for command in ["run", "lint", "sched", "dis", "asm -o matvec.o"] {
        let told = unwrapped(&folder.expect(3, &format!("{command} work.toml")));
        let expected = "cp2: error: work.toml: this is a workload file, and no program; \
                        `cp2 kernels run work.toml` runs it";
        assert_eq!(told, expected, "cp2 {command}");
    }
    std::fs::rename(folder.path("work.toml"), folder.path("WORK.TOML")).unwrap();
    let told = folder.expect(0, "kernels run WORK.TOML");
    assert!(told.contains("matvec: 2068 cycles"), "{told}");
    folder.expect(0, "stats WORK.TOML");
    folder.expect(3, "run WORK.TOML");
    folder.write("vm.toml", "base = \"vm7\"\n");
    let told = folder.expect(3, "run vm.toml");
    assert!(told.contains("this is a TOML file, and no program"), "{told}");
}

/// Passes that are equal but for their place in the arrays: what a pass costs does not depend on how many there are.
#[test]
fn many_passes_are_prepared_once() {
    let folder = with_pages();
    let file = std::fs::read_to_string(folder.path("pages/gather.toml")).unwrap();
    let head = file.split("[[pass]]").next().unwrap().replace("[8192, 16]", "[102400, 16]");
    let head = head.replace("[8192]", "[256]").replace(
        "[[variant]]\nsource = \"gather_sections.s\"\nneeds = [\"section-addressing\"]\n",
        "",
    );
    let pass = |k: usize| {
        format!(
            "[[pass]]\n[pass.page]\nindex = [\"0 : 256\"]\ny = [\"{} : +256\", \":\"]\n",
            256 * k
        )
    };
    folder.write("pages/many.toml", head + &(0..400).map(pass).collect::<String>());
    let told = unwrapped(&folder.expect(0, "kernels run pages/many.toml --machine vm9"));
    assert!(told.contains("in 400 pages"), "{told}");
}

/// A mistake is called an error once, by whichever command finds it.
#[test]
fn a_mistake_is_one_error() {
    let folder = Folder::new();
    folder.write("no.s", "        .kernel no\n        foo     f1\n");
    folder.write("kernel.toml", "[[variant]]\nsource = \"no.s\"\n");
    folder.write("file.toml", "[[variant]]\nsource = \"none.s\"\n");
    for file in ["kernel", "file"] {
        for command in [
            "roofline --machine vm7 FILE",
            "estimate FILE --system vm7",
            "whatif FILE --set core.banks=4",
            "bench FILE",
            "kernels run FILE",
        ] {
            let told = folder.expect(3, &command.replace("FILE", &format!("{file}.toml")));
            assert!(!told.contains("cp2: error:"), "{command}\n{told}");
            assert_eq!(told.matches("error: ").count(), 1, "{command}\n{told}");
        }
    }
}
