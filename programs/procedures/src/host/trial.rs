//! Trials of chains of pages: the cycles of a chain are predicted by runs of a shorter one. The times of a machine do not
//! depend on what is computed, and most pages of a chain are alike but for their places in system memory. So trials leave pages
//! out of every long run of pages that are alike: one trial so many equal parts, another one part more, and the difference is
//! what a part takes.

use super::pages::{Chain, Group, Page};
use super::session::Host;
use cp2_emu::dma::{Descriptor, DescriptorAction};
use cp2_isa::MemoryAddress;
use cp2_session::error::KernelError;
use std::ops::Range;

/// Pages after which the places in local memory and the forms of the transfers come again: pages lie in two or four places
/// in turn, and kernels take two pages at a time. Others are not found to be alike, and nothing is left out.
const PERIOD: usize = 4;
/// Pages at each end of a run of pages that every trial keeps.
const ENDS: usize = 8;
/// Number of equal parts that the longer trial leaves out of a run of pages. The shorter trial leaves out one more.
const PARTS: usize = 28;

/// Predicts the cycles of the chain of these groups, whose kernels have to be in instruction memory. The host goes through
/// one or two shorter chains with any data that are in its memories.
///
/// # Errors
/// The errors are those of a run of a chain.
pub(crate) fn predict_cycles(host: &mut Host, groups: &[Group]) -> Result<f64, KernelError> {
    let gaps: Vec<_> = groups.iter().map(|group| Gap::all(&group.pages)).collect();
    let longer = cycles(host, groups, &gaps, PARTS)? as f64;
    if gaps.iter().all(Vec::is_empty) {
        return Ok(longer);
    }
    let part = longer - cycles(host, groups, &gaps, PARTS + 1)? as f64;
    Ok(longer + PARTS as f64 * part)
}

/// Returns the cycles of a chain whose runs of pages are shorter by so many parts.
fn cycles(
    host: &mut Host,
    groups: &[Group],
    gaps: &[Vec<Gap>],
    parts: usize,
) -> Result<u64, KernelError> {
    let shorter = groups.iter().zip(gaps);
    let shorter: Vec<_> = shorter.map(|(group, gaps)| without(group, gaps, parts)).collect();
    let free = host.allocated();
    let chain = Chain::new(host, &shorter)?;
    let begin = host.machine().cycle();
    chain.run(host, &mut |_| {})?;
    host.free_from(free);
    Ok(host.machine().cycle() - begin)
}

/// Returns a group without parts of its runs of pages.
fn without(group: &Group, gaps: &[Gap], parts: usize) -> Group {
    let is_kept = |k: &usize| !gaps.iter().any(|gap| gap.pages(parts).contains(k));
    let kept: Vec<_> = (0..group.pages.len()).filter(is_kept).collect();
    Group {
        name: String::new(),
        pages: kept.iter().map(|&k| group.pages[k].clone()).collect(),
        tail: group.tail.clone(),
        least_cycles: kept.iter().filter_map(|&k| group.least_cycles.get(k).copied()).collect(),
    }
}

/// Pages that trials leave out of a run of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Gap {
    /// Number of the first page that is left out.
    first: usize,
    /// Number of pages in a part, a multiple of [`PERIOD`].
    part: usize,
}

impl Gap {
    /// Returns the gaps in all runs of pages that are long enough.
    fn all(pages: &[Page]) -> Vec<Self> {
        let forms: Vec<_> = pages.iter().map(form).collect();
        let mut gaps = Vec::new();
        let mut first = 0;
        while first < forms.len() {
            let mut end = forms.len().min(first + PERIOD);
            while end < forms.len() && forms[end] == forms[end - PERIOD] {
                end += 1;
            }
            match Self::of(first..end) {
                Some(gap) => {
                    gaps.push(gap);
                    first = end;
                }
                None => first += 1,
            }
        }
        gaps
    }

    /// Returns the gap in a run of pages that come again after [`PERIOD`] of them; `None` if it is too short for one.
    fn of(run: Range<usize>) -> Option<Self> {
        let parts = run.len().saturating_sub(2 * ENDS) / (PARTS + 1);
        let part = parts / PERIOD * PERIOD;
        (part > 0).then_some(Self { first: run.start + ENDS, part })
    }

    fn pages(self, parts: usize) -> Range<usize> {
        self.first..self.first + parts * self.part
    }
}

/// Returns a page at no place of system memory: pages with the same form take as long, but for the rows of memory that they
/// open.
fn form(page: &Page) -> Page {
    let form = |transfers: &[Descriptor]| transfers.iter().map(form_of_transfer).collect();
    let Page { prepare, load, commands, unload } = page;
    Page {
        prepare: form(prepare),
        load: form(load),
        commands: commands.clone(),
        unload: form(unload),
    }
}

fn form_of_transfer(transfer: &Descriptor) -> Descriptor {
    let mut form = transfer.clone();
    let nowhere = MemoryAddress::FIRST;
    match &mut form.action {
        DescriptorAction::Get(get) => get.memory.base = nowhere,
        DescriptorAction::Put(put) => put.memory.base = nowhere,
        DescriptorAction::GetWords(get) => get.memory.base = nowhere,
        DescriptorAction::PutWords(put) => put.memory.base = nowhere,
        // What these move depends on more than one place.
        DescriptorAction::Copy(_) | DescriptorAction::Gather(_) | DescriptorAction::Jump(_) => {}
    }
    form
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::pages::Command;
    use cp2_emu::dma::{LocalWalk, MemoryWalk, Pattern};

    /// Returns a page that loads so many bytes from a place of system memory.
    fn page(at: u64, burst: u8) -> Page {
        let memory = MemoryWalk { base: MemoryAddress(at), burst, ..MemoryWalk::default() };
        let load = vec![Descriptor::get(memory, LocalWalk::default(), Pattern::dealt(1))];
        let commands = vec![Command::SetInverse(false)];
        Page { prepare: Vec::new(), load, commands, unload: Vec::new() }
    }

    #[test]
    fn long_runs_of_pages_that_are_alike_get_gaps() {
        let run = |count: usize, burst| (0..count).map(move |k| page(64 * k as u64, burst));
        let few: Vec<_> = run(2 * ENDS + (PARTS + 1) * PERIOD - 1, 1).collect();
        assert_eq!(Gap::all(&few), []);
        let pages: Vec<_> = run(3, 1).chain(run(300, 2)).chain(run(200, 3)).collect();
        // 300 - 16 pages have 29 parts of 9, 200 - 16 have 29 of 6: 8 and 4 of them are whole periods.
        let gaps = [Gap { first: 3 + ENDS, part: 8 }, Gap { first: 303 + ENDS, part: 4 }];
        assert_eq!(Gap::all(&pages), gaps);
        let least_cycles = (0..pages.len()).map(|k| k as f64).collect();
        let group = Group { name: String::new(), pages, tail: Vec::new(), least_cycles };
        let shorter = without(&group, &gaps, PARTS + 1);
        assert_eq!(shorter.pages.len(), 503 - 29 * 12);
        assert_eq!(shorter.least_cycles.len(), shorter.pages.len());
        assert_eq!(shorter.least_cycles[3 + ENDS], (3 + ENDS + 29 * 8) as f64);
        // What is left has the same order of forms.
        let is_alike = |pair: &[Page]| form(&pair[0]) == form(&pair[1]);
        let changes = shorter.pages.windows(2).filter(|pair| !is_alike(pair)).count();
        assert_eq!(changes, 2);
    }
}
