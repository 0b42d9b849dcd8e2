//! The window as a person uses it, without one: keys and clicks, what the session becomes, and pictures of small
//! recordings. Pictures that are meant to change: `UPDATE_SNAPSHOTS=1 cargo test --release -p cp2-gui`.

#[path = "window/flows.rs"]
mod flows;
#[path = "window/overlap.rs"]
mod overlap;
#[path = "window/raster.rs"]
mod raster;

use cp2_gui::app::{App, Pane, Wish};
use cp2_gui::model::run::{OpenRun, Stage};
use cp2_gui::model::session::{CountedSpan, Selection, Session};
use cp2_gui::worker::{Example, Origin, Settings};
use cp2_isa::{Cycle, Section, Storage, StorageCell};
use egui::{Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;

const TWELVE: &str = include_str!("../../examples/twelve.s");
const AXPY: &str = include_str!("../../examples/axpy.s");
const EARLY: &str = include_str!("../../examples/early.s");

type Window = Harness<'static, Option<App>>;

fn text(name: &str, text: &str) -> Origin {
    Origin::Text(name.to_owned(), text.to_owned(), None, Settings::default())
}

fn window(wish: Wish) -> Window {
    window_of(wish, [960.0, 560.0])
}

fn window_of(wish: Wish, size: [f32; 2]) -> Window {
    let frame = move |ui: &mut egui::Ui, app: &mut Option<App>| {
        let app = app.get_or_insert_with(|| App::new(ui.ctx(), wish.clone(), None, None));
        app.frame(ui);
    };
    let builder = Harness::builder().with_size(size).renderer(raster::Raster::default());
    let mut window = builder.build_ui_state(frame, None);
    settle(&mut window);
    window
}

fn on(origin: Origin) -> Window {
    window(Wish { origin: Some(origin), ..Wish::default() })
}

fn session(window: &mut Window) -> &mut Session {
    &mut window.state_mut().as_mut().expect("a frame").session
}

/// Compares what the window shows with a kept picture, in which no two texts may lie on each other.
fn picture(window: &mut Window, name: &str) {
    let found = overlap::overlaps(window.output());
    assert!(found.is_empty(), "{name}: {found:#?}");
    window.snapshot(name);
}

/// Draws frames until everything that is shown is there.
fn settle(window: &mut Window) {
    for _ in 0..6 {
        window.step();
        let session = session(window);
        [&mut session.run, &mut session.compared.base].into_iter().flatten().for_each(|run| {
            run.wait();
            run.wait_for_heat();
        });
        if let Some(comparing) = &mut session.compared.comparing {
            comparing.wait();
        }
    }
    window.step();
}

fn press(window: &mut Window, key: Key) {
    window.key_press(key);
    settle(window);
}

fn key(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    settle(window);
}

#[test]
fn the_first_page_has_examples_that_open() {
    let mut window = window(Wish::default());
    picture(&mut window, "start");
    window.get_all_by_label("First program").next().expect("a card").click();
    settle(&mut window);
    let run = session(&mut window).run.as_ref().and_then(OpenRun::info).expect("an open run");
    assert_eq!(
        (run.provenance.title.as_str(), run.cycles.clone()),
        ("twelve.s", Cycle::RESET..Cycle(37))
    );
}

#[test]
fn steps_go_forward_and_back_and_stay_in_the_run() {
    let mut window = on(text("twelve.s", TWELVE));
    for _ in 0..3 {
        press(&mut window, Key::ArrowRight);
    }
    assert_eq!(session(&mut window).cursor, Cycle(3));
    key(&mut window, Modifiers::SHIFT, Key::ArrowRight);
    assert_eq!(session(&mut window).cursor, Cycle(13));
    key(&mut window, Modifiers::SHIFT, Key::ArrowLeft);
    key(&mut window, Modifiers::SHIFT, Key::ArrowLeft);
    assert_eq!(session(&mut window).cursor, Cycle(0));
    press(&mut window, Key::End);
    assert_eq!(session(&mut window).cursor, Cycle(36));
}

#[test]
fn values_are_those_of_the_cycle() {
    let mut window = on(text("twelve.s", TWELVE));
    let f6 = StorageCell { storage: Storage::Fpr, number: 6, section: Section::FIRST };
    let value = |window: &mut Window, cycle| {
        session(window).seek(cycle);
        settle(window);
        let run = session(window).run.as_mut().expect("a run");
        run.state(cycle).and_then(|state| state.state.get(f6))
    };
    // `cmul` of cycle 12 writes at the end of cycle 20: (5 + 6i) i.
    assert_eq!(value(&mut window, Cycle(20)), Some(0));
    assert_eq!(value(&mut window, Cycle(21)), Some(0xc0c0_0000_40a0_0000));
    assert_eq!(value(&mut window, Cycle(20)), Some(0));
}

#[test]
fn who_wrote_a_register_is_gone_to_and_back() {
    let mut window = on(text("twelve.s", TWELVE));
    session(&mut window).seek(Cycle(30));
    let f6 = StorageCell { storage: Storage::Fpr, number: 6, section: Section::FIRST };
    session(&mut window).selection = Some(Selection::Place(f6));
    press(&mut window, Key::G);
    assert_eq!(session(&mut window).cursor, Cycle(20));
    press(&mut window, Key::Backspace);
    assert_eq!(session(&mut window).cursor, Cycle(30));
}

#[test]
fn a_search_goes_to_cycles_and_selects_registers() {
    let mut window = on(text("twelve.s", TWELVE));
    key(&mut window, Modifiers::COMMAND, Key::K);
    window.event(egui::Event::Text("21".to_owned()));
    settle(&mut window);
    press(&mut window, Key::Enter);
    assert_eq!(session(&mut window).cursor, Cycle(21));
    key(&mut window, Modifiers::COMMAND, Key::K);
    window.event(egui::Event::Text("f2.1".to_owned()));
    settle(&mut window);
    picture(&mut window, "search");
    press(&mut window, Key::Enter);
    let expected = StorageCell { storage: Storage::Fpr, number: 2, section: Section::ALL[1] };
    assert_eq!(session(&mut window).selection, Some(Selection::Place(expected)));
}

#[test]
fn letters_that_are_typed_into_the_source_are_no_commands() {
    let mut window = on(text("twelve.s", TWELVE));
    press(&mut window, Key::E);
    assert!(session(&mut window).draft.is_open);
    assert_eq!(session(&mut window).draft.text.trim_end(), TWELVE.trim_end());
    press(&mut window, Key::Escape);
    assert!(!session(&mut window).draft.is_open);
}

#[test]
fn a_changed_source_is_compared_with_what_was_before() {
    let mut window = on(text("twelve.s", TWELVE));
    press(&mut window, Key::E);
    let changed = TWELVE.replace("doi   3, last", "doi   5, last");
    assert_ne!(changed, TWELVE);
    let draft = &mut session(&mut window).draft;
    (draft.text, draft.is_changed) = (changed, true);
    key(&mut window, Modifiers::COMMAND, Key::Enter);
    let session = session(&mut window);
    let cycles = [&session.compared.base, &session.run]
        .map(|run| run.as_ref().and_then(OpenRun::info).map(|info| info.cycles.end));
    // Two more turns of three bundles.
    assert_eq!(cycles, [Some(Cycle(37)), Some(Cycle(43))]);
    let found = session
        .compared
        .comparing
        .as_mut()
        .and_then(|c| c.result().cloned())
        .expect("done")
        .expect("runs");
    let grown: i64 = found.comparison.costs.lines.iter().map(|row| row.difference()).sum();
    assert_eq!(grown, 6);
    picture(&mut window, "compare");
}

#[test]
fn another_machine_is_compared_with_the_one_before() {
    let mut window = on(text("axpy.s", AXPY));
    session(&mut window).machine.set = vec!["core.arithmetic_latency=4".to_owned()];
    key(&mut window, Modifiers::COMMAND, Key::Enter);
    let session = session(&mut window);
    let info = session.run.as_ref().and_then(OpenRun::info).expect("an open run");
    assert_eq!(info.core.latencies().longest(), 4);
    assert!(
        info.provenance.command.contains("--set core.arithmetic_latency=4"),
        "{}",
        info.provenance.command
    );
    assert!(session.compared.comparing.is_some());
}

#[test]
fn a_source_with_errors_says_so_and_the_run_before_is_kept() {
    let mut window = on(text("twelve.s", TWELVE));
    press(&mut window, Key::E);
    let draft = &mut session(&mut window).draft;
    (draft.text, draft.is_changed) = ("        .kernel k\n        cmul f1\n".to_owned(), true);
    key(&mut window, Modifiers::COMMAND, Key::Enter);
    let session = session(&mut window);
    let failed = match session.run.as_ref().map(|run| &run.stage) {
        Some(Stage::Failed(failure)) => failure.clone(),
        other => panic!("{other:?}"),
    };
    assert!(
        failed.what.contains("does not assemble") && failed.detail.contains("twelve.s:2"),
        "{failed:?}"
    );
    assert!(session.compared.base.is_some() && session.draft.is_open);
    picture(&mut window, "error");
}

#[test]
fn what_is_no_program_is_refused_with_a_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.cp2rec");
    std::fs::write(&path, b"CP2REC\n\x1a but no more").expect("a file");
    for path in [path, folder.path().join("none.s")] {
        let mut window = on(Origin::File(path, Settings::default()));
        let run = session(&mut window).run.as_ref().expect("a run");
        assert!(matches!(&run.stage, Stage::Failed(f) if !f.detail.is_empty()), "{:?}", run.stage);
    }
}

