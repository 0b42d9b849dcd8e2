//! The property that linear code loses nothing: whatever a line can say is in the region and in the schedule, or
//! the line is refused. The patterns below name every field of the syntax tree, so that a new one asks to be told here.

use crate::asm::Scheduled;
use crate::asm::place::may_stand_in_linear;
use crate::linear::{LinearInst, Region};
use crate::parse::ast::{
    Address, Allowed, BundleLine, Expr, Linear, Number, Operand, Operation, Placement, Register,
    StepSyntax, Word,
};
use crate::parse::{Cursor, bundle};
use crate::sched::SlotOrigin;
use crate::{Options, Sources, assemble_regions};
use cp2_isa::{
    AddressForm, Arith, Core, CoreNumbers, Exch, Extensions, OperandKind, Row, Unit,
    condition_name, format_name,
};
use std::collections::BTreeSet;

/// Kinds of attributes of a line, each with what is said.
type Said = Vec<(&'static str, String)>;

/// Names of the kinds of attributes that a line can have.
const KINDS: [&str; 13] = [
    "predicate",
    "operation",
    "operands",
    "file",
    "number",
    "half",
    "second",
    "word",
    "set",
    "step",
    "expression",
    "right",
    "mark",
];

fn expression(kind: &'static str, Expr { nodes, at: _ }: &Expr, said: &mut Said) {
    said.push((kind, format!("{:?}", nodes.iter().map(|n| &n.op).collect::<Vec<_>>())));
}

fn register(Register { prefix, number, half, at: _ }: &Register, said: &mut Said) {
    said.push(("file", format!("{prefix:?}")));
    match number {
        Number::Literal(n) => said.push(("number", n.to_string())),
        Number::Computed(e) => expression("number", e, said),
        Number::Named(named) => {
            let (name, index) = &**named;
            said.push(("number", name.clone()));
            index.iter().for_each(|e| expression("number", e, said));
        }
    }
    half.iter().for_each(|half| said.push(("half", half.to_string())));
}

fn operand(operand: &Operand, said: &mut Said) {
    match operand {
        Operand::Register(r) => register(r, said),
        Operand::Pair(pair) => {
            register(&pair.0, said);
            let mut second = Said::new();
            register(&pair.1, &mut second);
            said.push(("second", format!("{second:?}")));
        }
        Operand::Named(Word { text, at: _ }) => said.push(("word", text.clone())),
        Operand::Address(address) => {
            let Address { set, step, at: _ } = &**address;
            let (mut of, mut by) = (Said::new(), Said::new());
            register(set, &mut of);
            match step {
                StepSyntax::None => {}
                StepSyntax::Register(is_back, n) => {
                    register(n, &mut by);
                    by.push(("step", is_back.to_string()));
                }
                StepSyntax::Offset(e) => expression("step", e, &mut by),
            }
            said.push(("set", format!("{of:?}")));
            said.push(("step", format!("{by:?}")));
        }
        Operand::Expr(e) => expression("expression", e, said),
    }
}

fn operation(Operation { name, operands, at: _ }: &Operation, said: &mut Said) {
    said.push(("operation", name.text.clone()));
    said.push(("operands", operands.len().to_string()));
    operands.iter().for_each(|o| operand(o, said));
}

/// Returns all attributes of a line, wherever they stand in it.
fn said(text: &str) -> Said {
    let line = bundle(Cursor::new(text)).map(|(_, line)| line);
    let BundleLine { predicate, left, bar, right, allowed, at: _ } = line.expect("a bundle");
    let mut said = Said::new();
    if let Some(cc) = &predicate {
        let mut of = Said::new();
        register(cc, &mut of);
        said.push(("predicate", format!("{of:?}")));
    }
    left.iter().for_each(|o| operation(o, &mut said));
    let mut other = Said::new();
    right.iter().for_each(|o| operation(o, &mut other));
    bar.iter().for_each(|_| said.push(("right", format!("{other:?}"))));
    for Allowed { code, reason } in &allowed {
        let why = reason.as_ref().map(|Word { text, at: _ }| text);
        said.push(("mark", format!("{} {why:?}", code.text)));
    }
    said
}

/// Returns a core that has all operations.
fn core() -> Core {
    let extensions = Extensions::all().difference(Extensions::MORE_FPRS);
    // The checker is faster with a small memory.
    let numbers = CoreNumbers { extensions, local_memory_words: 1024, ..*Core::CP2.numbers() };
    Core::new(numbers).expect("a core")
}

/// Returns the region of some lines with its bundles; nothing if they are refused.
fn scheduled(lines: &str) -> Option<Scheduled> {
    let text = format!("{lines}\n stopi 0\n");
    let mut sources = Sources::default();
    let root = sources.add("lines.s", text);
    let mut none = |_: &str, path: &str| Err(format!("there is no {path}"));
    let options = Options { core: core(), ..Options::default() };
    let assembled = assemble_regions(&mut sources, &[root], &mut none, options).ok()?;
    assembled.regions.into_iter().next()
}

/// Returns the region of one operation, which is in the bundles as it is in the region.
fn held(line: &str) -> Option<Region> {
    let Scheduled { mut region, bundles, .. } =
        scheduled(&format!(".linear\n {line}\n.endlinear"))?;
    let op = &region.ops[0];
    let found: Vec<_> = bundles
        .iter()
        .filter(|placed| [placed.arith, placed.exch].contains(&SlotOrigin::Op(0)))
        .map(|placed| &placed.bundle)
        .collect();
    let [bundle] = found.as_slice() else { panic!("`{line}` is in {} bundles", found.len()) };
    match op.code {
        LinearInst::Arith(inst) => assert_eq!(bundle.arith, inst, "`{line}`"),
        LinearInst::Exch(inst) => assert_eq!(bundle.exch, inst.with_variant(), "`{line}`"),
    }
    assert_eq!(bundle.cc, op.cc, "`{line}`");
    region.span = None;
    region.ops.iter_mut().for_each(|op| op.span = None);
    Some(region)
}

/// Returns texts for an operand, the first one for the line that the others are compared with.
fn texts(kind: OperandKind, k: usize) -> Vec<String> {
    let all = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let fpr = |n: usize| vec![format!("f{n}"), format!("f{}", n + 20), format!("f{n}.hi")];
    let n = 8 + 2 * k;
    match kind {
        OperandKind::Fpr(_) => fpr(n),
        OperandKind::FprPair(_) => {
            let mut texts = vec![format!("f{n}:f{}", n + 1), format!("f{}:f{}", n + 20, n + 21)];
            texts.extend([format!("f{n}:f{}", n + 2), format!("f{n}:f{}.lo", n + 1)]);
            texts
        }
        OperandKind::FprPermute(base) => fpr(base as usize + n),
        OperandKind::FprHalf(..) => {
            vec![format!("f{n}.hi"), format!("f{n}.lo"), format!("f{}.hi", n + 20)]
        }
        OperandKind::Signed(_) | OperandKind::Unsigned(_) => {
            vec![kind.range().end().to_string(), kind.range().start().to_string(), "2000000".into()]
        }
        OperandKind::Cc(_) => all(&["cc1", "cc2", "cc9"]),
        OperandKind::Condition => (0..8).map(|c| format!(".{}", condition_name(c))).collect(),
        OperandKind::Format => (0..4).map(|f| format!(".{}", format_name(f))).collect(),
        OperandKind::Creg => all(&["fccr", "fcsr", "f1"]),
        OperandKind::Gpr(_) => all(&["g4", "g5", "i4"]),
        OperandKind::Target => all(&["0", "1"]),
        OperandKind::WordAddress | OperandKind::SharedWord => all(&["16", "18", "g1"]),
        OperandKind::AddressSet | OperandKind::SectionSet(_) | OperandKind::SharedSet => {
            all(&["r1", "r2", "f2"])
        }
        OperandKind::Address(AddressForm::PlusN) => {
            all(&["(r1)+n1", "(r2)+n2", "(r1)-n1", "(r1)+n2"])
        }
        OperandKind::Address(AddressForm::MinusN) => {
            all(&["(r1)-n1", "(r2)-n2", "(r1)+n1", "(r1)-n2"])
        }
        OperandKind::Address(AddressForm::Offset)
        | OperandKind::SectionAddress
        | OperandKind::SharedAddress => {
            all(&["(r1)+2", "(r2)+2", "(r1)-2", "(r1)", "(r1)+n1", "(r1.hi)+2"])
        }
        OperandKind::MoveReg(..) => all(&["g4", "a4", "m5", "i4", "rind", "control", "lc"]),
        OperandKind::SetReg => all(&["g4", "n4", "m5", "rind"]),
        OperandKind::GprOrIreg => all(&["g4", "i4", "g5", "a4"]),
        OperandKind::Section(_, last) => {
            let wide = ["s0", "s1", "all"];
            all(if last == 4 { &wide } else { &wide[..2] })
        }
        OperandKind::Select(_) => all(&["1", "-1", "2", "4"]),
    }
}

/// Returns a line of an operation; `other` tells of one operand which text it has, and the others have the first.
fn line(row: &Row, other: Option<(usize, usize)>) -> String {
    let (mut name, mut operands) = (row.name.replace("psprmsgn0", "psprmsgn"), Vec::new());
    for (k, operand) in row.operands.iter().enumerate() {
        let which = other.filter(|&(at, _)| at == k).map_or(0, |(_, which)| which);
        let text = &texts(operand.kind, k)[which];
        match operand.kind {
            OperandKind::Condition | OperandKind::Format => name.push_str(text),
            _ => operands.push(text.clone()),
        }
    }
    format!("{name} {}", operands.join(", ")).trim_end().to_owned()
}

/// A line that is held, for comparison with others.
struct Base {
    text: String,
    region: Region,
    /// Kinds in which others have differed.
    kinds: BTreeSet<&'static str>,
}

impl Base {
    fn of(row: &Row) -> Self {
        let text = line(row, None);
        let region = held(&text).unwrap_or_else(|| panic!("`{text}` is refused"));
        Self { text, region, kinds: BTreeSet::new() }
    }

    /// Compares a line that says something else, and tells whether it is held.
    fn differs(&mut self, other: &str) -> bool {
        let (one, two) = (said(&self.text), said(other));
        assert_ne!(one, two, "`{other}` says what `{}` says", self.text);
        self.kinds.extend(one.iter().filter(|s| !two.contains(s)).map(|(kind, _)| *kind));
        self.kinds.extend(two.iter().filter(|s| !one.contains(s)).map(|(kind, _)| *kind));
        let found = held(other);
        assert_ne!(found.as_ref(), Some(&self.region), "`{other}` comes to `{}`", self.text);
        found.is_some()
    }
}

fn rows() -> impl Iterator<Item = &'static Row> {
    let arith = Arith::ALL.iter().map(|op| op.row());
    let exch = Exch::ALL.iter().filter(|op| **op != Exch::Psprmsgn1).map(|op| op.row());
    arith.chain(exch).filter(|row| row.unit != Unit::Nop)
}

