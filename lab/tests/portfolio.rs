//! Studies of several workloads on combinations of extensions: what is remembered, chosen, refused; on small workloads.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_analysis::events::KernelEvents;
use cp2_emu::MachineConfig;
use cp2_lab::costs::{CostTable, EnergyByLine, EnergyMachines, Estimated, energy_of};
use cp2_lab::inputs::LabError;
use cp2_lab::recorded::Subject;
use cp2_lab::study::{Study, StudyFile};
use cp2_lab::sweep::Finders;
use cp2_session::Environment;
use cp2_session::workload::OptionValue;
use std::num::NonZeroUsize;

const WORKS: &str = "machine = 'vm9'\n\
    [[workload]]\nname = 'fft64'\noptions = { vectors = 4 }\ngroup = 'transforms'\n\
    [[workload]]\nname = 'spmv'\noptions = { rows = 256 }\nweight = 2\n";
const THREE: &str =
    "extensions = ['section-addressing', 'memory-controller', 'more-fprs=128', 'more-fprs=256']\n";

fn file(text: &str) -> Result<StudyFile, LabError> {
    let mut machines = |name: &str| Err(format!("there is no machine `{name}`"));
    let mut finders = Finders { machines: &mut machines, workloads: &mut |_, _| None };
    StudyFile::parse(text, &mut finders)
}

fn study(text: &str) -> Result<Study, LabError> {
    let environment = Environment::new();
    let threads = NonZeroUsize::new(2).unwrap();
    let command = "cp2 optimize study.toml".to_owned();
    Study::new(&file(text)?, &CostTable::default(), (&environment, threads), command, &|_, _| {})
}

fn whole() -> Study {
    study(&format!("{THREE}{WORKS}")).unwrap()
}

#[test]
fn a_study_compares_all_machines_by_few_runs() {
    let study = whole();
    assert_eq!((study.reach.machines, study.reach.known, study.reach.asked), (12, 12, 24));
    assert_eq!(study.points.len(), 12);
    // fft64 does not ask about addresses of sections: six of its twelve machines look alike to it.
    let times = 6 + 12;
    assert!(study.reach.runs < 3 * times + 2 * 12, "{:?}", study.reach);
    let [spmv, fft] = [1, 0].map(|k| &study.worth[0].each[k]);
    assert!(study.worth[0].name == "section-addressing" && spmv.gain.alone > 10.0, "{spmv:?}");
    assert_eq!(fft.gain.share, 0.0);
    for front in study.front.windows(2) {
        let [a, b] = [&front[0].point, &front[1].point];
        assert!(a.extra_area < b.extra_area && a.speed_up < b.speed_up);
    }
    assert!(
        study.front.iter().flat_map(|one| &one.energy).all(|energy| energy
            .as_ref()
            .unwrap()
            .nj
            .low
            > 0.0)
    );
    // Shares add up to what all save.
    let all: f64 = study.worth.iter().map(|worth| worth.all.gain.share).sum();
    let largest = study
        .points
        .iter()
        .find(|p| p.name == "section-addressing, memory-controller, more-fprs=256");
    let largest = largest.unwrap();
    let saved = 100.0 * (1.0 - 1.0 / (largest.speed_up * largest.clock.value));
    assert!((all - saved).abs() < 1e-9, "{all} {saved}");
}

#[test]
fn the_same_study_gives_the_same_bytes() {
    let [a, b] = [whole(), whole()];
    assert_eq!((a.text(), a.page()), (b.text(), b.page()));
    assert_eq!(a.to_json().to_string(), b.to_json().to_string());
    assert!(a.page().contains("What each percent of silicon buys") && !a.page().contains("{{"));
}

#[test]
fn every_percent_of_silicon_has_an_answer() {
    let study = whole();
    let steps = study.silicon();
    let mut next = 1;
    for step in &steps {
        assert_eq!(step.percents[0], next);
        next = step.percents[1] + 1;
    }
    let largest = study.points.iter().map(|point| point.extra_area).fold(0.0, f64::max);
    assert_eq!(next - 1, (largest.ceil() as usize).min(40));
}

/// Silicon beyond the limit of area was not chosen among, so nothing is told of it.
#[test]
fn silicon_ends_at_the_limit_of_area() {
    let study = study(&format!("{THREE}{WORKS}[constraints]\nmost_extra_area = 2.5\n")).unwrap();
    let steps = study.silicon();
    assert_eq!(steps.last().unwrap().percents[1], 2);
    assert!(study.points.iter().any(|point| point.extra_area > 10.0));
}

