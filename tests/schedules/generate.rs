//! Random linear code, as text: straight code and loops, fixed and counted by registers, nested;
//! pairs, halves, predicates, accumulators; loads and stores through several address sets with and
//! without promises; moves between register files. Every virtual register that is used has been written.
//! What stands here makes what kernels are made of; any other operation comes from `table`.

#[path = "conditional.rs"]
mod conditional;
#[path = "table.rs"]
mod table;

use crate::dice::Dice;
use cp2_isa::Extensions;

/// Address sets that are stepped by constants.
const LINEAR: [u8; 4] = [0, 1, 2, 3];
/// The set that is stepped by its Nn.
pub(crate) const BY_N: u8 = 4;
/// The set that `move` writes.
const MOVED: u8 = 5;

const TWO_SOURCES: [&str; 12] = [
    "psadd",
    "pssub",
    "psmul",
    "cmul",
    "chmul",
    "cadd",
    "csub",
    "pscopysign",
    "add",
    "sub",
    "xor",
    "and",
];
const ONE_SOURCE: [&str; 9] =
    ["psneg", "cneg", "cconj", "swaphl", "copy", "psabs", "not", "cmuli", "split32"];
const UPDATES: [&str; 7] = ["psmadd", "psmsub", "cmadd", "cmsub", "chmadd", "chmsub", "psmadd"];
const HALVES: [&str; 4] = ["recip", "exp2", "rsqrt", "sinc"];

struct Writer {
    dice: Dice,
    lines: Vec<String>,
    /// Registers that hold a value.
    values: Vec<String>,
    /// Pairs that hold values.
    pairs: Vec<(String, String)>,
    n_names: usize,
    depth: usize,
    /// Registers that count the loops that are open.
    counting: Vec<u8>,
    /// Number of lines in a hundred that hold any operation of the table.
    any: usize,
    /// Extensions whose operations the region may use.
    extensions: Extensions,
}

/// The linear region with this number. Some are small: one loop of a few operations, whose values are few
/// enough to share registers with results that nothing reads.
pub(crate) fn program(number: u64) -> String {
    program_with(number, Extensions::empty())
}

/// The program with this number for a core with these extensions.
pub(crate) fn program_with(number: u64, extensions: Extensions) -> String {
    let mut dice = Dice::new(number);
    let any = dice.pick(&[0, 0, 20, 60, 100]);
    let small = any > 0 && dice.percent(50);
    let mut writer = Writer {
        dice,
        lines: vec![".linear".into()],
        values: (0..6).map(|n| format!("f{n}")).collect(),
        pairs: vec![("f4".into(), "f5".into())],
        n_names: 0,
        depth: 0,
        counting: Vec::new(),
        any,
        extensions,
    };
    writer.promises();
    if small {
        writer.repeat();
    } else {
        writer.several();
    }
    writer.lines.push(".endlinear".into());
    writer.lines.join("\n") + "\n"
}

impl Writer {
    fn line(&mut self, text: String) {
        self.lines.push(text);
    }

    /// Straight code, loops and stores.
    fn several(&mut self) {
        let n = self.dice.between(1, 4);
        self.straight(n);
        for _ in 0..self.dice.between(1, 2) {
            if self.dice.percent(80) {
                self.repeat();
            } else {
                let n = self.dice.between(2, 8);
                self.straight(n);
            }
        }
        for _ in 0..self.dice.below(3) {
            self.store();
        }
    }

    fn promises(&mut self) {
        let scratch = self.dice.pick(&["g14, g15", "g15", "g8, g15"]);
        self.line(format!(".scratch {scratch}"));
        if self.dice.percent(60) {
            let list = self.dice.pick(&["r0, r2", "r0, r1, r2, r3", "r0, r1, r2, r3, r4, abs"]);
            self.line(format!(".disjoint {list}"));
        }
        if self.dice.percent(40) {
            let list = self.dice.pick(&["r0", "r0, r2", "r1, r3"]);
            self.line(format!(".even {list}"));
        }
        if self.dice.percent(30) {
            let list = self.dice.pick(&["f16-f31", "f8, f10-f11", "f30-f63"]);
            self.line(format!(".keep {list}"));
        }
        if self.dice.percent(30) {
            self.assigned();
        }
    }

