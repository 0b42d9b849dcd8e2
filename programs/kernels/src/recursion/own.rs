//! Lanes with stack pointers of their own.

use super::frame::{ALL, FrameWord, RETURNED, STATE, frame_of, is_changed};
use super::kernel::{HALVES, LaneKernel, Pass, SETS, join, turn};
use super::lane_text::{LaneText, LaneWord, TRUE};
use super::layout::address_register;
use super::stacks::Stacks;
use LaneWord::{Constant, Register};
use cp2_isa::SECTIONS;
use cp2_recursion::Dealing;

impl LaneKernel<'_> {
    /// Gives every idle search the next context, if one is left, and idle frames to the others.
    pub(super) fn refill(&self, text: &mut LaneText) {
        if self.plan.dealing == Dealing::Queue {
            self.begin_queue(text);
        }
        for slot in self.slots() {
            self.restore_idle(text, slot);
            let base = self.addresses(text, |half| self.layout.base(slot, half));
            let above = text.operation("sub", &format!("%sp{slot}, {base}"));
            let idle = text.operation("ashifti", &format!("{above}, -31"));
            let [index, takes] = match self.plan.dealing {
                Dealing::Queue => self.take(text, slot, &idle),
                Dealing::Block | Dealing::Cyclic => self.take_of_share(text, slot, &idle),
            };
            let list = self.addresses(text, |half| self.layout.list(half));
            let from = text.operation("add", &format!("{index}, {list}"));
            if !self.steps.is_sum {
                self.give_result(text, slot, [&idle, &from, &takes]);
            }
            self.copy_context(text, slot, [&from, &takes]);
            let top =
                self.addresses(text, |half| self.layout.base(slot, half) - self.layout.stride);
            let stride = text.constant(self.layout.stride as u32);
            let up = text.operation("and", &format!("{takes}, {stride}"));
            let new = text.operation("add", &format!("{top}, {up}"));
            let change = text.operation("xor", &format!("%sp{slot}, {new}"));
            let change = text.operation("and", &format!("{change}, {idle}"));
            text.lines.line(format!("xor %sp{slot}, %sp{slot}, {change}"));
        }
        if self.plan.dealing == Dealing::Queue {
            text.lines.line(format!("swi %next, {}", self.layout.next()));
        }
    }

    /// Returns whether a place in the list is before an end.
    fn is_before(&self, text: &mut LaneText, place: &str, end: &str) -> String {
        let left = text.operation("sub", &format!("{place}, {end}"));
        text.operation("ashifti", &format!("{left}, -31"))
    }

    /// Returns the words of all contexts of each half.
    fn all_words(&self, text: &mut LaneText) -> String {
        self.addresses(text, |half| self.layout.contexts[half] * self.layout.context())
    }

    /// Loads the place of the next context, and what searches before one need to know; and the words by which the place moves on for an idle
    /// search, none if nothing is left.
    fn begin_queue(&self, text: &mut LaneText) {
        text.lines.line(format!("lwi %next, {}", self.layout.next()));
        for section in 0..SECTIONS - 1 {
            text.lines.line(format!("lwi %before{section}, {}", self.layout.before(section)));
        }
        let all = self.all_words(text);
        let is_left = self.is_before(text, "%next", &all);
        let words = text.constant(self.layout.context() as u32);
        text.lines.line(format!("and %words, {is_left}, {words}"));
    }

    /// Returns the place in the list that an idle search comes to in its share, and whether it takes a context there.
    fn take_of_share(&self, text: &mut LaneText, slot: usize, idle: &str) -> [String; 2] {
        let index = format!("%next{slot}");
        text.lines.line(format!("lwi {index}, {}", self.layout.share_next(slot)));
        text.lines.line(format!("lwi %end{slot}, {}", self.layout.share_end(slot)));
        let is_there = self.is_before(text, &index, &format!("%end{slot}"));
        let takes = text.operation("and", &format!("{idle}, {is_there}"));
        let step = match self.plan.dealing {
            Dealing::Cyclic => SECTIONS * self.layout.slots,
            Dealing::Block | Dealing::Queue => 1,
        };
        let step = text.constant((step * self.layout.context()) as u32);
        let on = text.operation("and", &format!("{takes}, {step}"));
        let next = text.operation("add", &format!("{index}, {on}"));
        text.lines.line(format!("swi {next}, {}", self.layout.share_next(slot)));
        [index, takes]
    }

    /// Returns the place in the list that each idle search comes to, sections one behind the other, and whether it takes a context there.
    fn take(&self, text: &mut LaneText, slot: usize, idle: &str) -> [String; 2] {
        let wanted = text.operation("and", &format!("{idle}, %words"));
        let of: [String; SECTIONS] = std::array::from_fn(|section| {
            let register = format!("%wanted{slot}_{section}");
            text.lines.line(format!("mffpr g{}, {wanted}, s{section}", 4 + section));
            text.lines.line(format!("mtfpr {register}, g{}, all", 4 + section));
            register
        });
        let mut index = "%next".to_owned();
        for (section, wanted) in of.iter().take(SECTIONS - 1).enumerate() {
            let before = text.operation("and", &format!("{wanted}, %before{section}"));
            index = text.operation("add", &format!("{index}, {before}"));
        }
        let left = text.operation("add", &format!("{}, {}", of[0], of[1]));
        let right = text.operation("add", &format!("{}, {}", of[2], of[3]));
        let all = text.operation("add", &format!("{left}, {right}"));
        text.lines.line(format!("add %next, %next, {all}"));
        // What was made of the place is none of the next one.
        text.forget();
        let all = self.all_words(text);
        let is_there = self.is_before(text, &index, &all);
        let takes = text.operation("and", &format!("{idle}, {is_there}"));
        [index, takes]
    }

    /// Gives the value of the context that a search has solved to its place in the list, with 1 in the other half, and keeps the place
    /// of the one that it takes.
    fn give_result(&self, text: &mut LaneText, slot: usize, [idle, from, takes]: [&str; 3]) {
        let at = self.layout.base(slot, 0) - self.layout.stride;
        let kept = self.layout.result(slot);
        let one = text.constant(1);
        text.lines.line(format!("lwi %value{slot}, {at}"));
        text.lines.line(format!("lwi %place{slot}, {kept}"));
        text.lines.line(format!("join32 %value{slot}, {one}"));
        let trash = text.constant(self.layout.trash() as u32);
        let way = text.operation("xor", &format!("%place{slot}, {trash}"));
        let way = text.operation("and", &format!("{way}, {idle}"));
        let to = text.operation("xor", &format!("{way}, {trash}"));
        text.lines.line(format!("mtsa r{SETS}, {to}.lo"));
        text.lines.line(format!("swsa %value{slot}, (r{SETS})+0"));
        // An idle search that takes nothing has no place.
        let new = text.operation("xor", &format!("{from}, {trash}"));
        let new = text.operation("and", &format!("{new}, {takes}"));
        let new = text.operation("xor", &format!("{new}, {trash}"));
        let change = text.operation("xor", &format!("%place{slot}, {new}"));
        let change = text.operation("and", &format!("{change}, {idle}"));
        let place = text.operation("xor", &format!("%place{slot}, {change}"));
        text.lines.line(format!("swi {place}, {kept}"));
        // A search without a context has returned nothing.
        let zero = text.constant(0);
        text.lines.line(format!("swi {zero}, {at}"));
    }

    /// Copies a context to the first frame of a stack where one is taken, with its arrays.
    fn copy_context(&self, text: &mut LaneText, slot: usize, [from, takes]: [&str; 2]) {
        let trash = self.layout.trash();
        let none = text.constant(trash as u32);
        let choose = |text: &mut LaneText, of: &dyn Fn(usize) -> usize| {
            let way = self.addresses(text, |half| of(half) ^ trash);
            let way = text.operation("and", &format!("{way}, {takes}"));
            text.operation("xor", &format!("{way}, {none}"))
        };
        let to = choose(text, &|half| self.layout.base(slot, half));
        for (half, name) in HALVES.iter().enumerate().take(self.layout.halves) {
            let (load, store) = (half, SETS + half);
            text.lines.line(format!("mtsa r{load}, {from}.{name}"));
            text.lines.line(format!("mtsa r{store}, {to}.{name}"));
            for _ in 0..self.layout.frame {
                copy_word(text, [load, store]);
            }
        }
        if self.layout.own > 0 {
            let to = choose(text, &|_| self.layout.own_arrays(slot));
            text.lines.line(format!("mtsa r{SETS}, {to}.lo"));
            copy_words(text, self.layout.own);
        }
    }

    /// Stores the idle frames below the stacks of a slot anew.
    fn restore_idle(&self, text: &mut LaneText, slot: usize) {
        let Some(idle) = self.idle else { return };
        let words = self.frame.contents(&frame_of(idle.state, &idle.fields));
        for half in 0..self.layout.halves {
            for below in 1..=self.layout.idles {
                let first = self.layout.base(slot, half) - below * self.layout.stride;
                for (at, &word) in words.iter().enumerate() {
                    let word = text.pair((word >> 32) as u32, word as u32);
                    text.lines.line(format!("swi {word}, {}", first + at));
                }
            }
        }
    }

    /// Loads the frame on top of a stack.
    pub(super) fn load_frame(&self, text: &mut LaneText, slot: usize) -> Vec<LaneWord> {
        let mut frame = vec![Constant(0); ALL];
        if let Some(state) = self.steps.state {
            frame[STATE] = Constant(state);
        }
        let low = self.load_words(text, slot, 0);
        if self.layout.halves == 1 {
            for (word, register) in self.frame.words.iter().zip(low) {
                if let FrameWord::One(field) = *word {
                    frame[field] = Register(register);
                }
            }
            return frame;
        }
        let high = self.load_words(text, slot, 1);
        for (word, (high, low)) in self.frame.words.iter().zip(high.into_iter().zip(low)) {
            let to = [text.fresh_pair(), text.fresh_pair()];
            match *word {
                FrameWord::One(field) => {
                    join(text, &to[0], &[high, low]);
                    frame[field] = Register(to[0].clone());
                }
                FrameWord::Two(one, other) => {
                    turn(text, [&to[0], &to[1]], [&high, &low]);
                    frame[one] = Register(to[0].clone());
                    frame[other] = Register(to[1].clone());
                }
            }
        }
        frame
    }

    /// Loads the words of the frame on top of the stack of one half.
    fn load_words(&self, text: &mut LaneText, slot: usize, half: usize) -> Vec<String> {
        let mut set = (slot * self.layout.halves + half) % SETS;
        let op = match self.plan.stacks {
            Stacks::Own => {
                text.lines.line(format!("mtsa r{set}, %sp{slot}.{}", HALVES[half]));
                "lwsa"
            }
            Stacks::CommonDepth | Stacks::Registers => {
                set = slot;
                let general = address_register(slot);
                text.lines.line(format!("mffpr g{general}, %sp{slot}, s0"));
                text.lines.line(format!("move a{set}, g{general}"));
                "lwo"
            }
        };
        let load = |_| {
            let register = text.fresh();
            text.lines.line(format!("{op} {register}, (r{set})+1"));
            register
        };
        (0..self.layout.frame).map(load).collect()
    }

    /// Ends the pass of a search whose values are sums.
    pub(super) fn go_alone(&self, text: &mut LaneText, pass: &Pass) {
        let (slot, next) = (pass.slot, &pass.next);
        let (sp, stride) = (Register(format!("%sp{slot}")), self.layout.stride as u32);
        // What is called stands above the frame, or in its place.
        let kept = text.not(&next.is_last);
        let moved = text.masked(&kept, stride);
        let child = text.add(&sp, &moved);
        let child = text.register(&child);
        self.store_alone(text, pass, &format!("%sp{slot}"), true);
        self.store_alone(text, pass, &child, false);
        self.add_values(text, pass);
        let ends = text.and(&next.calls, &pass.entered.is_done);
        let ends = text.or(&ends, &next.is_done);
        let down = text.masked(&ends, stride);
        let down = text.register(&down);
        if next.calls == TRUE && pass.running == TRUE {
            text.lines.line(format!("sub %sp{slot}, {child}, {down}"));
            return;
        }
        let up = text.and(&next.calls, &kept);
        let up = text.masked(&up, stride);
        self.move_pointer(text, pass, [&up, &Register(down)]);
    }

    /// Ends the pass of a search that returns values: they go to the frame below.
    pub(super) fn return_alone(&self, text: &mut LaneText, pass: &Pass) {
        let (slot, stride) = (pass.slot, self.layout.stride as u32);
        let sp = Register(format!("%sp{slot}"));
        let child = text.add(&sp, &Constant(stride));
        let child = text.register(&child);
        let below = text.sub(&sp, &Constant(stride));
        let below = text.register(&below);
        self.store_alone(text, pass, &format!("%sp{slot}"), true);
        self.store_alone(text, pass, &child, false);
        // Nothing is lost where the call goes on: a frame reads this word only when a call has returned to it. The frame of an idle lane
        // keeps what its context returned.
        let value = text.register(&pass.next.value);
        let set = SETS + slot % SETS;
        text.lines.line(format!("mtsa r{set}, {below}.lo"));
        text.lines.line(format!("swsa {value}, (r{set})+0"));
        let up = text.masked(&pass.next.calls, stride);
        let down = text.masked(&pass.next.is_done, stride);
        self.move_pointer(text, pass, [&up, &down]);
    }

    /// Moves the stack pointer of a lane that is not idle.
    fn move_pointer(&self, text: &mut LaneText, pass: &Pass, [up, down]: [&LaneWord; 2]) {
        let slot = pass.slot;
        let change = text.sub(up, down);
        let change = text.and(&change, &pass.running);
        let change = text.register(&change);
        text.lines.line(format!("add %sp{slot}, %sp{slot}, {change}"));
    }

    /// Stores what has changed in the frame on top, or all of the called one, at an address for each half. What returned comes first in a
    /// frame, and is not stored with the one on top.
    fn store_alone(&self, text: &mut LaneText, pass: &Pass, address: &str, is_top: bool) {
        let skipped = usize::from(is_top && !self.steps.is_sum);
        let is_changed = |word: usize| word == RETURNED || is_changed(self.steps, word);
        let words = match is_top {
            true => self.stored_words(text, &pass.after, is_changed),
            false => self.stored_words(text, &pass.child, |_| true),
        };
        let words = &words[skipped..];
        for half in (0..self.layout.halves).filter(|_| !words.is_empty()) {
            let set = SETS + (pass.slot * self.layout.halves + half) % SETS;
            let from = match skipped {
                0 => address.to_owned(),
                _ => text.operation("addi", &format!("{address}, {skipped}")),
            };
            text.lines.line(format!("mtsa r{set}, {from}.{}", HALVES[half]));
            for word in words {
                text.lines.line(format!("swsa {}, (r{set})+1", word[half]));
            }
        }
    }

    /// Returns whether a context is left, of all or of the shares of the lanes of a section.
    pub(super) fn is_left(&self, text: &mut LaneText) -> String {
        if self.plan.dealing == Dealing::Queue {
            let all = self.all_words(text);
            return self.is_before(text, "%next", &all);
        }
        let mut any = text.constant(0);
        for slot in self.slots() {
            let [next, end] = [text.fresh(), text.fresh()];
            text.lines.line(format!("lwi {next}, {}", self.layout.share_next(slot)));
            text.lines.line(format!("lwi {end}, {}", self.layout.share_end(slot)));
            let is_left = self.is_before(text, &next, &end);
            any = text.operation("or", &format!("{any}, {is_left}"));
        }
        any
    }

    /// Returns whether a search has ended with a value that is not 0.
    pub(super) fn found(&self, text: &mut LaneText) -> String {
        let mut found = text.constant(0);
        for slot in self.slots() {
            let at = self.layout.base(slot, 0) - self.layout.stride;
            let value = text.fresh();
            text.lines.line(format!("lwi {value}, {at}"));
            let is_set = LaneWord::Test { of: value, bits: u32::MAX, is_zero: false };
            let is_set = text.register(&is_set);
            let running = self.is_running(text, slot);
            let idle = text.operation("not", &running);
            let own = text.operation("and", &format!("{is_set}, {idle}"));
            found = text.operation("or", &format!("{found}, {own}"));
        }
        found
    }
}

/// Writes the copy of a word.
fn copy_word(text: &mut LaneText, [load, store]: [usize; 2]) {
    let word = text.fresh();
    text.lines.line(format!("lwsa {word}, (r{load})+1"));
    text.lines.line(format!("swsa {word}, (r{store})+1"));
}

/// Words that a turn of the loop that copies arrays loads before it stores them.
const COPIED: usize = 8;

/// Writes the copy of the words of arrays. It is a loop, since loads and stores at addresses of sections keep their order, and
/// scheduling so many at once takes long.
fn copy_words(text: &mut LaneText, count: usize) {
    let copy = |text: &mut LaneText, count: usize| {
        let words: Vec<String> = (0..count).map(|_| text.fresh()).collect();
        words.iter().for_each(|word| text.lines.line(format!("lwsa {word}, (r0)+1")));
        words.iter().for_each(|word| text.lines.line(format!("swsa {word}, (r{SETS})+1")));
    };
    if count >= COPIED {
        text.lines.begin_loop(count / COPIED);
        copy(text, COPIED);
        text.lines.end_loop();
    }
    copy(text, count % COPIED);
}
