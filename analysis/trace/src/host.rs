//! Acts of the host, in words.

use cp2_emu::cp2::FifoEntry;
use cp2_emu::machine::Action;
use cp2_isa::bundle_digits;

/// Returns the name of the kind of an action.
pub(crate) fn name(action: &Action) -> &'static str {
    match action {
        Action::Send(FifoEntry::Execute(_)) => "send bundle",
        Action::Send(FifoEntry::Store(_)) => "store bundle",
        Action::WriteRegister(..) => "write register",
        Action::ReadRegister(_) => "read register",
        Action::WriteMemory(..) => "write memory",
        Action::WriteBundles(..) => "write bundles",
        Action::WriteWords(..) => "write words",
        Action::WriteControl(_) => "write CONTROL",
        Action::Start(_) => "start kernel",
        Action::Finish => "end of run",
        Action::WriteComm(_) => "write COMM",
        Action::ReadComm => "read COMM",
    }
}

/// Returns the register, memory or value of an action, as text.
pub(crate) fn detail(action: &Action) -> String {
    match action {
        Action::Send(FifoEntry::Execute(word) | FifoEntry::Store(word)) => bundle_digits(*word),
        Action::WriteRegister(register, value) => format!("{} = 0x{value:08x}", register.name()),
        Action::ReadRegister(register) => register.name().to_owned(),
        Action::WriteMemory(address, bytes) => {
            format!("{} bytes at 0x{address:08x}", bytes.len())
        }
        Action::WriteBundles(first, words) => format!("{} bundles at {first}", words.len()),
        Action::WriteWords(first, None, words) => {
            format!("{} words at [{first}] of all sections", words.len())
        }
        Action::WriteWords(first, Some(section), words) => {
            format!("{} words at [{first}] of section {section}", words.len())
        }
        Action::WriteControl(value) | Action::WriteComm(value) => format!("0x{value:08x}"),
        Action::Start(address) => format!("bundle {address}"),
        Action::Finish | Action::ReadComm => String::new(),
    }
}
