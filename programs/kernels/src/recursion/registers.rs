//! Lanes with a common depth whose frames are in registers: code for each depth, and no stack in memory.

use super::frame::{ACTIVE, ALL, FrameWord, STATE, is_changed};
use super::kernel::LaneKernel;
use super::lane_text::{LaneText, LaneWord};
use super::layout::LaneLayout;
use LaneWord::{Constant, Register};
use cp2_session::error::KernelError;
use std::fmt::Write as _;

/// Registers that a step needs beside those that hold frames.
const BESIDE: usize = 20;
/// Register of the sum.
const SUM: usize = 0;
/// Register of the number of passes.
const PASSES: usize = 1;
/// Register of the groups of contexts that are left.
const GROUPS: usize = 2;

/// Returns the number of the register to whose address the code of a depth goes back.
fn back_register(depth: usize) -> usize {
    GROUPS + 1 + depth
}

/// Returns the number of the register of a word of the frame of a depth.
fn word_register(layout: &LaneLayout, depth: usize, word: usize) -> usize {
    back_register(layout.room + 1) + depth * layout.frame + word
}

/// Returns the number of registers that are kept from pass to pass; of the frame that there is no room for, the first word only.
pub(super) fn kept_registers(layout: &LaneLayout) -> usize {
    word_register(layout, layout.room, 0) + 1
}

/// Whether a core of so many registers has as many as frames take, and those of a step.
pub(super) fn has_registers(kept: usize, registers: usize) -> bool {
    kept + BESIDE <= registers
}

/// Refuses frames for which there are not enough registers.
///
/// # Errors
/// There are not: how many they take, and how many there may be.
pub(super) fn check_registers(kept: usize, registers: usize) -> Result<(), KernelError> {
    if has_registers(kept, registers) {
        return Ok(());
    }
    let limit = format!(
        "at most {}, as a step needs {BESIDE} of {registers}; hand over at a greater depth, or add registers by --enable more-fprs=128",
        registers.saturating_sub(BESIDE)
    );
    Err(KernelError::Parameter { what: "registers of frames", value: kept, limit })
}

