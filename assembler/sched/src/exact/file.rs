//! The register file, as the solver is told of it while it decides: no register holds two values in one cycle of the kernel.

use super::problem::{FileOf, Problem};
use super::theory::{Machine, Reason, Undo};
use batsat::{Lit, TheoryArg, lbool};

/// Nobody has the register.
const NOBODY: u32 = u32::MAX;

/// Where values are alive for certain, and in which registers.
pub(super) struct File<'p> {
    of: &'p FileOf,
    /// Cycles of the kernel.
    length: i64,
    ii: i64,
    registers: usize,
    /// Web of each value.
    web_of: Vec<usize>,
    /// By operation: the values that it makes or needs.
    touched: Vec<Vec<u32>>,
    /// By value: the cycles in which it is alive whatever else is decided.
    parts: Vec<(i32, i32)>,
    /// By cycle of the kernel: values with their iteration that are alive there whatever else is decided.
    over: Vec<Vec<u32>>,
    /// By cycle of the kernel and register: the value with its iteration that is in it.
    taken: Vec<u32>,
    /// By instance: the registers that it is in.
    is_in: Vec<Vec<u8>>,
    /// By register: the instances that are in it.
    inside: Vec<Vec<u32>>,
    /// Instances that have got a register and have not been looked at.
    pub(super) joined: Vec<(u32, u8)>,
}

impl<'p> File<'p> {
    pub(super) fn new(problem: &'p Problem, of: &'p FileOf) -> Self {
        let length = problem.ii * of.unroll as i64;
        let registers = of.free.last().map_or(0, |&last| last + 1);
        let mut web_of = vec![0; of.lives.len()];
        for (web, values) in of.webs.iter().enumerate() {
            values.iter().for_each(|&value| web_of[value] = web);
        }
        let mut touched = vec![Vec::new(); problem.windows.len()];
        for (value, life) in of.lives.iter().enumerate() {
            let users = life.uses.iter().map(|&(op, _)| op).chain([life.def]);
            for op in users.collect::<std::collections::BTreeSet<_>>() {
                touched[op].push(value as u32);
            }
        }
        Self {
            of,
            length,
            ii: problem.ii,
            registers,
            web_of,
            touched,
            parts: vec![(0, -1); of.lives.len()],
            over: vec![Vec::new(); length as usize],
            taken: vec![NOBODY; length as usize * registers],
            is_in: vec![Vec::new(); of.webs.len() * of.unroll],
            inside: vec![Vec::new(); registers],
            joined: Vec::new(),
        }
    }

    /// Returns the cycle of the kernel in which iteration `u` is at a time.
    fn cell(&self, time: i32, u: usize) -> usize {
        (i64::from(time) + u as i64 * self.ii).rem_euclid(self.length) as usize
    }

    fn instance(&self, value: u32) -> usize {
        let (value, u) = (value as usize / self.of.unroll, value as usize % self.of.unroll);
        self.web_of[value] * self.of.unroll + u
    }

    pub(super) fn take_back(&mut self, undo: Undo) {
        match undo {
            Undo::Held(value, old) => {
                let new = std::mem::replace(&mut self.parts[value as usize], old);
                for time in (new.0..=new.1).filter(|time| !is_within(old, *time)) {
                    for u in 0..self.of.unroll {
                        let cell = self.cell(time, u);
                        self.over[cell].pop();
                    }
                }
            }
            Undo::Taken { cell, register } => {
                self.taken[cell as usize * self.registers + usize::from(register)] = NOBODY;
            }
            Undo::In(instance) => {
                if let Some(register) = self.is_in[instance as usize].pop() {
                    self.inside[usize::from(register)].pop();
                }
            }
            _ => {}
        }
    }
}

fn is_within(part: (i32, i32), time: i32) -> bool {
    part.0 <= part.1 && (part.0..=part.1).contains(&time)
}

impl Machine<'_> {
    /// Takes over what has been decided of registers and of these operations; false if that led to a conflict.
    pub(super) fn hold(&mut self, acts: &mut TheoryArg<'_>, changed: &[u32]) -> bool {
        let Some(mut file) = self.file.take() else { return true };
        let result = file.advance(self, acts, changed);
        self.file = Some(file);
        result
    }
}

/// A clash: two values that are both alive in a cycle of the kernel, each with the time at which its iteration is there.
type Alive = (u32, i32);

