//! To come.
use crate::model::session::Session;
use egui::Ui;
pub(crate) fn show(_: &mut Ui, _: &mut Session) {}
pub(crate) fn csv(_: &mut Session) -> String {
    String::new()
}
