//! Texts for people: the tutorial of the book, and the width of what commands print.

mod tutorial;
mod widths;
