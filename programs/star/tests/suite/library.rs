//! Procedures of the library against the same questions asked of every row by itself, in both forms, for any number of rows
//! and columns; and the worked example by hand.

use cp2_star::machine::{
    BitTable, BitVector, ElementaryOperation as Op, HostBackend, LibraryForm, StarMachine,
};
use proptest::prelude::*;

type Machine = StarMachine<HostBackend>;

const FORMS: [LibraryForm; 2] = [LibraryForm::Plain, LibraryForm::Cheap];

fn machine(rows: usize, form: LibraryForm) -> Machine {
    StarMachine::new(HostBackend, rows, form)
}

/// Operands: width, two tables as numbers of rows, control slice, comparand.
#[derive(Clone, Debug)]
struct Operands {
    width: usize,
    t: Vec<u64>,
    f: Vec<u64>,
    x: Vec<bool>,
    v: u64,
}

fn operands() -> impl Strategy<Value = Operands> {
    (1_usize..12, 1_usize..200).prop_flat_map(|(width, rows)| {
        let number = 0..1_u64 << width;
        let numbers = proptest::collection::vec(number.clone(), rows);
        let slice = proptest::collection::vec(any::<bool>(), rows);
        (Just(width), numbers.clone(), numbers, slice, number)
            .prop_map(|(width, t, f, x, v)| Operands { width, t, f, x, v })
    })
}

impl Operands {
    fn tables(&self) -> (BitTable, BitTable, BitVector, BitVector) {
        (
            BitTable::from_numbers(self.width, &self.t),
            BitTable::from_numbers(self.width, &self.f),
            BitVector::from_bits(self.x.iter().copied()),
            BitVector::from_number(self.width, self.v),
        )
    }

    /// Rows of the control slice for which something holds.
    fn rows(&self, holds: impl Fn(usize) -> bool) -> BitVector {
        BitVector::from_bits((0..self.t.len()).map(|row| self.x[row] && holds(row)))
    }

