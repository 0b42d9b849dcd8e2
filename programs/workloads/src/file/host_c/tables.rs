//! Tables of a host program in C: patterns, transfers, calls, steps. What is alike is written once.

use super::names::{comment, list, place_name};
use cp2_emu::dma::{Descriptor, DescriptorAction, LocalWalk, MemoryWalk, Pattern};
use cp2_isa::SECTIONS;
use cp2_procedures::paged::{HostCommand, HostPass, HostProgram, HostTransfer, PagedProcedure};
use cp2_session::error::KernelError;
use std::fmt::Write as _;

/// Calls of a step: the name of the kernel, the bundles, and whether transforms are inverse ones.
type Calls = Vec<(String, Vec<u64>, bool)>;

/// Tables that are being made.
struct TableWriter<'a> {
    procedure: &'a PagedProcedure,
    patterns: Vec<[Pattern; SECTIONS]>,
    calls: Vec<Calls>,
    is_inverse: bool,
}

/// Returns the tables of all passes as text.
pub(super) fn tables(
    procedure: &PagedProcedure,
    host: &HostProgram,
) -> Result<String, KernelError> {
    let (patterns, calls) = (Vec::new(), Vec::new());
    let mut writer = TableWriter { procedure, patterns, calls, is_inverse: false };
    let mut of_passes = String::new();
    for (k, pass) in host.passes.iter().enumerate() {
        writer.add_pass(k, pass, &mut of_passes)?;
    }
    Ok(writer.shared() + &of_passes)
}

impl TableWriter<'_> {
    /// Adds the tables of a pass.
    fn add_pass(&mut self, k: usize, pass: &HostPass, c: &mut String) -> Result<(), KernelError> {
        let page = |name: &Option<String>| match name.as_deref() {
            None => "data only".to_owned(),
            Some("") => "the page".to_owned(),
            Some(name) => format!("page {name}"),
        };
        let _ = writeln!(
            c,
            "/* {}. */\nstatic const struct cp2_transfer transfers_{k}[] = {{",
            comment(&pass.name)
        );
        for step in pass.steps.iter().filter(|step| !step.transfers.is_empty()) {
            let beside = if step.page.is_some() { "beside " } else { "" };
            let _ = writeln!(c, "  /* {beside}{} */", page(&step.page));
            for transfer in &step.transfers {
                let row = self.transfer(transfer)?;
                let _ = writeln!(c, "  {row},");
            }
        }
        let _ = writeln!(c, "}};\nstatic const struct cp2_step steps_{k}[] = {{");
        for step in &pass.steps {
            let moves = u8::from(!step.transfers.is_empty());
            let calls = self.calls(&step.commands);
            let (count, calls) = match calls {
                Some(k) => (self.calls[k].len(), format!("calls_{k}")),
                None => (0, "0".to_owned()),
            };
            let _ = writeln!(c, "  {{{moves}, {count}, {calls}}}, /* {} */", page(&step.page));
        }
        c.push_str("};\n");
        Ok(())
    }

    /// Returns the number of the calls that these commands make; `None` if they make none.
    fn calls(&mut self, commands: &[HostCommand]) -> Option<usize> {
        let mut calls: Calls = Vec::new();
        for command in commands {
            match command {
                HostCommand::SetInverse(inverse) => self.is_inverse = *inverse,
                HostCommand::Run(name, bundles) => {
                    calls.push((name.clone(), bundles.clone(), self.is_inverse));
                }
            }
        }
        (!calls.is_empty()).then(|| number_of(&mut self.calls, calls))
    }

    /// Returns the row of a transfer.
    fn transfer(&mut self, transfer: &HostTransfer) -> Result<String, KernelError> {
        let Descriptor { action, sync_before, .. } = &transfer.descriptor;
        let waits = u8::from(*sync_before);
        let Some((place, offset)) = transfer.place else {
            return Ok(format!(
                "{{CP2_NOTHING, {waits}, 0, 0, 0, 0, {{0, 0, {{0, 0}}, {{0, 0}}}}, {{0, {{0, 0}}, {{0, 0}}}}, 0}}"
            ));
        };
        let place = place_name(self.procedure, place);
        match action {
            DescriptorAction::Get(get) => {
                let kind = if get.single_words { "CP2_GET_WORDS" } else { "CP2_GET" };
                let walks = walks(&get.memory, offset, &get.local)?;
                let patterns = number_of(&mut self.patterns, get.sections);
                Ok(format!("{{{kind}, {waits}, {place}, 0, 0, 0, {walks}, patterns_{patterns}}}"))
            }
            DescriptorAction::Put(put) => {
                let walks = walks(&put.memory, offset, &put.local)?;
                let (flow, mask, end) = (put.flow, put.mask, put.row_end_mask);
                Ok(format!("{{CP2_PUT, {waits}, {place}, {flow}, {mask}, {end}, {walks}, 0}}"))
            }
            _ => Err(KernelError::Internal("a page has a transfer that C has no table for")),
        }
    }

    /// Returns the tables that all passes share.
    fn shared(&self) -> String {
        let mut c = String::new();
        if !self.patterns.is_empty() {
            c += "/* Beats that each section takes. */\n";
        }
        for (k, patterns) in self.patterns.iter().enumerate() {
            let one = |p: &Pattern| format!("{{{}, {}, {}, {}}}", p.base, p.inner, p.run, p.outer);
            let all: Vec<String> = patterns.iter().map(one).collect();
            let _ = writeln!(
                c,
                "static const struct cp2_pattern patterns_{k}[] = {{{}}};",
                all.join(", ")
            );
        }
        for (k, calls) in self.calls.iter().enumerate() {
            let names: Vec<&str> = calls.iter().map(|(name, ..)| name.as_str()).collect();
            let _ = writeln!(c, "/* {}. */", names.join(", "));
            let mut rows = Vec::new();
            for (j, (_, bundles, is_inverse)) in calls.iter().enumerate() {
                let _ = write!(c, "static const uint64_t bundles_{k}_{j}[] = {{");
                list(&mut c, bundles);
                rows.push(format!(
                    "{{bundles_{k}_{j}, {}, {}}}",
                    bundles.len(),
                    u8::from(*is_inverse)
                ));
            }
            let _ =
                writeln!(c, "static const struct cp2_call calls_{k}[] = {{{}}};", rows.join(", "));
        }
        c
    }
}

/// Returns the number of a thing in a list, to which it is added if it is new.
fn number_of<T: PartialEq>(all: &mut Vec<T>, one: T) -> usize {
    all.iter().position(|known| *known == one).unwrap_or_else(|| {
        all.push(one);
        all.len() - 1
    })
}

/// Returns the walks of a transfer that begins `offset` bytes behind the begin of its place.
fn walks(memory: &MemoryWalk, offset: u64, local: &LocalWalk) -> Result<String, KernelError> {
    let is_plain = memory.index.is_none() && local.index.is_none();
    if !is_plain || local.x.reversed || local.y.reversed {
        return Err(KernelError::Internal("a page has a walk that C has no table for"));
    }
    let (x, y) = (memory.x, memory.y);
    let of_memory = format!(
        "{{{offset}, {}, {{{}, {}}}, {{{}, {}}}}}",
        memory.burst, x.step, x.count, y.step, y.count
    );
    let (x, y) = (local.x, local.y);
    let base = local.base;
    Ok(format!("{of_memory}, {{{base}, {{{}, {}}}, {{{}, {}}}}}", x.step, x.count, y.step, y.count))
}
