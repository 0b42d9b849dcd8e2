//! Chains of descriptors as a user writes them: what is read is written back, everything wrong is told at
//! once and where, and a run moves what it says.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_asm::codes::{CodeExample, Tool};
use cp2_asm::diagnostic::{Diagnostic, Sources};
use cp2_descriptors::{
    self as chain, Chain, ChainEnd, ChainSource, Piece, Releases, Report, Script, codes,
};
use cp2_emu::dma::{Beat, ChannelCause, Descriptor, DmaRegister, LocalWalk, MemoryWalk, Pattern};
use cp2_emu::machine::MachineConfig;
use cp2_emu::{Machine, memory::Direction};
use cp2_isa::{Cycle, MemoryAddress, WordAddress};
use proptest::prelude::*;

type Read = fn(&Sources, u32) -> Result<ChainSource, Vec<Diagnostic>>;

fn read(text: &str, read: Read) -> Result<ChainSource, Vec<Diagnostic>> {
    let mut sources = Sources::default();
    let file = sources.add("chain", text);
    read(&sources, file)
}

fn chain_of(text: &str) -> Chain {
    read(text, chain::read_toml).unwrap_or_else(|e| panic!("{e:?}\n{text}")).chain
}

/// Returns `line:column: message` of everything that is wrong.
fn problems(text: &str, with: Read) -> Vec<String> {
    let mut sources = Sources::default();
    let file = sources.add("chain", text);
    let told = |d: &Diagnostic| {
        let (line, column) = sources.line_column(d.span.as_ref().unwrap());
        let help = d.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{line}:{column}: {}{help} [{}]", d.message, d.code)
    };
    with(&sources, file).unwrap_err().iter().map(told).collect()
}

fn config() -> MachineConfig {
    MachineConfig::preset("vm9").unwrap()
}

fn vm9() -> Machine {
    Machine::new(&config())
}

fn script() -> Script {
    Script { releases: Releases::In(Vec::new()), stop_at: None, max_cycles: 100_000 }
}

fn run(machine: &mut Machine, chain: &Chain, script: &Script) -> (Report, Vec<Beat>) {
    chain::load(machine, chain, &[]).unwrap();
    let mut beats = Vec::new();
    let report =
        chain::run(machine, &config(), chain, script, &mut |_| true, |_, beat| beats.push(*beat));
    (report, beats)
}

/// Returns a chain with a table of these descriptors.
fn table(descriptors: Vec<Descriptor>) -> Chain {
    Chain { descriptors, ..Chain::default() }
}

fn get(base: u32) -> Descriptor {
    let memory = MemoryWalk::rows(base.into(), 8, 0, 1).unwrap();
    Descriptor::get(memory, LocalWalk::linear(WordAddress(0), 2), Pattern::dealt(2))
}

proptest! {
    /// Every descriptor is that of some words.
    #[test]
    fn what_is_written_is_read_back(
        words in proptest::collection::vec(any::<[u64; 8]>(), 1..5),
        shorts in any::<[u8; 3]>(),
        registers in any::<[Option<u32>; 6]>(),
        halves in any::<[Option<u32>; 32]>(),
    ) {
        let mut descriptors: Vec<_> = words.iter().map(Descriptor::decode).collect();
        let walk = LocalWalk::linear(WordAddress(shorts[0].into()), 3);
        for sections in [
            [Pattern::ALL; 4],
            Pattern::dealt(shorts[1].into()),
            Pattern::only(usize::from(shorts[2] % 4)),
        ] {
            descriptors.push(Descriptor::get(MemoryWalk::default(), walk, sections));
        }
        let register = |(r, v): (DmaRegister, Option<u32>)| Some((r, v? & r.writable()));
        let halves = (0..).zip(halves);
        let chain = Chain {
            registers: Chain::REGISTERS.into_iter().zip(registers).filter_map(register).collect(),
            halves: halves.filter_map(|(n, v)| Some((n, v?))).collect(),
            descriptors,
        };
        let text = chain::write_toml(&chain);
        prop_assert_eq!(&chain_of(&text), &chain, "{}", text);
        let hex = chain::write_hex(&chain).unwrap();
        let again = read(&hex, chain::read_hex).unwrap();
        prop_assert_eq!(&again.chain.descriptors, &chain.descriptors, "{}", hex);
        prop_assert_eq!(again.places.len(), chain.descriptors.len());
    }

    /// Reading any text ends with a chain or with problems.
    #[test]
    fn no_text_is_too_strange(text in "[a-z\\[\\]{}=\",.0-9 \n-]{0,200}") {
        for with in [chain::read_toml as Read, chain::read_hex] {
            match read(&text, with) {
                Ok(source) => prop_assert!(!source.chain.descriptors.is_empty()),
                Err(problems) => prop_assert!(!problems.is_empty()),
            }
        }
    }
}

