//! What a thread reuses from run to run, seen by a store that counts what it is asked for.

use cp2_asm::sched::Store;
use cp2_isa::Core;
use cp2_session::Environment;
use cp2_session::execution::KernelRunner;
use cp2_session::reuse::Shelf;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

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

#[test]
fn a_shelf_has_128_programs_and_forgets_all_when_another_one_comes() {
    let shelf = Arc::new(Shelf::default());
    let environment = Environment::new().reusing(&shelf);
    let assembled_by = |numbers: std::ops::Range<usize>| {
        for number in numbers {
            let text = format!(".kernel k\n seti g1, {number}\n stopi 0\n");
            environment.assemble(&Core::CP2, "k.s", &text).unwrap();
        }
        shelf.assembled()
    };
    assert_eq!([assembled_by(0..128), assembled_by(0..128), assembled_by(60..61)], [128; 3]);
    assert_eq!([assembled_by(128..129), assembled_by(128..129)], [129; 2]);
    assert_eq!(assembled_by(0..1), 130);
}

/// Store that keeps entries, and notes which have been put.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<BTreeMap<String, Vec<u8>>>>, Arc<Mutex<Vec<String>>>);

impl Store for Kept {
    fn get(&mut self, key: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap().get(key).cloned()
    }

    fn put(&mut self, key: &str, entry: &[u8]) {
        self.1.lock().unwrap().push(key.to_owned());
        self.0.lock().unwrap().insert(key.to_owned(), entry.to_vec());
    }
}

#[test]
fn what_is_in_the_store_is_neither_assembled_nor_translated_again() {
    let kept = Kept::default();
    let put = || {
        let environment = Environment::with_store(Box::new(kept.clone()));
        asked_by(&environment, &Asked::default());
        std::mem::take(&mut *kept.1.lock().unwrap())
    };
    let first = put();
    assert!(first.iter().any(|key| key.starts_with("program ")), "{first:?}");
    if cp2_fast::is_supported() {
        assert!(first.iter().any(|key| key.starts_with("blocks ")), "{first:?}");
    }
    assert_eq!(put(), [""; 0]);
}
