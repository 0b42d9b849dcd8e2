//! Prints the rates of procedures on whole machines beside those of \[D\], as a page of the book:
//! `cargo run --release -p cp2-lab --example tables > specs/src/tables.md`. With the names of operators, classes and
//! matrices, only their rows: `-- resid proj S A`. Classes A and B, which take minutes, only so.
//!
//! - `multigrid`: tables 3.3 to 3.5 and B.7; `sparse`: 3.6, 3.7 and B.8 to B.10; `transforms`: NPB FT;
//! - `range`: what assumptions and fits leave of a rate.

mod multigrid;
mod range;
mod sparse;
mod transforms;

const INTRODUCTION: &str = "# Tables

Made by `cargo run --release -p cp2-lab --example tables > specs/src/tables.md`. MOPS by the counting of [D]: for operators 31
operations for a point of `resid` and `smooth`, 30 of `smooth0`, 30 for a coarse point of `proj`, 35 of `interp` and 27 of `interp0`; for
MG 58 a point and V-cycle, as NPB counts; for sparse products 2 for an entry. *Theory* and *measured* are [D]'s, of operators with kernels for any weights; all
else is simulated: ours on the same machine with the channel and the host as fitted. *Bound* is the larger of the
kernels at what their fuller slot issues and of all words that move at the rates of the rows in which they move, by the
fitted channel; it belongs to the words of the form that it stands beside. *Ratio* is simulated over measured. *Range* is what assumptions and fits leave of
our rate: from the one with all numbers of the machine that nobody measured at their worse ends to that with all at their better ones (`cp2 whatif NAME --machine M
--sensitivity` tells what each of them does). Classes A and B of MG, which take minutes, are printed with `-- A B`, without a range, and put in here.";

fn main() -> Result<(), String> {
    let only: Vec<String> = std::env::args().skip(1).collect();
    println!("{INTRODUCTION}");
    multigrid::print(&only)?;
    sparse::print(&only)?;
    transforms::print(&only)
}