#[test]
fn the_words_of_a_file_mean_what_they_say() {
    let chain = chain_of(
        r#"
[registers]
baseaddr = 0x1000
addrlim = 0xffff_fff8
[index]
i2.high = 64
i15.low = 0xffff_ffff
[[descriptor]]
kind = "get"
memory = { base = 0x100, index = "i2.high", burst = 4, x = { step = -64, count = 3 }, y.step = 128, y.count = 0 }
local = { base = 8, index = "i15.low", x = { step = -2, count = 5, reversed = true } }
pattern = [
  { base = 0, inner = 2, run = 1, outer = 8 },
  { base = 2, inner = 2, run = 1, outer = 8 },
  { base = 4, inner = 2, run = 1, outer = 8 },
  { base = 6, inner = 2, run = 1, outer = 8 },
]
single_words = true
next = "i0.low"
valid = false
[[descriptor]]
kind = "put"
memory.base = 16
local.base = 0
flow = 3
mask = 0b0011
row_end_mask = 8
sync = "both"
[[descriptor]]
kind = "jump"
target = { value = -1, equal = -2, other = 3 }
index = "i1.low"
"#,
    );
    assert_eq!(
        chain.registers,
        [(DmaRegister::Addrlim, 0xffff_fff8), (DmaRegister::Baseaddr, 0x1000)]
    );
    assert_eq!(chain.halves, [(4, 64), (31, 0xffff_ffff)]);
    assert_eq!(chain.table(), Some(0x1000));
    let words: Vec<_> = chain.descriptors.iter().map(|d| d.encode().unwrap()).collect();
    // GET, next by half-register 1, 4 beats a burst, single words, base 0x100; not valid.
    assert_eq!(words[0][0], 2 << 57 | 1 << 56 | 1 << 47 | 4 << 41 | 1 << 32 | 0x100);
    let sx = u64::from((-64i32 >> 2) as u32 & 0x3f_ffff);
    assert_eq!(words[0][1], sx << 42 | 4 << 34 | 3 << 12);
    assert_eq!(words[0][2], 32 << 34 | 8 << 16 | 0xfffe);
    assert_eq!(words[0][3], 5 << 48 | 1 << 16 | 1 << 15 | 31 << 8);
    assert_eq!(words[0][7], 0x0006_0002_0001_0008);
    assert_eq!(words[1][0], 1 << 63 | 1 << 60 | 1 << 59 | 1 << 47 | 1 << 41 | 3 << 32 | 16);
    assert_eq!(words[1][4], 3 << 60 | 8 << 56);
    assert_eq!(words[2][0], 1 << 63 | 3 << 57 | 3 << 55 | 3 << 49 | 0xffff_ffff);
    assert_eq!(words[2][1], 0xfffe_0003 << 32);
}

