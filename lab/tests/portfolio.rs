//! Studies of several workloads on combinations of extensions: what is remembered, chosen, refused; on small workloads.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_lab::costs::CostTable;
use cp2_lab::inputs::LabError;
use cp2_lab::study::{Study, StudyFile};
use cp2_lab::sweep::Finders;
use cp2_session::Environment;
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
    assert!(study.reach.runs < times + 2 * 6 + 2 * 12, "{:?}", study.reach);
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
    let all: f64 = study.worth.iter().map(|worth| worth.all.share).sum();
    let largest = study
        .points
        .iter()
        .find(|p| p.name == "section-addressing, memory-controller, more-fprs=256");
    let largest = largest.unwrap();
    let saved = 100.0 * (1.0 - 1.0 / (largest.speed_up * largest.clock));
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
            // Energies of the machines that are told come on top.
            let told = 2 * (some.front.len() + 2);
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
