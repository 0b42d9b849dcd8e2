//! The fast engine against the reference engine on what its blocks go through: loops, nests of them, entries with results
//! under way, elementary functions, and programs made for one of its decisions each. Programs of all kinds are compared in
//! `engines`.

mod cases;
mod entries;
mod functions;
mod loops;
mod nests;
mod random;
mod replay;
