//! Checked runs: each thing that is found, beside its nearest neighbour that is right; leaps of the check beside the same
//! check without; the examples of the codes.

use cp2_asm::codes::{self, Tool};
use cp2_asm::image::Image;
use cp2_emu::{End, Engine, Machine, ReferenceEngine, RunResult};
use cp2_fast::Translator;
use cp2_isa::{BundleAddress, Core, CoreNumbers, Extensions, RunCycle, Storage};
use cp2_session::arrays::{ArrayRequest, Ready, prepare};
use cp2_session::load;
use cp2_session::sanitizer::{Finding, Sanitizer};

fn image(core: &Core, text: &str) -> std::sync::Arc<Image> {
    cp2_session::Environment::new().assemble(core, "t.s", text).unwrap()
}

/// Returns the findings of a run from bundle 0, after a reset and with these registers given.
fn checked(core: &Core, text: &str, given: &[(Storage, usize)]) -> Vec<Finding> {
    let image = image(core, text);
    let mut cp2 = load::cp2(core);
    load::load(&image, &mut cp2);
    let request = ArrayRequest { is_set: true, ..ArrayRequest::default() };
    let ready = prepare(&mut cp2, &image, BundleAddress(0), &request).unwrap();
    let (found, run) =
        with(&mut Translator::default(), &image, (Machine::alone(cp2), &ready), given);
    assert!(matches!(run.end, End::Stopped(_)), "{:?}", run.end);
    found
}

fn with(
    engine: &mut dyn Engine,
    image: &Image,
    (mut machine, ready): (Machine, &Ready),
    given: &[(Storage, usize)],
) -> (Vec<Finding>, RunResult) {
    let core = *machine.cp2.core();
    let mut sanitizer = Sanitizer::new(image, &core);
    sanitizer.take(ready);
    given.iter().for_each(|&register| sanitizer.give(register, None, None));
    let run = sanitizer.run(engine, &mut machine, (BundleAddress(0), 1_000_000));
    let broken = sanitizer.broken().map(|broken| Finding {
        code: "C0808",
        place: broken.place.clone(),
        address: broken.address,
        cycle: RunCycle(0),
        count: 1,
        message: broken.message.clone(),
        origin: None,
        element: None,
    });
    (sanitizer.findings().into_iter().chain(broken).collect(), run)
}

fn codes_of(found: &[Finding]) -> Vec<&'static str> {
    found.iter().map(|finding| finding.code).collect()
}

/// Returns the codes of the findings in a text for CP2, with nothing given.
fn told(text: &str) -> Vec<&'static str> {
    codes_of(&checked(&Core::CP2, text, &[]))
}

const WAIT: &str = " nop\n nop\n nop\n nop\n nop\n nop\n nop\n";

#[test]
fn the_examples_of_the_codes_are_wrong_and_right() {
    for code in codes::all().filter(|row| row.tool == Tool::Sanitizer) {
        let (wrong, right) = code.example.texts().unwrap();
        for (text, expected) in [(wrong, vec![code.code]), (right, vec![])] {
            let image = image(&Core::CP2, text);
            let mut cp2 = load::cp2(&Core::CP2);
            load::load(&image, &mut cp2);
            let request = ArrayRequest { is_set: true, ..ArrayRequest::default() };
            let mut ready = prepare(&mut cp2, &image, BundleAddress(0), &request).unwrap();
            ready.is_all_laid = !ready.laid.is_empty();
            let machine = Machine::alone(cp2);
            let (found, _) = with(&mut ReferenceEngine, &image, (machine, &ready), &[]);
            assert_eq!(codes_of(&found), expected, "{text}{found:?}");
        }
    }
}

#[test]
fn a_value_that_is_dropped_is_not_told() {
    // A pipelined loop loads behind what it stores, and drops the last.
    let head = " seti a0, x\n seti a1, y\n";
    let data = " .lmem all\nx: .zero 4\ny: .zero 4\n";
    let body = " | lwo f1, (r0)+1\n nop\n nop\n doi 4, last\n | swo f1, (r1)+1\n | lwo f1, (r0)+1\nlast: nop\n nop\n";
    let past = format!("{head}{body} stopi 0\n .lmem all\ny: .zero 4\nx: .zero 4\n");
    assert_eq!(told(&format!("{head}{body} stopi 0\n{data}")), [""; 0]);
    assert_eq!(told(&past), [""; 0]);
    // One store more keeps it.
    let found = checked(&Core::CP2, &past.replace("doi 4", "doi 5"), &[]);
    assert_eq!(codes_of(&found), ["C0801"]);
    let origin = found[0].origin.as_deref().unwrap();
    assert!(origin.contains("nothing has written word 8") && origin.contains("t.s:"), "{origin}");
    assert_eq!(found[0].count, 1);
    assert!(found[0].place.as_deref().unwrap().starts_with("t.s:7:"), "{:?}", found[0].place);
}