#[test]
fn two_workloads_of_one_name_are_two_groups() {
    let twice = "machine = 'vm9'\n[[workload]]\nname = 'fft64'\n[[workload]]\nname = 'fft64'\n";
    let groups = file(twice).unwrap().workloads.into_iter().map(|work| work.group);
    assert_eq!(groups.collect::<Vec<_>>(), ["fft64", "fft64 (2)"]);
}

#[test]
fn a_report_has_groups_and_energies_by_kinds_of_events() {
    let report = whole().to_json();
    let best = &report["best"];
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    assert_eq!(best["groups"][0]["name"], "transforms");
    let [fft, spmv] = [0, 1].map(|k| number(&best["groups"][k]["speed_up"]));
    let mean = (fft.ln() / 3.0 + spmv.ln() * 2.0 / 3.0).exp();
    assert!((mean - number(&best["point"]["speed_up"])).abs() < 1e-12);
    for energy in best["energy"].as_array().unwrap() {
        let parts = energy["parts"].as_array().unwrap().iter();
        let sum: f64 = parts.map(|part| number(&part["nj"]["value"])).sum();
        let whole = ["low", "value", "high"].map(|end| number(&energy["nj"][end]));
        assert!((sum - whole[1]).abs() < 1e-9 * sum);
        assert!(0.0 < whole[0] && whole[0] < whole[1] && whole[1] < whole[2]);
    }
}

#[test]
fn limits_choose_and_name_those_that_contradict() {
    let with = |more: &str| study(&format!("{THREE}{WORKS}{more}"));
    let cheap = with("[constraints]\nleast_speed_up = 1.05\n[goal]\nbest = 'cost'\n").unwrap();
    let whole = whole();
    let enough = whole.points.iter().filter(|point| point.speed_up >= 1.05);
    let least = enough.map(|point| point.extra_area).fold(f64::INFINITY, f64::min);
    assert_eq!(cheap.best.point.extra_area, least);
    let fastest = whole.best.point.speed_up;
    let text = format!(
        "[constraints]\nmost_extra_area = 0.1\nleast_speed_up = {fastest}\nmost_power = 99\n"
    );
    let message = with(&text).unwrap_err().message;
    assert!(
        message.contains("most_extra_area = 0.1 percent; constraints.least_speed_up"),
        "{message}"
    );
    assert!(
        message.contains("contradict each other") && !message.contains("most_power"),
        "{message}"
    );
    let message = with("[constraints]\nleast_speed_up = 1e6\n").unwrap_err().message;
    assert!(message.contains("no machine of the study keeps it"), "{message}");
    let one = with("[constraints]\nmost_extra_area = 0.1\n").unwrap();
    assert_eq!(one.front.len(), 1);
    assert!(one.text().contains("The front has one machine"), "{}", one.text());
    let product = with("[goal]\nbest = 'energy-delay'\n").unwrap();
    let least = |point: &cp2_lab::study::StudyPoint| point.energy.unwrap()[1];
    assert!(product.points.iter().all(|point| least(point) >= least(&product.best.point)));
}

#[test]
fn few_runs_sample_and_say_so() {
    let some = study(&format!("runs = 24\n{THREE}{WORKS}"));
    match some {
        Ok(some) => {
            assert!(some.reach.orders >= 2 && some.reach.known < 12 && some.pairs.is_empty());
            assert!(some.text().contains("best found"), "{}", some.text());
            // Energies of the machines that are told, and their times at both ends of assumptions and fits, come on top.
            let told = 3 * 2 * (some.front.len() + 2);
            assert!(some.reach.runs <= 24 + told, "{:?}", some.reach);
        }
        Err(error) => assert!(error.message.contains("raise it"), "{error}"),
    }
    let message = study(&format!("runs = 3\n{THREE}{WORKS}")).unwrap_err().message;
    assert!(message.contains("runs is 3; two orders of the extensions alone need"), "{message}");
}