/// Transfers of 32-bit words: `specs/src/extensions/dma-words.md`.
#[test]
fn words_and_gathers_are_written_as_they_are_read_and_told_in_a_sentence() {
    let chain = chain_of(
        r#"
[[descriptor]]
kind = "get_words"
memory = { base = 12, burst = 34, x = { step = 160, count = 10 } }
local = { base = 3, x = { step = 1, count = 34 }, y = { step = 40, count = 10 } }
pattern = { only = 2 }
[[descriptor]]
kind = "gather"
list = { base = 0x2000, burst = 4 }
base = "i3.low"
local = { base = 0, x = { step = 1, count = 4 } }
pattern = "interleaved"
[[descriptor]]
kind = "put_words"
memory = { base = 20, burst = 6 }
local = { base = 5, x = { step = 1, count = 6 } }
stop = true
"#,
    );
    let sentences: Vec<_> = chain.descriptors.iter().map(chain::sentence).collect();
    assert_eq!(
        sentences,
        [
            "gets 10 rows of 34 32-bit words at 0x0000000c, 160 bytes apart into halves from 3 on (34 times +1, 10 times +40) of section 2",
            "gathers from i3.low on what 4 32-bit words at 0x00002000 name, into halves 0 to 3 of the sections in turn, word by word",
            "puts halves 5 to 10 of one section after the other into 6 32-bit words at 0x00000014; stops",
        ]
    );
    assert_eq!(chain_of(&chain::write_toml(&chain)), chain);
    let (report, _) = run(&mut vm9(), &chain, &script());
    let ChainEnd::Fault(fault) = report.end else { panic!("{:?}", report.end) };
    assert!(fault.to_string().contains("dma-words"), "{fault}");
    let mut config = config();
    config.enable("dma-words").unwrap();
    let (report, beats) = run(&mut Machine::new(&config), &chain, &script());
    assert_eq!((&report.end, report.n_visits), (&ChainEnd::Stopped, 3));
    let bytes: u64 = beats.iter().map(|beat| u64::from(beat.bytes)).sum();
    assert_eq!(bytes, 4 * (340 + 4 + 4 + 6));
    let picture = chain::picture("words", &report, &beats, config.core());
    assert!(picture.contains("get_words") && picture.contains("gather"));
}

#[test]
fn everything_that_is_wrong_is_told_at_once_with_its_place() {
    let text = r#"[registers]
baseadr = 0
daddr = 12
intmask = 8
[index]
i16.low = 0
i3.mid = 1
[[descriptor]]
kind = "get"
memory = { burst = 64, x = { step = 6 }, base = 0x1_0000_0000 }
local = { base = -1, index = "i2" }
pattern = "all"
flow = 1
next = 256
[[descriptor]]
kind = "put"
memory = 5
sync = "never"
stop = 1
[[descriptor]]
stop = true
[[descriptor]]
kind = "move"
[[descriptor]]
kind = "jump"
target = { table = [1, 2] }
"#;
    let expected = [
        "2:1: the table of registers has no key `baseadr`; its keys are daddr, curdsc, addrlim, intmask, baseaddr, config (did you mean `baseaddr`?) [C0702]",
        "3:9: registers.daddr is 12; it takes multiples of 8 from 0 to 4294967288 (the nearest are 8 and 16) [C0704]",
        "4:11: registers.intmask is 8; it takes 0 to 7 [C0704]",
        "6:1: the table of index registers has no key `i16`; its keys are i0, i1, i2, i3, i4, i5, i6, i7, i8, i9, i10, i11, i12, i13, i14, i15 (did you mean `i10`?) [C0702]",
        "7:4: an index register has no key `mid`; its keys are high, low [C0702]",
        "10:20: memory.burst is 64; it takes 0 to 63 [C0704]",
        "10:37: memory.x.step is 6; it takes multiples of 4 from -8388608 to 8388604 (the nearest are 4 and 8) [C0704]",
        "10:49: memory.base is 0x100000000; it takes multiples of 4 from 0 to 4294967292 [C0704]",
        "11:18: local.base is -1; it takes 0 to 65535 [C0704]",
        "11:30: local.index is \"i2\"; it takes half of an index register: \"i0.high\", \"i0.low\" to \"i15.low\" [C0703]",
        "12:11: pattern is \"all\"; it takes \"broadcast\", \"interleaved\", { dealt = BEATS }, { only = SECTION }, or a list of four { base, inner, run, outer } [C0703]",
        "13:1: a get has no key `flow`; its keys are kind, valid, interrupt, stop, sync, memory, local, pattern, single_words, next [C0702]",
        "14:8: next is 256; it takes -256 to 255 [C0704]",
        "15:1: `local` is missing: a table { base = ..., x = { step = ..., count = ... }, y = ... } [C0705]",
        "17:10: memory is 5; it takes a table { base = ..., burst = ..., x = { step = ..., count = ... }, y = ... } [C0703]",
        "18:8: sync is \"never\"; it takes \"before\", \"after\" or \"both\" [C0703]",
        "19:8: stop is 1; it takes true or false [C0703]",
        "20:1: `kind` is missing: one of \"get\", \"put\", \"copy\", \"get_words\", \"put_words\", \"gather\", \"jump\" [C0705]",
        "23:8: kind is \"move\"; it takes \"get\", \"put\", \"copy\", \"get_words\", \"put_words\", \"gather\", \"jump\" [C0703]",
        "24:1: `index` is missing: half of an index register: \"i0.high\", \"i0.low\" to \"i15.low\" [C0705]",
        "26:20: target.table is a list; it takes a list of 16 steps, 0 to 65535 [C0703]",
    ];
    let found = problems(text, chain::read_toml);
    assert_eq!(found, expected);
    let found = problems("a = \n[[descriptor]\n", chain::read_toml);
    assert!(found.len() == 2 && found[0].starts_with("1:"), "{found:?}");
    assert!(found.iter().all(|problem| problem.ends_with("[C0701]")), "{found:?}");
    assert_eq!(
        problems("", chain::read_toml),
        ["1:1: `descriptor` is missing: a chain has at least one [[descriptor]] [C0705]"]
    );
}

