//! What a solver of clauses is told of slots and registers while it decides: no two operations take one slot of a row, all
//! operations of a row obey one predicate, and no more values are alive in a row than there are registers. Each consequence is
//! explained by literals, so that the solver learns from it as from a clause.

use super::encode::{Meaning, Names};
use super::problem::Problem;
use batsat::{Lit, Theory, TheoryArg, lbool};

/// The reason why a literal follows.
#[derive(Clone, Copy, Debug)]
enum Reason {
    None,
    /// Single literal that implies it.
    One(Lit),
    /// A row in which all registers are taken, as a range of the literals that say so, and one other literal.
    Full {
        from: u32,
        to: u32,
        other: Option<Lit>,
    },
}

/// Step that is taken back when the solver goes back.
#[derive(Clone, Copy, Debug)]
enum Undo {
    Low(u32, i32),
    High(u32, i32),
    /// The part in which a value was alive whatever else is decided.
    Part(u32, (i32, i32)),
}

#[derive(Clone, Copy, Debug)]
struct Level {
    seen: usize,
    undo: usize,
    arena: usize,
}

/// The operations that may issue in a row, with the literals that say so.
struct Slots {
    /// By slot and row: the operations that may issue there, with their literals.
    candidates: [Vec<Vec<(u32, Lit)>>; 2],
    /// By row, operations that obey a predicate.
    predicated: Vec<Vec<(u32, Lit)>>,
}

/// The decisions that have been looked at, level by level.
struct Past {
    /// Literals of the solver's trail that have been looked at.
    seen: usize,
    levels: Vec<Level>,
    undo: Vec<Undo>,
}

/// Operations whose bounds have changed.
struct Changes {
    all: Vec<u32>,
    /// By operation: whether it is one of them.
    is_in: Vec<bool>,
}

/// The values that are alive in each row.
struct Pressure {
    /// By operation: the values that it makes or needs.
    touched: Vec<Vec<u32>>,
    /// By value: the cycles in which it is alive whatever else is decided; none if the second is before the first.
    parts: Vec<(i32, i32)>,
    /// By row: values that are alive whatever else is decided.
    alive: Vec<u32>,
    /// By row in which all registers are taken: the literals that say so.
    full: Vec<(u32, u32)>,
    /// Rows in which all registers have just been taken.
    filled: Vec<u32>,
}

/// The slots and registers of a problem, as far as the solver has decided.
pub(super) struct Machine<'p> {
    problem: &'p Problem,
    names: &'p Names,
    /// A literal that is true.
    truth: Lit,
    low: Vec<i32>,
    high: Vec<i32>,
    past: Past,
    slots: Slots,
    pressure: Pressure,
    arena: Vec<Lit>,
    /// By literal.
    reasons: Vec<Reason>,
    explanation: Vec<Lit>,
    changes: Changes,
}

impl<'p> Machine<'p> {
    pub(super) fn new(problem: &'p Problem, names: &'p Names, truth: Lit) -> Self {
        let (n, ii) = (problem.windows.len(), problem.ii as usize);
        let mut candidates = [vec![Vec::new(); ii], vec![Vec::new(); ii]];
        let mut predicated = vec![Vec::new(); ii];
        for (op, &(first, last)) in problem.windows.iter().enumerate() {
            for time in first..=last.min(first + problem.ii - 1) {
                let (row, candidate) =
                    (time.rem_euclid(problem.ii) as usize, (op as u32, names.row(op, time)));
                candidates[usize::from(problem.needs[op].exchange)][row].push(candidate);
                if problem.needs[op].predicate.is_some() {
                    predicated[row].push(candidate);
                }
            }
        }
        let mut touched = vec![Vec::new(); n];
        for (value, life) in problem.lives.iter().enumerate() {
            let users = life.uses.iter().map(|&(op, _)| op).chain([life.def]);
            for op in users.collect::<std::collections::BTreeSet<_>>() {
                touched[op].push(value as u32);
            }
        }
        let mut machine = Self {
            problem,
            names,
            truth,
            low: problem.windows.iter().map(|w| w.0 as i32).collect(),
            high: problem.windows.iter().map(|w| w.1 as i32).collect(),
            past: Past { seen: 0, levels: Vec::new(), undo: Vec::new() },
            slots: Slots { candidates, predicated },
            pressure: Pressure {
                touched,
                parts: vec![(0, -1); problem.lives.len()],
                alive: vec![0; ii],
                full: vec![(0, 0); ii],
                filled: Vec::new(),
            },
            arena: Vec::new(),
            reasons: vec![Reason::None; 2 * names.meaning.len() + 2],
            explanation: Vec::new(),
            changes: Changes { all: Vec::new(), is_in: vec![false; n] },
        };
        (0..n).for_each(|op| machine.change(op));
        machine
    }

