//! The tutorial of the book shows what its commands print.

use crate::kit::Folder;
use std::path::Path;

/// Copies the files of a folder of the repository, but not those of folders in it.
fn copy(name: &str, folder: &Folder) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    std::fs::create_dir_all(folder.path(name)).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::copy(&path, folder.path(name).join(path.file_name().unwrap())).unwrap();
        }
    }
}

/// Every block of commands is run, and a block of text behind one is a part of what its commands have printed.
#[test]
fn the_tutorial_shows_real_output() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("specs/src/tutorial.md")).unwrap();
    for name in ["examples/twelve.s", "examples/axpy.s"] {
        let source = std::fs::read_to_string(root.join(name)).unwrap();
        assert!(page.contains(source.trim_end()), "{name}");
    }
    let folder = Folder::new();
    for name in ["examples", "examples/fir", "examples/polynomial", "examples/matvec"] {
        copy(name, &folder);
    }
    let run = |arguments: &str| {
        let output = folder.cp2(arguments);
        assert!(matches!(output.status.code(), Some(0 | 1)), "cp2 {arguments}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let (commands, after) = ("```sh\n", "\n```\n\n```text\n");
    let mut n_compared = 0;
    for part in page.split(commands).skip(1) {
        let lines = part.lines().take_while(|line| *line != "```");
        let printed: String = lines.filter_map(|line| line.strip_prefix("cp2 ")).map(run).collect();
        let Some((before, shown)) = part.split_once(after) else { continue };
        if !before.contains("```") {
            let shown = shown.split("\n```").next().unwrap_or_default();
            assert!(printed.contains(shown), "{before}\n{printed}");
            n_compared += 1;
        }
    }
    assert!(n_compared > 10, "{n_compared} blocks were compared");
}