    /// Results of the rows of the control slice with `others` elsewhere, modulo the width, and the rows that do not fit.
    fn results(
        &self,
        of: impl Fn(usize) -> i64,
        others: impl Fn(usize) -> u64,
    ) -> (BitTable, BitVector) {
        let modulus = 1_i64 << self.width;
        let row = |row: usize| match self.x[row] {
            true => of(row).rem_euclid(modulus) as u64,
            false => others(row),
        };
        let numbers: Vec<u64> = (0..self.t.len()).map(row).collect();
        let outside = self.rows(|row| !(0..modulus).contains(&of(row)));
        (BitTable::from_numbers(self.width, &numbers), outside)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn searches_find_what_a_look_at_every_row_finds(o in operands()) {
        let (t, f, x, v) = o.tables();
        let inside = || (0..o.t.len()).filter(|&row| o.x[row]).map(|row| o.t[row]);
        let (least, greatest) = (inside().min(), inside().max());
        for form in FORMS {
            let mut m = machine(o.t.len(), form);
            prop_assert_eq!(m.min(&t, &x), o.rows(|r| Some(o.t[r]) == least));
            prop_assert_eq!(m.max(&t, &x), o.rows(|r| Some(o.t[r]) == greatest));
            prop_assert_eq!(m.equal(&t, &x, &v).unwrap(), o.rows(|r| o.t[r] == o.v));
            prop_assert_eq!(m.below(&t, &x, &v).unwrap(), o.rows(|r| o.t[r] < o.v));
            prop_assert_eq!(m.above(&t, &x, &v).unwrap(), o.rows(|r| o.t[r] > o.v));
            prop_assert_eq!(m.hit(&t, &f, &x).unwrap(), o.rows(|r| o.t[r] == o.f[r]));
            prop_assert_eq!(m.lesser(&t, &f, &x).unwrap(), o.rows(|r| o.t[r] < o.f[r]));
            prop_assert_eq!(m.greater(&t, &f, &x).unwrap(), o.rows(|r| o.t[r] > o.f[r]));
            let (above, below) = m.apart(&t, &v).unwrap();
            prop_assert_eq!(above, BitVector::from_bits(o.t.iter().map(|&n| n > o.v)));
            prop_assert_eq!(below, BitVector::from_bits(o.t.iter().map(|&n| n < o.v)));
        }
    }

    #[test]
    fn arithmetic_is_that_of_every_row(o in operands()) {
        let (t, f, x, v) = o.tables();
        let (a, b, w) = (|r: usize| o.t[r] as i64, |r: usize| o.f[r] as i64, o.v as i64);
        for form in FORMS {
            let mut m = machine(o.t.len(), form);
            let zero = |_| 0;
            prop_assert_eq!(m.add_tables(&t, &f, &x).unwrap(), o.results(|r| a(r) + b(r), zero));
            prop_assert_eq!(m.subtract_tables(&t, &f, &x).unwrap(), o.results(|r| a(r) - b(r), zero));
            prop_assert_eq!(m.add_word(&t, &x, &v).unwrap(), o.results(|r| a(r) + w, zero));
            prop_assert_eq!(m.subtract_word(&t, &x, &v).unwrap(), o.results(|r| a(r) - w, zero));
            let same = |r: usize| o.t[r];
            prop_assert_eq!(m.add_word_within(&t, &x, &v).unwrap(), o.results(|r| a(r) + w, same));
            prop_assert_eq!(m.subtract_word_within(&t, &x, &v).unwrap(), o.results(|r| a(r) - w, same));
        }
    }

    #[test]
    fn copies_are_those_of_every_row(o in operands(), bands in 1_usize..4) {
        let (t, f, x, v) = o.tables();
        let mut m = machine(o.t.len(), LibraryForm::Plain);
        let choose = |a: &dyn Fn(usize) -> u64, b: &dyn Fn(usize) -> u64| {
            let row = |r: usize| if o.x[r] { a(r) } else { b(r) };
            BitTable::from_numbers(o.width, &(0..o.t.len()).map(row).collect::<Vec<_>>())
        };
        prop_assert_eq!(m.copy_word(&v, &x).unwrap(), choose(&|_| o.v, &|_| 0));
        let mut merged = t.clone();
        m.merge_word(&v, &x, &mut merged).unwrap();
        prop_assert_eq!(merged, choose(&|_| o.v, &|r| o.t[r]));
        let mut merged = f.clone();
        m.merge_table(&t, &x, &mut merged).unwrap();
        prop_assert_eq!(merged, choose(&|r| o.t[r], &|r| o.f[r]));
        prop_assert_eq!(&m.copy_table(&t), &t);
        let mut wide = BitTable::zeros(o.t.len(), bands * o.width);
        m.copy_to_band(&t, bands as i64, &mut wide).unwrap();
        prop_assert_eq!(m.copy_from_band(&wide, bands as i64, o.width).unwrap(), t);
        m.clear((bands * o.width) as i64, &mut wide).unwrap();
        prop_assert_eq!(&wide, &BitTable::zeros(o.t.len(), bands * o.width));
        prop_assert!(m.copy_from_band(&wide, bands as i64 + 1, o.width).is_err());
        prop_assert!(m.copy_from_band(&wide, 0, o.width).is_err());
    }
}

/// The worked example: a table of 8 rows and 4 columns.
#[test]
fn the_worked_example_is_reproduced_to_the_digit() {
    let t = BitTable::from_numbers(4, &[5, 12, 3, 12, 3, 0, 15, 7]);
    let f = BitTable::from_numbers(4, &[5, 9, 4, 12, 1, 1, 14, 8]);
    let x = BitVector::from_text("11101011").unwrap();
    let v = |n| BitVector::from_number(4, n);
    let numbers = |t: &BitTable| -> Vec<u64> { t.numbers(1, 4).into_iter().flatten().collect() };
    assert_eq!(
        t.columns().iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["01010010", "11010011", "00101011", "10101011"]
    );
    for form in FORMS {
        let m = &mut machine(8, form);
        assert_eq!(m.min(&t, &x).to_string(), "00101000");
        assert_eq!(m.max(&t, &x).to_string(), "00000010");
        assert_eq!(m.equal(&t, &x, &v(12)).unwrap().to_string(), "01000000");
        assert_eq!(m.equal(&t, &x, &v(3)).unwrap().to_string(), "00101000");
        assert_eq!(m.below(&t, &x, &v(12)).unwrap().to_string(), "10101001");
        assert_eq!(m.below(&t, &x, &v(3)).unwrap().to_string(), "00000000");
        assert_eq!(m.above(&t, &x, &v(12)).unwrap().to_string(), "00000010");
        assert_eq!(m.above(&t, &x, &v(3)).unwrap().to_string(), "11000011");
        let (greater, less) = m.apart(&t, &v(5)).unwrap();
        assert_eq!(
            (greater.to_string().as_str(), less.to_string().as_str()),
            ("01010011", "00101100")
        );
        assert_eq!(m.hit(&t, &f, &x).unwrap().to_string(), "10000000");
        assert_eq!(m.lesser(&t, &f, &x).unwrap().to_string(), "00100001");
        assert_eq!(m.greater(&t, &f, &x).unwrap().to_string(), "01001010");
        let check = |(table, b): (BitTable, BitVector), wanted: [u64; 8], outside: &str| {
            assert_eq!(
                (numbers(&table).as_slice(), b.to_string().as_str()),
                (&wanted[..], outside)
            );
        };
        check(m.add_tables(&t, &f, &x).unwrap(), [10, 5, 7, 0, 4, 0, 13, 15], "01000010");
        check(m.subtract_tables(&t, &f, &x).unwrap(), [0, 3, 15, 0, 2, 0, 1, 15], "00100001");
        check(m.add_word(&t, &x, &v(5)).unwrap(), [10, 1, 8, 0, 8, 0, 4, 12], "01000010");
        check(m.add_word_within(&t, &x, &v(5)).unwrap(), [10, 1, 8, 12, 8, 0, 4, 12], "01000010");
        check(m.subtract_word(&t, &x, &v(5)).unwrap(), [0, 7, 14, 0, 14, 0, 10, 2], "00101000");
        check(
            m.subtract_word_within(&t, &x, &v(5)).unwrap(),
            [0, 7, 14, 12, 14, 0, 10, 2],
            "00101000",
        );
    }
}

/// Logic operations per column for a comparand of zeros and of ones, critical operations per column, reads and writes per
/// column, all in the plain form.
#[test]
fn plain_forms_cost_what_the_table_of_the_library_says() {
    let width = 7;
    let t = BitTable::from_numbers(width, &[5, 100, 3, 77]);
    let f = BitTable::from_numbers(width, &[9, 1, 3, 127]);
    let x = BitVector::from_text("1101").unwrap();
    let cost = |run: &dyn Fn(&mut Machine, &BitVector)| {
        [BitVector::zeros(width), BitVector::ones(width)].map(|v| {
            let mut m = machine(4, LibraryForm::Plain);
            run(&mut m, &v);
            let counts = m.counts();
            let per_column = |n: u64| {
                assert_eq!(n % width as u64, 0, "{counts:?}");
                n / width as u64
            };
            let critical = per_column(counts.of(Op::is_critical));
            let moved = (per_column(counts[Op::ColumnRead]), per_column(counts[Op::ColumnWrite]));
            (per_column(counts.of(Op::is_logic)), critical, moved.0, moved.1)
        })
    };
    let both = |row| [row, row];
    assert_eq!(cost(&|m, _| drop(m.min(&t, &x))), both((2, 1, 1, 0)));
    assert_eq!(cost(&|m, _| drop(m.max(&t, &x))), both((1, 1, 1, 0)));
    assert_eq!(cost(&|m, v| drop(m.equal(&t, &x, v))), [(2, 0, 1, 0), (1, 0, 1, 0)]);
    assert_eq!(cost(&|m, v| drop(m.below(&t, &x, v))), [(2, 0, 1, 0), (3, 0, 1, 0)]);
    assert_eq!(cost(&|m, v| drop(m.above(&t, &x, v))), [(3, 0, 1, 0), (1, 0, 1, 0)]);
    assert_eq!(cost(&|m, v| drop(m.apart(&t, v))), both((3, 0, 1, 0)));
    assert_eq!(cost(&|m, _| drop(m.hit(&t, &f, &x))), both((3, 0, 2, 0)));
    assert_eq!(cost(&|m, _| drop(m.lesser(&t, &f, &x))), both((5, 0, 2, 0)));
    assert_eq!(cost(&|m, _| drop(m.greater(&t, &f, &x))), both((5, 0, 2, 0)));
    assert_eq!(cost(&|m, _| drop(m.add_tables(&t, &f, &x))), both((7, 0, 2, 1)));
    assert_eq!(cost(&|m, _| drop(m.subtract_tables(&t, &f, &x))), both((9, 0, 2, 1)));
    assert_eq!(cost(&|m, v| drop(m.add_word(&t, &x, v))), [(4, 0, 1, 1), (5, 0, 1, 1)]);
    assert_eq!(cost(&|m, v| drop(m.add_word_within(&t, &x, v))), [(7, 0, 1, 1), (8, 0, 1, 1)]);
    assert_eq!(cost(&|m, v| drop(m.subtract_word(&t, &x, v))), both((5, 0, 1, 1)));
    assert_eq!(cost(&|m, v| drop(m.subtract_word_within(&t, &x, v))), both((8, 0, 1, 1)));
    assert_eq!(cost(&|m, v| drop(m.copy_word(v, &x))), both((0, 0, 0, 1)));
    assert_eq!(
        cost(&|m, v| drop(m.merge_word(v, &x, &mut t.clone()))),
        [(2, 0, 1, 1), (1, 0, 1, 1)]
    );
    assert_eq!(cost(&|m, _| drop(m.copy_table(&t))), both((0, 0, 1, 1)));
    assert_eq!(cost(&|m, _| drop(m.merge_table(&t, &x, &mut f.clone()))), both((3, 0, 2, 1)));
    assert_eq!(cost(&|m, _| drop(m.clear(7, &mut t.clone()))), both((0, 0, 0, 1)));
}

/// What the cheap forms cost: per column, and once at the end.
#[test]
fn cheap_forms_cost_what_they_promise() {
    let width = 7_u64;
    let t = BitTable::from_numbers(7, &[5, 100, 3, 77]);
    let f = BitTable::from_numbers(7, &[9, 1, 3, 127]);
    let x = BitVector::from_text("1101").unwrap();
    let cost = |run: &dyn Fn(&mut Machine, &BitVector)| {
        [BitVector::zeros(7), BitVector::ones(7)].map(|v| {
            let mut m = machine(4, LibraryForm::Cheap);
            run(&mut m, &v);
            m.counts().of(Op::is_logic)
        })
    };
    let is = |zero: u64, one: u64, end: u64| [zero * width + end, one * width + end];
    assert_eq!(cost(&|m, _| drop(m.min(&t, &x))), is(2, 2, 0));
    assert_eq!(cost(&|m, v| drop(m.equal(&t, &x, v))), is(1, 1, 2));
    assert_eq!(cost(&|m, v| drop(m.below(&t, &x, v))), is(1, 1, 2));
    assert_eq!(cost(&|m, v| drop(m.above(&t, &x, v))), is(1, 1, 1));
    assert_eq!(cost(&|m, _| drop(m.hit(&t, &f, &x))), is(2, 2, 2));
    assert_eq!(cost(&|m, _| drop(m.lesser(&t, &f, &x))), is(4, 4, 1));
    assert_eq!(cost(&|m, _| drop(m.greater(&t, &f, &x))), is(4, 4, 1));
    assert_eq!(cost(&|m, _| drop(m.add_tables(&t, &f, &x))), is(6, 6, 1));
    assert_eq!(cost(&|m, _| drop(m.subtract_tables(&t, &f, &x))), is(6, 6, 1));
    assert_eq!(cost(&|m, v| drop(m.add_word(&t, &x, v))), is(3, 5, 0));
    assert_eq!(cost(&|m, v| drop(m.add_word_within(&t, &x, v))), is(2, 4, 0));
    assert_eq!(cost(&|m, v| drop(m.subtract_word(&t, &x, v))), is(4, 5, 0));
    assert_eq!(cost(&|m, v| drop(m.subtract_word_within(&t, &x, v))), is(3, 4, 0));
}

#[test]
fn elementary_operations_keep_their_edge_cases() {
    let m = &mut machine(70, LibraryForm::Plain);
    let empty = m.filled(70, false);
    let mut all = m.filled(70, true);
    assert_eq!((m.find(&empty), m.some(&empty), m.number(&all)), (0, false, 70));
    assert_eq!(m.not(&all), empty);
    let mut none = empty.clone();
    m.keep_first(&mut none);
    assert_eq!((m.step(&mut none), &none), (0, &empty));
    assert_eq!((m.step(&mut all), m.find(&all), m.number(&all)), (1, 2, 69));
    assert_eq!(m.mask(70, 0).unwrap(), empty);
    let mask = m.mask(70, 65).unwrap();
    assert_eq!(m.number(&mask), 65);
    assert_eq!(
        m.mask(70, 71).unwrap_err().to_string(),
        "position 71 is not there: they go from 0 to 70"
    );
    assert_eq!(
        m.bit(&all, 0).unwrap_err().to_string(),
        "position 0 is not there: they go from 1 to 70"
    );
    let w = BitVector::from_text("10110").unwrap();
    assert_eq!(m.trim(2, 4, &w).unwrap().to_string(), "011");
    assert_eq!(m.trim(5, 5, &w).unwrap().to_string(), "0");
    assert!(m.trim(4, 3, &w).is_err() && m.trim(0, 3, &w).is_err() && m.trim(3, 6, &w).is_err());
    let mut changed = w.clone();
    m.replace((4, 5), &BitVector::from_text("01").unwrap(), &mut changed).unwrap();
    assert_eq!(changed.to_string(), "10101");
    assert!(m.replace((4, 5), &w, &mut changed).is_err());
    let sum = m.add(&w, &BitVector::from_number(5, 9)).unwrap();
    assert_eq!(sum.number(), Some(31));
    let message = m.add(&sum, &BitVector::from_number(5, 1)).unwrap_err().to_string();
    assert_eq!(
        message,
        "the sum of 11111 and 00001 does not fit in 5 bits; give words and weights more bits"
    );
    assert!(m.less(&w, &sum).unwrap() && !m.less(&sum, &w).unwrap());
}