#[test]
fn halves_and_sections_are_told_apart() {
    // Defined in section 2 alone.
    let fill = format!(" seti g1, 5\n mtfpr f1, g1, s2\n{WAIT}");
    let one = |rest: &str| told(&format!("{fill}{rest} stopi 0\n"));
    assert_eq!(one(" mffpr g2, f1, s2\n nop\n move a0, g2\n nop\n | lwo f3, (r0)+1\n"), [""; 0]);
    assert_eq!(one(" mffpr g2, f1, s1\n nop\n move a0, g2\n nop\n | lwo f3, (r0)+1\n"), ["C0803"]);
    // A half that is masked away does not count.
    let masked = format!(
        " clear f2, f4\n{WAIT} li0 f2, 0xff\n{WAIT} and f3, f1, f2\n{WAIT} swi f3, 0\n stopi 0\n"
    );
    assert_eq!(told(&format!("{fill}{masked}")), ["C0801"]);
    assert_eq!(told(&masked.replace("f2, 0xff", "f2, 0")), [""; 0]);
    // A register is filled by halves.
    let filled = format!(" li0 f1, 1\n{WAIT} li1 f1, 1\n{WAIT} {{}}\n{WAIT} swi f1, 0\n stopi 0\n");
    assert_eq!(told(&filled.replace("{}", "li2 f1, 1")), ["C0801"]);
    let both = format!("li2 f1, 1\n{WAIT} li3 f1, 1");
    assert_eq!(told(&filled.replace("{}", &both)), [""; 0]);
}

#[test]
fn a_predicate_writes_where_it_holds() {
    // Section 0 alone is enabled.
    let head = format!(
        " section f1\n clear f2, f3\n{WAIT} c.eq.w cc1, f1, f2\n{WAIT} if(cc1) copy f5, f2\n{WAIT}"
    );
    let found = checked(&Core::CP2, &format!("{head} swi f5, 9\n stopi 0\n"), &[]);
    assert_eq!(codes_of(&found), ["C0801"]);
    assert!(found[0].message.contains("in sections 1, 2, 3"), "{}", found[0].message);
    let all = format!("{head} clear f5, f6\n{WAIT} swi f5, 9\n stopi 0\n");
    assert_eq!(told(&all), [""; 0]);
}

#[test]
fn a_value_counts_as_old_until_it_has_landed() {
    let text = " clear f1, f2\n nop\n swi f1, 0\n stopi 0\n";
    assert_eq!(told(text), ["C0801"]);
    // The count of `do` is what the register held before.
    assert_eq!(told(" seti g2, 2\n do g2, l\n nop\nl: nop\n nop\n stopi 0\n"), ["C0804"]);
}

#[test]
fn what_is_given_counts_as_written() {
    let text = " | swo f1, (r2)+1\n stopi 0\n";
    assert_eq!(told(text), ["C0801", "C0803"]);
    let given = [(Storage::Fpr, 1), (Storage::A, 2)];
    assert_eq!(codes_of(&checked(&Core::CP2, text, &given)), [""; 0]);
    let load = " lwi f1, 77\n nop\n nop\n swi f1, 3\n stopi 0\n";
    assert_eq!(told(load), ["C0801"]);
    assert_eq!(codes_of(&checked(&Core::CP2, load, &[(Storage::Lmem, 77)])), [""; 0]);
}

#[test]
fn the_source_allows_with_a_reason() {
    let text = " swi f1, 0 @allow(C0801 \"it is overwritten\")\n stopi 0\n";
    assert_eq!(told(text), [""; 0]);
    let stretch =
        " .allow C0801 \"it is overwritten\"\n swi f1, 0\n .endallow\n swi f2, 0\n stopi 0\n";
    assert_eq!(told(stretch), ["C0801"]);
    // What was kept is told where it goes on.
    let on =
        format!("{} stopi 0\n", text.replace(" stopi 0\n", " lwi f3, 0\n nop\n nop\n swi f3, 5\n"));
    let found = checked(&Core::CP2, &on, &[]);
    assert_eq!(codes_of(&found), ["C0801"]);
    assert_eq!(found[0].origin.as_deref(), Some("nothing has written f1"));
    for wrong in ["C0801", "C0808 \"why\"", "C0801 \"\""] {
        let text = format!(" swi f1, 0 @allow({wrong})\n stopi 0\n");
        assert!(
            cp2_session::Environment::new().assemble(&Core::CP2, "t.s", &text).is_err(),
            "{wrong}"
        );
    }
}

