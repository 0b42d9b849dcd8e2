//! Objects of CP2 that a program for the control processor carries in its ELF file.

use object::{Object, ObjectSection};

/// Begin of the names of ELF sections that hold an object of CP2 each.
const PREFIX: &str = ".cp2.object";

/// Returns the objects of CP2 in the content of an ELF file: the name and the bytes of each section whose name is
/// `.cp2.object`, or begins so and goes on with a point, in the order of the file. Such sections take no memory of the
/// program.
#[must_use]
pub fn cp2_objects(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let Ok(file) = object::File::parse(bytes) else { return Vec::new() };
    let is_one = |name: &str| {
        let rest = name.strip_prefix(PREFIX);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let object = |section: object::Section<'_, '_>| {
        let name = section.name().ok().filter(|name| is_one(name))?.to_owned();
        Some((name, section.data().ok()?.to_vec()))
    };
    file.sections().filter_map(object).collect()
}
