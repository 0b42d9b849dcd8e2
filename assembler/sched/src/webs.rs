//! The values of a block, and which of them must share a register or sit in neighbouring ones.

use super::{ScheduleError, Work};
use cp2_ir::linear::Reg;
use cp2_isa::{OperandKind, Unit};
use std::collections::BTreeMap;

/// The value that an operation writes into a register that the allocator chooses.
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// The operation that makes the value, counted within the block.
    pub(super) def: usize,
    /// Unit of the operation, which tells when the value lands.
    pub(super) unit: Unit,
    /// Operations that use the value.
    pub(super) readers: Vec<usize>,
    /// Operations that change a part of the value and so need it in place until they land.
    pub(super) keepers: Vec<usize>,
}

/// Values that share a register, in program order.
#[derive(Clone, Debug, Default)]
pub(super) struct Web {
    pub(super) values: Vec<usize>,
}

/// Webs in neighbouring registers, the first one lowest.
#[derive(Clone, Debug, Default)]
pub(super) struct Group {
    pub(super) webs: Vec<usize>,
}

/// The values that an operation touches: register as written, value read, value written.
#[derive(Clone, Copy, Debug)]
struct Touch {
    reg: Reg,
    read: Option<usize>,
    written: Option<usize>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Webs {
    pub(super) values: Vec<Value>,
    pub(super) webs: Vec<Web>,
    pub(super) groups: Vec<Group>,
    /// Web of each value.
    pub(super) web_of: Vec<usize>,
    /// By operation: register as written, value that is read, value that is written.
    touches: Vec<Vec<Touch>>,
}

/// Values in places relative to one another: union-find with offsets.
#[derive(Default)]
struct Places {
    parent: Vec<usize>,
    offset: Vec<i32>,
}

impl Places {
    fn add(&mut self) {
        self.parent.push(self.parent.len());
        self.offset.push(0);
    }

    fn find(&self, mut x: usize) -> (usize, i32) {
        let mut offset = 0;
        while self.parent[x] != x {
            offset += self.offset[x];
            x = self.parent[x];
        }
        (x, offset)
    }

    /// Puts `b` `distance` registers after `a`; false if it is known to be elsewhere.
    fn link(&mut self, a: usize, b: usize, distance: i32) -> bool {
        let ((ra, oa), (rb, ob)) = (self.find(a), self.find(b));
        if ra == rb {
            return ob == oa + distance;
        }
        self.parent[rb] = ra;
        self.offset[rb] = oa + distance - ob;
        true
    }
}

impl Webs {
    /// Returns the values of the operations `ops` of a block.
    pub(super) fn of(work: &Work<'_>, ops: &[usize]) -> Result<Self, ScheduleError> {
        let mut webs = Self::default();
        let mut places = Places::default();
        let mut current: BTreeMap<Reg, usize> = BTreeMap::new();
        for (index, &op) in ops.iter().enumerate() {
            let touches = webs.operation(work, index, op, &mut current, &mut places);
            for (first, second) in work.pairs(op) {
                webs.adjoin(work, op, &touches, (first, second), &mut places)?;
            }
            webs.touches.push(touches);
        }
        webs.collect(&places);
        Ok(webs)
    }

    fn operation(
        &mut self,
        work: &Work<'_>,
        index: usize,
        op: usize,
        current: &mut BTreeMap<Reg, usize>,
        places: &mut Places,
    ) -> Vec<Touch> {
        let op = &work.ops[op];
        let accesses: Vec<_> =
            work.region.fpr_accesses(op).into_iter().filter(|a| !work.is_fixed(a.reg)).collect();
        let mut touches = Vec::new();
        for access in &accesses {
            let read = (access.read || access.keeps).then(|| current.get(&access.reg)).flatten();
            if let Some(&value) = read.filter(|_| access.read) {
                self.values[value].readers.push(index);
            }
            touches.push(Touch { reg: access.reg, read: read.copied(), written: None });
        }
        for (access, touch) in accesses.iter().zip(&mut touches).filter(|(a, _)| a.write) {
            let value = self.values.len();
            let (def, unit) = (index, op.code.row().unit);
            let (readers, keepers) = (Vec::new(), Vec::new());
            self.values.push(Value { def, unit, readers, keepers });
            places.add();
            if let Some(old) = touch.read {
                places.link(old, value, 0);
                if access.keeps {
                    self.values[old].keepers.push(index);
                }
            }
            touch.written = Some(value);
            current.insert(access.reg, value);
        }
        touches
    }

    /// Puts the values of two registers that an operation takes together side by side.
    fn adjoin(
        &self,
        work: &Work<'_>,
        op: usize,
        touches: &[Touch],
        (first, second): (Reg, Reg),
        places: &mut Places,
    ) -> Result<(), ScheduleError> {
        let find = |reg: Reg| touches.iter().filter(move |t| t.reg == reg);
        for a in find(first) {
            for b in find(second) {
                for (a, b) in [(a.read, b.read), (a.written, b.written)] {
                    let (Some(a), Some(b)) = (a, b) else { continue };
                    if !places.link(a, b, 1) {
                        return Err(work.not_neighbours(op, first, second));
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the register of the source in which a value is.
    pub(super) fn name(&self, value: usize) -> Reg {
        let touches = &self.touches[self.values[value].def];
        touches.iter().find(|t| t.written == Some(value)).map_or(Reg(0), |t| t.reg)
    }

    fn collect(&mut self, places: &Places) {
        let mut groups: BTreeMap<usize, BTreeMap<i32, Vec<usize>>> = BTreeMap::new();
        for value in 0..self.values.len() {
            let (root, offset) = places.find(value);
            groups.entry(root).or_default().entry(offset).or_default().push(value);
        }
        self.web_of = vec![0; self.values.len()];
        for (_, members) in groups {
            let mut group = Group::default();
            for (_, values) in members {
                for &value in &values {
                    self.web_of[value] = self.webs.len();
                }
                group.webs.push(self.webs.len());
                self.webs.push(Web { values });
            }
            self.groups.push(group);
        }
    }

    /// Returns the web that an operation finds in a register of the source: for a register that it both reads and writes, by
    /// whether the operand is written.
    pub(super) fn web(&self, op: usize, reg: Reg, write: bool) -> Option<usize> {
        let touch = |t: &&Touch| t.reg == reg && if write { t.written } else { t.read }.is_some();
        let touch = self.touches[op].iter().find(touch)?;
        let value = if write { touch.written } else { touch.read };
        value.map(|v| self.web_of[v])
    }
}

impl Work<'_> {
    /// Returns the pairs of registers that an operation takes as neighbours.
    pub(super) fn pairs(&self, op: usize) -> Vec<(Reg, Reg)> {
        let code = &self.ops[op].code;
        let operands = code.row().operands.iter().zip(code.values());
        operands
            .filter(|(o, _)| matches!(o.kind, OperandKind::FprPair(_) | OperandKind::FprPermute(_)))
            .filter_map(|(_, &value)| {
                let first = Reg(value as u32);
                Some((first, self.region.next(first)?))
            })
            .collect()
    }
}
