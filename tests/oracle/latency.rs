//! The latency table of the reference, row by row: what a reader sees at the distance of the table,
//! one bundle before it and one behind it. The expected values are derived on paper; the distances
//! come from the four latencies of a core.

use super::build::{arithmetic, exchange, register};
use super::{compare::engine, run};
use cp2_emu::State;
use cp2_isa::{Arith, Bundle, Core, CoreNumbers, Exch, RegFile, WordAddress, control, encode};

const OLD: u64 = 0x1111_1111_2222_2222;
const NEW: u64 = 0x3333_3333_4444_4444;
/// Values of g1, which also serve as jump targets, counts and stop codes.
const OLD_GPR: u64 = 100;
const NEW_GPR: u64 = 200;
const LIMIT: u64 = 1000;
/// STATUS: CP2 wrote COMM, the host wrote COMM, FPE.
const COMM_CP2: u64 = 1 << 3;
const COMM_K64: u64 = 1 << 4;
const FPE: u64 = 0x3f << 16;

/// A bundle for an address.
type BundleAt = fn(i32) -> Bundle;

/// An operation that reads what a producer writes, and where its finding then stands.
#[derive(Clone, Copy)]
struct Reader {
    name: &'static str,
    /// The reading bundle at an address.
    bundle: BundleAt,
    found: fn(&State) -> u64,
}

/// Row of the table: a producer, a reader, their distance, and the two values to be seen.
pub(crate) struct Row {
    name: String,
    producer: Bundle,
    reader: Reader,
    distance: usize,
    old: u64,
    new: u64,
}

impl Row {
    /// Returns what does not come out as the row says on a core.
    pub(crate) fn failures(&self, core: &Core) -> Vec<String> {
        let mut failures = Vec::new();
        for distance in self.distance.min(1)..=self.distance + 1 {
            let expected = if distance < self.distance { self.old } else { self.new };
            let state = self.state(core, distance);
            let oracle = run(core, &state, 0, LIMIT).state;
            let found = [("engine", engine(core, &state, 0, LIMIT).1), ("oracle", oracle)];
            for (path, state) in found {
                let found = (self.reader.found)(&state);
                if found != expected {
                    failures.push(format!(
                        "{} -> {} at distance {distance}: expected {expected:x}, {path} {found:x}",
                        self.name, self.reader.name
                    ));
                }
            }
        }
        failures
    }

    /// Returns the state with the program of the row: producer in bundle 0, reader in bundle `distance` (at 0: in its
    /// exchange half), a loop body, `stopi`.
    fn state(&self, core: &Core, distance: usize) -> State {
        let mut state = fixture(core);
        state.iram[0] = encode(&self.producer);
        let reader = (self.reader.bundle)(distance as i32);
        state.iram[distance] = encode(&match distance {
            0 => Bundle { exch: reader.exch, ..self.producer },
            _ => reader,
        });
        state.iram[distance + 1] = encode(&exchange(Exch::Updaddr, &[5 + 16]));
        state.iram[distance + 3] = encode(&exchange(Exch::Stopi, &[0]));
        state
    }
}

fn fixture(core: &Core) -> State {
    let mut state = State::new(core);
    state.fpr[0] = [OLD; 4];
    state.fpr[1] = [OLD; 4];
    state.fpr[3] = [NEW; 4];
    state.fpr[5] = [0xff; 4];
    state.fpr[6] = [0x7f80_0000_7f80_0000; 4];
    state.fpr[7] = [0x0003_f0fc; 4];
    state.fpr[8] = [NEW_GPR; 4];
    state.fpr[10] = [0x3f80_0000_3f80_0000; 4];
    state.fpr[11] = [0x3000_0000_3000_0000; 4];
    state.lmem[7] = [OLD; 4];
    state.lmem[8] = [NEW; 4];
    state.lmem[9] = [NEW; 4];
    state.gpr[1] = OLD_GPR;
    state.ireg[1] = OLD_GPR;
    state.gpr[3] = NEW;
    state.gpr[4] = NEW_GPR;
    state.gpr[5] = 0x4000;
    state.gpr[6] = 2;
    state.gpr[7] = 77;
    state.status = COMM_K64;
    state.comm = 66;
    state.a[1] = WordAddress(7);
    state.a[2] = WordAddress(8);
    state.rstep = 0x2000;
    for code in [OLD_GPR, NEW_GPR] {
        state.iram[code as usize] = encode(&exchange(Exch::Stopi, &[code as i32]));
    }
    state
}

fn gpr(number: u8) -> i32 {
    register(RegFile::Gpr, number)
}

fn control_register(number: u8) -> i32 {
    register(RegFile::Control, number)
}

