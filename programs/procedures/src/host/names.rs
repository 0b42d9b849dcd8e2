//! Names of what a host does, for the recording of a run: iterations, stages, pages. They change nothing of the run.

use super::session::Host;
use cp2_isa::BundleAddress;
use cp2_recording::StepLevel;

impl Host {
    /// Notes that a step of the procedure begins, if the run is recorded; the steps of its level and of deeper ones end.
    pub(crate) fn begin_step(&mut self, level: StepLevel, name: impl FnOnce() -> String) {
        if let Some(recorder) = self.programs.recorder() {
            recorder.begin_step(level, name(), self.machine().cycle());
        }
    }

    /// Notes that the step of a level is over, and those of deeper levels.
    pub(crate) fn end_step(&mut self, level: StepLevel) {
        if let Some(recorder) = self.programs.recorder() {
            recorder.end_step(level, self.machine().cycle());
        }
    }

    /// Returns whether the run is recorded.
    pub(crate) fn is_recorded(&self) -> bool {
        self.programs.recorder().is_some()
    }

    /// Returns whether a step of this level is under way in a run that is recorded.
    pub(crate) fn is_in_step(&self, level: StepLevel) -> bool {
        self.programs.recorder().is_some_and(|recorder| recorder.is_in_step(level))
    }

    /// Returns the names of the kernels at these addresses, each once.
    pub(crate) fn names_of(&self, calls: impl Iterator<Item = BundleAddress>) -> String {
        let mut names: Vec<&str> = Vec::new();
        for name in calls.map(|entry| self.programs.name(entry)) {
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        if names.is_empty() { "copies".to_owned() } else { names.join(" + ") }
    }
}

/// Returns the name of the step of so many pages, of which this is the first, counted from 0; of transfers alone if there is
/// none.
pub(crate) fn page_name(first: Option<usize>, pages: usize, is_begin: bool) -> String {
    match first {
        Some(first) if pages > 1 => format!("pages {} to {}", first + 1, first + pages),
        Some(first) => format!("page {}", first + 1),
        None if is_begin => "first load".to_owned(),
        None => "transfers".to_owned(),
    }
}

/// Names of the stages of some pages while they run, and how far they are.
pub(crate) struct StageNames<'a> {
    /// Names of the groups of pages; an empty one stands for the names of the kernels.
    names: &'a [String],
    /// Whether the caller has named the stage of all pages together.
    is_outside: bool,
    /// Group that is under way, and the number of its pages so far.
    group: Option<usize>,
    page: usize,
}

impl<'a> StageNames<'a> {
    /// Begins to name groups of pages.
    pub(crate) fn new(host: &Host, names: &'a [String]) -> Self {
        Self { names, is_outside: host.is_in_step(StepLevel::Stage), group: None, page: 0 }
    }

    /// Begins the stage of pages that call kernels at these addresses, unless the caller has.
    pub(crate) fn of_one(host: &mut Host, calls: impl FnOnce() -> Vec<BundleAddress>) -> Self {
        let mut names = Self::new(host, &[]);
        names.stage(host, 0, calls);
        names
    }

    fn stage(&mut self, host: &mut Host, group: usize, calls: impl FnOnce() -> Vec<BundleAddress>) {
        if self.is_outside || !host.is_recorded() {
            return;
        }
        let given = self.names.get(group).filter(|name| !name.is_empty()).cloned();
        let name = given.unwrap_or_else(|| host.names_of(calls().into_iter()));
        host.begin_step(StepLevel::Stage, || name);
    }

    /// Begins the step of the next pages, so many of this group, and the stage if they are the first ones of their group, whose
    /// kernels `calls` returns.
    pub(crate) fn begin(
        &mut self,
        host: &mut Host,
        (group, pages): (usize, usize),
        calls: impl FnOnce() -> Vec<BundleAddress>,
    ) {
        let is_begin = self.group.is_none();
        if self.group != Some(group) {
            (self.group, self.page) = (Some(group), 0);
            self.stage(host, group, calls);
        }
        let first = (pages > 0).then_some(self.page);
        host.begin_step(StepLevel::Page, || page_name(first, pages, is_begin));
        self.page += pages;
    }

    /// Ends the last step.
    pub(crate) fn end(&self, host: &mut Host) {
        host.end_step(if self.is_outside { StepLevel::Page } else { StepLevel::Stage });
    }
}