#[test]
fn wrong_words_of_hex_are_told_with_their_places() {
    let text = "8000000000000000 ; a word\n800 zz00000000000000\n";
    assert_eq!(
        problems(text, chain::read_hex),
        [
            "2:1: 3 digits; a word has 16 (a word is 16 hexadecimal digits) [C0706]",
            "2:5: `z` is not a hexadecimal digit (a word is 16 hexadecimal digits) [C0706]",
        ]
    );
    let nine = "8000000000000000\n".repeat(9);
    assert_eq!(
        problems(&nine, chain::read_hex),
        ["9:1: descriptor 1 has 1 words; it takes 8 [C0707]"]
    );
    assert_eq!(
        problems("; nothing\n", chain::read_hex),
        ["1:1: the file has no descriptor [C0707]"]
    );
}

/// `cp2 explain` shows what it says.
#[test]
fn the_examples_of_the_codes_are_wrong_and_right() {
    for code in cp2_asm::codes::all().filter(|row| row.tool == Tool::Descriptors) {
        let is_hex = matches!(code.example, CodeExample::Hex { .. });
        let with: Read = if is_hex { chain::read_hex } else { chain::read_toml };
        let (wrong, right) = code.example.texts().unwrap();
        read(right, with).unwrap_or_else(|e| panic!("{}: {e:?}", code.code));
        let is_run = code.code == codes::FAULT || code.code == codes::ENDLESS;
        match read(wrong, with) {
            Ok(source) => {
                assert!(is_run, "{}", code.code);
                let (report, _) = run(&mut vm9(), &source.chain, &script());
                let is_fault = matches!(report.end, ChainEnd::Fault(_));
                assert_eq!(is_fault, code.code == codes::FAULT, "{:?}", report.end);
                let (report, _) = run(&mut vm9(), &chain_of(right), &script());
                assert_eq!(report.end, ChainEnd::Stopped);
            }
            Err(problems) => assert!(problems.iter().any(|p| p.code == code.code), "{problems:?}"),
        }
    }
}

