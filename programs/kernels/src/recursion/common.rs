//! Lanes that share the depth of their stacks: child m of every lane that has one is entered together, and the others idle meanwhile.

use super::frame::{ACTIVE, is_changed};
use super::kernel::{LaneKernel, Pass};
use super::lane_text::{LaneText, LaneWord};
use super::layout::address_register;
use LaneWord::{Constant, Register};

/// Bits from one flag of a lane to the other in a word.
const FLAG: u32 = 8;

impl LaneKernel<'_> {
    /// Ends the pass of lanes with a common depth. A frame stays on the stack as long as one of them has a call left to make there; the
    /// called frame stands above it, or else in its place, as long as one of them has something left to do in it.
    pub(super) fn go_together(&self, text: &mut LaneText, frame: &[LaneWord], pass: &Pass) {
        let (slot, next) = (pass.slot, &pass.next);
        let stride = self.layout.stride as u32;
        let active = &frame[ACTIVE];
        let calls = text.and(&next.calls, active);
        let goes_in = text.not(&pass.entered.is_done);
        let goes_in = text.and(&calls, &goes_in);
        let is_over = text.or(&next.is_last, &next.is_done);
        let stays = text.not(&is_over);
        let stays = text.and(active, &stays);
        self.add_values(text, pass);
        let in_one = text.masked(&goes_in, stride);
        let in_other = text.register(&stays);
        let mask = text.constant(stride << FLAG);
        let in_other = text.operation("and", &format!("{in_other}, {mask}"));
        let in_one = text.register(&in_one);
        let flags = match self.finds_largest {
            // The largest word has all bits of a flag, but not those of two.
            true => [in_one, in_other].map(|flag| self.over_sections(text, &flag)).join(", "),
            false => format!("{in_one}, {in_other}"),
        };
        let mut flags = text.operation("or", &flags);
        if !self.finds_largest {
            flags = self.over_sections(text, &flags);
        }
        let mask = text.constant(stride);
        let inside = text.operation("and", &format!("{flags}, {mask}"));
        let above = text.operation("lshifti", &format!("{flags}, -{FLAG}"));
        let child = text.operation("add", &format!("%sp{slot}, {above}"));
        let mut after = pass.after.clone();
        after[ACTIVE] = stays;
        let words = self.stored_words(text, &after, |word| is_changed(self.steps, word));
        self.store_together(text, slot, &format!("%sp{slot}"), &words);
        let mut inner = pass.child.clone();
        inner[ACTIVE] = goes_in;
        let words = self.stored_words(text, &inner, |_| true);
        self.store_together(text, slot, &child, &words);
        // The pointer of a stack that is empty stays.
        let moved = text.add(&Register(child), &Register(inside));
        let moved = text.sub(&moved, &Constant(stride));
        let moved = text.register(&moved);
        let running = self.is_running(text, slot);
        let change = text.operation("sub", &format!("{moved}, %sp{slot}"));
        let change = text.operation("and", &format!("{change}, {running}"));
        text.lines.line(format!("add %sp{slot}, %sp{slot}, {change}"));
    }

    /// Stores words at an address that all sections share.
    fn store_together(
        &self,
        text: &mut LaneText,
        slot: usize,
        address: &str,
        words: &[[String; 2]],
    ) {
        let general = address_register(slot);
        text.lines.line(format!("mffpr g{general}, {address}, s0"));
        text.lines.line(format!("move a{slot}, g{general}"));
        for [word, _] in words {
            text.lines.line(format!("swo {word}, (r{slot})+1"));
        }
    }
}
