//! Moments from a file: those with one field outside its range are refused, those with a field at its end are taken.

use crate::kit;
use crate::random::SplitMix64;
use crate::ranges::{FIRST, Facts, GROUPS};
use cp2_emu::Machine;
use serde_json::{Value, json};

/// Machines on whose runs moments are looked for, and cycles of each.
const MACHINES: u64 = 12;
const CYCLES: u64 = 1500;

fn facts(snapshot: &Value) -> Facts {
    let number = |path: &str| snapshot.pointer(path).and_then(Value::as_u64).expect("a number");
    let ratio = "/dma/port/clocks/ticks_per_cycle";
    let [up, down] = ["numerator", "denominator"].map(|part| number(&format!("{ratio}/{part}")));
    let cycle = number("/cp2/cycle");
    Facts { cycle, tick: (cycle * up).div_ceil(down) }
}

/// Returns the paths of a snapshot that a pattern stands for, in which `*` is every number.
fn expanded(snapshot: &Value, pattern: &str) -> Vec<String> {
    let Some((before, behind)) = pattern.split_once("/*") else {
        return snapshot.pointer(pattern).map(|_| pattern.to_owned()).into_iter().collect();
    };
    let numbers = snapshot.pointer(before).and_then(Value::as_array).map_or(0, Vec::len);
    (0..numbers).flat_map(|k| expanded(snapshot, &format!("{before}/{k}{behind}"))).collect()
}

fn changed(snapshot: &Value, path: &str, value: u64) -> Value {
    let mut snapshot = snapshot.clone();
    *snapshot.pointer_mut(path).expect("a field") = value.into();
    snapshot
}

/// Returns the first snapshot of the usual runs with a field, and a machine that can be put into it.
fn snapshot_with(pattern: &str, is_one: impl Fn(&Value) -> bool) -> (Machine, Value) {
    for seed in 0..MACHINES {
        let mut s = SplitMix64(seed);
        let mut machine = kit::machine(&kit::chain(&mut s), kit::KERNEL);
        for _ in 0..CYCLES {
            kit::step(&mut machine);
            if machine.cycle().0.is_multiple_of(3) {
                let snapshot = kit::value(&machine);
                let found = expanded(&snapshot, pattern);
                if found.first().and_then(|path| snapshot.pointer(path)).is_some_and(&is_one) {
                    return (machine, snapshot);
                }
            }
        }
    }
    panic!("no snapshot has {pattern}");
}

/// Function that returns the end of the range of the field at a path in a snapshot.
type RangeEnd = Box<dyn Fn(&Value, &str) -> Option<u64>>;

/// A field whose range is looked at: its path with `*`, and its end in a snapshot, which is the last or the first
/// value.
struct Field {
    path: String,
    end: RangeEnd,
    is_last: bool,
    /// Number of moments in which it has been looked at.
    seen: u32,
}

fn fields() -> Vec<Field> {
    let mut all = Vec::new();
    for group in GROUPS {
        for &place in group.places {
            for &(rest, last) in group.fields {
                let end = move |snapshot: &Value, path: &str| {
                    last(snapshot.pointer(path.strip_suffix(rest)?)?, &facts(snapshot))
                };
                let path = format!("{place}{rest}");
                all.push(Field { path, end: Box::new(end), is_last: true, seen: 0 });
            }
        }
    }
    for &(path, first) in FIRST {
        let end = move |snapshot: &Value, _: &str| first(snapshot, &facts(snapshot));
        all.push(Field { path: path.to_owned(), end: Box::new(end), is_last: false, seen: 0 });
    }
    all
}

impl Field {
    /// Looks at the range in a snapshot, if it has the field.
    fn look(&mut self, room: &mut Machine, snapshot: &Value) {
        for path in expanded(snapshot, &self.path) {
            let is_number = snapshot.pointer(&path).is_some_and(Value::is_u64);
            let Some(end) = (self.end)(snapshot, &path).filter(|_| is_number) else { continue };
            self.seen += 1;
            let at_end = changed(snapshot, &path, end);
            assert!(kit::restore(room, &at_end), "{path} is {end}, which is within its range");
            let beyond = if self.is_last {
                vec![end + 1, end.max(0xff) + 1, 1 << 62, u64::MAX]
            } else {
                vec![end.wrapping_sub(1), 0].into_iter().filter(|&value| value < end).collect()
            };
            for value in beyond {
                let refused = changed(snapshot, &path, value);
                assert!(!kit::restore(room, &refused), "{path} is {value}, beyond {end}");
            }
        }
    }
}

