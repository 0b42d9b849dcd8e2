//! Cycle-exact emulator of CP2. It never parses assembly text.

pub mod arith;