#[test]
fn whatever_a_line_says_is_in_region_and_schedule_or_refused() {
    let mut kinds = BTreeSet::new();
    let mut n_refused = 0;
    for row in rows() {
        if matches!(row.unit, Unit::Loop | Unit::Jump | Unit::Stop | Unit::Sync | Unit::Dma) {
            let text = line(row, None);
            assert!(held(&text).is_none(), "`{text}` is held");
            n_refused += 1;
            continue;
        }
        let mut base = Base::of(row);
        for (k, operand) in row.operands.iter().enumerate() {
            for which in 1..texts(operand.kind, k).len() {
                base.differs(&line(row, Some((k, which))));
            }
        }
        for (predicate, cc) in [("if(cc1) ", 1), ("if(cc7) ", 7)] {
            let other = format!("{predicate}{}", base.text);
            assert_eq!(base.differs(&other), row.obeys(cc), "`{other}`");
        }
        for behind in [" | nop", " @allow(C0504)", ", 1"] {
            let other = format!("{}{behind}", base.text);
            assert!(!base.differs(&other), "`{other}` is held");
        }
        kinds.append(&mut base.kinds);
    }
    assert!(held("if(cc1) nop").is_none());
    assert_eq!(kinds, BTreeSet::from(KINDS));
    assert!(n_refused > 8, "{n_refused}");
}

