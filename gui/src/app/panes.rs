//! The views of the window: which there are, where they stand at first, and the command line that prints the same.

use crate::export::LegendEntry;
use crate::model::command::Command;
use crate::model::session::Session;
use crate::theme::{Theme, sans};
use crate::views::{self, parts};
use egui::{Response, RichText, Ui, WidgetText};
use egui_tiles::{Behavior, Container, Linear, LinearDir, Tile, TileId, Tiles, Tree, UiResponse};
use serde::{Deserialize, Serialize};

/// A view of the window: a tile that shows the open run in one way. Each stands in the window once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
pub enum Pane {
    /// Activity of every part of the machine, cycle by cycle
    ///
    /// Lanes show what both slots, the banks of local memory, the channel and the host did.
    Timeline,
    /// Source lines with their costs
    ///
    /// Each line has the cycles that it cost and the findings of the linter; the source can be edited here.
    Source,
    /// Bundles with their costs
    ///
    /// Each bundle has the cycles that it cost; arrows show which bundles made the operands of the selected one and
    /// take its results.
    Bundles,
    /// Pipelined loops: stage by slot
    ///
    /// For each loop that the scheduler pipelined: which operation of which iteration issues in which cycle and slot.
    Schedule,
    /// Registers of the four sections
    ///
    /// The values are those in the cycle at the cursor; registers that the sections share follow.
    Registers,
    /// Local memory by bank
    ///
    /// The values are those in the cycle at the cursor, with a map of who wrote each word last.
    Memory,
    /// The selected value or operation, and where it came from
    ///
    /// Without a selection: why the cycle at the cursor was what it was.
    Why,
    /// Occupancy, roofline, conflicts
    ///
    /// Occupancy of the slots, flops per cycle and conflicts over the cycles in view, and the roofline of the run: its
    /// rates below the ceilings of the machine.
    Plots,
    /// Chosen registers and words in the course of cycles
    ///
    /// A lane for each shows its values as texts, or as curves from afar.
    Values,
    /// Two runs by source line
    ///
    /// The run beside the one that it is compared with: what both cost, where they part, and the cycles of each line in
    /// both.
    Compare,
    /// Machine of the next run
    ///
    /// The numbers and extensions of the machine, which can be changed before the run is made again.
    Machine,
}

impl Pane {
    /// All views, in the order of the variants.
    pub const ALL: [Self; 11] = [
        Self::Timeline,
        Self::Source,
        Self::Bundles,
        Self::Schedule,
        Self::Registers,
        Self::Memory,
        Self::Why,
        Self::Plots,
        Self::Values,
        Self::Compare,
        Self::Machine,
    ];