#[test]
fn pictures_of_a_small_run() {
    let mut window = on(text("twelve.s", TWELVE));
    for _ in 0..20 {
        window.key_press(Key::ArrowRight);
        window.step();
    }
    settle(&mut window);
    session(&mut window).selection =
        Some(Selection::Operation(Cycle(20), cp2_isa::Slot::Arithmetic));
    press(&mut window, Key::Num6);
    picture(&mut window, "operation");
    press(&mut window, Key::T);
    press(&mut window, Key::Num4);
    picture(&mut window, "registers-light");
}

#[test]
fn single_cycles_at_the_begin_have_no_cycles_before_the_run() {
    let mut window = on(text("axpy.s", AXPY));
    press(&mut window, Key::Z);
    let session = session(&mut window);
    assert!(session.view.begin() >= -1.0, "{:?}", session.view);
    assert!(session.view.cycles().contains(&Cycle(30)));
}

#[test]
fn a_counted_span_is_what_the_views_count_until_escape() {
    let mut window = on(text("axpy.s", AXPY));
    let all = session(&mut window).costs().0.total();
    let spans = session(&mut window).run.as_mut().and_then(OpenRun::spans).expect("names");
    assert_eq!(spans.kernels.len(), 1);
    assert_eq!(spans.name(&spans.kernels[0]), "axpy");
    session(&mut window).marked.counted =
        Some(CountedSpan { name: "a part".to_owned(), cycles: Cycle(100)..Cycle(200) });
    settle(&mut window);
    let (costs, is_counting) = session(&mut window).costs();
    assert_eq!((costs.total(), is_counting), (100, false));
    assert!(all > 1000);
    picture(&mut window, "counted");
    press(&mut window, Key::Escape);
    assert_eq!(session(&mut window).costs().0.total(), all);
}

