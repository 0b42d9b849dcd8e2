//! The files of a first project for a user: a kernel with its interface, data, the expected result, a test, and the
//! commands. The texts are files beside this one, with `NAME` in place of the project's name.

use cp2_session::npy::{Array, NumberType};

/// Elements of the project's vectors, as in `make_data.py`.
const COUNT: usize = 1024;
/// Cycles of the project's kernel on its vectors.
const CYCLES: &str = "228";

fn vector(value: impl Fn(i32) -> f32) -> Vec<u8> {
    let bits = (0..COUNT as i32).map(|i| u128::from(value(i).to_bits()));
    Array::from_bits(NumberType::Float32, vec![COUNT], bits).write()
}

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

/// Returns the files of a new project, a folder for a user to begin with: a small kernel called `name`, its data and a
/// test. Each file is its path in the project, and its bytes. The source of the kernel comes first.
pub fn files(name: &str) -> Vec<(String, Vec<u8>)> {
    let text = |text: &str| text.replace("NAME", name).replace("CYCLES", CYCLES).into_bytes();
    // The same numbers as in `make_data.py`, all of them exact.
    let x = |i: i32| (i * 37 % 101 - 50) as f32 / 8.0;
    let y = |i: i32| (i * 53 % 97 - 48) as f32 / 16.0;
    vec![
        (format!("{name}.s"), text(include_str!("kernel.s"))),
        ("make_data.py".to_owned(), text(include_str!("make_data.py"))),
        ("Makefile".to_owned(), text(include_str!("Makefile"))),
        (FILE.to_owned(), text(include_str!("cp2.toml"))),
        ("work.toml".to_owned(), text(include_str!("work.toml"))),
        ("README.md".to_owned(), text(include_str!("README.md"))),
        ("data/x.npy".to_owned(), vector(x)),
        ("data/y.npy".to_owned(), vector(y)),
        ("data/expected.npy".to_owned(), vector(|i| 0.5 * x(i) + y(i))),
    ]
}