fn moved(to: i32, from: i32) -> Bundle {
    exchange(Exch::Move, &[to, from])
}

/// Returns `copy f2, f3` that section 0 executes if cc1 is 1.
fn conditional_copy() -> Bundle {
    Bundle { cc: 1, ..arithmetic(Arith::Copy, &[2, 3]) }
}

fn fpr_readers() -> [Reader; 4] {
    [
        Reader {
            name: "arithmetic",
            bundle: |_| arithmetic(Arith::Copy, &[2, 1]),
            found: |state| state.fpr[2][0],
        },
        Reader {
            name: "store",
            bundle: |_| exchange(Exch::Swi, &[1, 40]),
            found: |state| state.lmem[40][3],
        },
        Reader {
            name: "psprmsgn",
            bundle: |_| exchange(Exch::Psprmsgn0, &[20, 1, 0, 1, 2, 3]),
            found: |state| state.fpr[20][1],
        },
        Reader {
            name: "mffpr",
            bundle: |_| exchange(Exch::Mffpr, &[2, 1, 2]),
            found: |state| state.gpr[2],
        },
    ]
}

/// Adds the rows of writers of f1; distances in the order of [`fpr_readers`].
fn fpr_rows(core: &CoreNumbers, rows: &mut Vec<Row>) {
    let all = |latency: u32| [latency as usize; 4];
    let (arithmetic_latency, load) = (all(core.arithmetic_latency), core.load_latency as usize);
    // A bypass.
    let loads = [load, load, load - 1, load];
    let (psprmsgn, mtfpr) = (all(core.psprmsgn_latency), all(core.mtfpr_latency));
    let producers = [
        ("arithmetic", arithmetic(Arith::Copy, &[1, 3]), NEW, arithmetic_latency),
        ("mfc", arithmetic(Arith::Mfc, &[1, 1]), 1, arithmetic_latency),
        ("li0", arithmetic(Arith::Li0, &[1, 0x5555]), 0x1111_1111_2222_5555, arithmetic_latency),
        ("lwi", exchange(Exch::Lwi, &[1, 8]), NEW, loads),
        ("ldi", exchange(Exch::Ldi, &[0, 8]), NEW, loads),
        ("psprmsgn", exchange(Exch::Psprmsgn0, &[0, 3, 2, 3, 0, 1]), NEW, psprmsgn),
        ("mtfpr", exchange(Exch::Mtfpr, &[1, 3, 4]), NEW, mtfpr),
    ];
    for (name, producer, new, distances) in producers {
        for (reader, distance) in fpr_readers().into_iter().zip(distances) {
            rows.push(Row { name: name.into(), producer, reader, distance, old: OLD, new });
        }
    }
}

fn condition_rows(core: &CoreNumbers, rows: &mut Vec<Row>) {
    let distance = core.arithmetic_latency as usize - 1;
    let predicate = [
        Reader { name: "predicate", bundle: |_| conditional_copy(), found: |s| s.fpr[2][0] },
        Reader {
            name: "predicate of psprmsgn",
            bundle: |_| Bundle { cc: 1, ..exchange(Exch::Psprmsgn0, &[20, 3, 0, 1, 2, 3]) },
            found: |s| s.fpr[20][0],
        },
    ];
    let compare = arithmetic(Arith::C, &[4, 1, 1, 3, 3]);
    for reader in predicate {
        let row = |name: &str, producer| Row {
            name: name.into(),
            producer,
            reader,
            distance,
            old: 0,
            new: NEW,
        };
        rows.push(row("c.eq.w", compare));
        rows.push(row("mtc fccr", arithmetic(Arith::Mtc, &[5, 1])));
    }
    let mfc = |creg| match creg {
        0 => Reader {
            name: "mfc fcsr",
            bundle: |_| arithmetic(Arith::Mfc, &[2, 0]),
            found: |s| s.fpr[2][0],
        },
        _ => Reader {
            name: "mfc fccr",
            bundle: |_| arithmetic(Arith::Mfc, &[2, 1]),
            found: |s| s.fpr[2][0],
        },
    };
    // Infinity times zero: V, as flag and as cause.
    let invalid = arithmetic(Arith::Psmul, &[30, 6, 31]);
    for (name, producer, creg, old, new) in [
        ("c.eq.w", compare, 1, 1, 3),
        ("mtc fccr", arithmetic(Arith::Mtc, &[5, 1]), 1, 1, 0xff),
        ("flags", invalid, 0, 0, 0x1_0040),
        ("mtc fcsr", arithmetic(Arith::Mtc, &[7, 0]), 0, 0, 0x3_f0fc),
    ] {
        rows.push(Row { name: name.into(), producer, reader: mfc(creg), distance, old, new });
    }
}