#[test]
fn extensions_have_rules_of_their_own() {
    let extensions =
        Extensions::SECTION_ADDRESSING | Extensions::WORD_ACCESS | Extensions::SHARED_MEMORY;
    let core = Core::new(CoreNumbers { extensions, ..*Core::CP2.numbers() }).unwrap();
    let told = |text: &str| codes_of(&checked(&core, text, &[]));
    let data = " .lmem all\nx: .zero 4\n";
    // Odd in one section; from a register that nothing has written; a half of a word.
    let own =
        format!(" section f1\n{WAIT} mtsa r1, f1.lo\n nop\n ldsa f2, (r1)+0\n stopi 0\n{data}");
    assert_eq!(told(&own), ["C0807"]);
    assert_eq!(told(&own.replace("ldsa", "lwsa")), [""; 0]);
    assert_eq!(told(&own.replace("ldsa", "lwsa").replace("section f1", "nop")), ["C0803"]);
    let half = format!(" lhi f1.lo, x, 1\n nop\n nop\n shi f1.{{}}, x, 0\n stopi 0\n{data}");
    assert_eq!(told(&half.replace("{}", "lo")), [""; 0]);
    assert_eq!(told(&half.replace("{}", "hi")), ["C0801"]);
    let shared = format!(
        " clear f1, f2\n{WAIT} sqsi f1, 7, s2\n lqbi f3, {{}}\n nop\n nop\n swi f3, 0\n stopi 0\n"
    );
    assert_eq!(told(&shared.replace("{}", "7")), [""; 0]);
    assert_eq!(told(&shared.replace("{}", "8")), ["C0801"]);
}

/// Scale and sum, with loops in loops; `{}` is what the inner body loads besides.
const NESTED: &str = " seti g1, 40\n seti a1, y\n clear f4, f5\n nop\n nop\n do g1, outer\n seti a0, x\n seti a2, y\n nop\n doi 60, inner\n \
    psmul f6, f2, f2 | lwo f2, (r0)+1\n nop\n nop\ninner: psadd f4, f4, f2 | lwo f3, {}\n swo f6, (r2)+1\n nop\nouter: nop\n nop\n stopi 0\n \
    .lmem all\nx: .zero 64\ny: .zero 60\n";

#[test]
fn leaps_find_what_steps_find() {
    // Inner loads: in order; of words that nothing has written, and dropped; at an address that goes on and on.
    let texts =
        ["(r0)+0", "(r1)+1", "(r1)+0", "(r3)+0"].map(|address| NESTED.replace("{}", address));
    for text in texts {
        let image = image(&Core::CP2, &text);
        let mut cp2 = load::cp2(&Core::CP2);
        load::load(&image, &mut cp2);
        let machine = || (Machine::alone(cp2.clone()), &READY);
        let (leaps, leapt) = with(&mut Translator::default(), &image, machine(), &[]);
        let steps = stepped(&image, machine().0);
        assert_eq!(leaps, steps.0, "{text}");
        assert_eq!(leapt.stats.cycles, steps.1.stats.cycles);
    }
}

static READY: Ready = Ready {
    stores: Vec::new(),
    laid: Vec::new(),
    is_all_laid: false,
    loaded: Vec::new(),
    registers: Vec::new(),
};

/// Checks a run without leaps: the reference engine reports every cycle.
fn stepped(image: &Image, mut machine: Machine) -> (Vec<Finding>, RunResult) {
    let core = *machine.cp2.core();
    let mut sanitizer = Sanitizer::new(image, &core);
    machine.start_kernel(BundleAddress(0));
    assert!(sanitizer.begin(&machine.cp2.state));
    let end = ReferenceEngine.advance_kernel(&mut machine, 1_000_000, &mut sanitizer);
    let run = machine.finish_kernel(end.unwrap());
    sanitizer.end(&run.end);
    (sanitizer.findings(), run)
}
