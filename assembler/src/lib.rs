//! Assembler, disassembler and file formats of CP2 programs: source text, object files and `.hex` to images and back.
//! Nothing here runs programs. The scheduler and the checker of its schedules are crates of their own, so that neither
//! can look into the other; so is the linter.

mod asm;
pub mod c_header;
pub mod cases;
mod disassemble;
mod formatting;
pub mod hex;
pub mod listing;
mod mentioned;
mod names;
pub mod object_file;
mod operation;
pub mod outline;
mod parse;
pub mod render;
mod suggest;

pub use asm::{
    Assembled, AssemblyError, FailedAssembly, Loader, MAX_ERRORS, Options, Scheduled, assemble,
    assemble_or_parts, assemble_regions, assemble_str, assemble_with, leave_out, linear_regions,
};
pub use cp2_check as check;
pub use cp2_ir::diagnostic::{Diagnostic, Severity, Sources, Span};
pub use cp2_ir::image::Image;
pub use cp2_ir::text::without_comment;
pub use cp2_ir::{
    codes, diagnostic, expansion, image, interface, linear, promises, sites, structure,
};
pub use cp2_sched as sched;
pub use disassemble::disassemble;
pub use formatting::{formatted, with_line_ends};
pub use mentioned::{MentionedArray, mentioned_arrays};
pub use names::{is_identifier, is_symbol_name};
pub use suggest::{nearest, suggested};
