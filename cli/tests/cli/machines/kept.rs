//! What is kept from run to run in the cache folder.

use crate::kit::Folder;
use std::path::{Path, PathBuf};

#[test]
fn schedules_are_kept_unless_they_are_wrong() {
    let folder = Folder::new();
    let axpy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/axpy.s");
    std::fs::copy(axpy, folder.path("axpy.s")).unwrap();
    let kept = folder.path("kept");
    let run = |arguments: &str| folder.printed_with_schedules(&kept, arguments);
    let entries = || -> Vec<PathBuf> {
        let all = std::fs::read_dir(&kept).into_iter().flatten();
        all.map(|e| e.unwrap().path()).collect()
    };
    let fresh = run("sched axpy.s --bundles --no-cache");
    assert!(entries().is_empty(), "--no-cache keeps a schedule");
    assert_eq!(run("sched axpy.s --bundles"), fresh);
    let [entry] = entries().try_into().unwrap();
    let whole = std::fs::read(&entry).unwrap();
    assert_eq!(run("sched axpy.s --bundles"), fresh);
    assert_eq!(run("run axpy.s"), run("run axpy.s --no-cache"));
    assert_eq!(std::fs::read(&entry).unwrap(), whole);
    for damage in [&whole[..whole.len() / 2], b"", b"cp2 schedule 2 nonsense", &[0xff; 40]] {
        std::fs::write(&entry, damage).unwrap();
        assert_eq!(run("sched axpy.s --bundles"), fresh);
        assert_eq!(std::fs::read(&entry).unwrap(), whole, "the entry is written anew");
    }
    // A folder that cannot be is no error.
    let output = folder.cp2_with_schedules(folder.path("axpy.s"), "sched axpy.s --bundles");
    assert_eq!(output.stdout, fresh);
}

#[test]
fn kernels_are_kept_assembled_unless_they_are_damaged() {
    let folder = Folder::new();
    let kept = folder.path("kept");
    let run = |arguments: &str| folder.printed_with_schedules(&kept, arguments);
    let fresh = run("kernels run axpy --no-cache");
    assert_eq!(run("kernels run axpy"), fresh);
    let entries = || -> Vec<(PathBuf, Vec<u8>)> {
        let paths = std::fs::read_dir(&kept).unwrap().map(|e| e.unwrap().path());
        let mut all: Vec<_> = paths.map(|p| (p.clone(), std::fs::read(p).unwrap())).collect();
        all.sort();
        all
    };
    let all = entries();
    let kinds: &[&[u8]] =
        if cp2_fast::is_supported() { &[b"\nprogram ", b"\nblocks "] } else { &[b"\nprogram "] };
    assert_eq!(all.len(), 1 + kinds.len(), "a schedule, a program, translated code");
    for kind in kinds {
        let is_of_kind = |(_, entry): &&(PathBuf, Vec<u8>)| {
            entry.windows(kind.len()).take(200).any(|window| window == *kind)
        };
        let (path, whole) = all.iter().find(is_of_kind).unwrap();
        let place = |nth: usize| whole.len() * nth / 40;
        for (byte, bit) in (0..40).map(place).zip((0..8).cycle()) {
            let mut damaged = whole.clone();
            damaged[byte] ^= 1 << bit;
            std::fs::write(path, damaged).unwrap();
            assert_eq!(run("kernels run axpy"), fresh, "bit {bit} of byte {byte} changed");
            assert_eq!(entries(), all, "the entry is written anew");
        }
        std::fs::write(path, &whole[..whole.len() - 1]).unwrap();
        assert_eq!(run("kernels run axpy"), fresh);
        assert_eq!(entries(), all);
    }
}

/// The kernels of multigrid are kept by name, and what forms are predicted to take by class.
#[test]
fn a_procedure_reports_the_same_from_what_is_kept() {
    let folder = Folder::new();
    let kept = folder.path("kept");
    let run = |arguments: &str| folder.printed_with_schedules(&kept, arguments);
    let mg = |class: &str| format!("kernels run mg --class {class} --machine vm7 --json");
    // The folder is empty, so all of this is made.
    let made = run(&mg("W"));
    assert_eq!(run(&mg("W")), made, "what is kept is read");
    // Beside what the other class has kept.
    let fresh = run(&format!("{} --no-cache", mg("S")));
    assert_eq!(run(&mg("S")), fresh, "what is kept is made");
    assert_eq!(run(&mg("S")), fresh, "what is kept is read");
    let entries = std::fs::read_dir(&kept).unwrap().map(|e| e.unwrap().path());
    let entries: Vec<_> = entries.map(|path| std::fs::read(path).unwrap()).collect();
    let starts = |word: &str| {
        let holds =
            |entry: &&Vec<u8>| entry.windows(word.len()).take(200).any(|w| w == word.as_bytes());
        entries.iter().filter(holds).count()
    };
    // The program of class S; those of class W for the finest grid and below; that of the form which is not taken; and that
    // of the published scheme, whose rates both classes are compared with. Predictions are of two forms for class W and of the only
    // one in columns for class S.
    let of =
        ["program by its name", "numbers least cycles", "numbers predicted cycles"].map(starts);
    assert_eq!(of, [5, 5, 3]);
}
