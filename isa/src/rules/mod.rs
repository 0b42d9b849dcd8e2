//! Pure rules of the machine: functions over plain values that hold no state, which every engine,
//! the linter, the assembler and the checker share. When things happen is in `timing`.

pub mod address;
