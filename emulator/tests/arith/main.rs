//! What the arithmetic operations compute, one module per family. The oracles are Berkeley
//! SoftFloat for single steps, astro-float for coefficients, plain arithmetic for integers; the tables of
//! elementary functions are computed anew.

mod bundle_footprint;
mod coefficient;
mod composite;
mod elementary;
mod float;
mod footprint;
mod integer;
mod reduction;
mod reference;
mod rules;
mod tables;
mod values;