    fn registers(&self) -> u32 {
        self.problem.registers.map_or(u32::MAX, |n| n as u32)
    }

    fn row(&self, time: i64) -> usize {
        time.rem_euclid(self.problem.ii) as usize
    }

    fn change(&mut self, op: usize) {
        if !std::mem::replace(&mut self.changes.is_in[op], true) {
            self.changes.all.push(op as u32);
        }
    }

    /// Returns the literal of "`op` is not before `time`" as far as a reason needs it: one that is true if that is known.
    fn since(&self, op: usize, time: i64) -> Lit {
        match self.names.not_before(op, time) {
            Ok(literal) => literal,
            Err(true) => self.truth,
            Err(false) => !self.truth,
        }
    }

    /// Forbids a slot of a row, and other predicates, to all but the operation that issues there.
    fn claim(&mut self, acts: &mut TheoryArg<'_>, (op, row): (u32, u32), by: Lit) -> bool {
        let need = self.problem.needs[op as usize];
        let slot = &self.slots.candidates[usize::from(need.exchange)][row as usize];
        let others = slot.iter().filter(|&&(other, _)| other != op);
        let predicated: &[(u32, Lit)] = match need.predicate {
            Some(_) => &self.slots.predicated[row as usize],
            None => &[],
        };
        let differs = |other: u32| self.problem.needs[other as usize].predicate != need.predicate;
        let apart = predicated.iter().filter(|&&(other, _)| differs(other));
        for &(_, literal) in others.chain(apart) {
            let value = acts.value(literal.var());
            let is_false = value == if literal.sign() { lbool::FALSE } else { lbool::TRUE };
            if is_false {
                continue;
            }
            self.reasons[(!literal).idx() as usize] = Reason::One(by);
            if !acts.propagate(!literal) {
                return false;
            }
        }
        true
    }

    /// Takes over what the solver has decided; false if that led to a conflict.
    fn take(&mut self, acts: &mut TheoryArg<'_>) -> bool {
        let new: Vec<Lit> = acts.model()[self.past.seen..].to_vec();
        self.past.seen += new.len();
        for literal in new {
            let meaning = self.names.meaning.get(literal.var().idx() as usize);
            match (meaning, literal.sign()) {
                (Some(&Meaning::NotBefore { op, time }), true) => {
                    let low = &mut self.low[op as usize];
                    if time > *low {
                        self.past.undo.push(Undo::Low(op, *low));
                        *low = time;
                        self.change(op as usize);
                    }
                }
                (Some(&Meaning::NotBefore { op, time }), false) => {
                    let high = &mut self.high[op as usize];
                    if time <= *high {
                        self.past.undo.push(Undo::High(op, *high));
                        *high = time - 1;
                        self.change(op as usize);
                    }
                }
                (Some(&Meaning::Row { op, row }), true)
                    if !self.claim(acts, (op, row), literal) =>
                {
                    return false;
                }
                _ => {}
            }
        }
        true
    }

    /// Returns the cycles in which a value is alive whatever else is decided, and those in which it may be.
    fn spans(&self, value: usize) -> ((i32, i32), (i32, i32)) {
        let life = &self.problem.lives[value];
        let start = life.start as i32;
        let ends = |bounds: &[i32]| {
            life.uses.iter().map(|&(op, offset)| bounds[op] + offset as i32).max().unwrap_or(0)
        };
        let (low, high) = (self.low[life.def] + start, self.high[life.def] + start);
        ((high, ends(&self.low)), (low, ends(&self.high)))
    }

