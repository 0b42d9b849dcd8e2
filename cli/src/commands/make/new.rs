//! `cp2 new`.

use crate::args::New;
use crate::process::exit::{Exit, Outcome, bad_input, usage};
use crate::storage::files;
use cp2_workloads::project;

pub(crate) fn new(arguments: &New) -> Outcome {
    let folder = &arguments.folder;
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let kernel = project::kernel_name(name).map_err(usage)?;
    let trouble = |e: std::io::Error| bad_input(format!("cannot make {}: {e}", folder.display()));
    if folder.exists() {
        let message = format!("{} exists already; give another name", folder.display());
        return Err(bad_input(message));
    }
    let files = arguments.template.files(&kernel).map_err(usage)?;
    std::fs::create_dir(folder).map_err(trouble)?;
    std::fs::create_dir(folder.join("data")).map_err(trouble)?;
    for (path, bytes) in &files {
        files::write(&folder.join(path), bytes)?;
    }
    let shown = folder.display();
    let text = format!("{shown}: {} files; cd {shown} && cp2 test\n", files.len());
    files::print(text.as_bytes())?;
    Ok(Exit::Success)
}
