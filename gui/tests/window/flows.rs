//! Words under the names of array elements, and the picture of what moves in the machine.

use super::{Window, Wish, picture, press, session, settle, window_of};
use cp2_gui::model::command::{Hit, Scope, search};
use cp2_gui::model::session::Selection;
use cp2_gui::worker::{Example, Origin, Settings};
use cp2_isa::{Section, Storage, StorageCell};
use egui::Key;
use egui_kittest::kittest::Queryable as _;

/// Opens a transform of 256 points on a machine with a channel, and moves the cursor into its kernel.
fn transform() -> Window {
    let example = Example { name: "fft256".to_owned(), vectors: Some(4) };
    let machine = Settings { machine: Some("vm9".to_owned()), ..Settings::default() };
    let wish = Wish { origin: Some(Origin::Kernel(example, machine)), ..Wish::default() };
    let mut window = window_of(wish, [1280.0, 720.0]);
    let run = session(&mut window).run.as_mut().expect("a run");
    let first = run.info().expect("an open run").first_kernel;
    session(&mut window).seek(first + 200);
    settle(&mut window);
    window
}

#[test]
fn words_have_the_names_of_elements() {
    let mut window = transform();
    let cursor = session(&mut window).cursor;
    let run = session(&mut window).opened().expect("a run");
    // The arrays of the kernel lie where registers say.
    run.word_names(cursor);
    settle(&mut window);
    let run = session(&mut window).opened().expect("a run");
    let names = run.word_names(cursor);
    let (word, section) = names.place("x[2][0][3]").expect("an element");
    let name = names.name(word.index()..word.index() + 1, section);
    assert_eq!((section, name.as_deref()), (Section::new(2), Some("x[2][0][3]")));
    let info = run.info().expect("an open run");
    let scope =
        Scope { program: &info.program, core: &info.core, words: &names, end: info.cycles.end };
    let cell =
        StorageCell { storage: Storage::Lmem, number: word.index(), section: Section::ALL[2] };
    let found = search("x[2][0][3]", Some(scope));
    assert!(
        matches!(found[0], Hit::Select(Selection::Place(place), _) if place == cell),
        "{found:?}"
    );
    session(&mut window).selection = Some(Selection::Place(cell));
    press(&mut window, Key::Num5);
    picture(&mut window, "elements");
}

#[test]
fn the_machine_shows_what_moves() {
    let mut window = transform();
    press(&mut window, Key::M);
    window.get_by_label("In view").click();
    settle(&mut window);
    picture(&mut window, "machine-in-view");
    window.get_by_label("At cursor").click();
    settle(&mut window);
    picture(&mut window, "machine-at-cursor");
}