fn status_rows(core: &CoreNumbers, rows: &mut Vec<Row>) {
    let condition = core.arithmetic_latency as usize - 1;
    let bundle = |_| moved(gpr(2), control_register(control::STATUS));
    let fpe = Reader { name: "FPE", bundle, found: |s| s.gpr[2] & FPE };
    let cp2 = Reader { name: "COMMCP2", bundle, found: |s| s.gpr[2] & COMM_CP2 };
    let k64 = Reader { name: "COMMK64", bundle, found: |s| s.gpr[2] & COMM_K64 };
    let comm = control_register(control::COMM);
    let status = control_register(control::STATUS);
    let flags = arithmetic(Arith::Psmul, &[30, 6, 31]);
    for (name, producer, reader, distance, old, new) in [
        ("flags", flags, fpe, 0, 0, 0x10_0000),
        ("mtc fcsr", arithmetic(Arith::Mtc, &[7, 0]), fpe, condition, 0, FPE),
        ("move to status", moved(status, gpr(3)), fpe, 1, 0, NEW & FPE),
        ("move to comm", moved(comm, gpr(3)), cp2, 2, 0, COMM_CP2),
        ("move from comm", moved(gpr(7), comm), k64, 2, COMM_K64, 0),
    ] {
        rows.push(Row { name: name.into(), producer, reader, distance, old, new });
    }
}

fn gpr_readers() -> [(Reader, usize); 6] {
    let reader = |name, bundle, found| Reader { name, bundle, found };
    [
        (reader("move", |_| moved(gpr(2), gpr(1)), |s| s.gpr[2]), 1),
        (reader("mtfpr", |_| exchange(Exch::Mtfpr, &[2, 1, 4]), |s| s.fpr[2][3]), 1),
        (reader("jump", |_| exchange(Exch::Jump, &[1]), |s| s.stopcode), 1),
        (reader("call", |_| exchange(Exch::Call, &[1]), |s| s.stopcode), 2),
        // The body steps a5 once per iteration.
        (reader("do", |at| exchange(Exch::Do, &[1, at + 1]), |s| s.a[5].into()), 2),
        (reader("stop", |_| exchange(Exch::Stop, &[1]), |s| s.stopcode), 3),
    ]
}

fn gpr_rows(rows: &mut Vec<Row>) {
    let producers = [
        ("seti", exchange(Exch::Seti, &[1, NEW_GPR as i32]), NEW_GPR),
        ("move", moved(gpr(1), gpr(4)), NEW_GPR),
        ("mffpr", exchange(Exch::Mffpr, &[1, 8, 0]), NEW_GPR),
        // There is no channel. A jump or call to 0 finds no stop code.
        ("check_dma", exchange(Exch::CheckDma, &[1]), 0),
    ];
    for (name, producer, new) in producers {
        for (reader, distance) in gpr_readers() {
            let old = OLD_GPR;
            rows.push(Row { name: name.into(), producer, reader, distance, old, new });
        }
    }
    let ireg = register(RegFile::Ireg, 1);
    for (name, producer) in
        [("move", moved(ireg, gpr(4))), ("mffpr", exchange(Exch::Mffpr, &[17, 8, 0]))]
    {
        let readers = [
            Reader {
                name: "move from i1",
                bundle: |_| moved(gpr(2), register(RegFile::Ireg, 1)),
                found: |s| s.gpr[2],
            },
            Reader {
                name: "mtfpr of i1",
                bundle: |_| exchange(Exch::Mtfpr, &[2, 17, 4]),
                found: |s| s.fpr[2][0],
            },
        ];
        for reader in readers {
            let (old, new) = (OLD_GPR, NEW_GPR);
            rows.push(Row { name: name.into(), producer, reader, distance: 1, old, new });
        }
    }
}

fn address_rows(rows: &mut Vec<Row>) {
    let load = Reader {
        name: "address computation",
        bundle: |_| exchange(Exch::Lwo, &[2, 1]),
        found: |s| s.fpr[2][0],
    };
    let step = Reader {
        name: "address step",
        bundle: |_| exchange(Exch::Updaddrnp, &[1]),
        found: |s| s.a[1].into(),
    };
    let read = Reader {
        name: "move from a1",
        bundle: |_| moved(gpr(2), register(RegFile::A, 1)),
        found: |s| s.gpr[2],
    };
    let seti = |file: i32, value| exchange(Exch::Seti, &[file * 16 + 1, value]);
    for (name, producer, reader, new) in [
        ("seti a", seti(1, 8), load, NEW),
        ("move a", moved(register(RegFile::A, 1), register(RegFile::A, 2)), load, NEW),
        ("post-modify", exchange(Exch::Lwo, &[30, 1 + 16]), load, NEW),
        ("clr", exchange(Exch::Clr, &[1]), load, 0),
        ("seti n", seti(2, 3), step, 10),
        ("move n", moved(register(RegFile::N, 1), gpr(6)), step, 9),
        // Circular over 4 words: 7 goes round to 4.
        ("seti m", seti(3, 3), step, 4),
        ("clr", exchange(Exch::Clr, &[1]), step, 1),
        ("post-modify", exchange(Exch::Swnm, &[30, 1]), read, 6),
        ("seti a", seti(1, 8), read, 8),
    ] {
        rows.push(Row { name: name.into(), producer, reader, distance: 1, old: 0, new });
    }
}

