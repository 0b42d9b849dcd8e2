//! What a thread reuses from run to run, seen by a store that counts what it is asked for.

use cp2_asm::sched::Store;
use cp2_isa::Core;
use cp2_session::Environment;
use cp2_session::execution::KernelRunner;
use cp2_session::reuse::Shelf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Empty store that counts how often it is asked.
#[derive(Clone, Default)]
struct Asked(Arc<AtomicUsize>);

impl Store for Asked {
    fn get(&mut self, _: &str) -> Option<Vec<u8>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        None
    }

    fn put(&mut self, _: &str, _: &[u8]) {}
}

/// Runs a loop that is long enough to be translated; returns how often the store has been asked by then.
fn asked_by(environment: &Environment, asked: &Asked) -> usize {
    let text =
        ".kernel k\n doi 1000, last\n psadd f1, f1, f2\nlast: psadd f3, f3, f4\n nop\n stopi 0\n";
    let execution = environment.execution(Core::CP2);
    let (mut processor, entry) = KernelRunner::with("k.s", text, &execution).unwrap();
    for _ in 0..20 {
        processor.call(entry, &[]).unwrap();
    }
    asked.0.load(Ordering::Relaxed)
}

#[test]
fn a_thread_that_reuses_asks_for_programs_and_translated_code_once() {
    let asked = Asked::default();
    let environment = Environment::with_store(Box::new(asked.clone()));
    let once = asked_by(&environment, &asked);
    assert_eq!(asked_by(&environment, &asked), 2 * once);
    let shelf = Arc::new(Shelf::default());
    let reusing = environment.reusing(&shelf);
    assert_eq!([(); 4].map(|()| asked_by(&reusing, &asked)), [3 * once; 4]);
    // Another thread has an engine of its own, for the same programs.
    let other = environment.reusing(&shelf);
    assert!((3 * once..4 * once).contains(&asked_by(&other, &asked)));
}