    /// Returns true if some row then has more values than there are registers.
    fn grow(&mut self, value: usize) -> Option<usize> {
        let (old, (new, _)) = (self.pressure.parts[value], self.spans(value));
        if new.0 > new.1 || new == old {
            return None;
        }
        self.past.undo.push(Undo::Part(value as u32, old));
        self.pressure.parts[value] = new;
        let registers = self.registers();
        let mut over = None;
        for time in new.0..=new.1 {
            if old.0 <= old.1 && (old.0..=old.1).contains(&time) {
                continue;
            }
            let row = self.row(time.into());
            self.pressure.alive[row] += 1;
            if self.pressure.alive[row] > registers {
                over = Some(row);
            } else if self.pressure.alive[row] == registers {
                self.pressure.filled.push(row as u32);
            }
        }
        over
    }

    fn shrink(&mut self, value: usize, old: (i32, i32)) {
        let new = std::mem::replace(&mut self.pressure.parts[value], old);
        for time in new.0..=new.1 {
            if !(old.0 <= old.1 && (old.0..=old.1).contains(&time)) {
                let row = self.row(time.into());
                self.pressure.alive[row] -= 1;
            }
        }
    }

    /// Puts the literals into `into` that say which values are alive in a row whatever else is decided.
    fn witnesses(&self, row: usize, into: &mut Vec<Lit>) {
        let ii = self.problem.ii;
        for (life, &(first, last)) in self.problem.lives.iter().zip(&self.pressure.parts) {
            let (first, last) = (i64::from(first), i64::from(last));
            let mut time = first + (row as i64 - first).rem_euclid(ii);
            while time <= last {
                let begun = self.since(life.def, time - life.start + 1);
                let used = life
                    .uses
                    .iter()
                    .find(|&&(op, offset)| i64::from(self.low[op]) + offset >= time);
                let used = used.map(|&(op, offset)| self.since(op, time - offset));
                into.extend([!begun].into_iter().chain(used).filter(|&l| l != self.truth));
                time += ii;
            }
        }
    }

    /// Grows the values of all operations that have changed; false if there are too many in some row.
    fn registers_suffice(&mut self, acts: &mut TheoryArg<'_>, changed: &[u32]) -> bool {
        let mut over = None;
        for &op in changed {
            for k in 0..self.pressure.touched[op as usize].len() {
                let value = self.pressure.touched[op as usize][k] as usize;
                over = self.grow(value).or(over);
            }
        }
        if let Some(row) = over {
            self.pressure.filled.clear();
            let mut lemma = Vec::new();
            self.witnesses(row, &mut lemma);
            lemma.iter_mut().for_each(|l| *l = !*l);
            if lemma.is_empty() {
                lemma.push(!self.truth);
            }
            acts.raise_conflict(&lemma, false);
            return false;
        }
        for row in std::mem::take(&mut self.pressure.filled) {
            let from = self.arena.len() as u32;
            let mut arena = std::mem::take(&mut self.arena);
            self.witnesses(row as usize, &mut arena);
            self.arena = arena;
            self.pressure.full[row as usize] = (from, self.arena.len() as u32);
            for value in 0..self.problem.lives.len() {
                if !self.keep_out(acts, value, Some(row as usize)) {
                    return false;
                }
            }
        }
        for &op in changed {
            for k in 0..self.pressure.touched[op as usize].len() {
                let value = self.pressure.touched[op as usize][k] as usize;
                if !self.keep_out(acts, value, None) {
                    return false;
                }
            }
        }
        true
    }