#[test]
fn what_is_no_study_is_refused_where_it_is_wrong() {
    let machine = "machine = 'vm9'\n";
    let work = "[[workload]]\nname = 'fft64'\n";
    for (text, why) in [
        (work.to_owned(), "machine is missing"),
        (format!("machine = 'vm8'\n{work}"), "there is no machine `vm8`"),
        (machine.to_owned(), "give one or more sections [[workload]]"),
        (format!("workloads = 3\n{machine}{work}"), "the nearest is workload"),
        (format!("{machine}[[workload]]\nnme = 'fft64'\n"), "the nearest is name"),
        (format!("{machine}[[workload]]\nname = 'fft64x'\n"), "the nearest is fft64"),
        (format!("{machine}{work}weight = -1\n"), "workload 1: weight has to be a number above 0"),
        (
            format!("{machine}{work}weight = 1e300\n"),
            "weight is 1e300; it takes 0.000001 to 1000000",
        ),
        (format!("{machine}{work}weight = 1e-300\n"), "it takes 0.000001 to 1000000"),
        (format!("{machine}{work}options = {{ vector = 4 }}\n"), "the nearest is vectors"),
        (format!("{machine}{work}options = {{ vectors = 0 }}\n"), "workload 1:"),
        (format!("extensions = ['word-acces']\n{machine}{work}"), "the nearest is word-access"),
        (format!("extensions = []\n{machine}{work}"), "the list is empty"),
        (format!("runs = 0\n{machine}{work}"), "runs is 0; it takes a whole number from 1"),
        (
            format!("{machine}{work}[goal]\nbest = 'speed'\n"),
            "it takes speed-up, energy-delay, cost",
        ),
        (format!("{machine}{work}[goal]\nbest = 'cost'\n"), "nothing says how fast"),
        (
            format!("{machine}{work}[constraints]\nmost_area = 3\n"),
            "the nearest is most_extra_area",
        ),
        (format!("{machine}{work}[constraints]\nmost_power = 0\n"), "has to be a number above 0"),
    ] {
        let message = study(&text).unwrap_err().message;
        assert!(message.contains(why), "{text}: {message}");
    }
}

/// Each event of a run counts for one line, or for no line by its kind; so energies add up to that of the run.
#[test]
fn energies_of_lines_and_of_no_line_are_that_of_the_run() {
    let costs = CostTable::default();
    for (name, option, value, extensions) in [
        ("fft64", "vectors", 4, "more-fprs=128"),
        ("resid", "grid", 8, "word-access"),
        ("spmv", "rows", 32, "section-addressing,shared-memory"),
    ] {
        let mut config = MachineConfig::preset("vm9").unwrap();
        extensions.split(',').for_each(|one| config.enable(one).unwrap());
        let options = [(option, OptionValue::Number(value))];
        let subject = Subject::procedure(name, config.clone(), &options).unwrap();
        let (best, _) = subject.best().unwrap();
        let events = best.record_right().unwrap().events().unwrap();
        let run = KernelEvents::of(&events.counts);
        assert_eq!(events.total(), run, "{name}");
        assert!(run.flops > 0 && run.local_words > 0 && run.operations > 0 && run.bundles > 0);
        let machines = EnergyMachines { base: &config, config: &config };
        let whole = energy_of(&costs, machines, (&events.counts, events.cycles));
        let found = EnergyByLine::new(&costs, &config, (name.to_owned(), events));
        assert_eq!(found.run, whole);
        let report = found.to_json();
        let sum = |list: &str| -> f64 {
            let rows = report[list].as_array().unwrap().iter();
            rows.map(|row| row["nj"]["value"].as_f64().unwrap()).sum()
        };
        let total = whole.nj.value;
        assert!((sum("lines") + sum("no_line") - total).abs() < 1e-9 * total, "{name}");
        assert!(sum("lines") > 0.0 && sum("no_line") > 0.0);
        let is_falling = |pair: &[cp2_lab::costs::LineEnergy]| pair[0].nj.value >= pair[1].nj.value;
        assert!(found.lines.len() > 3 && found.lines.windows(2).all(is_falling));
        for line in &found.lines {
            let Estimated { value, low, high } = line.nj;
            assert!(0.0 < low && low < value && value < high, "{}", line.line.place());
        }
        let text = found.text(&|_, _| None);
        assert!(text.contains("of no line: cycles, with leakage"), "{text}");
    }
}