#[test]
fn a_field_takes_the_values_of_its_range_and_no_others() {
    let mut fields = fields();
    for seed in 0..MACHINES {
        let mut s = SplitMix64(seed);
        let mut machine = kit::machine(&kit::chain(&mut s), kit::KERNEL);
        let mut room = machine.clone();
        for _ in 0..CYCLES {
            kit::step(&mut machine);
            if fields.iter().all(|field| field.seen > 2) {
                return;
            }
            if machine.cycle().0.is_multiple_of(3) {
                let snapshot = kit::value(&machine);
                fields.iter_mut().filter(|f| f.seen < 3).for_each(|f| f.look(&mut room, &snapshot));
            }
        }
    }
    let missing: Vec<_> = fields.iter().filter(|f| f.seen == 0).map(|f| &f.path).collect();
    assert!(missing.is_empty(), "no snapshot has {missing:?}");
}

#[test]
fn lists_have_no_more_entries_than_the_machine_has_places() {
    let core = *kit::machine(&[], kit::KERNEL).cp2.core();
    let copy = "/dma/state/Moving/transfer/Copy/beats";
    for (path, most, entry) in [
        ("/cp2/state/loops", core.loop_depth(), json!({ "count": 1, "start": 3, "end": 5 })),
        ("/cp2/state/calls", core.call_depth(), json!(7)),
        ("/cp2/fifo/entries", core.fifo_entries(), json!({ "Execute": 0 })),
        (copy, 255, json!([1, 2])),
    ] {
        let (mut machine, mut snapshot) = snapshot_with(path, Value::is_array);
        for n in [most, most + 1, 3 * most] {
            let entries = vec![entry.clone(); n];
            *snapshot.pointer_mut(path).expect("a list") = entries.into();
            assert_eq!(kit::restore(&mut machine, &snapshot), n <= most, "{n} entries of {path}");
        }
    }
}

#[test]
fn pairs_of_words_begin_at_even_addresses() {
    let (get, put) = ("/dma/state/Moving/transfer/Get", "/dma/state/Moving/transfer/Put/sources");
    let single = format!("{get}/single_words");
    for (place, pattern) in [(get, single.as_str()), (put, put)] {
        let (mut machine, snapshot) = snapshot_with(pattern, |field| field != &json!(true));
        for field in ["address", "walk/base", "walk/x/step", "walk/y/step"] {
            let path = format!("{place}/local/{field}");
            let even = snapshot.pointer(&path).and_then(Value::as_u64).expect("a number");
            for (value, is_taken) in [(even ^ 1, false), (even ^ 2, true), (even ^ 3, false)] {
                let other = changed(&snapshot, &path, value);
                assert_eq!(kit::restore(&mut machine, &other), is_taken, "{path} is {value}");
            }
        }
    }
    let (mut machine, snapshot) = snapshot_with(put, Value::is_object);
    for k in 0..4 {
        let odd = changed(&snapshot, &format!("{put}/round/{k}/0"), 4097);
        assert!(!kit::restore(&mut machine, &odd), "place {k} of a round");
    }
}

#[test]
fn a_transfer_has_words_of_local_memory_and_the_bank_of_all_of_them() {
    let moving = "/dma/state/Moving";
    let (mut machine, mut snapshot) = snapshot_with(moving, |moving| moving["bank"] == json!(0));
    let mut is_taken = |bits: &[(usize, u64)], bank: Value| {
        let mut words = vec![0; bits.last().map_or(0, |(place, _)| place + 1)];
        bits.iter().for_each(|&(place, pairs)| words[place] = pairs);
        let field = snapshot.pointer_mut(moving).expect("a transfer");
        (field["words"], field["bank"]) = (words.into(), bank);
        kit::restore(&mut machine, &snapshot)
    };
    let ([low, high], top) = ([0, 1].map(|bank| json!(bank)), 1 << 63);
    assert!(is_taken(&[(0, 1)], low.clone()) && is_taken(&[(31, top)], low.clone()));
    assert!(is_taken(&[(32, 1)], high.clone()) && is_taken(&[(63, top)], high.clone()));
    assert!(is_taken(&[(31, top), (32, 1)], Value::Null) && is_taken(&[], Value::Null));
    for wrong in [Value::Null, high.clone(), json!(2)] {
        assert!(!is_taken(&[(3, 5)], wrong));
    }
    for bank in [Value::Null, low, high] {
        assert!(!is_taken(&[(0, 1), (64, 1)], bank), "words behind the end of local memory");
    }
}

#[test]
fn a_run_of_a_kernel_has_no_more_cycles_than_there_were() {
    let (mut machine, snapshot) = snapshot_with("/cp2/pipeline", Value::is_object);
    let [cycle, counted] = ["/cp2/cycle", "/cp2/counted/stats/cycles"]
        .map(|path| snapshot.pointer(path).and_then(Value::as_u64).expect("a number"));
    for more in [0, cycle - counted, cycle - counted + 1, 1 << 61] {
        let mut other = changed(&snapshot, "/cp2/counted/stats/cycles", counted + more);
        let held = "/cp2/counted/stats/causes/5";
        let held_now = snapshot.pointer(held).and_then(Value::as_u64).expect("a number");
        other = changed(&other, held, held_now + more);
        assert_eq!(kit::restore(&mut machine, &other), more <= cycle - counted, "{more} more");
    }
}
