//! Symbolic values against what they stand for: symbols become numbers at random, and every function has to give what it
//! says in each section.

use super::*;

/// The values of the symbols of a test in one section.
#[derive(Clone, Copy)]
struct World {
    seed: u64,
    section: Section,
}

impl World {
    /// Returns the worlds of the four sections for some choices of numbers.
    fn all() -> impl Iterator<Item = Self> {
        let of = |seed| Section::ALL.map(|section| Self { seed, section });
        (0..6).flat_map(of)
    }

    /// Returns the 16 bits that a part stands for; `None` where nothing was written.
    fn bits(self, nodes: &Nodes, part: Part) -> Option<u16> {
        let any = |section: u64| Some(mix(mix(self.seed, section), part) as u16);
        match nodes.node(part) {
            Node::Undefined => None,
            Node::Bits(bits) => Some(bits),
            Node::Flipped(of) => self.bits(nodes, of).map(|bits| bits ^ 0x8000),
            Node::Merged { mask, inside, outside } => {
                self.bits(nodes, if self.holds(nodes, mask) { inside } else { outside })
            }
            Node::SectionNumber => Some(self.section.index() as u16),
            Node::From { part, section } => Self { section, ..self }.bits(nodes, part),
            Node::Initial(InitialCell::Shared(_), _) => any(9),
            _ => any(self.section.index() as u64),
        }
    }

    fn holds(self, nodes: &Nodes, mask: Mask) -> bool {
        match mask {
            Mask::Condition(part) => self.bits(nodes, part).is_some_and(|bits| bits & 1 == 1),
            Mask::Section(section) => section == self.section,
        }
    }
}

/// A source of parts that have been made in many ways.
struct Parts {
    nodes: Nodes,
    made: Vec<Part>,
    dice: u64,
}

impl Parts {
    /// Makes some leaves and then `n` parts out of parts.
    fn new(seed: u64, n: usize) -> Self {
        let nodes = Nodes::new();
        let mut parts = Self { nodes, made: vec![UNDEFINED, ZERO, ONE], dice: seed };
        let leaves = [
            Node::Bits(0x8000),
            Node::Bits(0x1234),
            Node::SectionNumber,
            Node::Initial(InitialCell::Fpr(63), 1),
            Node::Initial(InitialCell::Memory(WordAddress(0xffff)), 2),
            Node::Initial(InitialCell::Shared(WordAddress(700)), 3),
            Node::Initial(InitialCell::Condition(3), 0),
            Node::Result { op: 3, turn: 5, which: 1, part: 2 },
            Node::Result { op: SHORT, turn: 0, which: 0, part: 1 },
            Node::Opaque(77),
        ];
        parts.made.extend(leaves.map(|leaf| parts.nodes.number(leaf)));
        for _ in 0..n {
            let part = parts.next();
            parts.made.push(part);
        }
        parts
    }

    fn below(&mut self, n: usize) -> usize {
        self.dice = self.dice.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (mix(self.dice, 1) >> 20) as usize % n
    }

    fn pick(&mut self) -> Part {
        let at = self.below(self.made.len());
        self.made[at]
    }

    fn section(&mut self) -> Section {
        Section::ALL[self.below(4)]
    }

    fn mask(&mut self) -> Mask {
        match self.below(3) {
            0 => Mask::Condition(self.pick()),
            _ => Mask::Section(self.section()),
        }
    }

    fn next(&mut self) -> Part {
        match self.below(4) {
            0 => {
                let part = self.pick();
                self.nodes.flipped(part)
            }
            1 => {
                let (part, section) = (self.pick(), self.section());
                self.nodes.of_section(part, section)
            }
            _ => {
                let (mask, inside, outside) = (self.mask(), self.pick(), self.pick());
                self.nodes.merged(mask, inside, outside)
            }
        }
    }

    /// Returns the part with some of its leaves replaced by `other`.
    fn replaced(&mut self, part: Part, other: Part) -> Part {
        if self.below(4) == 0 {
            return other;
        }
        match self.nodes.node(part) {
            Node::Merged { mask, inside, outside } => {
                let (inside, outside) =
                    (self.replaced(inside, other), self.replaced(outside, other));
                self.nodes.merged(mask, inside, outside)
            }
            Node::Flipped(of) => {
                let of = self.replaced(of, other);
                self.nodes.flipped(of)
            }
            _ => part,
        }
    }
}

#[test]
fn parts_stand_for_what_made_them() {
    for seed in 0..20 {
        let mut parts = Parts::new(seed, 60);
        for _ in 0..60 {
            let (a, b, mask, section) = (parts.pick(), parts.pick(), parts.mask(), parts.section());
            let merged = parts.nodes.merged(mask, a, b);
            let flipped = parts.nodes.flipped(a);
            assert_eq!(parts.nodes.flipped(flipped), a);
            let (local, everywhere) =
                (parts.nodes.in_section(a, section), parts.nodes.of_section(a, section));
            for world in World::all() {
                let of = |part| world.bits(&parts.nodes, part);
                let holds = world.holds(&parts.nodes, mask);
                assert_eq!(of(merged), of(if holds { a } else { b }));
                assert_eq!(of(flipped), of(a).map(|bits| bits ^ 0x8000));
                let there = World { section, ..world }.bits(&parts.nodes, a);
                assert_eq!(of(everywhere), there, "{:?}", parts.nodes.node(a));
                assert_eq!(World { section, ..world }.bits(&parts.nodes, local), there);
            }
        }
    }
}

