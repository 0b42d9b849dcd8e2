//! Translated code of all blocks in executable memory: which block has code, and which exits lead where.

use super::assembler::{Assembler, guest, of_core};
use super::integer::displaced;
use super::links::{Entry, Links};
use super::mode::NativeMode;
use super::state::{
    BASE, CPU, HELD, IS_PLAIN, LEFT, MEMORY, MXCSR, NOW, RUNNING_LEFT, TIMING, TIMING_PLACE,
};
use super::time::of_timing;
use super::translate::translate;
use crate::engine::block::DecodedBlock;
use crate::timing::{CodeCosts, Timing};
use iced_x86::{Code, MemoryOperand, Register};
use memmap2::{Mmap, MmapMut};
use std::collections::HashMap;

/// Translated code of blocks.
pub(super) struct NativeCode {
    /// Memory of code; it is never writable and executable at once.
    memory: Option<Mmap>,
    used: usize,
    /// Number of bytes of the memory; when they are used, whoever has the blocks forgets all of them.
    size: usize,
    is_full: bool,
    /// Offset behind the ways, where code of blocks begins.
    first: usize,
    /// Offset of the way in.
    enter: usize,
    /// Address of the function that calls handlers.
    handler: u64,
    mode: NativeMode,
    links: Links,
    /// Offsets of the distances of the jumps of exits that are open, by their targets.
    open: HashMap<u64, Vec<usize>>,
}

impl NativeCode {
    /// Creates a store of code, with a function that handlers are called by: it takes the core, the operation and a
    /// number, and returns 0 or what the code is left with. `None` if the native machine gives no executable memory.
    pub(super) fn new(handler: u64, size: usize) -> Option<Self> {
        let memory = MmapMut::map_anon(size).ok()?.make_exec().ok()?;
        let mut code = Self {
            memory: Some(memory),
            used: 0,
            size,
            is_full: false,
            first: 0,
            enter: 0,
            handler,
            mode: NativeMode::NONE,
            links: Links::default(),
            open: HashMap::new(),
        };
        code.write_ways()?;
        Some(code)
    }

    /// Returns the address on the native machine of an offset in the memory of code.
    pub(super) fn address(&self, offset: usize) -> Option<*const u8> {
        self.memory.as_ref()?.get(offset..).map(<[u8]>::as_ptr)
    }

    /// Returns the offset of the way in: a function that takes the core and the address of a block's code.
    pub(super) fn enter(&self) -> usize {
        self.enter
    }

    /// Returns the way in which blocks are translated.
    pub(super) fn mode(&self) -> NativeMode {
        self.mode
    }

    /// Forgets all code, and translates in another way from now on.
    pub(super) fn set_mode(&mut self, mode: NativeMode) {
        self.mode = mode;
        self.forget();
        // Without ways there is no memory of code, and none to run.
        let _ = self.write_ways();
    }

    /// Returns blocks and exits.
    pub(super) fn links(&self) -> &Links {
        &self.links
    }

    /// Whether a block found no room.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Forgets all translations.
    pub(super) fn forget(&mut self) {
        (self.used, self.is_full) = (self.first, false);
        self.links.forget();
        self.open.clear();
    }

    /// Translates blocks, with their numbers, and leads the exits to them that were open. Returns the code of each; one
    /// has none if the memory of code is full or something in it cannot be encoded.
    pub(super) fn add_all<'a>(
        &mut self,
        blocks: impl Iterator<Item = (u32, &'a DecodedBlock)>,
    ) -> Vec<Option<Entry>> {
        let (mut entries, mut changes) = (Vec::new(), Vec::new());
        for (number, block) in blocks {
            entries.push(self.add(block, number, &mut changes));
        }
        if changes.is_empty() {
            return entries;
        }
        let edited = self.edit(|memory| {
            for (at, bytes) in changes {
                memory.get_mut(at..at + bytes.len())?.copy_from_slice(&bytes);
            }
            Some(())
        });
        if edited.is_none() {
            entries.fill(None);
        }
        entries
    }

    /// Translates a block, which is to be written by `changes`: bytes, and where they go.
    fn add(
        &mut self,
        block: &DecodedBlock,
        number: u32,
        changes: &mut Vec<(usize, Vec<u8>)>,
    ) -> Option<Entry> {
        let start = self.used.next_multiple_of(16);
        let translated = translate(block, number, (&self.links, self.mode), start)?;
        let end = start + translated.bytes.len();
        if end > self.size {
            self.is_full = true;
            return None;
        }
        self.used = end;
        changes.push((start, translated.bytes));
        for at in self.open.remove(&block.pc).unwrap_or_default() {
            let distance = (start as i64 - (at as i64 + 4)) as i32;
            changes.push((at, distance.to_le_bytes().into()));
        }
        self.links.entries.insert(block.pc, Entry(start));
        for (exit, at) in translated.exits {
            if exit.is_open {
                self.open.entry(exit.target).or_default().push(at);
            }
            self.links.exits.push(exit);
        }
        Some(Entry(start))
    }

    /// Changes the memory of code; `None` if that is not possible, and then no code can be run any more.
    fn edit(&mut self, change: impl FnOnce(&mut [u8]) -> Option<()>) -> Option<()> {
        let mut memory = self.memory.take()?.make_mut().ok()?;
        let changed = change(&mut memory);
        self.memory = memory.make_exec().ok();
        changed
    }