#[test]
fn a_run_moves_what_the_descriptors_say_and_adds_up() {
    let mut machine = vm9();
    let words: Vec<u64> = (0..16).map(|k| 0x1111 * k).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
    let put = Descriptor::put(
        MemoryWalk::rows(MemoryAddress(0x2000), 8, 0, 1).unwrap(),
        LocalWalk::linear(WordAddress(0), 2),
        0,
    );
    let chain = table(vec![get(0x1000), put.stopping()]);
    let piece = Piece { name: "in".into(), address: MemoryAddress(0x1000), bytes: bytes.clone() };
    let at = chain::load(&mut machine, &chain, &[piece]).unwrap();
    assert_eq!(at, 0x8000_0000 - 4096, "the end of memory");
    let mut numbers = Vec::new();
    let report =
        chain::run(&mut machine, &config(), &chain, &script(), &mut |_| true, |n, beat| {
            numbers.push((n, *beat));
        });
    assert_eq!(report.end, ChainEnd::Stopped);
    let mut out = vec![0; bytes.len()];
    machine.memory.read(MemoryAddress(0x2000), &mut out).unwrap();
    assert_eq!(out, bytes);
    assert_eq!(machine.cp2.state.lmem[3][1], words[4 + 3]);
    assert_eq!((report.n_visits, report.bytes, report.beats()), (2, 256, 16));
    assert_eq!(report.visits[1].end, Some(Cycle(report.cycles)));
    assert_eq!(report.stats.cycles(), report.cycles);
    let of: Vec<_> = numbers.iter().map(|(n, beat)| (*n, beat.direction)).collect();
    assert_eq!(of[..8], [(0, Direction::Get); 8]);
    assert_eq!(of[8..], [(1, Direction::Put); 8]);
    let json = chain::to_json(&report);
    assert_eq!(json["visits"][1]["begin"], json["visits"][0]["end"]);
    assert_eq!(json["registers"]["curdsc"], "00000002");
}

/// A wait that begins in cycle b, released in cycle c, ends behind it: `specs/src/dma.md`.
#[test]
fn start_dma_is_given_in_its_cycles_or_after_the_begin_of_waits() {
    let chain = table(vec![get(0).synced(), get(0).synced_after().stopping()]);
    let (waiting, _) = run(&mut vm9(), &chain, &script());
    let ChainEnd::Waiting { descriptor: 0, is_behind: false, since } = waiting.end else {
        panic!("{:?}", waiting.end)
    };
    let early = Script { releases: Releases::In(vec![since - 1]), ..script() };
    let (report, _) = run(&mut vm9(), &chain, &early);
    assert_eq!((report.end, report.idle_releases), (waiting.end.clone(), vec![since - 1]));
    let once = Script { releases: Releases::In(vec![since]), ..script() };
    let (report, beats) = run(&mut vm9(), &chain, &once);
    let ChainEnd::Waiting { descriptor: 1, is_behind: true, since: second } = report.end else {
        panic!("{:?}", report.end)
    };
    assert_eq!(report.visits[0].stats.causes[ChannelCause::Sync as usize], 1);
    assert_eq!(beats.len(), 16);
    let twice = Script { releases: Releases::In(vec![since, second + 9]), ..script() };
    let (report, _) = run(&mut vm9(), &chain, &twice);
    assert_eq!((report.end, Cycle(report.cycles)), (ChainEnd::Stopped, second + 10));
    for after in [0, 9] {
        let each = Script { releases: Releases::After(after), ..script() };
        let (report, _) = run(&mut vm9(), &chain, &each);
        assert_eq!(report.end, ChainEnd::Stopped);
        assert_eq!(report.stats.causes[ChannelCause::Sync as usize], 2 * (after + 1));
    }
}

#[test]
fn the_host_and_the_limit_end_a_chain() {
    // Descriptor 1 goes back to 0, again and again.
    let back = chain_of(
        "[[descriptor]]\nkind = \"get\"\nmemory.base = 0\nlocal.base = 0\npattern = \"broadcast\"\nnext = 0\n",
    );
    let asked = Script { stop_at: Some(Cycle(5000)), ..script() };
    let (report, _) = run(&mut vm9(), &back, &asked);
    assert_eq!(report.end, ChainEnd::Asked);
    let last = report.visits.last().unwrap();
    assert!(last.begin <= Cycle(5000) && report.cycles > 5000, "{last:?}");
    let (report, beats) = run(&mut vm9(), &back, &script());
    assert_eq!(report.end, ChainEnd::Limit(100_000));
    assert_eq!(report.cycles, 100_000);
    assert_eq!(report.visits_by_descriptor.get(&0), Some(&report.n_visits));
    assert_eq!(beats.len() as u64, report.beats());
    // A limit inside a wait or a transfer is no other than one between them.
    for max_cycles in 0..300 {
        let short = Script { max_cycles, ..script() };
        let (report, _) = run(&mut vm9(), &back, &short);
        assert_eq!((report.end, report.cycles), (ChainEnd::Limit(max_cycles), max_cycles));
    }
}

