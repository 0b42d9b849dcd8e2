//! Prints the page of the book about the control processor: `specs/src/k64.md` is this, checked in.

fn main() {
    print!("{}", cp2_k64::page::page());
}