    /// Registers of `.assign`: one that others may read, one that nobody reads, or none at all; and a pair.
    fn assigned(&mut self) {
        let place = self.dice.pick(&[40, 6, 12, 15]);
        let kind = self.dice.below(3);
        if kind < 2 {
            self.line(format!(".assign %fixed, f{place}"));
        }
        match kind {
            0 => {
                self.line("copy %fixed, f1".into());
                self.values.push("%fixed".into());
            }
            1 => self.line("li0 %fixed, 5".into()),
            _ => {}
        }
        if self.dice.percent(30) {
            let first = self.dice.pick(&[8, 10, 20]);
            self.line(format!(".assign %low, f{first}"));
            self.line("ldo %low:%high, (r0)+2".into());
            self.values.push("%high".into());
            self.pairs.push(("%low".into(), "%high".into()));
        }
    }

    fn fresh(&mut self) -> String {
        self.n_names += 1;
        format!("%v{}", self.n_names)
    }

    /// A new register, or an old one to be written again.
    fn target(&mut self) -> String {
        if self.dice.percent(25) { self.value() } else { self.fresh() }
    }

    /// A register with a value; recent ones are likelier.
    fn value(&mut self) -> String {
        let n = self.values.len();
        let window = if self.dice.percent(70) { n.min(6) } else { n };
        let at = n - 1 - self.dice.below(window);
        self.values[at].clone()
    }

    fn other(&mut self, than: &str) -> Option<String> {
        (0..8).map(|_| self.value()).find(|value| value != than)
    }

    fn pair(&mut self) -> (String, String) {
        let at = self.dice.below(self.pairs.len());
        self.pairs[at].clone()
    }

    fn has(&mut self, name: &str) {
        if !self.values.iter().any(|value| value == name) {
            self.values.push(name.into());
        }
    }

    fn straight(&mut self, n: usize) {
        (0..n).for_each(|_| self.operation());
    }

    fn repeat(&mut self) {
        let gpr = if self.counting.contains(&2) { 3 } else { 2 };
        let count = if self.dice.percent(50) {
            self.dice.between(1, if self.depth == 0 { 16 } else { 6 }).to_string()
        } else {
            self.counting.push(gpr);
            let min = self.dice.between(1, 16);
            match self.dice.pick(&[1, 1, 2, 4]) {
                1 if self.dice.percent(30) => format!("g{gpr}"),
                1 => format!("g{gpr}, min={min}"),
                multiple => format!("g{gpr}, min={min}, multiple={multiple}"),
            }
        };
        self.line(format!(".loop {count}"));
        self.depth += 1;
        let most = if self.dice.percent(20) { 24 } else { 7 };
        let n = self.dice.between(1, most);
        self.straight(n);
        if self.dice.percent(15) {
            self.neighbours();
        }
        if self.depth < 2 && self.dice.percent(30) {
            self.repeat();
            let n = self.dice.below(4);
            self.straight(n);
        }
        if self.dice.percent(60) {
            self.store();
        }
        self.depth -= 1;
        self.line(".endloop".into());
        if !count.as_bytes()[0].is_ascii_digit() {
            self.counting.pop();
        }
    }

    fn operation(&mut self) {
        if self.has_conditional() && self.dice.percent(25) {
            return self.conditional();
        }
        if self.dice.percent(self.any) {
            return self.any();
        }
        match self.dice.below(100) {
            0..18 => self.load(),
            18..28 => self.store(),
            28..45 => self.two_sources(),
            45..52 => {
                let (op, s, d) = (self.dice.pick(&ONE_SOURCE), self.value(), self.target());
                self.line(format!("{op} {d}, {s}"));
                self.has(&d);
            }
            52..64 => self.update(),
            64..70 => self.two_results(),
            70..76 => self.predicate(),
            76..80 => self.half(),
            80..84 => self.use_pairs(),
            84..88 => self.coefficient(),
            88..94 => self.transfer(),
            94..96 => self.gather(),
            96..98 => self.row(),
            _ => self.immediate(),
        }
    }