#[test]
fn values_are_shown_in_the_course_of_cycles_and_found() {
    let mut window = on(text("twelve.s", TWELVE));
    let place = |number, section: usize| StorageCell {
        storage: Storage::Fpr,
        number,
        section: Section::ALL[section],
    };
    session(&mut window).selection = Some(Selection::Place(place(6, 0)));
    press(&mut window, Key::P);
    session(&mut window).selection = Some(Selection::Place(place(2, 0)));
    press(&mut window, Key::P);
    assert_eq!(session(&mut window).marked.pins, [place(6, 0), place(2, 0)]);
    picture(&mut window, "values");
    // f6 becomes (5 + 6i) i by the operation that writes at the end of cycle 20.
    session(&mut window).seek(Cycle(30));
    key(&mut window, Modifiers::COMMAND, Key::K);
    window.event(egui::Event::Text("f6.0 = -6".to_owned()));
    settle(&mut window);
    press(&mut window, Key::Enter);
    assert_eq!(session(&mut window).cursor, Cycle(20));
    session(&mut window).selection = Some(Selection::Place(place(6, 0)));
    press(&mut window, Key::N);
    let notice = session(&mut window).notice.clone();
    assert_eq!(notice.as_deref(), Some("f6 of section 0 does not become NaN before cycle 20."));
    session(&mut window).selection = Some(Selection::Place(place(6, 0)));
    press(&mut window, Key::P);
    assert_eq!(session(&mut window).marked.pins, [place(2, 0)]);
}

