//! The store that keeps results from process to process: programs come back as they were assembled, and an entry that is no
//! program is made anew; the same holds for numbers of a machine and for translated code.

#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_asm::Image;
use cp2_asm::sched::Store;
use cp2_emu::MachineConfig;
use cp2_isa::{Core, CoreNumbers};
use cp2_session::Environment;
use cp2_session::workload::{OptionValues, Platform, Request};
use cp2_workloads::catalogue;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// A store in memory: its entries, and the number of times that one was put there.
#[derive(Default)]
struct Entries {
    by_key: BTreeMap<String, Vec<u8>>,
    n_puts: usize,
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Entries>>);

impl Store for Shared {
    fn get(&mut self, key: &str) -> Option<Vec<u8>> {
        self.0.lock().unwrap().by_key.get(key).cloned()
    }

    fn put(&mut self, key: &str, entry: &[u8]) {
        let mut entries = self.0.lock().unwrap();
        entries.by_key.insert(key.to_owned(), entry.to_vec());
        entries.n_puts += 1;
    }
}

impl Shared {
    /// Returns the keys that begin with `kind`; those of schedules begin otherwise.
    fn keys(&self, kind: &str) -> Vec<String> {
        let entries = self.0.lock().unwrap();
        entries.by_key.keys().filter(|key| key.starts_with(kind)).cloned().collect()
    }

    fn programs(&self) -> Vec<String> {
        self.keys("program ")
    }

    fn n_puts(&self) -> usize {
        self.0.lock().unwrap().n_puts
    }
}

#[test]
fn what_is_kept_comes_back_as_it_was_made() {
    let core = Core::CP2;
    let text = |name: &str| catalogue::find(Platform::Cp2, name).unwrap().source(&core).unwrap();
    let texts = ["axpy", "fft64", "cmul", "dot"].map(|name| (name, text(name)));
    let of = |environment: &Environment, core: &Core| -> Vec<std::sync::Arc<Image>> {
        let image = |(name, text): &(&str, String)| environment.assemble(core, name, text).unwrap();
        texts.iter().map(image).collect()
    };
    let without = of(&Environment::new(), &core);
    let store = Shared::default();
    let environment = Environment::with_store(Box::new(store.clone()));
    let all = |core: &Core| of(&environment, core);
    assert_eq!(all(&core), without);
    let (keys, n_puts) = (store.programs(), store.n_puts());
    assert_eq!(keys.len(), texts.len());
    assert_eq!(all(&core), without);
    assert_eq!(store.n_puts(), n_puts, "nothing is made anew");

    // The entries of another core or name are not taken.
    let numbers = CoreNumbers { load_latency: 9, ..*core.numbers() };
    all(&Core::new(numbers).unwrap());
    assert_eq!(store.programs().len(), 2 * texts.len());
    let renamed = environment.assemble(&core, "another", &texts[0].1).unwrap();
    assert_eq!(renamed.files, ["another"]);

    // An entry that is no program is made anew.
    for key in &keys {
        let whole = store.0.lock().unwrap().by_key[key].clone();
        for wrong in [&whole[..whole.len() / 2], b"", b"no object", &[0xff; 40]] {
            store.0.lock().unwrap().by_key.insert(key.clone(), wrong.to_vec());
            assert_eq!(all(&core), without);
            assert_eq!(store.0.lock().unwrap().by_key[key], whole);
        }
    }

    // A program that is refused is not kept, and is refused again.
    let few = CoreNumbers { instruction_memory_bundles: 64, ..*core.numbers() };
    let n_programs = store.programs().len();
    for _ in 0..2 {
        assert!(environment.assemble(&Core::new(few).unwrap(), "fft64", &texts[1].1).is_err());
    }
    assert_eq!(store.programs().len(), n_programs);
}

/// A procedure and its references are the same from the entries of the store.
#[test]
fn a_procedure_from_what_is_kept_reports_the_same() {
    let store = Shared::default();
    let mg = catalogue::find(Platform::Machine, "mg").unwrap();
    let run = || {
        let mut values = OptionValues::default();
        values.add_defaults(&mg.option_list());
        let machine = Some(MachineConfig::preset("vm7").unwrap());
        // As in another process, nothing is remembered beside the store.
        let environment = Environment::with_store(Box::new(store.clone()));
        let request = Request { values, machine, environment, ..Request::default() };
        mg.execute(request, &mut |_: usize, _: usize| {}).unwrap().json
    };
    let n_numbers = || store.keys("numbers ").len();
    assert_eq!(n_numbers(), 0);
    let report = run();
    let n_puts = store.n_puts();
    assert_eq!(
        n_numbers(),
        6,
        "rates of rows, the published scheme, least cycles of the kernels of both, predicted cycles of the plan, points of the right side"
    );
    assert_eq!(run(), report);
    assert_eq!(store.n_puts(), n_puts, "nothing is made or translated anew");
    let (code, mut n_needed) = (store.keys("blocks "), 0);
    assert_eq!(cp2_fast::is_supported(), !code.is_empty());
    for key in &code {
        let whole = store.0.lock().unwrap().by_key[key].clone();
        let wrong = [&whole[..whole.len() / 2], &whole[1..]].concat();
        store.0.lock().unwrap().by_key.insert(key.clone(), wrong.clone());
        assert_eq!(run(), report);
        // Code by which kept numbers were measured is not needed any more.
        let is_needed = store.0.lock().unwrap().by_key[key] != wrong;
        n_needed += usize::from(is_needed);
    }
    assert_eq!(n_needed > 0, cp2_fast::is_supported());
    let n_puts = store.n_puts();
    assert_eq!(run(), report);
    assert_eq!(store.n_puts(), n_puts, "nothing is translated anew");
}