    /// Keeps a value out of one row, or of all rows, in which all registers are taken; false if that led to a conflict.
    fn keep_out(&mut self, acts: &mut TheoryArg<'_>, value: usize, row: Option<usize>) -> bool {
        let ((begun, needed), (first, last)) = self.spans(value);
        let ii = self.problem.ii as i32;
        // Cycles in which it is known that the value has landed, but not that it is still needed, and the other way round.
        let behind = (begun.max(needed + 1), last);
        let before = (first, needed.min(begun - 1));
        for ((from, to), has_landed) in [(behind, true), (before, false)] {
            let step = if row.is_some() { ii } else { 1 };
            let mut time = row.map_or(from, |row| from + (row as i32 - from).rem_euclid(ii));
            while time <= to {
                let at = self.row(time.into());
                if self.pressure.alive[at] == self.registers()
                    && !self.exclude(acts, value, i64::from(time), has_landed)
                {
                    return false;
                }
                time += step;
            }
        }
        true
    }

    /// Says that a value is not alive in a cycle in whose row all registers are taken.
    fn exclude(
        &mut self,
        acts: &mut TheoryArg<'_>,
        value: usize,
        time: i64,
        has_landed: bool,
    ) -> bool {
        let (from, to) = self.pressure.full[self.row(time)];
        let life = &self.problem.lives[value];
        if has_landed {
            let other = Some(!self.since(life.def, time - life.start + 1));
            for &(op, offset) in &life.uses {
                if i64::from(self.high[op]) + offset >= time {
                    let follows = !self.since(op, time - offset);
                    if !self.follow(acts, follows, Reason::Full { from, to, other }) {
                        return false;
                    }
                }
            }
            return true;
        }
        let needed =
            life.uses.iter().find(|&&(op, offset)| i64::from(self.low[op]) + offset >= time);
        let other = needed.map(|&(op, offset)| self.since(op, time - offset));
        let follows = self.since(life.def, time - life.start + 1);
        self.follow(acts, follows, Reason::Full { from, to, other })
    }

    fn follow(&mut self, acts: &mut TheoryArg<'_>, literal: Lit, reason: Reason) -> bool {
        let value = acts.value(literal.var());
        if value == if literal.sign() { lbool::TRUE } else { lbool::FALSE } {
            return true;
        }
        self.reasons[literal.idx() as usize] = reason;
        acts.propagate(literal)
    }
}

impl Theory for Machine<'_> {
    fn final_check(&mut self, acts: &mut TheoryArg<'_>) {
        self.partial_check(acts);
    }

    fn create_level(&mut self) {
        let (undo, arena) = (self.past.undo.len(), self.arena.len());
        self.past.levels.push(Level { seen: self.past.seen, undo, arena });
    }

    fn pop_levels(&mut self, n: usize) {
        let kept = self.past.levels.len() - n;
        let Some(&level) = self.past.levels.get(kept) else { return };
        self.past.levels.truncate(kept);
        while self.past.undo.len() > level.undo {
            match self.past.undo.pop() {
                Some(Undo::Low(op, low)) => self.low[op as usize] = low,
                Some(Undo::High(op, high)) => self.high[op as usize] = high,
                Some(Undo::Part(value, part)) => self.shrink(value as usize, part),
                None => break,
            }
        }
        self.past.seen = level.seen;
        self.arena.truncate(level.arena);
        self.pressure.filled.clear();
        self.changes.all.drain(..).for_each(|op| self.changes.is_in[op as usize] = false);
    }

    fn n_levels(&self) -> usize {
        self.past.levels.len()
    }

    fn partial_check(&mut self, acts: &mut TheoryArg<'_>) {
        if !self.take(acts) {
            return;
        }
        let changed = std::mem::take(&mut self.changes.all);
        changed.iter().for_each(|&op| self.changes.is_in[op as usize] = false);
        if self.problem.registers.is_some() {
            self.registers_suffice(acts, &changed);
        }
    }

    fn explain_propagation(&mut self, literal: Lit) -> &[Lit] {
        self.explanation.clear();
        match self.reasons[literal.idx() as usize] {
            Reason::None => {}
            Reason::One(other) => self.explanation.push(other),
            Reason::Full { from, to, other } => {
                self.explanation.extend_from_slice(&self.arena[from as usize..to as usize]);
                self.explanation.extend(other.filter(|&l| l != self.truth));
            }
        }
        &self.explanation
    }
}