#[test]
fn bookmarks_are_gone_to_and_the_place_in_a_run_is_kept() {
    let mut window = on(text("twelve.s", TWELVE));
    for cycle in [20, 5] {
        session(&mut window).seek(Cycle(cycle));
        press(&mut window, Key::B);
    }
    session(&mut window).view.show(2.0, 32.0);
    let marks = |window: &mut Window| {
        let marks = session(window).marked.bookmarks.iter();
        marks.map(|mark| mark.cycle).collect::<Vec<_>>()
    };
    assert_eq!(marks(&mut window), [5, 20]);
    press(&mut window, Key::Home);
    press(&mut window, Key::CloseBracket);
    press(&mut window, Key::CloseBracket);
    assert_eq!(session(&mut window).cursor, Cycle(20));
    press(&mut window, Key::OpenBracket);
    assert_eq!(session(&mut window).cursor, Cycle(5));
    picture(&mut window, "bookmarks");
    session(&mut window).open(text("axpy.s", AXPY));
    settle(&mut window);
    assert_eq!(marks(&mut window), [0; 0]);
    session(&mut window).open(text("twelve.s", TWELVE));
    settle(&mut window);
    assert_eq!(marks(&mut window), [5, 20]);
    assert_eq!(session(&mut window).cursor, Cycle(5));
    assert!(session(&mut window).view.span() < 31.0);
    press(&mut window, Key::B);
    assert_eq!(marks(&mut window), [20]);
}

