//! A run step by step: what is kept of it, as text and as one page of HTML.

mod page;
mod recorder;
mod text;

pub use page::page;
pub use recorder::StepRecorder;
pub use text::steps_text;
