//! The files with which a host program is built: the library of CP2, and what C needs on the bare machine.

/// Makes the list of files from their paths in `programs/c`.
macro_rules! files {
    ($($path:literal),*) => {
        [$(($path, include_bytes!(concat!("../../../../c/", $path)).as_slice())),*]
    };
}

/// Returns the paths of the files and their bytes.
pub(super) fn files() -> Vec<(String, Vec<u8>)> {
    let all = files!(
        "compile",
        "libcp2/cp2.c",
        "libcp2/cp2.h",
        "libcp2/program.c",
        "libcp2/program.h",
        "libcp2/scheme.c",
        "libcp2/scheme.h",
        "runtime/link.ld",
        "runtime/runtime.c",
        "runtime/runtime.h",
        "runtime/start.S"
    );
    all.into_iter().map(|(path, bytes)| (path.to_owned(), bytes.to_vec())).collect()
}
