//! Sweeps: what is run, what stays, what is found; on small workloads.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

use cp2_lab::optimize::{Optimum, Prices, SECTIONS, SolutionStatus};
use cp2_lab::sweep::{
    Best, Column, Finders, Objective, RowStore, Shard, Spec, kept_outcomes, merged, run, status,
    verify,
};
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

const BUILD: &str = "a build";

fn spec(text: &str) -> Spec {
    let mut machines = |name: &str| Err(format!("there is no machine `{name}`"));
    let mut finders = Finders { machines: &mut machines, workloads: &mut |_, _| None };
    Spec::parse(text, &mut finders, &SECTIONS).unwrap()
}

fn threads() -> NonZeroUsize {
    NonZeroUsize::new(2).unwrap()
}

fn go(
    spec: &Spec,
    store: &RowStore,
    shard: &str,
    limit: Option<u64>,
) -> cp2_lab::sweep::ShardSummary {
    let shard: Shard = shard.parse().unwrap();
    run((spec, BUILD), store, shard, threads(), limit, &|_, _| ControlFlow::Continue(())).unwrap()
}

const MEMORY: &str = "procedure = 'fft64'\nmachine = 'vm9'\n[options]\nvectors = [4, 512]\n\
                      [set]\nmemory.outstanding = [1, 2, 4]\nmemory.turn_clocks = [0, 8]\n";

#[test]
fn a_sweep_that_is_broken_off_keeps_what_was_run_and_goes_on() {
    let spec = spec(MEMORY);
    let folder = tempfile::tempdir().unwrap();
    let store = RowStore::new(folder.path());
    let threads = NonZeroUsize::MIN;
    let stop = |_, _| ControlFlow::Break(());
    let first = run((&spec, BUILD), &store, Shard::default(), threads, None, &stop).unwrap();
    let rest = go(&spec, &store, "1/1", None);
    assert_eq!((rest.before, first.run + rest.run), (first.run, spec.count()));
    let outcomes = kept_outcomes((&spec, BUILD), &store).unwrap();
    assert!(outcomes.iter().all(|(_, outcome)| outcome.as_ref().is_some_and(|o| o.us.is_some())));
}

#[test]
fn a_sweep_in_parts_gives_the_same_table_as_in_one_go() {
    let spec = spec(MEMORY);
    let folders = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let [whole, parts] = folders.each_ref().map(|folder| RowStore::new(folder.path()));
    let summary = go(&spec, &whole, "1/1", None);
    assert_eq!((summary.points, summary.before, summary.run, summary.problems), (12, 0, 12, 0));
    // The kernel does not depend on the memory: it is assembled once for all points and threads.
    assert!(summary.assembled <= 2, "{summary:?}");
    assert_eq!(go(&spec, &whole, "1/1", None).run, 0);
    assert_eq!(go(&spec, &parts, "2/3", Some(2)).run, 2);
    let (_, missing) = merged((&spec, BUILD), &parts).unwrap();
    assert_eq!((missing, status((&spec, BUILD), &parts).unwrap().done), (10, 2));
    let ran: Vec<_> = ["1/3", "2/3", "3/3", "1/1"].map(|s| go(&spec, &parts, s, None).run).into();
    assert_eq!(ran, [4, 2, 4, 0]);
    let tables = [&whole, &parts].map(|store| merged((&spec, BUILD), store).unwrap());
    assert!(tables[0] == tables[1] && tables[0].1 == 0);
    let state = status((&spec, BUILD), &parts).unwrap();
    assert!(state.is_complete() && state.repeated == 0, "{state:?}");
    for row in [0, 11] {
        assert!(verify((&spec, BUILD), &parts, row).unwrap().is_same);
    }
    let none = verify((&spec, "another build"), &parts, 0).unwrap_err().to_string();
    assert!(none.contains("another build of cp2"), "{none}");
    assert!(verify((&spec, BUILD), &parts, 12).unwrap_err().to_string().contains("rows 0 to 11"));
}

#[test]
fn a_sweep_that_grows_keeps_what_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let store = RowStore::new(folder.path());
    let small = spec("kernel = 'axpy'\nset.core.load_latency = [3, 4]");
    assert_eq!(go(&small, &store, "1/1", None).run, 2);
    let large = spec("kernel = ['axpy', 'dot']\nset.core.load_latency = { from = 2, to = 5 }");
    let summary = go(&large, &store, "1/1", None);
    assert_eq!((summary.points, summary.before, summary.run), (8, 2, 6));
    let other = verify((&large, BUILD), &store, 1).unwrap();
    assert!(other.is_same && other.label.contains("load_latency=3"), "{other:?}");
}

/// Four vectors in the registers of a core that has not enough of them.
#[test]
fn what_does_not_run_has_a_problem_and_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let store = RowStore::new(folder.path());
    let spec = spec("kernel = 'fft4096'\nset.core.local_memory_words = [1024, 8192]");
    let summary = go(&spec, &store, "1/1", None);
    assert_eq!((summary.run, summary.problems), (2, 1));
    let kept = verify((&spec, BUILD), &store, 0).unwrap().kept;
    assert!(kept.cycles.is_none() && kept.problem.unwrap().contains("words of local memory"));
    let least = |name: &str| Column { name: name.to_owned(), goal: Objective::Least };
    let both = vec![least("cycles"), least("core.local_memory_words")];
    let best = Best::new((&spec, BUILD), &store, both).unwrap();
    assert_eq!((best.compared, best.front.len()), (1, 1));
    let none = Best::new((&spec, BUILD), &store, vec![least("cycle")]).unwrap_err().to_string();
    assert!(none.contains("the nearest is cycles") && none.contains("core.local_memory_words"));
}

