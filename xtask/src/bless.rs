//! Goldens made anew: files that hold what programs print, each compared by a test or by a lane of CI.

use crate::folders::{Folders, write};
use crate::outside::{self, C_KERNELS};
use crate::shell::{Outcome, call, cannot};
use crate::{cluster, gpu, pages, worked};
use std::path::{Path, PathBuf};

/// A kind of goldens.
struct Golden {
    name: &'static str,
    about: &'static str,
    /// Whether the golden needs more than Rust, and is made anew only if it is named.
    is_by_name_only: bool,
    run: fn(&Folders) -> Outcome,
}

const fn golden(name: &'static str, about: &'static str, run: fn(&Folders) -> Outcome) -> Golden {
    Golden { name, about, is_by_name_only: false, run }
}

const fn by_name(name: &'static str, about: &'static str, run: fn(&Folders) -> Outcome) -> Golden {
    Golden { name, about, is_by_name_only: true, run }
}

/// Every kind of goldens. Those that others are built from or print come before them.
const GOLDENS: [Golden; 18] = [
    golden("tables", "tables of elementary functions, emulator/src/arith/tables.rs", tables),
    golden("counts", "cycles of kernels, programs/golden/cycles.json", counts),
    golden("schemas", "JSON schemas of reports, specs/schemas/", schemas),
    golden("isa", "the page of operations, specs/src/isa.md", |p| pages::bless(p, "isa")),
    golden(
        "experiments",
        "experiments.md, gains, memory-controller and dma-words of the book",
        |p| pages::bless(p, "experiments"),
    ),
    golden("star", "the page of the STAR machine on CP2, specs/src/star-measured.md", |p| {
        pages::bless(p, "star")
    }),
    golden("recursion", "the page of searches on CP2, specs/src/recursion-measured.md", |p| {
        pages::bless(p, "recursion")
    }),
    golden("validation", "specs/src/validation.md", |p| pages::bless(p, "validation")),
    golden("files", "expectations of file tests, tests/files/", files),
    golden("host", "numbers of native instructions, tests/host/pairs.txt", host),
    golden("snapshots", "texts in snapshots of insta, */snapshots/", snapshots),
    golden("pages", "what commands print, in tutorial.md and own-kernel.md of the book", shown),
    golden("worked", "differences in specs/src/contributing/", worked::renew),
    by_name(
        "schedules",
        "certificates of schedules that come with the scheduler, assembler/sched/solved/; minutes each",
        schedules,
    ),
    by_name(
        "cluster",
        "schemas of `cp2 cluster`, and the page on its scaling, specs/src/procedures/scaling.md",
        cluster::bless,
    ),
    by_name("gpu", "pages of graphics processors, specs/src/gpu.md and star-gpu.md", gpu::bless),
    by_name("viewer", "pictures of the viewer, gui/tests/snapshots/", viewer),
    by_name(
        "fixtures",
        "what GCC for MIPS64 and qemu make: fixtures of the control processor, C programs",
        fixtures,
    ),
];

/// Returns a line about each kind of goldens.
pub(crate) fn help() -> String {
    let mut text = "What there is:\n".to_owned();
    for golden in &GOLDENS {
        let note = if golden.is_by_name_only { " (by name only)" } else { "" };
        text += &format!("  {:<12} {}{note}\n", golden.name, golden.about);
    }
    text + "Look at the differences before you commit them: a golden is what was looked at.\n"
}

/// Returns the kinds with these names, in the order in which they depend on each other.
fn chosen(names: &[String]) -> Outcome<Vec<&'static Golden>> {
    let is_known = |name: &&String| GOLDENS.iter().any(|golden| golden.name == **name);
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        return Err(format!("there is no golden `{name}`\n{}", help()));
    }
    let is_wanted = |golden: &&Golden| match names {
        [] => !golden.is_by_name_only,
        names => names.iter().any(|name| name == golden.name),
    };
    Ok(GOLDENS.iter().filter(is_wanted).collect())
}

/// Makes goldens anew, and tells which files changed.
pub(crate) fn bless(folders: &Folders, names: &[String]) -> Outcome {
    for golden in chosen(names)? {
        println!("\n== {}", golden.name);
        (golden.run)(folders)?;
    }
    println!("\nwhat differs from the last commit now; look at it:");
    call("git status --short").run_untold()
}

