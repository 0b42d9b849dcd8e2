//! `cargo xtask`: what contributors run, each by one name.

mod bless;
mod check;
mod ci;
mod cluster;
mod features;
mod folders;
mod gpu;
mod lanes;
mod mutants;
mod nightly;
mod outside;
mod pages;
mod programs;
mod python;
mod release;
mod rust;
mod shell;
mod tools;
mod worked;

use clap::{Parser, Subcommand};
use folders::Folders;
use std::process::ExitCode;

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    about = "What contributors run, each by one name"
)]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// The checks to run before every commit: format, lints, rules of the tree, the fast tests
    #[command(after_help = check::help())]
    Check,
    /// Make goldens anew: all that need nothing but Rust, or those that are named
    #[command(after_help = bless::help())]
    Bless {
        /// Texts to make anew; if absent, all that need nothing but Rust
        what: Vec<String>,
    },
    /// The lanes of CI, all of them or those that are named
    #[command(after_help = lanes::help())]
    Ci {
        /// The lanes to run, in the order of the list; if absent, all
        lanes: Vec<String>,
        /// Print a line about each lane, and run none
        #[arg(long)]
        list: bool,
        /// Run the lanes behind one that fails, too
        #[arg(long)]
        keep_going: bool,
    },
    /// Long checks that no run of CI waits for
    #[command(subcommand)]
    Nightly(nightly::Nightly),
    /// Pack a release into `target/release-package`; nothing is published
    Release,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = Folders::enter().and_then(|folders| match arguments.task {
        Task::Check => check::check(&folders),
        Task::Bless { what } => bless::bless(&folders, &what),
        Task::Ci { list: true, .. } => {
            print!("{}", lanes::help());
            Ok(())
        }
        Task::Ci { lanes, keep_going, .. } => ci::ci(&folders, &lanes, keep_going),
        Task::Nightly(lane) => lane.run(&folders),
        Task::Release => release::release(&folders),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nxtask: {error}");
            ExitCode::FAILURE
        }
    }
}