/// The file that comes with the program gives the share of a register file in a cycle as 0.1, from 0 to 0.3. 256 registers have twice the
/// side of 64, so a cycle is 1.1 times as long, from 1 to 1.3 times.
#[test]
fn speed_ups_have_the_interval_of_the_clock() {
    let study = whole();
    let point = |name: &str| study.points.iter().find(|point| point.name == name).unwrap();
    let (base, large) = (point("the machine as it is"), point("more-fprs=256"));
    let same_clock = large.speed_up * 1.1;
    let near = |a: f64, b: f64| (a - b).abs() < 1e-12;
    let found = large.ranged(large.speed_up);
    assert!(near(found.low, same_clock / 1.3), "{found:?}");
    assert!(near(found.high, same_clock) && near(found.value, same_clock / 1.1), "{found:?}");
    assert!(found.is_below_spread(1.0), "{found:?}");
    let both = large.ratio_to(base);
    assert!(near(both.low, found.low) && near(both.high, found.high));
    // Both have the same clock, so it leaves no interval.
    let more = point("section-addressing, more-fprs=256").ratio_to(large);
    assert!(more.spread() < 1e-12 && more.value > 1.1, "{more:?}");
    assert_eq!(base.ranged(1.0), Estimated { value: 1.0, low: 1.0, high: 1.0 });
    let worth = study.worth.iter().find(|worth| worth.name == "more-fprs=256").unwrap();
    assert!(worth.with_clock.is_below_spread(0.0), "{worth:?}");
    assert!(study.words().iter().any(|words| words.contains("spread of the effect on the clock")));
    let report = study.to_json();
    for (one, json) in study.front.iter().zip(report["front"].as_array().unwrap()) {
        let (found, json) = (one.point.ranged(one.point.speed_up), &json["point"]);
        let ends = [0, 1].map(|k| json["speed_up_interval"][k].as_f64().unwrap());
        assert_eq!(ends, [found.low, found.high]);
        assert_eq!(json["is_below_spread"], found.is_below_spread(1.0));
        let each = &json["speed_up_intervals"][1];
        assert_eq!(each["value"], json["speed_ups"][1]);
        assert_eq!(each["low"].as_f64() < each["high"].as_f64(), found.spread() > 0.0);
    }
    assert!(study.page().contains("with the clock") && study.page().contains("below the spread"));
}

/// Every gain is told with the range that assumptions and fits leave it, unless the runs that are allowed do not suffice.
#[test]
fn every_gain_has_its_spread() {
    let study = whole();
    for worth in &study.worth {
        for gain in worth.each.iter().chain([&worth.all]) {
            let last = gain.spread.last.map(|spread| (spread, gain.gain.last));
            let share = gain.spread.share.map(|spread| (spread, gain.gain.share));
            for ([low, high], value) in
                [(gain.spread.alone, gain.gain.alone), last.unwrap(), share.unwrap()]
            {
                assert!(low - 1e-9 <= value && value <= high + 1e-9, "{}", worth.name);
            }
        }
    }
    for pair in &study.pairs {
        let [low, high] = pair.spread.unwrap();
        assert!(low <= pair.percent && pair.percent <= high, "{pair:?}");
    }
    // Memory and host change nothing of what the base is compared with.
    let base = study.front.iter().find(|one| one.point.name == "the machine as it is").unwrap();
    assert_eq!(base.at_ends, [1.0, 1.0]);
    let better = study.front.iter().find(|one| one.point.name == "memory-controller").unwrap();
    let [fast, slow] = better.at_ends;
    assert!(fast > 0.0 && slow > 0.0 && fast != slow, "{:?}", better.at_ends);
    // With few runs the spread of gains alone is all there is.
    let needed = |runs: usize| study_of(runs).ok().filter(|some| some.reach.orders == 0);
    if let Some(few) = (30..70).find_map(needed) {
        assert!(few.worth.iter().all(|worth| worth.all.spread.share.is_none()));
        assert!(few.to_json()["pairs"][0]["spread"].is_null());
    }
}

fn study_of(runs: usize) -> Result<Study, LabError> {
    study(&format!("runs = {runs}\n{THREE}{WORKS}"))
}

/// No source tells what a quicker opening of rows takes; a machine that has it says so, unless the user gives a cost.
#[test]
fn what_no_source_prices_is_told() {
    let study = whole();
    let has = |name: &str| name.contains("memory-controller");
    for one in &study.front {
        assert_eq!(!one.uncounted.is_empty(), has(&one.point.name), "{}", one.point.name);
    }
    assert!(study.text().contains("area at least") && study.page().contains("at least"));
    let base = MachineConfig::preset("vm9").unwrap();
    let mut config = base.clone();
    config.enable("memory-controller").unwrap();
    let of = |costs: &CostTable| cp2_lab::costs::uncounted(costs, &base, &config);
    let [told] = &of(&CostTable::default())[..] else { panic!("one sentence") };
    let key = "memory.get_row_opening_clocks=6";
    assert!(told.contains(key) && told.contains("no source"), "{told}");
    let own = CostTable::with(&format!("[own.\"{key}\"]\narea_um2 = 9000\n")).unwrap();
    assert!(of(&own).is_empty());
}