/// Returns lines for everything that directives of linear code say: the lines of each pair come to different regions.
fn directives() -> Vec<[&'static str; 2]> {
    let fields = |directive: &Linear| match directive {
        Linear::Loop(_count, _promises) => 2,
        Linear::Endloop => 0,
        Linear::Disjoint(_sets) | Linear::Even(_sets) => 1,
        Linear::Keep(_ranges) => 1,
        Linear::Scratch(_registers) => 1,
        Linear::Assign(_which, _to) => 2,
    };
    assert_eq!(fields(&Linear::Endloop), 0);
    vec![
        [".loop 2\n BODY", ".loop 3\n BODY"],
        [".loop g2\n BODY", ".loop g3\n BODY"],
        [".loop g2\n BODY", ".loop g2, min=4\n BODY"],
        [".loop g2\n BODY", ".loop g2, multiple=2\n BODY"],
        [".loop g2\n BODY", ".loop g2.hi\n BODY"],
        [".loop 4\n BODY", ".loop 4, min=4\n BODY"],
        [".loop g2, min=2\n BODY", ".loop g2, min=2, min=3\n BODY"],
        [".loop g2, min=2\n BODY", ".loop g2, max=2\n BODY"],
        [".disjoint r0, r1", ".disjoint r0, r2"],
        [".disjoint r0, r1", ".disjoint r0, r1, abs"],
        [".disjoint r0, r1", ".disjoint r0, r1, sections"],
        [".disjoint r0, r1", ".disjoint r0, r1, r1"],
        [".disjoint r0, r1", ".disjoint r0"],
        [".even r0", ".even r0, r1"],
        [".even r0", ".even r0, abs"],
        [".keep f30", ".keep f30-f31"],
        [".keep f30", ".keep f30.hi"],
        [".keep f30", ".keep f31-f30"],
        [".scratch g14", ".scratch g15"],
        [".scratch g14", ".scratch f14"],
        [".assign %x, f30", ".assign %x, f31"],
        [".assign %x, f30", ".assign %y, f30"],
        [".assign %x, f30", ".assign %x.hi, f30"],
        [".assign %x, f30", ".assign %x, f30.hi"],
        [".assign %x, f30", ".assign %x, f30\n .assign %x, f31"],
    ]
}