fn tables(_: &Folders) -> Outcome {
    call("cargo test --release --quiet -p cp2-emu --test arith the_source_is_what_the_rule_gives")
        .env("CP2_BLESS", "1")
        .run()
}

/// Conflicts by which `schedules` goes on with the search for each kernel.
const CONFLICTS: u32 = 100_000;

/// Goes on with the search for the schedules of kernels from the certificates that there are, or begins it anew where one
/// is not for its kernel any more.
fn schedules(folders: &Folders) -> Outcome {
    folders.build_cp2()?;
    call("cargo build --release --quiet -p cp2-kernels --example page_routines").run()?;
    let out = folders.folder("schedules")?;
    let solved = Path::new("assembler/sched/solved");
    for file in files_in(solved)? {
        let kernel = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let source = out.join(format!("{kernel}.s"));
        match kernel.starts_with("fused_") || kernel.starts_with("down_") {
            true => folders.example("page_routines").word(&kernel).to(&source).run()?,
            false => folders.cp2("kernels source").word(&kernel).to(&source).run()?,
        }
        let search = folders.cp2("sched --no-cache --no-hints --anew --exact --conflicts");
        let search = search.words(&CONFLICTS.to_string()).words("--certificate").path(&file);
        search.words("--save").path(&file).path(&source).run()?;
    }
    Ok(())
}

/// Returns the files of a folder, in the order of their names.
fn files_in(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(cannot("read", folder))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<_>, _>>().map_err(cannot("read", folder))?;
    paths.sort();
    Ok(paths)
}

fn counts(folders: &Folders) -> Outcome {
    folders.build_cp2()?;
    folders.cp2("bench --bless").run()
}

/// Makes the schemas. Most come from what reports are made of; those that are written by hand are printed as they are.
fn schemas(folders: &Folders) -> Outcome {
    folders.build_cp2()?;
    for line in folders.cp2("schema").text()?.lines() {
        let name = line.split(' ').next().unwrap_or_default();
        let text = folders.cp2("schema").words(name).text()?;
        write(Path::new(&format!("specs/schemas/{name}.schema.json")), text)?;
    }
    Ok(())
}

fn files(_: &Folders) -> Outcome {
    call("cargo test --release --quiet -p cp2-tests --test files").env("CP2_BLESS", "1").run()
}

fn host(_: &Folders) -> Outcome {
    call("cargo test --release --quiet -p cp2-tests --test host").env("CP2_BLESS", "1").run()
}

/// Runs the programs of tests that have snapshots.
fn snapshots(_: &Folders) -> Outcome {
    call("cargo test --release --quiet -p cp2 -p cp2-asm -p cp2-trace --test cli --test suite --test formats")
        .env("INSTA_UPDATE", "always")
        .run()
}

/// Runs the commands of pages that tests follow, and puts what they print now into the pages.
fn shown(_: &Folders) -> Outcome {
    call("cargo test --release --quiet -p cp2 --test cli texts::tutorial")
        .env("CP2_BLESS", "1")
        .run()
}

fn viewer(_: &Folders) -> Outcome {
    call("cargo test --release --quiet -p cp2-gui").env("UPDATE_SNAPSHOTS", "1").run()
}

fn fixtures(folders: &Folders) -> Outcome {
    outside::make_fixtures()?;
    folders.build_examples()?;
    for kernels in C_KERNELS {
        folders.example("c_kernels").words(kernels).to(&outside::header(kernels)).run()?;
    }
    let built = folders.folder("c")?;
    let cp2 = folders.build_cp2()?;
    call("programs/c/build.sh").path(&built).env("CP2", cp2).run()?;
    outside::programs_in(&built)?
        .iter()
        .try_for_each(|program| call("cp").path(program).word("programs/c/built/").run())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_golden_is_refused_and_no_name_means_what_needs_only_rust() {
        let told = chosen(&["page".to_owned()]).err().unwrap_or_default();
        assert!(told.starts_with("there is no golden `page`\n") && told.contains("isa"), "{told}");
        let all = chosen(&[]).unwrap_or_default();
        assert!(all.iter().all(|golden| !golden.is_by_name_only));
        assert_eq!(chosen(&["fixtures".to_owned()]).map(|found| found.len()), Ok(1));
    }
}
