//! How the time of scheduling and checking grows with the length of a body: straight code and loop
//! bodies, software-pipelined, with a count in a register or a large fixed one; with few values alive
//! at once, with nearly as many as there are registers, and with addresses that may meet.
//!
//! `cargo run --release -p cp2-asm --example scheduling [LENGTH...]`

use cp2_asm::check::check;
use cp2_asm::linear_regions;
use cp2_isa::Core;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Operations of the bodies that are measured if none are asked for.
const LENGTHS: [usize; 5] = [120, 240, 480, 960, 1920];

/// Operations of a group: two loads, five of arithmetic, a store.
const GROUP: usize = 8;

/// A kind of region.
struct Shape {
    name: &'static str,
    /// Operands of `.loop`; straight code if empty.
    count: &'static str,
    /// Number of groups by which the values that a group takes are older; others are twice as old.
    reach: usize,
    /// Whether it is promised that the address sets never meet.
    disjoint: bool,
}

const fn shape(name: &'static str, count: &'static str, reach: usize, disjoint: bool) -> Shape {
    Shape { name, count, reach, disjoint }
}

const SHAPES: [Shape; 8] = [
    shape("straight", "", 1, true),
    shape("straight, crowded", "", 19, true),
    shape("straight, meeting", "", 1, false),
    shape("loop of g2", "g2, min=8", 1, true),
    shape("loop of g2, crowded", "g2, min=8", 19, true),
    shape("loop of g2, meeting", "g2, min=8", 1, false),
    shape("loop of 12", "12", 1, true),
    shape("loop of 50000", "50000", 1, true),
];

/// Returns a body of about `length` operations: groups that take from memory and from groups `reach` and twice `reach` before
/// them.
fn body(length: usize, reach: usize) -> String {
    let mut text = String::new();
    for k in 0..length / GROUP {
        let (near, far) = (k.saturating_sub(reach), k.saturating_sub(2 * reach));
        let _ = write!(text, "lwo %a{k}, (r0)+1\n lwo %b{k}, (r1)+1\n psmul %c{k}, %a{k}, f0\n");
        let old = if k < reach { "f1" } else { &format!("%e{near}") };
        let older = if k < 2 * reach { "f2" } else { &format!("%c{far}") };
        let _ = write!(
            text,
            "psadd %d{k}, %b{k}, {old}\n psmadd %d{k}, %a{k}, f3\n \
             pssub %e{k}, %c{k}, {older}\n psmul %f{k}, %d{k}, %b{k}\n swo %f{k}, (r2)+1\n"
        );
    }
    text
}

/// Returns a region with such a body.
fn region(length: usize, shape: &Shape) -> String {
    // What the sets step in an iteration is taken back, so that they stay apart however often it runs.
    let n = length / GROUP;
    let back = format!("updaddr (r0)-{n}\n updaddr (r1)-{n}\n updaddr (r2)-{n}\n");
    let body = body(length, shape.reach) + &back;
    let inside = match shape.count {
        "" => body,
        count => format!(".loop {count}\n{body}.endloop\n"),
    };
    let promise = if shape.disjoint { ".disjoint r0, r1, r2\n" } else { "" };
    format!(".linear\n{promise}.scratch g15\n{inside}.endlinear\nstopi 0\n")
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Measures a body and returns a row: operations, shape, milliseconds from text to bundles, those of the checker among them,
/// what the schedule costs.
fn measure(length: usize, shape: &Shape) -> String {
    let (name, text) = (shape.name, region(length, shape));
    let start = Instant::now();
    let regions = linear_regions("body.s", &text);
    let whole = start.elapsed();
    match regions.as_deref() {
        Ok([scheduled]) => {
            let start = Instant::now();
            let is_right = check(&Core::CP2, &scheduled.region, &scheduled.bundles).is_ok();
            let checked = start.elapsed();
            assert!(is_right, "the checker changed its mind");
            let n = scheduled.region.ops.len();
            let (whole, checked) = (milliseconds(whole), milliseconds(checked));
            let cost = &scheduled.report.cost;
            format!("{n:>6} {name:<20} {whole:>12.1} {checked:>12.1}  {cost}")
        }
        Ok(_) => format!("{length:>6} {name:<20} no region"),
        Err(failure) => {
            let message = failure.diagnostics.first().map_or("", |d| d.message.as_str());
            let whole = milliseconds(whole);
            format!("{length:>6} {name:<20} {whole:>12.1} {:>12}  {message}", "-")
        }
    }
}

fn main() {
    let asked: Vec<usize> =
        std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let lengths = if asked.is_empty() { LENGTHS.to_vec() } else { asked };
    println!("{:>6} {:<20} {:>12} {:>12}  cycles", "ops", "body", "whole, ms", "checker, ms");
    for shape in &SHAPES {
        for &length in &lengths {
            println!("{}", measure(length, shape));
        }
    }
}
