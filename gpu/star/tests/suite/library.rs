//! Procedures as kernels of their own against those of the native machine.

use super::{Random, on_device};
use cp2_gpu_star::backend::{GpuBackend, GpuBits, GpuTable};
use cp2_gpu_star::library::{LibraryOperands, LibraryResults};
use cp2_star::library::LibraryProcedure as P;
use cp2_star::machine::{BitTable, BitVector, HostBackend, LibraryForm, StarBackend, StarMachine};

/// Operands on the host: two tables of the same width, a wide one of three bands, a control slice, a comparand.
struct Operands {
    t: BitTable,
    f: BitTable,
    wide: BitTable,
    x: BitVector,
    v: BitVector,
}

impl Operands {
    fn random(random: &mut Random, rows: usize, width: usize) -> Self {
        let mut table = |width: usize| {
            let mut table = BitTable::zeros(rows, width);
            (1..=width).for_each(|column| table.put_column(column, random.bits(rows)));
            table
        };
        let (t, f, wide) = (table(width), table(width), table(3 * width));
        // A comparand that some row has.
        let v = t.row(random.below(rows) + 1);
        Self { t, f, wide, x: random.bits(rows), v }
    }
}

fn stored(gpu: &mut GpuBackend, results: &LibraryResults) -> (Vec<BitTable>, Vec<BitVector>) {
    let tables = results.tables.iter().map(|table| gpu.store_table(table)).collect();
    (tables, results.slices.iter().map(|slice| gpu.store(slice)).collect())
}

/// Returns what the native machine gives.
fn expected(procedure: P, o: &Operands) -> (Vec<BitTable>, Vec<BitVector>) {
    let mut m = StarMachine::new(HostBackend, o.t.rows(), LibraryForm::Plain);
    let (t, f, x, v) = (&o.t, &o.f, &o.x, &o.v);
    let one = |slice| (Vec::new(), vec![slice]);
    let both = |(table, slice)| (vec![table], vec![slice]);
    let mut changed = f.clone();
    let mut wide = o.wide.clone();
    match procedure {
        P::Min => one(m.min(t, x)),
        P::Max => one(m.max(t, x)),
        P::Match => one(m.equal(t, x, v).unwrap()),
        P::Less => one(m.below(t, x, v).unwrap()),
        P::Great => one(m.above(t, x, v).unwrap()),
        P::Gel => {
            let (greater, less) = m.apart(t, v).unwrap();
            (Vec::new(), vec![greater, less])
        }
        P::Hit => one(m.hit(t, f, x).unwrap()),
        P::Setmin => one(m.lesser(t, f, x).unwrap()),
        P::Setmax => one(m.greater(t, f, x).unwrap()),
        P::Addv => both(m.add_tables(t, f, x).unwrap()),
        P::Subtv => both(m.subtract_tables(t, f, x).unwrap()),
        P::Addc => both(m.add_word(t, x, v).unwrap()),
        P::Addc1 => both(m.add_word_within(t, x, v).unwrap()),
        P::Subtc => both(m.subtract_word(t, x, v).unwrap()),
        P::Subtc1 => both(m.subtract_word_within(t, x, v).unwrap()),
        P::Clear => {
            m.clear(2, &mut wide).unwrap();
            (vec![wide], Vec::new())
        }
        P::Wcopy => (vec![m.copy_word(v, x).unwrap()], Vec::new()),
        P::Wmerge => {
            m.merge_word(v, x, &mut changed).unwrap();
            (vec![changed], Vec::new())
        }
        P::Tcopy => (vec![m.copy_table(t)], Vec::new()),
        P::Tcopy1 => (vec![m.copy_from_band(&o.wide, 2, t.width()).unwrap()], Vec::new()),
        P::Tcopy2 => {
            m.copy_to_band(t, 2, &mut wide).unwrap();
            (vec![wide], Vec::new())
        }
        P::Tmerge => {
            m.merge_table(t, x, &mut changed).unwrap();
            (vec![changed], Vec::new())
        }
    }
}

/// Returns the operands as a procedure takes them.
fn operands<'a>(
    procedure: P,
    [t, f, wide]: [&'a GpuTable; 3],
    [x, v]: [&'a GpuBits; 2],
) -> LibraryOperands<'a> {
    let all = LibraryOperands { t: Some(t), f: Some(f), x: Some(x), v: Some(v), number: 2 };
    match procedure {
        P::Gel => LibraryOperands { x: None, ..all },
        P::Tcopy1 => LibraryOperands { t: Some(wide), ..all },
        _ => all,
    }
}

#[test]
fn procedures_give_what_the_native_machine_gives() {
    on_device(|gpu| {
        let mut random = Random(3);
        for (rows, width) in [(1, 2), (8, 4), (64, 33), (65, 70), (1000, 32), (5000, 8)] {
            let o = Operands::random(&mut random, rows, width);
            let (t, f, wide) =
                (gpu.load_table(&o.t), gpu.load_table(&o.f), gpu.load_table(&o.wide));
            let (x, v) = (gpu.load(&o.x), gpu.load(&o.v));
            for procedure in P::all() {
                let taken = operands(procedure, [&t, &f, &wide], [&x, &v]);
                let changed = match procedure {
                    P::Clear | P::Tcopy2 => Some(wide.clone()),
                    P::Wmerge | P::Tmerge => Some(f.clone()),
                    _ => None,
                };
                let results = gpu.procedure(procedure, taken, changed).unwrap();
                let found = stored(gpu, &results);
                assert!(found == expected(procedure, &o), "{} {rows} x {width}", procedure.name());
            }
            for (table, here) in [(&t, &o.t), (&f, &o.f), (&wide, &o.wide)] {
                assert!(gpu.store_table(table) == *here, "an operand changed");
            }
        }
    });
}

/// More rows than a work-group has work-items: a launch for each column.
#[test]
fn least_and_greatest_of_many_rows_are_found_column_by_column() {
    on_device(|gpu| {
        let o = Operands::random(&mut Random(4), 70_000, 9);
        let (t, x) = (gpu.load_table(&o.t), gpu.load(&o.x));
        for procedure in [P::Min, P::Max] {
            let taken = LibraryOperands { t: Some(&t), x: Some(&x), ..LibraryOperands::default() };
            let before = gpu.work().launches;
            let results = gpu.procedure(procedure, taken, None).unwrap();
            assert!(gpu.work().launches > before + 9);
            assert!(stored(gpu, &results) == expected(procedure, &o), "{}", procedure.name());
        }
    });
}

#[test]
fn a_missing_operand_is_named() {
    on_device(|gpu| {
        for (procedure, name) in [(P::Min, "T"), (P::Tmerge, "F")] {
            let refused = gpu.procedure(procedure, LibraryOperands::default(), None);
            let refused = refused.err().unwrap().to_string();
            assert!(refused.contains(&format!("the operand {name} is missing")), "{refused}");
        }
    });
}