impl LaneKernel<'_> {
    /// Returns the text of the kernel, and the contents of the words of constants.
    pub(super) fn source_in_registers(&self) -> (String, Vec<u64>) {
        let depths = 0..self.layout.room;
        let mut constants = std::collections::BTreeMap::new();
        let mut codes: Vec<(String, LaneText)> = Vec::new();
        for depth in depths {
            let mut text = LaneText::with_constants(std::mem::take(&mut constants));
            self.pass_in_registers(&mut text, depth);
            constants.clone_from(&text.constants);
            let inner = match depth + 1 == self.layout.room {
                true => "overflow".to_owned(),
                false => format!("depth{}", depth + 1),
            };
            codes.push((
                format!(
                    "depth{depth}:\n        seti    g2, depth{depth}\n        seti    g3, {inner}\n"
                ),
                text,
            ));
        }
        let mut out = self.begin_in_registers();
        for (head, text) in &codes {
            out += head;
            out += &self.region(&constants, text);
            out += "        jump    g1\n        nop\n";
        }
        (out, constants.keys().copied().collect())
    }

    /// Returns lines as a region that leaves the kept registers alone but for what its lines write, with its constants.
    fn region(
        &self,
        constants: &std::collections::BTreeMap<u64, String>,
        text: &LaneText,
    ) -> String {
        let lines = text.lines.text();
        let mut out = format!(".linear\n        .keep   f0-f{}\n", kept_registers(self.layout) - 1);
        for (at, register) in constants.values().enumerate() {
            let is_used = lines
                .lines()
                .any(|line| line.split([' ', ',', '.', ':']).any(|word| word == register));
            if is_used {
                let _ = writeln!(out, "        lwi     {register}, {}", self.layout.pool() + at);
            }
        }
        out + &lines + ".endlinear\n"
    }

    /// Returns the text up to the code of the first depth; `g0` has the address of the first group of contexts of a call, `g1` their
    /// number: the begin, the end, and the way from one group of contexts to the next.
    fn begin_in_registers(&self) -> String {
        let layout = self.layout;
        let needs = self.requirements();
        let mut groups = String::new();
        for word in 0..layout.frame {
            let step = match word + 1 == layout.frame {
                true => layout.stride + 1 - layout.frame,
                false => 1,
            };
            let _ = writeln!(
                groups,
                "        lwo     f{}, (r0)+{step}",
                word_register(self.layout, 0, word)
            );
        }
        let (keep, guard) = (
            format!("        .keep   f0-f{}\n", kept_registers(self.layout) - 1),
            layout.guard(0, 0),
        );
        format!(
            "; Searches on lanes, frames in registers; generated by programs/kernels/src/recursion/registers.rs.
{needs}        .kernel search
        move    a0, g0
        seti    g2, next
.linear
{keep}        lwi     f{SUM}, {sum}
        lwi     f{PASSES}, {blocks}
        mtfpr   f{GROUPS}, g1, all
        mtfpr   f{back}, g2, all
.endlinear
next:
        seti    g2, depth0
        seti    g3, done
.linear
{keep}{groups}        subi    f{GROUPS}, f{GROUPS}, 1
        ashifti %ends, f{GROUPS}, -31
        mtfpr   %depth0, g2, all
        mtfpr   %done, g3, all
        xor     %change, %depth0, %done
        and     %taken, %change, %ends
        xor     %target, %depth0, %taken
        mffpr   g1, %target, s0
.endlinear
        jump    g1
        nop
overflow:
.linear
{keep}        lwi     %guard, {guard}
        or      %shown, %guard, f{active}
        swi     %shown, {guard}
.endlinear
done:
        swi     f{SUM}, {sum}
        swi     f{PASSES}, {blocks}
        stopi   0
",
            back = back_register(0),
            active = word_register(self.layout, layout.room, 0),
            sum = layout.sum(),
            blocks = layout.blocks(),
        )
    }

    /// Writes the pass of a depth: the frame of the depth goes on, what it calls stands in the registers of the next one.
    fn pass_in_registers(&self, text: &mut LaneText, depth: usize) {
        let frame = self.frame_in_registers(depth);
        let bits = [&self.steps.go_on, &self.steps.enter].map(|step| self.steps.bits(step));
        let pass = self.pass(text, 0, &frame, &bits);
        let active = &frame[ACTIVE];
        let calls = text.and(&pass.next.calls, active);
        let goes_in = text.not(&pass.entered.is_done);
        let goes_in = text.and(&calls, &goes_in);
        let is_over = text.or(&pass.next.is_last, &pass.next.is_done);
        let stays = text.not(&is_over);
        let stays = text.and(active, &stays);
        let value = self.value(text, &pass);
        let any = [&goes_in, &stays].map(|truth| text.register(truth));
        let any = any.map(|truth| self.over_sections(text, &truth));
        text.lines.line("mtfpr %here, g2, all");
        text.lines.line("mtfpr %inner, g3, all");
        // Back to where a lane has a call left, or else to where this depth goes back.
        let back = format!("f{}", back_register(depth));
        let behind = text.chosen(&any[1], "%here", &back);
        let target = text.chosen(&any[0], "%inner", &behind);
        let (mut after, mut child) = (pass.after.clone(), pass.child.clone());
        (after[ACTIVE], child[ACTIVE]) = (stays, goes_in);
        let written = self.written(text, depth, [&after, &child]);
        text.lines.line(format!("copy f{}, {behind}", back_register(depth + 1)));
        for (to, from) in written {
            text.lines.line(format!("copy f{to}, {from}"));
        }
        if value != Constant(0) {
            let value = text.register(&value);
            text.lines.line(format!("add f{SUM}, f{SUM}, {value}"));
        }
        text.lines.line(format!("addi f{PASSES}, f{PASSES}, 1"));
        text.lines.line(format!("mffpr g1, {target}, s0"));
    }

    /// Returns the frame of a depth.
    fn frame_in_registers(&self, depth: usize) -> Vec<LaneWord> {
        let mut frame = vec![Constant(0); ALL];
        if let Some(state) = self.steps.state {
            frame[STATE] = Constant(state);
        }
        for (at, word) in self.frame.words.iter().enumerate() {
            if let FrameWord::One(field) = *word {
                frame[field] = Register(format!("f{}", word_register(self.layout, depth, at)));
            }
        }
        frame
    }

    /// Returns which registers get which words: what has changed in the frame of a depth, and all of the called one. Of a frame that
    /// there is no room for only who is in it.
    fn written(
        &self,
        text: &mut LaneText,
        depth: usize,
        [after, child]: [&[LaneWord]; 2],
    ) -> Vec<(usize, String)> {
        let mut all = Vec::new();
        for (at, word) in self.frame.words.iter().enumerate() {
            let FrameWord::One(field) = *word else { continue };
            if is_changed(self.steps, field) {
                all.push((word_register(self.layout, depth, at), text.register(&after[field])));
            }
            if depth + 1 < self.layout.room || at == 0 {
                all.push((word_register(self.layout, depth + 1, at), text.register(&child[field])));
            }
        }
        all
    }
}