    fn address(&mut self, double: bool) -> String {
        let set = self.dice.pick(&LINEAR);
        match self.dice.below(10) {
            0 => format!("(r{BY_N})+n{BY_N}"),
            1 => format!("(r{MOVED}){}", self.dice.pick(&["+1", "-1", "+0"])),
            _ if double => format!("(r{set}){}", self.dice.pick(&["+2", "+2", "+0", "-2", "+1"])),
            _ => format!("(r{set}){}", self.dice.pick(&["+1", "+1", "+0", "-1", "+2"])),
        }
    }

    fn suffix(address: &str) -> &'static str {
        if address.contains("+n") {
            "np"
        } else if address.starts_with('(') {
            "o"
        } else {
            "i"
        }
    }

    fn load(&mut self) {
        if self.dice.percent(35) {
            let (a, b) = (self.fresh(), self.fresh());
            let address = self.address(true);
            self.line(format!("ld{} {a}:{b}, {address}", Self::suffix(&address)));
            self.has(&a);
            self.has(&b);
            self.pairs.push((a, b));
            return;
        }
        let address = if self.dice.percent(8) { "4000".to_owned() } else { self.address(false) };
        let d = self.target();
        self.line(format!("lw{} {d}, {address}", Self::suffix(&address)));
        self.has(&d);
    }

    fn store(&mut self) {
        if self.dice.percent(30) {
            let (a, b) = self.pair();
            let address = self.address(true);
            return self.line(format!("sd{} {a}:{b}, {address}", Self::suffix(&address)));
        }
        let address = if self.dice.percent(8) { "4001".to_owned() } else { self.address(false) };
        let s = self.value();
        self.line(format!("sw{} {s}, {address}", Self::suffix(&address)));
    }

    fn two_sources(&mut self) {
        let (op, s, t, d) =
            (self.dice.pick(&TWO_SOURCES), self.value(), self.value(), self.target());
        self.line(format!("{op} {d}, {s}, {t}"));
        self.has(&d);
    }

    fn update(&mut self) {
        let (op, d, s, t) = (self.dice.pick(&UPDATES), self.value(), self.value(), self.value());
        self.line(format!("{op} {d}, {s}, {t}"));
    }

    fn two_results(&mut self) {
        let (s, t, d) = (self.value(), self.value(), self.target());
        let q = self.fresh();
        match self.dice.below(4) {
            0 => self.line(format!("psaddsub {d}, {s}, {t}, {q}")),
            1 => self.line(format!("caddsub {d}, {s}, {t}, {q}")),
            2 => self.line(format!("mtrans {d}, {s}, {t}, {q}")),
            _ => {
                if let Some(other) = self.other(&s) {
                    self.line(format!("swap64 {s}, {other}"));
                }
                return;
            }
        }
        self.has(&d);
        self.has(&q);
    }

    fn predicate(&mut self) {
        let cc = self.dice.between(1, 3);
        if self.dice.percent(60) {
            let (s, t) = (self.value(), self.value());
            let kind = self.dice.pick(&["lt.s", "ge.s", "gt.w", "lt.ps"]);
            self.line(format!("c.{kind} cc{cc}, {s}, {t}"));
        }
        let (d, s, t) = (self.value(), self.value(), self.value());
        let op = self.dice.pick(&["psadd", "psmul", "cadd", "psmadd"]);
        self.line(format!("if(cc{cc}) {op} {d}, {s}, {t}"));
    }

    fn half(&mut self) {
        let (op, d, s) = (self.dice.pick(&HALVES), self.value(), self.value());
        let halves = [self.dice.pick(&["hi", "lo"]), self.dice.pick(&["hi", "lo"])];
        self.line(format!("{op} {d}.{}, {s}.{}", halves[0], halves[1]));
    }

    fn use_pairs(&mut self) {
        let ((a, b), (c, e)) = (self.pair(), self.pair());
        let d = self.value();
        match self.dice.below(3) {
            0 => {
                let mode = self.dice.below(2);
                self.line(format!("qsdot {d}, {a}:{b}, {c}:{e}, {mode}"));
            }
            1 => {
                let t = self.value();
                let op = self.dice.pick(&["mvmadd", "mtvmsub"]);
                self.line(format!("{op} {d}, {a}:{b}, {t}"));
            }
            _ => {
                let (x, y) = (self.fresh(), self.fresh());
                let words = self.dice.pick(&["0, 1, 2, 3", "2, 3, 0, 1", "-1, 0, 3, -2"]);
                self.line(format!("psprmsgn {x}:{y}, {a}:{b}, {words}"));
                self.has(&x);
                self.has(&y);
                self.pairs.push((x, y));
            }
        }
    }

    fn coefficient(&mut self) {
        if self.dice.percent(50) {
            let d = self.target();
            self.line(format!("getcoeff {d}"));
            self.has(&d);
        } else {
            let s = self.value();
            if let Some(d) = self.other(&s) {
                self.line(format!("cbutterfly {d}, {s}"));
            }
        }
    }

    /// Moves between the register files.
    fn transfer(&mut self) {
        let gpr = self.dice.between(4, 7);
        let section = self.dice.below(4);
        match self.dice.below(8) {
            0..2 => {
                let s = self.value();
                self.line(format!("mffpr g{gpr}, {s}, s{section}"));
            }
            2..4 => {
                let d = self.target();
                self.line(format!("mtfpr {d}, g{gpr}, all"));
                self.has(&d);
            }
            4 => {
                let d = self.value();
                self.line(format!("mtfpr {d}, i3, s{section}"));
            }
            5 => self.line(format!("move a{MOVED}, g{gpr}")),
            6 => self.line(format!("move rind, g{gpr}")),
            _ => {
                let to = self.dice.between(4, 7);
                self.line(format!("move g{to}, g{gpr}"));
            }
        }
    }

    /// A load from where another load says.
    fn gather(&mut self) {
        let (index, value) = (self.fresh(), self.fresh());
        let section = self.dice.below(4);
        let address = self.address(false);
        self.line(format!("lw{} {index}, {address}", Self::suffix(&address)));
        self.line(format!("mffpr g7, {index}, s{section}"));
        self.line(format!("move a{MOVED}, g7"));
        self.line(format!("lwo {value}, (r{MOVED})+1"));
        self.has(&index);
        self.has(&value);
    }

    /// Loads of words in a row, or moves of what a pair holds.
    fn row(&mut self) {
        if self.dice.percent(60) {
            let (set, n) = (self.dice.pick(&LINEAR), self.dice.between(2, 6));
            for _ in 0..n {
                let d = self.fresh();
                self.line(format!("lwo {d}, (r{set})+1"));
                self.has(&d);
            }
            return;
        }
        let (a, b) = self.pair();
        let (x, y) = (self.fresh(), self.fresh());
        let predicate = self.dice.pick(&["", "", "if(cc1) "]);
        if predicate.is_empty() && self.dice.percent(40) {
            self.line(format!("mtrans {x}, {b}, {a}, {y}"));
        } else {
            // What a predicate leaves alone must have a value.
            self.line(format!("copy {x}, f1"));
            self.line(format!("copy {y}, f2"));
            for (to, from) in [(&x, a), (&y, b)] {
                let op = self.dice.pick(&["copy", "swaphl"]);
                self.line(format!("{predicate}{op} {to}, {from}"));
            }
        }
        self.has(&x);
        self.has(&y);
    }

    /// Loads of two neighbouring words that become a double load where r0 is even and the exchange slot the
    /// fuller one.
    fn neighbours(&mut self) {
        let (a, b, c) = (self.fresh(), self.fresh(), self.fresh());
        for line in [
            format!("lwo {a}, (r0)+1"),
            format!("lwo {b}, (r0)+1"),
            format!("psadd {c}, {a}, {b}"),
            format!("swo {c}, (r1)+1"),
        ] {
            self.line(line);
        }
    }

    fn immediate(&mut self) {
        let d = self.value();
        match self.dice.below(5) {
            0 => {
                let quarter = self.dice.below(4);
                self.line(format!("li{quarter} {d}, 1234"));
            }
            1 => self.line(format!("inci {d}, 3")),
            2 => {
                let s = self.value();
                self.line(format!("join32 {d}, {s}"));
            }
            3 => {
                let set = self.dice.pick(&LINEAR);
                let step = self.dice.between(1, 3);
                self.line(format!("updaddr (r{set})+{step}"));
            }
            _ => {
                let step = self.dice.between(1, 3);
                self.line(format!("seti n{BY_N}, {step}"));
            }
        }
    }
}