#[test]
fn what_is_typed_into_the_source_is_undone() {
    let mut window = on(text("twelve.s", TWELVE));
    press(&mut window, Key::E);
    let before = session(&mut window).draft.text.clone();
    window.get_by_role(egui::accesskit::Role::MultilineTextInput).focus();
    settle(&mut window);
    window.event(egui::Event::Text("; a remark\n".to_owned()));
    settle(&mut window);
    assert!(session(&mut window).draft.is_changed);
    assert_ne!(session(&mut window).draft.text, before);
    key(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(session(&mut window).draft.text, before);
    assert!(!session(&mut window).draft.is_changed);
}

#[test]
fn a_procedure_has_rows_for_its_stages_and_pages() {
    let example = Example { name: "fft8192".to_owned(), vectors: Some(1) };
    let machine = Settings { machine: Some("vm7".to_owned()), ..Settings::default() };
    let wish = Wish {
        origin: Some(Origin::Kernel(example, machine)),
        pane: Some(Pane::Plots),
        ..Wish::default()
    };
    let mut window = window_of(wish, [1280.0, 720.0]);
    let spans = session(&mut window).run.as_mut().and_then(OpenRun::spans).expect("names");
    let rows: Vec<(&str, Vec<&str>)> = spans
        .rows()
        .into_iter()
        .map(|(row, of)| (row, of.iter().map(|span| spans.name(span)).collect()))
        .collect();
    let stages = vec!["send kernels", "first pass: columns", "send kernels", "second pass: rows"];
    assert_eq!(rows[0], ("Stage", stages));
    assert_eq!((rows[1].0, rows[1].1[0]), ("Page", "first load"));
    let second = &spans.steps[0].1[3];
    let span = CountedSpan { name: "second pass: rows".to_owned(), cycles: second.cycles.clone() };
    session(&mut window).marked.counted = Some(span);
    settle(&mut window);
    let account = session(&mut window).account().expect("sums").expect("an account");
    assert_eq!((account.cycles.0, account.cycles.1), (second.cycles.start, second.cycles.end));
    picture(&mut window, "steps");
}

#[test]
fn two_runs_are_aligned_by_their_steps() {
    let example = || Example { name: "fft8192".to_owned(), vectors: Some(1) };
    let machine = |name: &str| Settings { machine: Some(name.to_owned()), ..Settings::default() };
    let wish = Wish {
        origin: Some(Origin::Kernel(example(), machine("vm9"))),
        base: Some(Origin::Kernel(example(), machine("vm7"))),
        ..Wish::default()
    };
    let mut window = window_of(wish, [1280.0, 720.0]);
    session(&mut window).preferences.is_dark = false;
    settle(&mut window);
    let spans = [&mut session(&mut window).compared.base]
        .into_iter()
        .flatten()
        .map(|run| run.spans().expect("names").steps.len())
        .collect::<Vec<_>>();
    assert_eq!(spans, [2]);
    picture(&mut window, "aligned");
}

#[test]
fn generated_kernels_have_a_cost_by_stage() {
    let example = Example { name: "fft256".to_owned(), vectors: Some(4) };
    let mut window = window_of(
        Wish { origin: Some(Origin::Kernel(example, Settings::default())), ..Wish::default() },
        [1280.0, 720.0],
    );
    press(&mut window, Key::Num1);
    window.get_by_label("Stages").click();
    settle(&mut window);
    let (heat, _) = session(&mut window).costs();
    let info = session(&mut window).run.as_ref().and_then(OpenRun::info).expect("an open run");
    let stages = heat.stages(&info.program);
    let named: Vec<&str> = stages.iter().filter_map(|stage| stage.name.as_deref()).collect();
    assert!(named.contains(&"stage 3") && !named.contains(&"stage 9"), "{named:?}");
    let cycles: u64 = stages.iter().map(|stage| stage.cost.cost.cycles()).sum();
    assert_eq!(cycles, heat.total());
    picture(&mut window, "stages");
}

#[test]
fn texts_that_lie_on_each_other_are_found() {
    let mut window = Harness::builder().build_ui(|ui| {
        for (at, text) in [((10.0, 10.0), "one"), ((14.0, 12.0), "two"), ((90.0, 10.0), "three")] {
            let font = egui::FontId::proportional(14.0);
            let colour = egui::Color32::WHITE;
            ui.painter().text(at.into(), egui::Align2::LEFT_TOP, text, font, colour);
        }
    });
    window.step();
    let found = overlap::overlaps(window.output());
    assert!(found.len() == 1 && found[0].starts_with("`one` and `two`"), "{found:?}");
}

#[test]
fn what_cannot_be_edited_or_run_again_says_why() {
    let mut window = on(text("twelve.s", TWELVE));
    assert_eq!(session(&mut window).can_edit(), Ok(()));
    assert_eq!(session(&mut window).can_run_again(), Ok(()));
    let example = Example { name: "fft64".to_owned(), vectors: None };
    let mut window = on(Origin::Kernel(example, Settings::default()));
    let refused = session(&mut window).can_edit().expect_err("a kernel is generated");
    assert!(refused.contains("cp2 kernels source"), "{refused}");
    assert_eq!(session(&mut window).can_run_again(), Ok(()));
    press(&mut window, Key::E);
    assert!(!session(&mut window).draft.is_open);
}

#[test]
fn pictures_of_a_pipelined_loop() {
    let mut window = window(Wish {
        origin: Some(text("axpy.s", AXPY)),
        pane: Some(Pane::Plots),
        ..Wish::default()
    });
    press(&mut window, Key::Num3);
    picture(&mut window, "schedule");
}

#[test]
fn hazards_are_marked() {
    let mut window = on(text("early.s", EARLY));
    let info = session(&mut window).run.as_ref().and_then(OpenRun::info).expect("an open run");
    assert!(info.program.hazards.iter().any(|hazard| hazard.code == "C0501"));
    press(&mut window, Key::Num2);
    picture(&mut window, "hazards");
}
