//! Texts for people: the tutorial of the book, and the width of what commands print.

mod layouts;
mod tutorial;
mod widths;
