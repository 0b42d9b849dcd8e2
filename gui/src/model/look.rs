//! Searches of a session that go to a cycle: the last write of the selected register or word, and the cycle in which one became
//! a value.

use crate::model::session::{Bookmark, Selection, Session};
use crate::model::value::ValueTest;
use crate::model::viewport::grouped;
use crate::worker::{Answer, FoundValue, Key, Way};
use cp2_isa::{Cycle, StorageCell};

impl Session {
    /// Returns the selected register or word. If none is selected, a notice says what to do.
    fn selected_place(&mut self) -> Option<StorageCell> {
        if let Some(Selection::Place(place)) = self.selection {
            return Some(place);
        }
        let text = "Nothing to search for: select a register or a word first. Click it in the view \
                    Registers (4) or Memory (5).";
        self.notice = Some(text.to_owned());
        None
    }

    /// Moves the cursor to the cycle in which the selected register or word was written last before the cursor, as soon
    /// as the thread that owns the recording has found this cycle. If no register or word is selected, or nothing has
    /// written it, a notice says so.
    pub fn who_wrote(&mut self) {
        if let Some(place) = self.selected_place() {
            self.seek_answer(Key::LastWrite(place, self.cursor));
        }
    }

    /// Moves the cursor to the last cycle before it in which the selected register or word became NaN, as soon as it is
    /// found; a notice says so if there is none.
    pub fn when_not_a_number(&mut self) {
        if let Some(place) = self.selected_place() {
            self.find_value(place, ValueTest::NotANumber, Way::Back);
        }
    }

    /// Moves the cursor to the nearest cycle on this way from it in which a register or word became a value, as soon as it is
    /// found; a notice says so if there is none.
    pub fn find_value(&mut self, place: StorageCell, test: ValueTest, way: Way) {
        self.selection = Some(Selection::Place(place));
        let from = if way == Way::Back { self.cursor } else { self.cursor + 1 };
        self.seek_answer(Key::FindValue(place, test, from, way));
    }

    /// Notes the question whose answer is a cycle to go to.
    fn seek_answer(&mut self, key: Key) {
        self.course.asked = Some(key);
        self.follow();
    }

    /// Goes to the cycle of the answer that was waited for, if it is there.
    pub(super) fn follow(&mut self) {
        let (Some(key), Some(run)) = (self.course.asked, &mut self.run) else { return };
        let Some(answer) = run.ask(key) else { return };
        let answer = answer.clone();
        self.course.asked = None;
        match (answer, key) {
            (Answer::LastWrite(Some(write)), _) => self.jump(write.cycle),
            (Answer::LastWrite(None), Key::LastWrite(place, cycle)) => {
                self.notice = Some(format!(
                    "No write of {place} before cycle {}: it has its value from the begin of the run.",
                    grouped(cycle)
                ));
            }
            (Answer::FoundValue(found), Key::FindValue(place, test, cycle, way)) => {
                let side = if way == Way::Back { "before" } else { "from" };
                let place = place.to_string();
                match found {
                    Some(FoundValue { cycle: Some(cycle), .. }) => self.jump(cycle),
                    Some(FoundValue { cycle: None, .. }) => {
                        self.notice = Some(format!("{place} is {test} from the begin of the run."));
                    }
                    None => {
                        self.notice = Some(format!(
                            "{place} does not become {test} {side} cycle {}.",
                            grouped(cycle)
                        ));
                    }
                }
            }
            (Answer::None(why), _) => self.notice = Some(why.to_string()),
            _ => {}
        }
    }

    /// Shows the values of the selected register or word in the course of cycles, or ends to show them.
    pub fn pin(&mut self) {
        if let Some(place) = self.selected_place() {
            self.toggle_pin(place);
        }
    }

    /// Shows the values of a register or word in the course of cycles, or ends to show them.
    pub fn toggle_pin(&mut self, place: StorageCell) {
        if let Some(at) = self.marked.pins.iter().position(|&pinned| pinned == place) {
            self.marked.pins.remove(at);
        } else if self.marked.pins.len() < MOST_PINS {
            self.marked.pins.push(place);
        } else {
            self.notice =
                Some(format!("The view Values has room for {MOST_PINS} places; remove one first."));
        }
    }
}

impl Session {
    /// Sets a bookmark at the cursor, or removes the one that is there.
    pub fn toggle_bookmark(&mut self) {
        let cursor = self.cursor.0;
        let marks = &mut self.marked.bookmarks;
        match marks.binary_search_by_key(&cursor, |mark| mark.cycle) {
            Ok(at) => drop(marks.remove(at)),
            Err(_) if marks.len() >= MOST_BOOKMARKS => {
                let text =
                    format!("A run has room for {MOST_BOOKMARKS} bookmarks; remove one first.");
                self.notice = Some(text);
            }
            Err(at) => {
                let name = self.name_of_cursor();
                self.marked.bookmarks.insert(at, Bookmark { name, cycle: cursor });
            }
        }
    }

    /// Returns the name of the place at the cursor: the label of its bundle, if it is known.
    fn name_of_cursor(&mut self) -> String {
        let cursor = self.cursor;
        let run = self.opened();
        let label = run.and_then(|run| {
            let address = run.cycle(cursor)?.operations.first()?.address;
            let label = run.info()?.program.row(address)?.label.clone();
            (!label.is_empty()).then_some(label)
        });
        label.unwrap_or_else(|| format!("cycle {}", grouped(cursor)))
    }

    /// Moves the cursor to the next bookmark; a notice says so if there is none.
    pub fn next_bookmark(&mut self) {
        let cursor = self.cursor.0;
        let next = self.marked.bookmarks.iter().find(|mark| mark.cycle > cursor).map(|m| m.cycle);
        self.go_to_bookmark(next);
    }

    /// Moves the cursor to the previous bookmark; a notice says so if there is none.
    pub fn previous_bookmark(&mut self) {
        let cursor = self.cursor.0;
        let before = self.marked.bookmarks.iter().rfind(|mark| mark.cycle < cursor);
        let before = before.map(|mark| mark.cycle);
        self.go_to_bookmark(before);
    }

    fn go_to_bookmark(&mut self, cycle: Option<u64>) {
        match cycle {
            Some(cycle) => self.jump(Cycle(cycle)),
            None => {
                let text = "There is no bookmark there. Press B to set one at the cursor.";
                self.notice = Some(text.to_owned());
            }
        }
    }
}

/// Most bookmarks of a run.
const MOST_BOOKMARKS: usize = 99;
/// Most registers and words whose values are shown.
const MOST_PINS: usize = 8;
