//! The window of the viewer: bars, keys, where the views are, and what is kept from one start of the program to the
//! next.

mod bars;
mod link;
mod measure;
mod panes;
mod places;

use crate::model::command::{Command, Hit};
use crate::model::session::{Selection, Session};
use crate::model::settings::Preferences;
use crate::theme;
use crate::views::search::{self, Search};
use crate::views::start;
use crate::worker::Origin;
use cp2_isa::Cycle;
use egui::{Context, Ui};
use egui_tiles::Tree;
pub use link::{RunLink, cycles as link_cycles};
use panes::Painter;
pub use panes::Pane;
use places::Places;
use std::path::PathBuf;

/// Names under which preferences and layout are kept.
const PREFERENCES: &str = "preferences";
const LAYOUT: &str = "layout";
const PLACES: &str = "places";

/// The state in which the window of the viewer is to open, as the command line of `cp2 view` asks for it: which run,
/// which one beside it, which cycles, which view.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// Origin of the run to open: a recording, a program or a kernel. `None` for the start page.
    pub origin: Option<Origin>,
    /// Origin of the run that the opened one is compared with; `None` for no comparison.
    pub base: Option<Origin>,
    /// Cycles to show first, from the first one up to the second, which is excluded; `None` for the whole run.
    pub cycles: Option<(Cycle, Cycle)>,
    /// View to bring to the front; `None` for the kept layout as it is.
    pub pane: Option<Pane>,
    /// Number of frames to pan for while the processor time of a frame is measured and printed; the program ends then.
    /// `None` for ordinary use.
    pub measure: Option<u32>,
}

/// Form in which a view is written to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Export {
    Svg,
    Csv,
}

/// The window of the viewer, with its views, bars and keys, and the session of the person at it.
pub struct App {
    /// Session that the window shows: the run, the cursor and the selection in it.
    pub session: Session,
    tree: Tree<Pane>,
    search: Option<Search>,
    is_helping: bool,
    wish: Wish,
    /// View that was under the pointer last, and its rectangle.
    hovered: Option<(Pane, egui::Rect)>,
    export: Option<Export>,
    measure: Option<measure::Measure>,
    /// Places in runs that were looked at.
    places: Places,
}