fn control_rows(rows: &mut Vec<Row>) {
    let coefficient = Reader {
        name: "coefficient",
        bundle: |_| arithmetic(Arith::Getcoeff, &[2]),
        found: |s| s.fpr[2][0],
    };
    let rind = Reader { name: "step of RIND", found: |s| s.rind.into(), ..coefficient };
    let rounded = Reader {
        name: "rounding",
        bundle: |_| arithmetic(Arith::Psadd, &[2, 10, 11]),
        found: |s| s.fpr[2][0],
    };
    let write = |number, from| moved(control_register(number), gpr(from));
    let eighth = 0x3f35_04f3_3f35_04f3;
    for (name, producer, reader, new) in [
        ("move rind", write(control::RIND, 5), coefficient, 0x8000_0000_3f80_0000),
        ("cbutterfly", arithmetic(Arith::Cbutterfly, &[30, 31]), coefficient, eighth),
        ("getcoeff", arithmetic(Arith::Getcoeff, &[30]), coefficient, eighth),
        ("move rstep", write(control::RSTEP, 5), rind, 0x4000),
        ("move rmask", write(control::RMASK, 5), rind, 0),
        // 1 + 2^-31, upwards.
        ("move control", write(control::CONTROL, 6), rounded, 0x3f80_0001_3f80_0001),
    ] {
        rows.push(Row { name: name.into(), producer, reader, distance: 1, old: 0, new });
    }
    step_rows(rows);
    written_rows(rows);
    let producer = exchange(Exch::Swi, &[3, 7]);
    let reader = Reader {
        name: "load of the same word",
        bundle: |_| exchange(Exch::Lwi, &[2, 7]),
        found: |s| s.fpr[2][0],
    };
    rows.push(Row { name: "store".into(), producer, reader, distance: 1, old: OLD, new: NEW });
}

/// Adds the rows of operations that step RIND, which is read in the very bundle.
fn step_rows(rows: &mut Vec<Row>) {
    let reader = Reader {
        name: "move from rind",
        bundle: |_| moved(gpr(2), control_register(control::RIND)),
        found: |s| s.gpr[2],
    };
    for (name, producer) in [
        ("cbutterfly", arithmetic(Arith::Cbutterfly, &[30, 31])),
        ("getcoeff", arithmetic(Arith::Getcoeff, &[30])),
    ] {
        let new = 0x2000;
        rows.push(Row { name: name.into(), producer, reader, distance: 0, old: 0, new });
    }
}

/// Adds the rows of control registers that `move` writes and reads.
fn written_rows(rows: &mut Vec<Row>) {
    fn read<const NUMBER: u8>(_: i32) -> Bundle {
        moved(gpr(2), control_register(NUMBER))
    }
    let bundles: [(u8, BundleAt, u64, u64); 5] = [
        (control::COMM, read::<{ control::COMM }>, 66, NEW),
        (control::CONTROL, read::<{ control::CONTROL }>, 0, NEW & 3),
        (control::RIND, read::<{ control::RIND }>, 0, NEW & 0xffff),
        (control::RSTEP, read::<{ control::RSTEP }>, 0x2000, NEW & 0xffff),
        (control::RMASK, read::<{ control::RMASK }>, 0xffff, NEW & 0xffff),
    ];
    for (number, bundle, old, new) in bundles {
        let reader = Reader { name: "move", bundle, found: |s| s.gpr[2] };
        let producer = moved(control_register(number), gpr(3));
        let name = format!("move to control register {number}");
        rows.push(Row { name, producer, reader, distance: 1, old, new });
    }
}

/// Returns every row of the table of a core.
pub(crate) fn rows(core: &Core) -> Vec<Row> {
    let mut rows = Vec::new();
    fpr_rows(core.numbers(), &mut rows);
    condition_rows(core.numbers(), &mut rows);
    status_rows(core.numbers(), &mut rows);
    gpr_rows(&mut rows);
    address_rows(&mut rows);
    control_rows(&mut rows);
    rows
}
