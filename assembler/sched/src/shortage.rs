//! Why values do not fit into the registers, and what is said of it: how many are missing, and who holds those that
//! there are. Where registers are given is in `registers`, those of a fixed place in `fixed`.

use super::{ScheduleError, Work};
use cp2_ir::linear::Reg;

/// The reason why a block does not fit into the registers.
#[derive(Clone, Debug)]
pub(super) struct Shortage {
    /// The operation whose result found no place, counted within the block.
    pub(super) op: usize,
    /// Neighbouring registers that are wanted.
    pub(super) wanted: usize,
    /// Most values that are alive at once.
    pub(super) alive: usize,
    /// Registers that are free for these values.
    pub(super) available: usize,
    /// Some of the values that live longest there.
    pub(super) crowd: Vec<Living>,
    /// All holders, each with the registers that it takes.
    pub(super) holders: Vec<(Reg, usize)>,
}

/// A value where most are alive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Living {
    /// The operation that makes the value, counted within the block.
    pub(super) op: usize,
    /// The register in which the source has the value.
    pub(super) name: Reg,
    /// Number of cycles for which the value lives.
    pub(super) cycles: i64,
}

/// Values of which a shortage tells the lines.
pub(super) const CROWD: usize = 3;

/// Names in one list.
const NAMES: usize = 24;

impl Shortage {
    /// Returns the one of two that fails by less.
    pub(super) fn or_less(self, other: Option<Self>) -> Self {
        match other {
            Some(other) if other.alive <= self.alive => other,
            _ => self,
        }
    }
}

/// Returns names with commas between them; of a long list the first.
pub(super) fn list(names: &[String]) -> String {
    let shown = names[..names.len().min(NAMES)].join(", ");
    match names.len().checked_sub(NAMES) {
        None | Some(0) => shown,
        Some(more) => format!("{shown} and {more} more"),
    }
}

impl Work<'_> {
    /// Returns the trouble of operations for which no schedule was found.
    pub(super) fn does_not_fit(&self, ops: &[usize], shortage: Option<Shortage>) -> ScheduleError {
        let Some(shortage) = shortage else {
            let span = ops.first().and_then(|&op| self.ops[op].span.clone());
            let help = "split the block, or promise a greater `min=` of the loop";
            let message = "no schedule of this block has been found".to_owned();
            return ScheduleError::new("C0606", span, message, help);
        };
        let Shortage { op, wanted, alive, available, crowd, holders } = shortage;
        let span = self.ops[ops[op]].span.clone();
        let message = match alive.checked_sub(available) {
            None | Some(0) => format!(
                "there are not enough registers: {alive} values are alive at once and {available} \
                 registers are free for them, but no row of {wanted} for the result of this line"
            ),
            Some(missing) => format!(
                "there are not enough registers: {alive} values are alive at once, {missing} more \
                 than the {available} registers that are free for them"
            ),
        };
        let help =
            "let fewer values live at once: use results sooner, store them, or split the block";
        let mut trouble = ScheduleError::new("C0605", span, message, help);
        for Living { op, name, cycles } in crowd {
            let plural = if cycles == 1 { "" } else { "s" };
            let text =
                format!("{} is alive there, for {cycles} cycle{plural}", self.value_name(name));
            trouble.related.push((self.ops[ops[op]].span.clone(), text));
        }
        let text = format!("the values alive at once are {}", self.holders(&holders));
        trouble.related.push((None, text));
        trouble
    }

    fn holders(&self, holders: &[(Reg, usize)]) -> String {
        let mut all: Vec<(Reg, usize)> = Vec::new();
        for &(name, count) in holders {
            match all.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known += count,
                None => all.push((name, count)),
            }
        }
        let text = |&(name, count): &(Reg, usize)| match count {
            1 => self.value_name(name),
            _ => format!("{} ({count} times)", self.value_name(name)),
        };
        list(&all.iter().map(text).collect::<Vec<_>>())
    }

    fn value_name(&self, name: Reg) -> String {
        let is_made = name.virtual_index().is_some_and(|v| v >= self.region.names.len());
        match is_made {
            true => "a loop's count".to_owned(),
            false => format!("`{}`", self.region.register_name(name)),
        }
    }
}