#[test]
fn the_front_trades_one_column_for_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let store = RowStore::new(folder.path());
    let spec = spec(MEMORY);
    go(&spec, &store, "1/1", None);
    let columns = vec![
        Column { name: "us".to_owned(), goal: Objective::Least },
        Column { name: "options.vectors".to_owned(), goal: Objective::Most },
    ];
    let best = Best::new((&spec, BUILD), &store, columns).unwrap();
    assert_eq!((best.compared, best.front.len()), (12, 2));
    assert!(best.front.iter().all(|p| p.label.contains("memory.outstanding=4")), "{best:?}");
    let svg = best.chart().unwrap().svg().unwrap();
    assert!(svg.contains(">us (less is better)<") && svg.contains(">row "), "{svg}");
}

const PRICED: &str = "procedure = 'fft64'\nmachine = 'vm9'\noptions.vectors = 16\n\
    [set]\nmemory.outstanding = [1, 2, 3, 4]\nmemory.turn_clocks = [0, 2, 4, 8]\nhost.page_cycles = [0, 1000, 2000]\n\
    [prices]\nmemory.outstanding = 10\nmemory.turn_clocks = { 0 = 5, 2 = 3, 4 = 1, 8 = 0 }\n\
    host.page_cycles = { 0 = 9, 1000 = 4, 2000 = 0 }\n[goal]\ncycles = ";

fn optimum(cycles: u64, runs: u64) -> Optimum {
    let text = format!("{PRICED}{cycles}\n");
    let spec = spec(&text);
    let prices = Prices::parse(&text, &spec).unwrap();
    Optimum::new(&spec, &prices, threads(), runs, &|_, _| {}).unwrap()
}

#[test]
fn the_cheapest_machine_is_that_of_an_exhaustive_search() {
    let folder = tempfile::tempdir().unwrap();
    let store = RowStore::new(folder.path());
    let text = format!("{PRICED}1\n");
    let all = spec(&text);
    go(&all, &store, "1/1", None);
    let prices = Prices::parse(&text, &all).unwrap();
    let mut every: Vec<(f64, u64)> = (0..all.count())
        .map(|row| {
            let kept = verify((&all, BUILD), &store, row).unwrap().kept;
            (prices.of(&all, &all.point(row)).unwrap(), kept.cycles.unwrap())
        })
        .collect();
    let (least, most) =
        (every.iter().map(|e| e.1).min().unwrap(), every.iter().map(|e| e.1).max().unwrap());
    every.sort_by(|a, b| a.0.total_cmp(&b.0));
    for goal in [least, least + (most - least) / 4, least + (most - least) / 2, most] {
        let found = optimum(goal, 1000);
        let (price, _) = every.iter().find(|(_, cycles)| *cycles <= goal).unwrap();
        assert_eq!(found.certainty, SolutionStatus::Proved);
        assert_eq!(found.machine.unwrap().price, *price, "{goal}");
        assert!(found.runs >= found.cheaper);
    }
    let none = optimum(least - 1, 1000);
    assert_eq!((none.certainty, none.runs), (SolutionStatus::Impossible, 48));
    assert_eq!(none.machine.unwrap().outcome.cycles, Some(least));
}

#[test]
fn a_search_that_may_not_run_all_says_so() {
    let fast = optimum(1, 20);
    assert_eq!((fast.certainty, fast.runs), (SolutionStatus::NoneFound, 20));
    let reachable = optimum(fast.machine.unwrap().outcome.cycles.unwrap(), 20);
    assert_eq!(reachable.certainty, SolutionStatus::BestFound);
    assert!(reachable.runs <= 20 && reachable.text().contains("best found: not all of the "));
    for runs in [0, 1, 2] {
        let few = optimum(1, runs);
        assert_eq!((few.certainty, few.runs), (SolutionStatus::NoneFound, runs));
        assert_eq!(few.machine.is_none(), runs == 0);
    }
    // Cheap enough that the first runs prove it.
    assert_eq!(optimum(10_000_000, 20).certainty, SolutionStatus::Proved);
}

#[test]
fn unlike_work_is_never_compared() {
    let text = "procedure = ['fft64', 'fft128']\nmachine = 'vm9'\n[options]\nvectors = [4, 512]\n[set]\nmemory.outstanding = [1, 4]\n";
    let spec = spec(text);
    let folder = tempfile::tempdir().unwrap();
    let store = RowStore::new(folder.path());
    go(&spec, &store, "1/1", None);
    let column = |name: &str| Column { name: name.to_owned(), goal: Objective::Least };
    let best = Best::new((&spec, BUILD), &store, vec![column("us"), column("bytes")]).unwrap();
    let mut groups: Vec<&str> = best.front.iter().map(|point| point.group.as_str()).collect();
    groups.dedup();
    // A small transform on the slowest machine is faster than a large one on the fastest, and beats none.
    assert_eq!(groups.len(), 4, "{}", best.text());
    assert!(
        best.text().contains("that does the same work") && best.chart().unwrap().curves.len() == 4
    );
    let by_size =
        vec![column("us"), Column { name: "options.vectors".to_owned(), goal: Objective::Most }];
    let by_size = Best::new((&spec, BUILD), &store, by_size).unwrap();
    assert!(by_size.front.iter().all(|point| point.group
        == format!("workload={}", if point.label.contains("fft64") { "fft64" } else { "fft128" })));
}