    /// Writes the ways into code, out of it, and to handlers.
    fn write_ways(&mut self) -> Option<()> {
        const SAVED: [Register; 6] = [
            Register::RBX,
            Register::RBP,
            Register::R12,
            Register::R13,
            Register::R14,
            Register::R15,
        ];
        let mut out = Assembler::new(0);
        self.enter = out.at();
        SAVED.iter().for_each(|register| out.one(Code::Push_r64, *register));
        out.immediate(Code::Sub_rm64_imm8, Register::RSP, 8);
        out.two(Code::Mov_r64_rm64, Register::RAX, Register::RSI);
        out.two(Code::Mov_r64_rm64, CPU, Register::RDI);
        out.load(Code::Mov_r64_rm64, MEMORY, of_core(BASE));
        if_not_plain(&mut out, Code::Ldmxcsr_m32, MXCSR);
        self.take_registers(&mut out);
        out.one(Code::Jmp_rm64, Register::RAX);

        self.links.leave = out.at();
        self.put_registers(&mut out);
        if_not_plain(&mut out, Code::Stmxcsr_m32, MXCSR + 4);
        out.immediate(Code::Add_rm64_imm8, Register::RSP, 8);
        SAVED.iter().rev().for_each(|register| out.one(Code::Pop_r64, *register));
        out.plain(Code::Retnq);

        self.links.call = out.at();
        self.put_registers(&mut out);
        if_not_plain(&mut out, Code::Stmxcsr_m32, MXCSR + 4);
        out.immediate(Code::Sub_rm64_imm8, Register::RSP, 8);
        out.two(Code::Mov_r64_rm64, Register::RDI, CPU);
        out.two(Code::Mov_r64_rm64, Register::RSI, Register::RDX);
        out.two(Code::Mov_r64_rm64, Register::RDX, Register::RAX);
        out.constant(Register::RAX, self.handler);
        out.one(Code::Call_rm64, Register::RAX);
        out.immediate(Code::Add_rm64_imm8, Register::RSP, 8);
        let stopped = out.label();
        out.two(Code::Test_rm64_r64, Register::RAX, Register::RAX);
        out.jump(Code::Jne_rel32_64, stopped);
        if_not_plain(&mut out, Code::Ldmxcsr_m32, MXCSR);
        self.take_registers(&mut out);
        out.plain(Code::Retnq);
        out.bind(stopped);
        // The call of this function is left too. What the flags told was joined before the handler.
        out.immediate(Code::Add_rm64_imm8, Register::RSP, 8);
        if_not_plain(&mut out, Code::Ldmxcsr_m32, MXCSR);
        self.take_registers(&mut out);
        out.jump_to(Code::Jmp_rel32_64, self.links.leave);
        self.links.wait = out.at();
        if let Some(costs) = self.mode.costs {
            write_wait(&mut out, &costs);
        }
        let bytes = out.finish()?;
        (self.used, self.first) = (bytes.len(), bytes.len());
        self.edit(|memory| {
            memory.get_mut(..bytes.len())?.copy_from_slice(&bytes);
            Some(())
        })
    }

    /// Reads the registers of the guest that registers of the native machine hold, and what is counted.
    fn take_registers(&self, out: &mut Assembler) {
        for (native, register) in HELD {
            out.load(Code::Mov_r64_rm64, native, guest(register));
        }
        if self.mode.costs.is_some() {
            out.load(Code::Mov_r64_rm64, TIMING, of_core(TIMING_PLACE));
            out.load(Code::Mov_r64_rm64, NOW, of_timing(Timing::NOW));
        } else {
            out.load(Code::Mov_r64_rm64, LEFT, of_core(RUNNING_LEFT));
        }
    }

    /// Writes them back.
    fn put_registers(&self, out: &mut Assembler) {
        for (native, register) in HELD {
            out.store(Code::Mov_rm64_r64, guest(register), native);
        }
        if self.mode.costs.is_some() {
            out.store(Code::Mov_rm64_r64, of_timing(Timing::NOW), NOW);
        } else {
            out.store(Code::Mov_rm64_r64, of_core(RUNNING_LEFT), LEFT);
        }
    }
}

/// Writes the function that waits: the cycles until then are lost for the cause, but for one in which something issued.
fn write_wait(out: &mut Assembler, costs: &CodeCosts) {
    let shift = costs.shift;
    out.two(Code::Mov_r64_rm64, Register::RDX, Register::RAX);
    out.immediate(Code::And_rm64_imm8, Register::RDX, -(1 << shift));
    out.immediate(Code::Or_rm64_imm8, Register::RDX, 1);
    out.load(Code::Lea_r64_m, Register::RAX, displaced(NOW, 2 * (costs.width() as i32 - 1)));
    out.two_shift(Code::Shr_rm64_imm8, Register::RAX, shift);
    out.two(Code::Mov_r64_rm64, NOW, Register::RDX);
    out.two_shift(Code::Shr_rm64_imm8, Register::RDX, shift);
    out.two(Code::Sub_r64_rm64, Register::RDX, Register::RAX);
    let stalled = MemoryOperand::with_base_index_scale_displ_size(
        TIMING,
        Register::RCX,
        8,
        Timing::STALLED,
        1,
    );
    out.store(Code::Add_rm64_r64, stalled, Register::RDX);
    out.plain(Code::Retnq);
}

/// Whether the native machine has all instructions of translations.
pub(super) fn is_able() -> bool {
    #[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
    {
        use std::is_x86_feature_detected as has;
        has!("avx") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("movbe")
    }
    #[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
    false
}

/// Reads or writes the native machine's register MXCSR, if a result that is inexact would be news.
fn if_not_plain(out: &mut Assembler, code: Code, offset: i64) {
    let over = out.label();
    out.store_immediate(Code::Cmp_rm8_imm8, of_core(IS_PLAIN), 0);
    out.jump(Code::Jne_rel32_64, over);
    out.one_memory(code, of_core(offset));
    out.bind(over);
}