#[test]
fn what_agrees_is_equal_wherever_something_was_written() {
    let mut n_equal = 0;
    for seed in 0..20 {
        let mut parts = Parts::new(seed, 60);
        for _ in 0..60 {
            let (found, other) = (parts.pick(), parts.pick());
            let weaker = parts.replaced(found, UNDEFINED);
            assert!(parts.nodes.agree(weaker, found), "{:?}", parts.nodes.node(found));
            let weakened = parts.replaced(found, other);
            for expected in [other, weakened] {
                let equal = World::all().all(|world| {
                    let of = |part| world.bits(&parts.nodes, part);
                    of(expected).is_none_or(|bits| of(found) == Some(bits))
                });
                n_equal += usize::from(equal);
                assert!(equal || !parts.nodes.agree(expected, found), "{expected} {found}");
            }
        }
    }
    assert!(n_equal > 100, "only {n_equal} were equal");
}

#[test]
fn known_bits_go_through_integer_functions() {
    let function = |bits: u32| bits.rotate_left(7).wrapping_add(0x0001_8003);
    for seed in 0..20 {
        let mut parts = Parts::new(seed, 0);
        parts.made = (0..6).map(|n| parts.nodes.number(Node::Bits(0x9ab1 << n))).collect();
        for _ in 0..40 {
            let (mask, a, b) = (Mask::Section(parts.section()), parts.pick(), parts.pick());
            let merged = parts.nodes.merged(mask, a, b);
            parts.made.push(merged);
        }
        for _ in 0..40 {
            let value = [(); 4].map(|()| parts.pick());
            let half = parts.nodes.map_half(5, [value[0], value[1]], &function);
            for world in World::all() {
                let of = |part| u64::from(world.bits(&parts.nodes, part).expect("known bits"));
                let word =
                    |of: &dyn Fn(Part) -> u64| (0..4).map(|k| of(value[k]) << (16 * k)).sum();
                assert_eq!(parts.nodes.bits(value, world.section), Some(word(&of)));
                let result = function((of(value[0]) | of(value[1]) << 16) as u32);
                assert_eq!((of(half[0]) | of(half[1]) << 16) as u32, result);
            }
        }
    }
}

#[test]
fn what_is_not_known_stays_apart_by_function_and_operand() {
    let mut nodes = Nodes::new();
    let fpr = nodes.initial(InitialCell::Fpr(1));
    let half = [fpr[0], fpr[1]];
    let [low, high] = nodes.map_half(5, half, &|bits| bits);
    assert_ne!(low, high);
    assert_eq!(nodes.map_half(5, half, &|bits| bits), [low, high]);
    for (what, half) in [(6, half), (5, [fpr[1], fpr[0]]), (5, [fpr[0], ZERO])] {
        let other = nodes.map_half(what, half, &|bits| bits);
        assert!(!other.contains(&low) && !other.contains(&high), "{what} {half:?}");
    }
    assert_eq!(nodes.bits([ZERO, ONE, ZERO, fpr[3]], Section::default()), None);
    assert_eq!(nodes.bits([ONE, ZERO, ONE, ZERO], Section::default()), Some(0x1_0000_0001));
    // What a section's own number is in one section is known.
    let number = nodes.number(Node::SectionNumber);
    for section in Section::ALL {
        let known = nodes.number(Node::Bits(section.index() as u16));
        assert_eq!(nodes.of_section(number, section), known);
    }
}

#[test]
fn numbers_give_their_nodes() {
    let mut nodes = Nodes::new();
    let word = WordAddress;
    let places = [
        InitialCell::Fpr(0),
        InitialCell::Fpr(63),
        InitialCell::Memory(word(0)),
        InitialCell::Memory(word(8191)),
        InitialCell::Memory(word(0xffff)),
        InitialCell::Shared(word(0)),
        InitialCell::Shared(word(8191)),
        InitialCell::Condition(0),
        InitialCell::Condition(7),
        InitialCell::Fcsr,
    ];
    let of_place = |place| [0, 1, 2, 3].map(|part| Node::Initial(place, part));
    let mut all: Vec<Node> = places.into_iter().flat_map(of_place).collect();
    all.extend([Node::Undefined, Node::Bits(0), Node::Bits(0xffff), Node::SectionNumber]);
    for n in [0, 1, SHORT - 1, SHORT, u32::MAX] {
        for (which, part) in [(0, 0), (1, 2), (2, 1), (3, 3)] {
            all.push(Node::Result { op: n, turn: 5, which, part });
            all.push(Node::Result { op: 5, turn: n, which, part });
        }
    }
    let numbers: Vec<Part> = all.iter().map(|&node| nodes.number(node)).collect();
    for (&node, &number) in all.iter().zip(&numbers) {
        assert_eq!(nodes.node(number), node);
        assert_eq!(numbers.iter().filter(|&&n| n == number).count(), 1, "{node:?}");
    }
}
