//! The file tests of `tests/files/` and the example, on the reference engine, the portable one, and
//! the fast one for both instruction sets that it translates to.
//! `CP2_BLESS=1` writes what was found in place of what was expected; so does `cp2 test --bless`.

use cp2_fast::NativeIsa;
use cp2_filetest::{Options, TestEngine, Tested};
use std::path::{Path, PathBuf};

/// Collects the sources in a folder and below.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "s") {
            found.push(path);
        }
    }
}

/// Refuses a file that a test includes and does not hold itself: there is none.
fn no_file(from: &str, path: &str) -> Result<(String, String), String> {
    Err(format!("{from} includes `{path}`, which is not here"))
}

/// Reads an array beside the examples, which are the only tests with arrays.
fn beside(from: &str, path: &str) -> Result<Vec<u8>, String> {
    let folder = from.trim_end_matches(".s");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(folder).join(path);
    std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Tests a file, after blessing if `is_blessed`; returns what is not as expected.
fn complaints(path: &Path, is_blessed: bool) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("UTF-8");
    let name = path.file_name().and_then(|n| n.to_str()).expect("a name");
    let targets = vec![
        TestEngine::Reference,
        TestEngine::Portable,
        TestEngine::Fast(Some(NativeIsa::Avx2)),
        TestEngine::Fast(Some(NativeIsa::Avx512)),
    ];
    let options = Options { targets, loader: &no_file, arrays: &|from, path| beside(from, path) };
    let told = |text: &str| match cp2_filetest::test(name, text, &options) {
        Ok(tested) => tested,
        Err(wrong) => panic!("{name}:{}: {}", wrong[0].line, wrong[0].message),
    };
    let mut tested = told(&text);
    if is_blessed && tested.blessed != text {
        std::fs::write(path, &tested.blessed).expect("a writable file");
        tested = told(&tested.blessed);
    }
    let Tested { cases, .. } = tested;
    let one = |f: &cp2_filetest::Failure| format!("{name}:{}: {}", f.line(), f.message());
    cases.iter().flat_map(|case| case.failures.iter().map(one)).collect()
}

#[test]
fn files_do_what_they_say() {
    let mut found = Vec::new();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    sources(&here.join("files"), &mut found);
    found.push(here.join("../examples/tested.s"));
    for folder in ["fir", "polynomial", "matvec"] {
        sources(&here.join("../examples").join(folder), &mut found);
    }
    found.sort();
    assert!(found.len() > 3, "the files were not found");
    let is_blessed = std::env::var_os("CP2_BLESS").is_some();
    let all = cp2_tests::on_all_cores(|first, step| {
        let mine = found.iter().skip(first).step_by(step);
        mine.flat_map(|path| complaints(path, is_blessed)).collect::<Vec<_>>()
    });
    let all = all.concat();
    assert!(all.is_empty(), "{} failures; CP2_BLESS=1 accepts them\n{}", all.len(), all.join("\n"));
}
