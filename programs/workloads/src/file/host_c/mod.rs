//! The host program of a workload file in C, for the control processor: a folder of files with which a cross compiler makes
//! a program that does what `cp2 kernels run` of the file does on a machine.
//!
//! - `text`: the C text; `tables`: its tables of transfers, steps and calls; `names`: names and lists in C; `library`: the
//!   files that it is built with.

mod library;
mod names;
mod tables;
mod text;

use super::workload::OfFile;
use super::{Variant, WorkloadFile};
use cp2_emu::MachineConfig;
use cp2_procedures::paged::{HostPlace, HostProgram, PagedProcedure, PlaceContent, SystemArray};
use cp2_session::error::KernelError;
use cp2_session::npy::shape_text;
use cp2_session::workload::{Platform, Request};
use std::sync::Arc;
use text::HostText;

/// Most bytes of arrays: programs lie below 256 MiB, with code and stack beside the arrays.
const MOST_BYTES: u64 = 248 << 20;

/// The host program of a workload file in C: files of a folder, and the commands by which it is built and run there.
/// [`WorkloadFile::host_in_c`] makes it.
#[derive(Clone, Debug)]
pub struct HostInC {
    /// Name of the program, of which the names of its files are made.
    pub name: String,
    /// Name of the variant whose kernels the program runs.
    pub variant: String,
    /// Paths of the files in the folder, and their bytes.
    pub files: Vec<(String, Vec<u8>)>,
    /// Command that compiles the program, for a shell in the folder.
    pub build: String,
    /// Command that runs the program on the emulator with the arrays of the folder.
    pub run: String,
}

impl WorkloadFile {
    /// Returns the host program in C that runs the workload on the machine of `request`, with the variant that takes the
    /// fewest cycles there.
    ///
    /// # Errors
    /// The request has no machine, no variant can be run on it, or the pages cannot be made for it.
    pub fn host_in_c(self: &Arc<Self>, request: &Request) -> Result<HostInC, KernelError> {
        let of_file = OfFile::new(Arc::clone(self), Platform::Machine);
        let (k, _) = of_file.chosen(request)?;
        let variant = &self.variants[k];
        of_file.check_extensions(variant, request)?;
        let machine = request.machine()?;
        let (program, entry) = self.program(&request.environment, &request.core(), variant)?;
        let procedure = self.procedure(variant, &program, entry)?;
        let host = HostProgram::new(machine.clone(), &program, &procedure);
        let host = host.map_err(|e| self.placed(e))?;
        self.check_size(&host)?;
        let name = identifier(&self.name);
        let mut files = library::files();
        let object = cp2_asm::object_file::write(program.image());
        let object = object.map_err(|e| self.wrong("the program", e.to_string()))?;
        files.push((format!("{name}.o"), object));
        let preset = MachineConfig::preset(machine.name());
        let machine_name = match preset.is_some_and(|preset| preset == *machine) {
            true => machine.name().to_owned(),
            false => {
                files.push(("machine.toml".to_owned(), machine.dump().into_bytes()));
                "machine.toml".to_owned()
            }
        };
        let mut run = format!("cp2 run {name}.elf --machine {machine_name}");
        for array in &procedure.arrays {
            let (plain, variable) = (&array.name, names::variable(&array.name));
            if let Some(values) = &array.values {
                files.push((format!("{plain}.npy"), values.write()));
                run += &format!(" --load {variable}={plain}.npy");
            }
            if array.is_wanted {
                let shape: Vec<String> = array.shape.iter().map(ToString::to_string).collect();
                let (kind, shape) = (array.element.name(), shape.join("x"));
                run += &format!(" --store {variable}={plain}_result.npy:{kind}:shape={shape}");
            }
        }
        let build =
            format!("bash compile {name}.elf -Wa,-I. libcp2/cp2.c libcp2/scheme.c {name}.c");
        let text = HostText {
            name: &name,
            about: &self.about(variant, &procedure, machine.name()),
            commands: [&build, &run],
            procedure: &procedure,
            host: &host,
        };
        files.push((format!("{name}.c"), text.to_c()?.into_bytes()));
        Ok(HostInC { name, variant: variant.name.clone(), files, build, run })
    }

    /// Refuses arrays that a program of the control processor has no room for.
    fn check_size(&self, host: &HostProgram) -> Result<(), KernelError> {
        let of = |place: &HostPlace| match &place.content {
            PlaceContent::Array(form) if !form.is_plain() => 2 * place.bytes.0,
            _ => place.bytes.0,
        };
        let bytes: u64 = host.places.iter().map(of).sum();
        if bytes <= MOST_BYTES {
            return Ok(());
        }
        let (needed, most) = (bytes >> 20, MOST_BYTES >> 20);
        Err(self.wrong(
            "the arrays",
            format!("a program of the control processor has room for {most} MiB, and they take {needed} MiB"),
        ))
    }

    /// Returns lines about a program, for its first comment: what it does, and its arrays.
    fn about(&self, variant: &Variant, procedure: &PagedProcedure, machine: &str) -> Vec<String> {
        let array = |array: &SystemArray| {
            let values = if array.values.is_some() { ", with values" } else { "" };
            let (name, kind) = (&array.name, array.element.name());
            format!("  {name}: {kind} {}{values}", shape_text(&array.shape))
        };
        let mut lines = Vec::new();
        if !self.summary.is_empty() {
            lines.extend([self.summary.clone(), String::new()]);
        }
        let (name, variant) = (&self.name, &variant.name);
        lines.push(format!(
            "The host program of the workload {name}, variant {variant}, on {machine}. Arrays:"
        ));
        lines.extend(procedure.arrays.iter().map(array));
        lines
    }
}

/// Returns a name as an identifier of C.
fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    match name.chars().next() {
        None => "workload".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{name}"),
        Some(_) => name,
    }
}
