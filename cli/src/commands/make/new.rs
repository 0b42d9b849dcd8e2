//! `cp2 new`.

use crate::args::New;
use crate::process::exit::{Exit, Outcome, usage};
use crate::storage::files;
use cp2_workloads::project;

pub(crate) fn new(arguments: &New) -> Outcome {
    let folder = &arguments.folder;
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let kernel = project::kernel_name(name).map_err(usage)?;
    let files = arguments.template.files(&kernel).map_err(usage)?;
    files::create_folder(folder, &files)?;
    let shown = folder.display();
    let text = format!("{shown}: {} files; cd {shown} && cp2 test\n", files.len());
    files::print(text.as_bytes())?;
    Ok(Exit::Success)
}