#[test]
fn whatever_a_directive_of_linear_code_says_is_in_the_region_or_refused() {
    let region = |directive: &str| {
        let body = "lwo %x, (r0)+1\n lwo %y, (r0)+1\n psadd %z, %x, %y\n swo %z, (r1)+1";
        let (lines, rest) = match directive.strip_suffix("BODY") {
            Some(head) => (format!("{head}{body}\n.endloop"), ""),
            None => (directive.to_owned(), body),
        };
        let text = format!(".linear\n .scratch g13\n {lines}\n {rest}\n.endlinear");
        let mut region = scheduled(&text)?.region;
        region.span = None;
        region.ops.iter_mut().for_each(|op| op.span = None);
        Some(format!("{region:?}").replace(|c: char| c.is_whitespace(), ""))
    };
    for [one, other] in directives() {
        let (first, second) = (region(one), region(other));
        assert!(first.is_some(), "`{one}` is refused");
        assert_ne!(first, second, "`{other}` comes to the same as `{one}`");
    }
}

/// Directives from outside that may stand in a region: what they say is about symbols and kernels.
#[test]
fn other_directives_in_a_region_do_not_speak_of_its_bundles() {
    let word = || Word { text: "name".into(), at: 0..4 };
    let value = || Expr { nodes: Vec::new(), at: 0..0 };
    for (directive, may_stand) in [
        (Placement::Equ(word(), value()), true),
        (Placement::Global(vec![word()]), true),
        (Placement::Live(Vec::new()), true),
        (Placement::Endlinear, true),
        (Placement::Allow(vec![Allowed { code: word(), reason: None }]), false),
        (Placement::Endallow, false),
        (Placement::Dmabank(Operand::Named(word())), false),
        (Placement::Align(value()), false),
        (Placement::Org(value()), false),
        (Placement::Bundle(value(), None, Vec::new()), false),
        (Placement::Code, false),
        (Placement::Kernel(word()), false),
        (Placement::Requires(vec![word()]), false),
        (Placement::Linear(None), false),
    ] {
        assert_eq!(may_stand_in_linear(&directive), may_stand, "{directive:?}");
    }
}
