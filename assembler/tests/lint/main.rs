//! Tests of the linter. Programs are built from bundles, so that images that the assembler would
//! refuse are tested too.

mod dead;
mod examples;
mod hazards;
mod kit;
mod loops;
mod paths;
mod property;
mod report;
mod rules;
mod undefined;
mod unrolled;