impl File<'_> {
    fn advance(&mut self, machine: &mut Machine<'_>, acts: &mut TheoryArg<'_>, changed: &[u32]) -> bool {
        let mut looked = Vec::new();
        for (instance, register) in std::mem::take(&mut self.joined) {
            machine.undo.push(Undo::In(instance));
            self.is_in[instance as usize].push(register);
            self.inside[usize::from(register)].push(instance);
            looked.push(instance);
            let (web, u) = (instance as usize / self.of.unroll, instance as usize % self.of.unroll);
            for &value in &self.of.webs[web] {
                let part = self.parts[value];
                for time in part.0..=part.1 {
                    let whose = (value * self.of.unroll + u) as u32;
                    if !self.occupy(machine, acts, (whose, time), register) {
                        return false;
                    }
                }
            }
        }
        for &op in changed {
            for k in 0..self.touched[op as usize].len() {
                let value = self.touched[op as usize][k];
                if !self.grow(machine, acts, value) {
                    return false;
                }
            }
        }
        for instance in looked {
            let web = instance as usize / self.of.unroll;
            for k in 0..self.of.webs[web].len() {
                if !self.keep_out(machine, acts, self.of.webs[web][k]) {
                    return false;
                }
            }
        }
        for &op in changed {
            for k in 0..self.touched[op as usize].len() {
                let value = self.touched[op as usize][k];
                if !self.keep_out(machine, acts, value as usize) {
                    return false;
                }
            }
        }
        true
    }

    /// Returns the cycles in which a value is alive whatever else is decided, and those in which it may be.
    fn spans(&self, machine: &Machine<'_>, value: usize) -> ((i32, i32), (i32, i32)) {
        let life = &self.of.lives[value];
        let start = life.start as i32;
        let ends = |bounds: &[i32]| {
            life.uses.iter().map(|&(op, offset)| bounds[op] + offset as i32).max().unwrap_or(0)
        };
        let (low, high) = (machine.low[life.def] + start, machine.high[life.def] + start);
        ((high, ends(&machine.low)), (low, ends(&machine.high)))
    }

    fn grow(&mut self, machine: &mut Machine<'_>, acts: &mut TheoryArg<'_>, value: u32) -> bool {
        let old = self.parts[value as usize];
        let (new, _) = self.spans(machine, value as usize);
        if new.0 > new.1 || new == old {
            return true;
        }
        machine.undo.push(Undo::Held(value, old));
        self.parts[value as usize] = new;
        let fresh: Vec<i32> = (new.0..=new.1).filter(|&time| !is_within(old, time)).collect();
        for &time in &fresh {
            for u in 0..self.of.unroll {
                let cell = self.cell(time, u);
                self.over[cell].push(value * self.of.unroll as u32 + u as u32);
            }
        }
        for time in fresh {
            for u in 0..self.of.unroll {
                let whose = value * self.of.unroll as u32 + u as u32;
                if !self.enter(machine, acts, (whose, time)) {
                    return false;
                }
            }
        }
        true
    }

    /// Takes the registers that a value is in for one more cycle, and keeps it out of those that others have there.
    fn enter(&mut self, machine: &mut Machine<'_>, acts: &mut TheoryArg<'_>, alive: Alive) -> bool {
        let instance = self.instance(alive.0);
        for k in 0..self.is_in[instance].len() {
            let register = self.is_in[instance][k];
            if !self.occupy(machine, acts, alive, register) {
                return false;
            }
        }
        let cell = self.cell(alive.1, alive.0 as usize % self.of.unroll);
        for register in 0..self.registers {
            let holder = self.taken[cell * self.registers + register];
            if holder != NOBODY && self.instance(holder) != instance {
                let other = (holder, self.time_in(cell, holder));
                if !self.forbid(machine, acts, (alive, other), register as u8) {
                    return false;
                }
            }
        }
        true
    }

    /// Returns the time at which a value, alive in a cycle of the kernel, is there.
    fn time_in(&self, cell: usize, value: u32) -> i32 {
        let part = self.parts[value as usize / self.of.unroll];
        let first = self.cell(part.0, value as usize % self.of.unroll);
        part.0 + (cell as i64 - first as i64).rem_euclid(self.length) as i32
    }

    /// Gives a register to a value in a cycle, and keeps the others out of it that are alive there.
    fn occupy(
        &mut self,
        machine: &mut Machine<'_>,
        acts: &mut TheoryArg<'_>,
        alive: Alive,
        register: u8,
    ) -> bool {
        let cell = self.cell(alive.1, alive.0 as usize % self.of.unroll);
        let at = cell * self.registers + usize::from(register);
        let instance = self.instance(alive.0);
        if self.taken[at] != NOBODY {
            let holder = self.taken[at];
            return self.instance(holder) == instance
                || self.forbid(machine, acts, (alive, (holder, self.time_in(cell, holder))), register);
        }
        self.taken[at] = alive.0;
        machine.undo.push(Undo::Taken { cell: cell as u32, register });
        for k in 0..self.over[cell].len() {
            let other = self.over[cell][k];
            if self.instance(other) != instance {
                let other = (other, self.time_in(cell, other));
                if !self.forbid(machine, acts, (other, alive), register) {
                    return false;
                }
            }
        }
        true
    }

    /// Keeps the first of two values that are alive in one cycle out of the register that the second has.
    fn forbid(
        &self,
        machine: &mut Machine<'_>,
        acts: &mut TheoryArg<'_>,
        (first, second): (Alive, Alive),
        register: u8,
    ) -> bool {
        let follows = !machine.names.is_in(self.instance(first.0), register);
        if is_true(acts, follows) {
            return true;
        }
        let from = machine.arena.len() as u32;
        let has = machine.names.is_in(self.instance(second.0), register);
        machine.arena.push(has);
        self.witness(machine, first);
        self.witness(machine, second);
        let to = machine.arena.len() as u32;
        machine.follow(acts, follows, Reason::Many { from, to })
    }

    /// Writes down why a value is alive at a time.
    fn witness(&self, machine: &mut Machine<'_>, (value, time): Alive) {
        let life = &self.of.lives[value as usize / self.of.unroll];
        let time = i64::from(time);
        let begun = !machine.since(life.def, time - life.start + 1);
        let mut used = life.uses.iter();
        let used = used.find(|&&(op, offset)| i64::from(machine.low[op]) + offset >= time);
        let used = used.map(|&(op, offset)| machine.since(op, time - offset));
        let truth = machine.truth;
        machine.arena.extend([begun].into_iter().chain(used).filter(|&l| l != truth));
    }

    /// Bounds the operations of a value by the cycles in which others have its registers.
    fn keep_out(&self, machine: &mut Machine<'_>, acts: &mut TheoryArg<'_>, value: usize) -> bool {
        let web = self.web_of[value];
        for u in 0..self.of.unroll {
            for &register in &self.is_in[web * self.of.unroll + u] {
                if !self.keep_out_of(machine, acts, (value, u), register) {
                    return false;
                }
            }
        }
        true
    }

    fn keep_out_of(
        &self,
        machine: &mut Machine<'_>,
        acts: &mut TheoryArg<'_>,
        (value, u): (usize, usize),
        register: u8,
    ) -> bool {
        let ((begun, needed), (first, last)) = self.spans(machine, value);
        let whose = (value * self.of.unroll + u) as u32;
        let other = |time: i32| {
            let cell = self.cell(time, u);
            let holder = self.taken[cell * self.registers + usize::from(register)];
            (holder != NOBODY && self.instance(holder) != self.instance(whose))
                .then(|| (holder, self.time_in(cell, holder)))
        };
        // The first cycle behind, and the last one before, that the value cannot have.
        let behind = (begun.max(needed + 1)..=last).find_map(|t| other(t).map(|o| (t, o)));
        if let Some((time, other)) = behind
            && !self.end_before(machine, acts, (whose, time), (other, register))
        {
            return false;
        }
        let before = (first..=needed.min(begun - 1)).rev().find_map(|t| other(t).map(|o| (t, o)));
        before.is_none_or(|(time, other)| {
            self.begin_after(machine, acts, (whose, time), (other, register))
        })
    }

    /// Writes down that two values are in one register, and why the second is alive in a cycle.
    fn shared(&self, machine: &mut Machine<'_>, whose: u32, (other, register): (Alive, u8)) {
        for value in [whose, other.0] {
            let is_in = machine.names.is_in(self.instance(value), register);
            machine.arena.push(is_in);
        }
        self.witness(machine, other);
    }

    fn end_before(
        &self,
        machine: &mut Machine<'_>,
        acts: &mut TheoryArg<'_>,
        (whose, time): Alive,
        other: (Alive, u8),
    ) -> bool {
        let life = &self.of.lives[whose as usize / self.of.unroll];
        let time = i64::from(time);
        let from = machine.arena.len() as u32;
        self.shared(machine, whose, other);
        let begun = !machine.since(life.def, time - life.start + 1);
        machine.arena.push(begun);
        let to = machine.arena.len() as u32;
        life.uses.iter().filter(|_| true).all(|&(op, offset)| {
            i64::from(machine.high[op]) + offset < time || {
                let follows = !machine.since(op, time - offset);
                machine.follow(acts, follows, Reason::Many { from, to })
            }
        })
    }

    fn begin_after(
        &self,
        machine: &mut Machine<'_>,
        acts: &mut TheoryArg<'_>,
        (whose, time): Alive,
        other: (Alive, u8),
    ) -> bool {
        let life = &self.of.lives[whose as usize / self.of.unroll];
        let time = i64::from(time);
        let from = machine.arena.len() as u32;
        self.shared(machine, whose, other);
        let mut used = life.uses.iter();
        let used = used.find(|&&(op, offset)| i64::from(machine.low[op]) + offset >= time);
        if let Some(&(op, offset)) = used {
            let used = machine.since(op, time - offset);
            machine.arena.push(used);
        }
        let to = machine.arena.len() as u32;
        let follows = machine.since(life.def, time - life.start + 1);
        machine.follow(acts, follows, Reason::Many { from, to })
    }
}

fn is_true(acts: &TheoryArg<'_>, literal: Lit) -> bool {
    acts.value(literal.var()) == if literal.sign() { lbool::TRUE } else { lbool::FALSE }
}
