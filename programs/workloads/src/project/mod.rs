//! The files of a project for a user to begin with: a kernel with its interface, data, the expected result, a test, and
//! the commands. A template is a folder beside this file and a line of [`TEMPLATES`]; `common` has what all projects have.
//! In texts `NAME` stands for the project's name; in those of `common` `TESTS`, `WORK` and `ABOUT` stand for the list of the
//! sources, `work.toml` and `about.md` of the template, and `MACHINE` for the option that names a machine, if it needs one.

/// Template of a project: a kernel with its data, as files that a new project begins with.
#[derive(Clone, Copy, Debug)]
pub struct ProjectTemplate {
    /// The name by which a user asks for it.
    pub name: &'static str,
    /// Description of what its kernel computes, on one line.
    pub about: &'static str,
    /// Whether its workload goes through local memory page by page, so that it needs a machine.
    needs_machine: bool,
    /// Paths and bytes of its files. Those that begin with `kernel` get the project's name there.
    files: &'static [(&'static str, &'static [u8])],
}

/// Makes a template of the files in its folder: those that every template has, and others of the same folder.
macro_rules! template {
    ($name:literal, $about:literal, [$($more:literal),*]) => {
        template!(@ $name, $about, ["kernel.s", "make_data.py", "work.toml", "about.md", "data/expected.npy" $(, $more)*])
    };
    (@ $name:literal, $about:literal, [$($file:literal),*]) => {
        ProjectTemplate {
            name: $name,
            about: $about,
            needs_machine: false,
            files: &[$(($file, include_bytes!(concat!($name, "/", $file)))),*],
        }
    };
}

/// Every template; the first is that of a project whose user asks for none.
pub static TEMPLATES: [ProjectTemplate; 6] = [
    template!("axpy", "z := a x + y on vectors", ["data/x.npy", "data/y.npy"]),
    template!(
        "fir",
        "a FIR filter on complex samples, a channel in each section",
        ["data/h.npy", "data/x.npy"]
    ),
    template!("stencil", "a five-point stencil, a block of rows in each section", ["data/u.npy"]),
    template!("reduction", "a scalar product over all sections", ["data/x.npy", "data/y.npy"]),
    template!(
        "gather",
        "rows of a table by a list of indices, without and with section addressing",
        ["kernel_sections.s", "data/index.npy", "data/table.npy", "data/y.npy"]
    ),
    ProjectTemplate {
        needs_machine: true,
        ..template!(
            "pages",
            "an image larger than local memory, smoothed page by page on a machine",
            ["data/x.npy", "data/block.npy", "data/block_expected.npy"]
        )
    },
];

/// Returns the name of the kernel of a project whose folder is called `folder`: the same with `_` for `-`.
///
/// # Errors
/// Returns a message if the name of the folder makes no name of a kernel.
pub fn kernel_name(folder: &str) -> Result<String, String> {
    let name = folder.replace('-', "_");
    if cp2_asm::is_symbol_name(&name) {
        return Ok(name);
    }
    Err(format!(
        "`{folder}` cannot be the name of a kernel: letters, digits, `_` and `-`, a letter first, and not the \
         name of a register"
    ))
}

/// The name of the file in a project that lists its tests.
pub const FILE: &str = "cp2.toml";

/// Returns the paths of the sources and folders that the text of a project's file [`FILE`] lists under `tests`.
///
/// # Errors
/// Returns a message if the text is no TOML, has a key other than `tests`, or lists no paths.
pub fn tests(text: &str) -> Result<Vec<String>, String> {
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| e.message().to_owned())?;
    if let Some(key) = table.keys().find(|key| *key != "tests") {
        return Err(format!("there is no key `{key}`; there is `tests`"));
    }
    let paths = table.get("tests").and_then(toml::Value::as_array);
    let paths = paths.and_then(|all| {
        all.iter().map(|path| path.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    });
    paths.filter(|all| !all.is_empty()).ok_or_else(|| {
        "expected `tests = [\"kernel.s\"]`: sources, and folders with sources".to_owned()
    })
}

impl ProjectTemplate {
    /// Returns the files of a new project with a kernel called `name`, its data and a test. Each file is its path in the
    /// project, and its bytes. The source of the kernel comes first.
    ///
    /// # Errors
    /// Returns a message if a source of the template gives `name` to something else.
    pub fn files(&self, name: &str) -> Result<Vec<(String, Vec<u8>)>, String> {
        if self.files.iter().any(|(path, _)| path.ends_with(".s") && defines(self.text(path), name))
        {
            return Err(format!(
                "`{name}` cannot be the name of a kernel of the template {}: it names something else there; give the \
                 folder another name",
                self.name
            ));
        }
        let sources = self.files.iter().filter_map(|(path, _)| path.strip_prefix("kernel"));
        let tests: Vec<String> = sources.map(|rest| format!("\"{name}{rest}\"")).collect();
        let machine = if self.needs_machine { " --machine vm7" } else { "" };
        let fill = |text: &str| {
            let text = text.replace("TESTS", &tests.join(", ")).replace("MACHINE", machine);
            let text = text.replace("WORK", self.text("work.toml"));
            text.replace("ABOUT", self.text("about.md").trim_end())
                .replace("NAME", name)
                .into_bytes()
        };
        let mut all = Vec::new();
        for (path, bytes) in self.files {
            let name = match path.strip_prefix("kernel") {
                Some(rest) => format!("{name}{rest}"),
                None => (*path).to_owned(),
            };
            if path.ends_with(".npy") {
                all.push((name, bytes.to_vec()));
            } else if path.ends_with(".s") || path.ends_with(".py") {
                all.push((name, fill(self.text(path))));
            }
        }
        let common = [
            ("npy.py", include_str!("common/npy.py")),
            ("Makefile", include_str!("common/Makefile")),
            (FILE, include_str!("common/cp2.toml")),
            ("work.toml", include_str!("common/work.toml")),
            ("README.md", include_str!("common/README.md")),
        ];
        all.extend(common.map(|(path, text)| (path.to_owned(), fill(text))));
        Ok(all)
    }

    /// Returns the text of one of the template's files.
    fn text(&self, path: &str) -> &'static str {
        let file = self.files.iter().find(|(name, _)| *name == path);
        file.and_then(|(_, bytes)| str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

/// Tells whether a source has a label or a constant of this name.
fn defines(source: &str, name: &str) -> bool {
    source.lines().any(|line| {
        let constant = line.trim_start().strip_prefix(".equ").map(str::trim_start);
        let rest = constant.unwrap_or(line).strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with(if constant.is_some() { ',' } else { ':' }))
    })
}
