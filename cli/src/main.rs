//! The command line of cp2.

fn main() {}
