//! The lanes of CI: which there are, in the order that fails fastest, and how they are chosen.

use crate::folders::Folders;
use crate::shell::Outcome;
use crate::{cluster, gpu, outside, programs, python, rust};

/// A part of CI that runs alone as well: it builds and installs what it needs.
pub(crate) struct Lane {
    pub(crate) name: &'static str,
    about: &'static str,
    pub(crate) run: fn(&Folders) -> Outcome,
}

/// Every lane. A new one stands where it fails fastest: before those that take longer.
pub(crate) const LANES: [Lane; 25] = [
    Lane { name: "format", about: "every source is as rustfmt writes it", run: rust::format },
    Lane { name: "xtask", about: "the unit tests of this program", run: rust::xtask },
    Lane { name: "clippy", about: "no lint in any crate, tests and viewer too", run: rust::clippy },
    Lane {
        name: "tidy",
        about: "rules of the source tree that no compiler checks",
        run: rust::tidy,
    },
    Lane { name: "tests", about: "the README's test command", run: rust::tests },
    Lane { name: "readme", about: "the README's first command", run: programs::readme },
    Lane {
        name: "completions",
        about: "completions of four shells, manual pages",
        run: programs::completions,
    },
    Lane {
        name: "generated",
        about: "generated pages of the book: operations, experiments, validation",
        run: programs::generated,
    },
    Lane {
        name: "reports",
        about: "every report against its schema, Parquet as others read it",
        run: programs::reports,
    },
    Lane {
        name: "model",
        about: "random programs against a model made from the reference alone",
        run: programs::model,
    },
    Lane {
        name: "traces",
        about: "traces read by wellen, Perfetto's trace processor, DuckDB",
        run: outside::traces,
    },
    Lane {
        name: "browser",
        about: "pages of runs, and the explorer, in Chromium",
        run: outside::browser,
    },
    Lane {
        name: "control",
        about: "the control processor: fixtures to the byte, random programs and a monitor's commands against qemu, gdb",
        run: outside::control,
    },
    Lane {
        name: "foreign",
        about: "zlib, bzip2, zstd, Lua, SQLite and random programs on the control processor, against qemu",
        run: outside::foreign,
    },
    Lane {
        name: "cluster",
        about: "several processors: messages, multigrid, the command",
        run: cluster::cluster,
    },
    Lane {
        name: "slurm",
        about: "a sweep as an array of jobs: a task killed, a task requeued",
        run: outside::slurm,
    },
    Lane {
        name: "gpu",
        about: "procedures on graphics processors, on the processor itself by PoCL",
        run: gpu::gpu,
    },
    Lane {
        name: "loops",
        about: "loop nests: threads beside known answers, code in C compiled and run, the command",
        run: outside::loops,
    },
    Lane {
        name: "editors",
        about: "the language server, by itself, in Neovim and for VS Code; the debugger by its protocol's schema, in Emacs and for VS Code; the grammar",
        run: outside::editors,
    },
    Lane {
        name: "python",
        about: "the wheel of the package for Python, its tests where it alone is installed",
        run: python::python,
    },
    Lane { name: "book", about: "the documents of crates, and the book", run: rust::book },
    Lane {
        name: "viewer",
        about: "the viewer: logic, pictures, a real window",
        run: outside::viewer,
    },
    Lane {
        name: "checked",
        about: "tests with overflow checks and debug assertions",
        run: rust::checked,
    },
    Lane {
        name: "licences",
        about: "licences and sources of other people's crates",
        run: rust::licences,
    },
    Lane {
        name: "advisories",
        about: "advisories against other people's crates",
        run: rust::advisories,
    },
];

/// Returns a line about each lane.
pub(crate) fn help() -> String {
    let mut text = "Lanes:\n".to_owned();
    for lane in &LANES {
        text += &format!("  {:<12} {}\n", lane.name, lane.about);
    }
    text + "Longer ones are run by `cargo xtask nightly` alone.\n"
}

/// Returns the lanes with these names, each once, in the order of the list; all of them for no name.
pub(crate) fn chosen(names: &[String]) -> Outcome<Vec<&'static Lane>> {
    let unknown = names.iter().find(|name| LANES.iter().all(|lane| lane.name != name.as_str()));
    if let Some(name) = unknown {
        return Err(format!("there is no lane `{name}`\n{}", help()));
    }
    let is_wanted = |lane: &&Lane| names.is_empty() || names.iter().any(|name| name == lane.name);
    Ok(LANES.iter().filter(is_wanted).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(wanted: &[&str]) -> Outcome<Vec<&'static str>> {
        let wanted: Vec<String> = wanted.iter().map(|&name| name.to_owned()).collect();
        Ok(chosen(&wanted)?.iter().map(|lane| lane.name).collect())
    }

    #[test]
    fn lanes_come_in_the_order_of_the_list_and_once() {
        assert_eq!(names(&["book", "format", "book"]), Ok(vec!["format", "book"]));
        assert_eq!(names(&[]).map(|all| all.len()), Ok(LANES.len()));
    }

    #[test]
    fn an_unknown_lane_is_refused_with_the_list() {
        let told = names(&["format", "formal"]).expect_err("no such lane");
        assert!(told.starts_with("there is no lane `formal`\n"), "{told}");
        assert!(LANES.iter().all(|lane| told.contains(lane.name)), "{told}");
    }

    #[test]
    fn no_two_lanes_have_one_name() {
        for (i, lane) in LANES.iter().enumerate() {
            assert!(LANES[..i].iter().all(|other| other.name != lane.name), "{}", lane.name);
        }
    }
}