impl App {
    /// Opens a window, and returns when it is closed. `wish` is what it shows first; `is_fresh` starts without the
    /// preferences and the layout that were kept the last time.
    ///
    /// # Errors
    /// No window can be opened on this computer.
    pub fn run(wish: Wish, is_fresh: bool) -> eframe::Result {
        let options = eframe::NativeOptions {
            viewport: egui::ViewportBuilder::default()
                .with_title("cp2 view")
                .with_app_id("cp2-view")
                .with_inner_size([1280.0, 720.0])
                .with_min_inner_size([720.0, 420.0]),
            renderer: eframe::Renderer::Glow,
            // There are no gradients, and a renderer in software pays for it with every pixel.
            dithering: false,
            ..Default::default()
        };
        let create: eframe::AppCreator<'_> = Box::new(move |cc| {
            let stored = cc.storage.filter(|_| !is_fresh);
            let preferences = stored.and_then(|s| eframe::get_value(s, PREFERENCES));
            let layout = stored.and_then(|s| eframe::get_value(s, LAYOUT));
            let mut app = Self::new(&cc.egui_ctx, wish, preferences, layout);
            // Places of other runs stay kept, whether this one begins afresh or not.
            let places = cc.storage.and_then(|s| eframe::get_value(s, PLACES));
            app.places = places.unwrap_or_default();
            app.places.is_fresh = is_fresh;
            Ok(Box::new(app))
        });
        eframe::run_native("cp2-view", options, create)
    }

    /// Creates the contents of a window on a context of egui, and starts the runs that `wish` asks for. `preferences`
    /// and `layout`, where each view stands, are those that were kept the last time, or `None` for the usual ones. A
    /// layout that lacks a view is not used.
    pub fn new(
        ctx: &Context,
        wish: Wish,
        preferences: Option<Preferences>,
        layout: Option<Tree<Pane>>,
    ) -> Self {
        let preferences = preferences.unwrap_or_default();
        theme::install(ctx, preferences.is_dark);
        let waker = ctx.clone();
        let mut session = Session::new(preferences, move || waker.request_repaint());
        match (&wish.base, &wish.origin) {
            (Some(base), Some(origin)) => {
                session.open(base.clone());
                session.compared.base = session.run.take();
                session.compare(origin.clone());
            }
            (_, Some(origin)) => session.open(origin.clone()),
            _ => {}
        }
        let tree = layout.filter(panes::is_complete).unwrap_or_else(panes::layout);
        let measure = wish.measure.map(measure::Measure::new);
        let mut app = Self {
            session,
            tree,
            search: None,
            is_helping: false,
            wish,
            hovered: None,
            export: None,
            measure,
            places: Places::default(),
        };
        if let Some(pane) = app.wish.pane {
            panes::focus(&mut app.tree, pane);
        }
        app
    }

    /// Draws one frame of the window, after taking in the reports of the threads that own recordings, and the keys that
    /// were pressed.
    pub fn frame(&mut self, ui: &mut Ui) {
        let wanted =
            if self.session.preferences.is_dark { egui::Theme::Dark } else { egui::Theme::Light };
        if ui.ctx().theme() != wanted {
            ui.ctx().set_theme(wanted);
        }
        self.session.receive();
        self.places.follow(&mut self.session, &mut self.tree);
        self.fulfil();
        if self.session.compared.has_new_comparison {
            self.session.compared.has_new_comparison = false;
            panes::focus(&mut self.tree, Pane::Compare);
        }
        self.keys(ui);
        self.dropped(ui.ctx());
        if let Some(measure) = &mut self.measure {
            measure.frame(ui.ctx(), &mut self.session);
        }
        bars::top(ui, self);
        bars::bottom(ui, self);
        egui::CentralPanel::default().frame(egui::Frame::NONE).show(ui, |ui| self.center(ui));
        self.overlays(ui);
        self.session.end_frame();
    }

    fn center(&mut self, ui: &mut Ui) {
        use crate::model::run::Stage;
        match self.session.run.as_ref().map(|run| &run.stage) {
            None => {
                if start::show(ui, &mut self.session) {
                    self.apply_plain(Command::Open);
                }
            }
            Some(Stage::Making(_)) => start::making(ui, &mut self.session),
            Some(Stage::Failed(_)) if !self.session.draft.is_open => {
                start::failed(ui, &mut self.session);
            }
            Some(Stage::Failed(_)) => start::failed_draft(ui, &mut self.session),
            Some(Stage::Open(_)) => {
                // A picture of a view does not show where the pointer was.
                self.session.is_pointer_shown = self.export != Some(Export::Svg);
                let mut painter = Painter { session: &mut self.session, hovered: None };
                self.tree.ui(&mut painter, ui);
                self.hovered = painter.hovered.or(self.hovered);
                if let Some(export) = self.export.take() {
                    self.write(ui, export);
                }
            }
        }
    }

    fn overlays(&mut self, ui: &mut Ui) {
        if let Some(state) = &mut self.search {
            match search::show(ui, state, &mut self.session) {
                search::Outcome::Open => {}
                search::Outcome::Closed => self.search = None,
                search::Outcome::Chosen(hit) => {
                    self.search = None;
                    self.choose(&hit);
                }
            }
        }
        if self.is_helping && search::keys(ui) {
            self.is_helping = false;
        }
    }

    /// Shows the cycles that the command line asked for, as soon as the run is open.
    fn fulfil(&mut self) {
        if self.session.opened().is_some()
            && let Some((begin, end)) = self.wish.cycles.take()
        {
            self.session.view.show(begin.0 as f64, end.0 as f64);
            self.session.cursor = self.session.view.cycles().start;
        }
    }

    fn keys(&mut self, ui: &Ui) {
        let ctx = ui.ctx();
        if self.search.is_some() || self.is_helping {
            return;
        }
        let is_typing = ctx.text_edit_focused();
        if ctx.input(|i| i.key_pressed(egui::Key::Escape)) {
            self.session.selection = None;
            self.session.marked.counted = None;
            self.session.notice = None;
            self.session.draft.is_open = false;
        }
        let all = Command::ALL.iter().flat_map(|&c| c.keys().iter().map(move |keys| (keys, c)));
        let mut all: Vec<_> =
            all.filter(|(keys, _)| !is_typing || keys.modifiers.command).collect();
        // A key without Shift would take the same one with it as well.
        all.sort_by_key(|(keys, _)| keys.modifiers.is_none());
        let mut pressed = Vec::new();
        for (keys, command) in all {
            // In a slow frame a key may have been pressed several times.
            let count =
                ctx.input_mut(|i| i.count_and_consume_key(keys.modifiers, keys.logical_key));
            pressed.extend(std::iter::repeat_n(command, count));
        }
        for command in pressed {
            self.apply(ctx, command);
        }
    }

    fn dropped(&mut self, ctx: &Context) {
        let path = ctx.input(|i| i.raw.dropped_files.first().map(|file| file.path().to_owned()));
        if let Some(path) = path {
            self.session.open(Origin::File(path, crate::worker::Settings::default()));
        }
    }

    fn choose(&mut self, hit: &Hit) {
        match *hit {
            Hit::Command(command) => self.pending(command),
            Hit::Cycle(cycle) => self.session.jump(cycle),
            Hit::Value(place, test, way) => {
                self.session.find_value(place, test, way);
                panes::focus(&mut self.tree, Pane::Values);
            }
            Hit::Select(selection, _) => {
                self.session.selection = Some(selection);
                let pane = match selection {
                    Selection::Bundle(_) => Pane::Bundles,
                    _ => Pane::Why,
                };
                panes::focus(&mut self.tree, pane);
            }
        }
    }

    /// Applies a command that was chosen from a list.
    fn pending(&mut self, command: Command) {
        self.apply_plain(command);
    }

    fn apply(&mut self, ctx: &Context, command: Command) {
        match command {
            Command::CopyCommand => {
                let pane = self.hovered.map_or(Pane::Timeline, |(pane, _)| pane);
                let text = pane.command(&self.session);
                self.session.notice = Some(bars::copied(&text));
                ctx.copy_text(text);
            }
            Command::CopyLink => {
                let text = self.link().map_or(String::new(), |link| link.text());
                let text = format!("cp2 view {}", crate::worker::quoted(&text));
                self.session.notice = Some(bars::copied(&text));
                ctx.copy_text(text);
            }
            command => self.apply_plain(command),
        }
    }

    /// Returns the link to the cycles in view and the view under the pointer; `None` if no run is open.
    fn link(&self) -> Option<RunLink> {
        let info = self.session.run.as_ref().and_then(|run| run.info())?;
        let file = match &info.provenance.origin {
            Origin::File(path, _) => path.clone(),
            _ => PathBuf::from("run.cp2rec"),
        };
        let cycles = self.session.view.cycles();
        let cycles = Some((cycles.start, cycles.end)).filter(|_| cycles != info.cycles);
        Some(RunLink { file, cycles, pane: self.hovered.map(|(pane, _)| pane) })
    }

    fn apply_plain(&mut self, command: Command) {
        let session = &mut self.session;
        let whole = session.view.whole();
        let pane = match command {
            Command::ShowSource => Some(Pane::Source),
            Command::ShowBundles => Some(Pane::Bundles),
            Command::ShowSchedule => Some(Pane::Schedule),
            Command::ShowRegisters => Some(Pane::Registers),
            Command::ShowMemory => Some(Pane::Memory),
            Command::ShowWhy => Some(Pane::Why),
            Command::ShowPlots => Some(Pane::Plots),
            Command::ShowValues => Some(Pane::Values),
            Command::ShowCompare => Some(Pane::Compare),
            Command::ShowMachine => Some(Pane::Machine),
            Command::Edit => {
                session.edit();
                Some(Pane::Source)
            }
            _ => None,
        };
        if let Some(pane) = pane {
            return panes::focus(&mut self.tree, pane);
        }
        match command {
            Command::Palette => self.search = Some(Search::default()),
            Command::Open => self.search = Some(Search::for_file()),
            Command::Help => self.is_helping = true,
            Command::Start => session.close(),
            Command::Theme => session.preferences.is_dark = !session.preferences.is_dark,
            Command::ResetLayout => self.tree = panes::layout(),
            Command::StepForward => session.step(1),
            Command::StepBack => session.step(-1),
            Command::JumpForward => session.step(10),
            Command::JumpBack => session.step(-10),
            Command::Begin => session.jump(whole.start),
            Command::End => session.jump(whole.end),
            Command::ZoomIn => {
                session.view.zoom(0.5, session.view.part(session.cursor.0 as f64).clamp(0.0, 1.0));
            }
            Command::ZoomOut => {
                session.view.zoom(2.0, session.view.part(session.cursor.0 as f64).clamp(0.0, 1.0));
            }
            Command::PanLeft => session.view.pan(-session.view.span() * 0.2),
            Command::PanRight => session.view.pan(session.view.span() * 0.2),
            Command::Fit => session.view.fit(),
            Command::ZoomToCursor => session.zoom_to_cursor(),
            Command::Format => session.preferences.format = session.preferences.format.next(),
            Command::GoBack => session.go_back(),
            Command::RunAgain => session.run_again(),
            Command::DropBase => (session.compared.base, session.compared.comparing) = (None, None),
            Command::ExportSvg | Command::ExportCsv if session.opened().is_none() => {
                let text = "No view to write: open a run first (Ctrl+O).";
                session.notice = Some(text.to_owned());
            }
            Command::ExportSvg => self.export = Some(Export::Svg),
            Command::ExportCsv => self.export = Some(Export::Csv),
            command => self.look(command),
        }
    }

    /// Applies a command about what is marked and looked for.
    fn look(&mut self, command: Command) {
        let session = &mut self.session;
        match command {
            Command::WhoWrote => session.who_wrote(),
            Command::BecameNan => session.when_not_a_number(),
            Command::Mark => session.toggle_bookmark(),
            Command::NextMark => session.next_bookmark(),
            Command::PreviousMark => session.previous_bookmark(),
            Command::Pin => {
                session.pin();
                if matches!(session.selection, Some(Selection::Place(_))) {
                    panes::focus(&mut self.tree, Pane::Values);
                }
            }
            _ => {}
        }
    }

    /// Writes the view under the pointer into a file of the current folder.
    fn write(&mut self, ui: &Ui, export: Export) {
        let Some((pane, rect)) = self.hovered else {
            let text = "No view to write: move the pointer over a view, and press the key again.";
            self.session.notice = Some(text.to_owned());
            return;
        };
        let name = pane.name().to_lowercase();
        let (ending, text) = match export {
            Export::Csv => ("csv", pane.csv(&mut self.session)),
            Export::Svg => {
                let mut shapes = Vec::new();
                ui.painter().for_each_shape(|shape| {
                    if rect.expand(1.0).contains_rect(shape.clip_rect.intersect(rect))
                        && shape.clip_rect.intersects(rect)
                    {
                        shapes.push(shape.clone());
                    }
                });
                let theme = theme::Theme::of(ui.visuals());
                let surround = crate::export::Surround {
                    title: &pane.command(&self.session),
                    ground: theme.ground,
                    letters: theme.text,
                    legend: &pane.legend(theme, &self.session),
                };
                ("svg", crate::export::svg(&shapes, rect, &surround))
            }
        };
        let free = (1..)
            .map(|k| PathBuf::from(format!("cp2-{name}-{k}.{ending}")))
            .find(|path| !path.exists());
        let Some(path) = free else { return };
        self.session.notice = Some(match std::fs::write(&path, text) {
            Ok(()) => format!(
                "Wrote the view {} to {} in the current folder.",
                pane.name(),
                path.display()
            ),
            Err(e) => format!(
                "Cannot write {} in the current folder: {e}. Start cp2 view in a folder that you \
                 can write to.",
                path.display()
            ),
        });
    }
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut Ui, _: &mut eframe::Frame) {
        self.frame(ui);
    }

    /// Returns the colour that shows where nothing is drawn. Every layer that fills the window costs a renderer in
    /// software some milliseconds.
    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        theme::Theme::of(visuals).panel.to_normalized_gamma_f32()
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, PREFERENCES, &self.session.preferences);
        eframe::set_value(storage, LAYOUT, &self.tree);
        self.places.keep(&self.session, &self.tree);
        eframe::set_value(storage, PLACES, &self.places);
    }
}
