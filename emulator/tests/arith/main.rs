//! What the arithmetic operations compute, one module per family. The oracles are Berkeley
//! SoftFloat for single steps, astro-float for functions, plain arithmetic for integers.

mod coefficient;
mod composite;
mod elementary;
mod float;
mod footprint;
mod integer;
mod reference;
mod rules;
mod values;