    /// Returns the name of the view, as its tab shows it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Timeline => "Timeline",
            Self::Source => "Source",
            Self::Bundles => "Bundles",
            Self::Schedule => "Schedule",
            Self::Registers => "Registers",
            Self::Memory => "Memory",
            Self::Why => "Why",
            Self::Plots => "Plots",
            Self::Values => "Values",
            Self::Compare => "Compare",
            Self::Machine => "Machine",
        }
    }

    /// Returns what the view shows and what a click does in it, for the tip of its tab.
    fn description(self) -> &'static str {
        match self {
            Self::Timeline => {
                "What every part of the machine does in each cycle: cause, slots, pipeline, banks, \
                 DMA, host, flops per cycle. Click a cycle to move the cursor there."
            }
            Self::Source => {
                "The source lines of the program with their costs: share of all cycles in percent, \
                 number of operations that issued. Click a line to select its bundle."
            }
            Self::Bundles => {
                "The bundles of the program with their costs in cycles. Click a bundle to see the \
                 bundles that make its operands and those that use its results."
            }
            Self::Schedule => {
                "The schedules of pipelined loops: which operation of which iteration issues in \
                 which cycle and slot. Click a row to select its bundle."
            }
            Self::Registers => {
                "The values of all registers in the four sections in the cycle at the cursor. Click \
                 a register to select it."
            }
            Self::Memory => {
                "The words of local memory in the four sections in the cycle at the cursor, and \
                 the last write of each. Click a word to select it."
            }
            Self::Why => {
                "The origin of the selected register, word or operation: all values that it was \
                 made of. Without a selection: the reason for the cycle at the cursor. Click a row \
                 to go to its cycle."
            }
            Self::Plots => {
                "Occupancy of the slots, flops per cycle and bank accesses or conflicts over the \
                 cycles in view, and the roofline of the run."
            }
            Self::Values => {
                "The values of chosen registers and words in the course of the cycles in view: texts \
                 where they have room, curves of both halves from afar. Select a register or a word, and \
                 press P to keep its lane."
            }
            Self::Compare => {
                "The open run beside the run before: cycles by cause, and the cycles of each \
                 source line in both."
            }
            Self::Machine => {
                "The numbers and extensions of the machine for the next run. Change them, and run \
                 again to compare."
            }
        }
    }

    /// Returns the command that shows the view, which has its key; the timeline is always shown.
    fn key(self) -> Option<Command> {
        match self {
            Self::Timeline => None,
            Self::Source => Some(Command::ShowSource),
            Self::Bundles => Some(Command::ShowBundles),
            Self::Schedule => Some(Command::ShowSchedule),
            Self::Registers => Some(Command::ShowRegisters),
            Self::Memory => Some(Command::ShowMemory),
            Self::Why => Some(Command::ShowWhy),
            Self::Plots => Some(Command::ShowPlots),
            Self::Values => Some(Command::ShowValues),
            Self::Compare => Some(Command::ShowCompare),
            Self::Machine => Some(Command::ShowMachine),
        }
    }

    /// Returns the command line that prints the same as the view.
    pub(crate) fn command(self, session: &Session) -> String {
        let Some(info) = session.run.as_ref().and_then(|run| run.info()) else {
            return "cp2 view".to_owned();
        };
        let file = match &info.provenance.origin {
            crate::worker::Origin::File(path, _) if info.provenance.is_recording() => {
                path.display().to_string()
            }
            _ => "run.cp2rec".to_owned(),
        };
        let make = &info.provenance.command;
        let cycles = session.view.cycles();
        if let (Some(span), Self::Plots | Self::Source | Self::Bundles) =
            (&session.marked.counted, self)
        {
            return format!("cp2 stats {file} --cycles {}..{}", span.cycles.start, span.cycles.end);
        }
        match self {
            Self::Values => {
                format!("cp2 trace {file} --cycles {}..{} --values", cycles.start, cycles.end)
            }
            Self::Timeline if session.view.span() <= 4096.0 => {
                format!("cp2 trace {file} --cycles {}..{}", cycles.start, cycles.end)
            }
            Self::Registers | Self::Memory | Self::Why => {
                format!(
                    "cp2 trace {file} --cycles {}..{} --values",
                    session.cursor,
                    session.cursor + 1
                )
            }
            Self::Timeline => format!("cp2 stats {file} --stretches 40"),
            Self::Plots => format!("cp2 stats {file}"),
            Self::Source | Self::Bundles => make.replace(" --record run.cp2rec", " --profile"),
            Self::Schedule => match info.program.files.first() {
                Some(file) => format!("cp2 sched {} --listing", file.name),
                None => make.clone(),
            },
            Self::Compare | Self::Machine => make.clone(),
        }
    }

    pub(crate) fn show(self, ui: &mut Ui, session: &mut Session) {
        match self {
            Self::Timeline => views::timeline::show(ui, session),
            Self::Source => views::source::show(ui, session),
            Self::Bundles => views::bundles::show(ui, session),
            Self::Schedule => views::schedule::show(ui, session),
            Self::Registers => views::registers::show(ui, session),
            Self::Memory => views::memory::show(ui, session),
            Self::Why => views::why::show(ui, session),
            Self::Plots => views::plots::show(ui, session),
            Self::Values => views::values::show(ui, session),
            Self::Compare => views::compare::show(ui, session),
            Self::Machine => views::machine::show(ui, session),
        }
    }

    /// Returns the legend of a picture of the view; empty where the view names its colours itself.
    pub(crate) fn legend(self, theme: Theme, session: &Session) -> Vec<LegendEntry> {
        let info = session.run.as_ref().and_then(|run| run.info());
        let has_channel = info.is_some_and(|info| info.config.is_some());
        match self {
            Self::Timeline => views::timeline::legend(theme, has_channel),
            Self::Plots | Self::Source | Self::Bundles => views::timeline::legend(theme, false),
            _ => Vec::new(),
        }
    }

    /// Returns the contents of the view as CSV.
    pub(crate) fn csv(self, session: &mut Session) -> String {
        match self {
            Self::Timeline => views::timeline::csv(session),
            Self::Source => views::source::csv(session),
            Self::Bundles => views::bundles::csv(session),
            Self::Schedule => views::schedule::csv(session),
            Self::Registers => views::registers::csv(session),
            Self::Memory => views::memory::csv(session),
            Self::Why => views::why::csv(session),
            Self::Plots => views::plots::csv(session),
            Self::Values => views::values::csv(session),
            Self::Compare => views::compare::csv(session),
            Self::Machine => views::machine::csv(session),
        }
    }
}

