//! Real files to start from: those of the examples, the file tests, the kernels, and what cp2 makes of them.

use cp2_asm::Image;
use cp2_asm::diagnostic::Sources;
use cp2_descriptors as chain;
use cp2_isa::{BundleAddress, Core};
use cp2_session::workload::Platform;
use std::path::{Path, PathBuf};

pub(super) fn in_project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Collects the files with an ending in a folder and below, in the order of their names.
fn found(folder: &Path, ending: &str, all: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            found(&path, ending, all);
        } else if path.extension().is_some_and(|e| e == ending) {
            all.push(path);
        }
    }
}

fn files(folders: &[&str], ending: &str) -> Vec<Vec<u8>> {
    let mut paths = Vec::new();
    folders.iter().for_each(|folder| found(&in_project(folder), ending, &mut paths));
    paths.iter().flat_map(std::fs::read).collect()
}

/// Returns sources that assemble in moments: examples, file tests, and kernels without long linear regions.
pub(super) fn sources() -> Vec<Vec<u8>> {
    let mut all = files(&["examples", "tests/files"], "s");
    all.extend(kernels().into_iter().map(String::into_bytes).filter(|text| text.len() < 40_000));
    all
}

fn kernels() -> Vec<String> {
    let workloads = cp2_workloads::catalogue::workloads(Platform::Cp2);
    let source = |name: &str| {
        let kernel = cp2_workloads::catalogue::find(Platform::Cp2, name)?;
        kernel.source(&Core::CP2).ok()
    };
    ["fft64", "fft256", "axpy", "dot"]
        .iter()
        .filter(|name| workloads.iter().any(|w| w.about().name == **name))
        .filter_map(|name| source(name))
        .collect()
}

/// Returns images of sources that assemble alone.
fn images() -> Vec<Image> {
    let texts = sources().into_iter().filter_map(|bytes| String::from_utf8(bytes).ok());
    let texts = texts.filter(|text| !text.contains(".linear"));
    texts.filter_map(|text| cp2_asm::assemble_str("seed.s", &text).ok()).collect()
}

/// Returns programs in hexadecimal, one bundle per line.
pub(super) fn hex() -> Vec<Vec<u8>> {
    let images = images().into_iter().filter(|image| image.data.is_empty());
    images.map(|image| cp2_asm::hex::write(&image).into_bytes()).collect()
}

/// Returns ELF objects.
pub(super) fn objects() -> Vec<Vec<u8>> {
    images().iter().filter_map(|image| cp2_asm::object_file::write(image).ok()).collect()
}

/// Returns states after runs, and a short one by hand.
pub(super) fn states() -> Vec<Vec<u8>> {
    let by_hand = r#"{"gpr": ["1","2","3","4","5","6","7","8","9","a","b","c","d","e","f","10"],
        "lmem": [{"0": "3f800000"}, {}, {"8191": "ffffffffffffffff"}, {}], "rind": "8000", "cycles": 7}"#;
    let mut all = vec![by_hand.as_bytes().to_vec()];
    for image in images().iter().take(4) {
        let mut cp2 = cp2_emu::Cp2::default();
        cp2_session::load::load(image, &mut cp2);
        let run = cp2.run_untraced(BundleAddress(0), 1000);
        let mut state = cp2.state.to_json(cp2.status(), run.stats.cycles);
        // Short files go deeper.
        state["fpr"] = serde_json::json!([["0"]]);
        all.push(state.to_string().into_bytes());
        state.as_object_mut().map(|object| object.remove("fpr"));
        all.push(format!("{state:#}").into_bytes());
    }
    all
}

/// Returns machine files.
pub(super) fn machines() -> Vec<Vec<u8>> {
    files(&["isa/machines"], "toml")
}

/// Returns arrays: both orders, several types and versions.
pub(super) fn arrays() -> Vec<Vec<u8>> {
    let cases = [
        ("<c8", "False", "(2, 8)", 128, 1),
        ("<c8", "True", "(8, 2)", 128, 1),
        ("<c8", "False", "(16,)", 128, 1),
        ("<f4", "False", "(4, 4)", 64, 1),
        (">f8", "False", "(4,)", 32, 2),
        ("<c16", "False", "(1, 4)", 64, 1),
        ("<i8", "False", "(4,)", 32, 3),
        ("|u1", "False", "(7,)", 7, 1),
    ];
    let file = |(descr, order, shape, bytes, version): (&str, &str, &str, usize, u8)| {
        let header =
            format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}");
        let padded = format!("{header:<117}\n");
        let mut npy = b"\x93NUMPY".to_vec();
        npy.extend([version, 0]);
        match version {
            1 => npy.extend((padded.len() as u16).to_le_bytes()),
            _ => npy.extend((padded.len() as u32).to_le_bytes()),
        }
        npy.extend(padded.as_bytes());
        npy.extend((0..bytes).map(|k| (k * 37) as u8 & 0x3f));
        npy
    };
    cases.into_iter().map(file).collect()
}

/// Returns matrices in the Matrix Market format.
pub(super) fn matrices() -> Vec<Vec<u8>> {
    [
        "%%MatrixMarket matrix coordinate real general\n% a comment\n3 4 4\n1 1 1.5\n2 3 -2e3\n3 4 .5\n1 2 7\n",
        "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 1\n2 1 -2\n3 3 4\n",
        "%%MatrixMarket matrix coordinate pattern general\n4 4 4\n1 1\n2 2\n3 3\n4 4\n",
        "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1.0\n3 2 2.0\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}

/// Returns chains of descriptors as TOML.
pub(super) fn chains() -> Vec<Vec<u8>> {
    files(&["examples"], "toml")
}

/// Returns chains of descriptors in hexadecimal.
pub(super) fn hex_chains() -> Vec<Vec<u8>> {
    let written = |bytes: Vec<u8>| {
        let mut sources = Sources::default();
        let file = sources.add("seed.toml", String::from_utf8(bytes).ok()?);
        let source = chain::read_toml(&sources, file).ok()?;
        chain::write_hex(&source.chain).ok().map(String::into_bytes)
    };
    chains().into_iter().filter_map(written).collect()
}