#[test]
fn pieces_that_meet_or_are_outside_are_all_told() {
    let piece =
        |name: &str, address, len| Piece { name: name.into(), address, bytes: vec![1; len] };
    let chain = Chain { registers: vec![(DmaRegister::Baseaddr, 0x1000)], ..table(vec![get(0)]) };
    let pieces = [
        piece("a", MemoryAddress(0xfff), 2),
        piece("b", MemoryAddress(0x1000), 0),
        piece("c", MemoryAddress(1 << 40), 4),
        piece("d", MemoryAddress(0), 0x1000),
    ];
    let problems = chain::load(&mut vm9(), &chain, &pieces).unwrap_err();
    assert_eq!(
        problems,
        [
            "a (0x00000fff to 0x00001000) and the table of descriptors (0x00001000 to 0x0000103f) overlap; move one of them",
            "c: 4 bytes at address 0x10000000000 are outside system memory, which ends before 0x80000000",
            "d (0x00000000 to 0x00000fff) and a (0x00000fff to 0x00001000) overlap; move one of them",
        ]
    );
}

/// A run gives the same picture every time, which an SVG reader reads to its end.
#[test]
fn pictures_are_whole_and_the_same_every_time() {
    let copy = MemoryWalk::rows(MemoryAddress(0), 8, 0, 1).unwrap();
    let all = Descriptor::get(copy, LocalWalk::linear(WordAddress(4000), 8), [Pattern::ALL; 4]);
    let none = Descriptor::get(copy, LocalWalk::linear(WordAddress(0), 8), [Pattern::NONE; 4]);
    let to = MemoryWalk { base: MemoryAddress(0x4000), ..copy };
    let long = MemoryWalk::rows(MemoryAddress(0), 4096, 0, 1).unwrap();
    let long =
        Descriptor::get(long, LocalWalk::linear(WordAddress(0), 4096), Pattern::dealt(1)).synced();
    let chain = table(vec![get(0), all, none, Descriptor::copy(copy, to), long.stopping()]);
    let draw = || {
        let mut machine = vm9();
        let each = Script { releases: Releases::After(200), ..script() };
        let (report, beats) = run(&mut machine, &chain, &each);
        assert_eq!(report.end, ChainEnd::Stopped);
        let core = machine.cp2.core();
        let map = chain::map(&report, &beats, core.lmem_words());
        (chain::picture("a <&> b", &report, &beats, core), map)
    };
    let (picture, map) = draw();
    assert_eq!(draw(), (picture.clone(), map.clone()));
    let mut depth = 0;
    for event in svg::read(&picture).unwrap() {
        match event {
            svg::parser::Event::Tag(_, svg::node::element::tag::Type::Start, _) => depth += 1,
            svg::parser::Event::Tag(_, svg::node::element::tag::Type::End, _) => depth -= 1,
            svg::parser::Event::Error(e) => panic!("{e}"),
            _ => {}
        }
    }
    assert_eq!(depth, 0);
    for part in ["a &lt;&amp;&gt; b", "Descriptor 4: get", "memory to memory", "no section"] {
        assert!(picture.contains(part), "{part}");
    }
    assert!(picture.len() < 1 << 20, "{} bytes", picture.len());
    assert!(
        map.contains("         0  00112233\n  words 0 to 31, 1 a column\n  section 0 ####"),
        "{map}"
    );
    assert!(map.contains("0  AAAAAAAA\n") && map.contains("0  ........\n"), "{map}");
    assert!(map.contains("0  mmmmmmmmmmmmmmmm\n"), "{map}");
    assert!(map.contains("2048  and 2048 beats more"), "{map}");
}

#[test]
fn a_run_without_beats_has_a_picture_too() {
    let mut machine = vm9();
    let chain = table(vec![get(4)]);
    let (report, beats) = run(&mut machine, &chain, &script());
    assert!(matches!(report.end, ChainEnd::Fault(_)), "{:?}", report.end);
    let core = machine.cp2.core();
    assert!(chain::picture("x", &report, &beats, core).ends_with("</svg>\n"));
    assert!(chain::map(&report, &beats, core.lmem_words()).contains("no beat has moved"));
    assert!(chain::to_text(&report).starts_with("stopped with a fault after "));
}