/// Returns the layout of the views at first: the timeline above, the program on the left, values on the right.
pub(crate) fn layout() -> Tree<Pane> {
    let mut tiles = Tiles::default();
    let timeline = tiles.insert_pane(Pane::Timeline);
    let mut tabs = |panes: &[Pane]| {
        let children: Vec<TileId> = panes.iter().map(|&pane| tiles.insert_pane(pane)).collect();
        tiles.insert_tab_tile(children)
    };
    let program = tabs(&[Pane::Source, Pane::Bundles, Pane::Schedule]);
    let values = tabs(&[
        Pane::Registers,
        Pane::Memory,
        Pane::Why,
        Pane::Plots,
        Pane::Values,
        Pane::Compare,
        Pane::Machine,
    ]);
    let below = Linear::new_binary(LinearDir::Horizontal, [program, values], 0.5);
    let below = tiles.insert_container(Container::Linear(below));
    let all = Linear::new_binary(LinearDir::Vertical, [timeline, below], 0.46);
    let root = tiles.insert_container(Container::Linear(all));
    Tree::new(egui::Id::unique("views"), root, tiles)
}

/// Returns whether a layout has all views; one of another version may lack some.
pub(crate) fn is_complete(tree: &Tree<Pane>) -> bool {
    Pane::ALL.iter().all(|pane| tree.tiles.find_pane(pane).is_some())
}

/// Brings a view to the front.
pub(crate) fn focus(tree: &mut Tree<Pane>, wanted: Pane) {
    tree.make_active(|_, tile| matches!(tile, Tile::Pane(pane) if *pane == wanted));
}

/// Draws the views in their tiles.
pub(crate) struct Painter<'a> {
    pub(crate) session: &'a mut Session,
    /// View under the pointer, and its rectangle.
    pub(crate) hovered: Option<(Pane, egui::Rect)>,
}

impl Behavior<Pane> for Painter<'_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, pane: &mut Pane) -> UiResponse {
        let theme = Theme::of(ui.visuals());
        let rect = ui.max_rect();
        if ui.rect_contains_pointer(rect) {
            self.hovered = Some((*pane, rect));
        }
        let margin = if *pane == Pane::Timeline { 0 } else { 4 };
        egui::Frame::new().fill(theme.ground).inner_margin(margin).show(ui, |ui| {
            ui.push_id(pane.name(), |ui| pane.show(ui, self.session));
        });
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> WidgetText {
        RichText::new(pane.name()).font(sans(13.0)).into()
    }

    fn on_tab_button(&mut self, tiles: &mut Tiles<Pane>, id: TileId, button: Response) -> Response {
        let Some(pane) = tiles.get_pane(&id) else { return button };
        let keys = pane.key().map_or(String::new(), |key| parts::keys_text(&button.ctx, key));
        button.on_hover_text(format!("{}\nKey: {keys}", pane.description()))
    }

    fn tab_bar_height(&self, _: &egui::Style) -> f32 {
        26.0
    }

    fn gap_width(&self, _: &egui::Style) -> f32 {
        4.0
    }

    fn tab_bar_color(&self, visuals: &egui::Visuals) -> egui::Color32 {
        Theme::of(visuals).panel
    }

    fn simplification_options(&self) -> egui_tiles::SimplificationOptions {
        egui_tiles::SimplificationOptions { all_panes_must_have_tabs: false, ..Default::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_has_a_place_at_first() {
        let tree = layout();
        for pane in Pane::ALL {
            assert!(tree.tiles.find_pane(&pane).is_some(), "{pane:?}");
        }
    }

    #[test]
    fn every_tab_explains_its_view_and_has_a_key() {
        for pane in Pane::ALL {
            assert!(pane.description().ends_with('.'), "{pane:?}");
            let has_key = pane.key().is_some_and(|command| !command.keys().is_empty());
            assert!(has_key || pane == Pane::Timeline, "{pane:?}");
        }
    }

    #[test]
    fn a_view_comes_to_the_front() {
        let mut tree = layout();
        focus(&mut tree, Pane::Plots);
        let active: Vec<Pane> = tree
            .active_tiles()
            .into_iter()
            .filter_map(|id| tree.tiles.get_pane(&id).copied())
            .collect();
        assert!(active.contains(&Pane::Plots) && !active.contains(&Pane::Registers));
    }
}
