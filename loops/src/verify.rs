//! The check that every run makes: for small sizes all instances are enumerated, and threads are held against the
//! dependences between them, their greatest number, and execution thread after thread.

use crate::sample::MOST_INSTANCES;
use crate::threads::{NestAnalysis, StatementMaps, StorageRule};
use cp2_nest::{Nest, NestFault, NestInstance};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Outcome of the check for one choice of the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadCheck {
    /// Values of the parameters.
    pub parameters: Vec<i64>,
    /// Number of instances.
    pub instances: usize,
    /// Number of threads that the maps make.
    pub threads: usize,
    /// Greatest number of threads that any maps could make: groups of instances between which there is no dependence.
    pub most: usize,
}

/// An element of memory: array and indices.
type ElementKey = (usize, Vec<i64>);

/// Instances with the elements that each uses, in the order of the run.
struct Enumeration<'n> {
    nest: &'n Nest,
    instances: Vec<NestInstance>,
    elements: Vec<Vec<ElementKey>>,
}

impl<'n> Enumeration<'n> {
    fn new(nest: &'n Nest, parameters: &[i64]) -> Result<Self, NestFault> {
        let instances = nest.instances(parameters, MOST_INSTANCES)?;
        let mut elements = Vec::new();
        for instance in &instances {
            let of = &nest.statements[instance.statement];
            let mut used = Vec::new();
            for access in &of.accesses {
                let forms = nest.full_subscripts(access);
                let indices: Result<Vec<_>, _> =
                    forms.iter().map(|form| nest.form_value(form, instance, parameters)).collect();
                used.push((access.array, indices?));
            }
            elements.push(used);
        }
        Ok(Self { nest, instances, elements })
    }

    /// Whether the update of an instance is a part of a sum that is computed in parts.
    fn is_reduction(&self, number: usize, access: usize) -> bool {
        let of = &self.nest.statements[self.instances[number].statement];
        let others = of.accesses.iter().skip(2);
        access <= 1
            && of.update.is_some_and(|operator| operator.sign() != "/")
            && others.clone().all(|other| other.array != of.accesses[0].array)
    }

    /// Returns the pairs of instances that depend on each other directly, the earlier one first.
    fn pairs(&self, rule: StorageRule) -> BTreeSet<(usize, usize)> {
        let mut written: HashMap<&ElementKey, usize> = HashMap::new();
        let mut read: HashMap<&ElementKey, Vec<usize>> = HashMap::new();
        let mut pairs = BTreeSet::new();
        let same = |a: usize, b: usize| self.instances[a].statement == self.instances[b].statement;
        for (number, used) in self.elements.iter().enumerate() {
            for (access, key) in used.iter().enumerate().skip(1) {
                if let Some(writer) = written.get(key) {
                    let is_left_out = rule == StorageRule::Reduced
                        && same(*writer, number)
                        && self.is_reduction(number, access);
                    if !is_left_out {
                        pairs.insert((*writer, number));
                    }
                }
                read.entry(key).or_default().push(number);
            }
            let key = &used[0];
            let readers = read.remove(key).unwrap_or_default();
            let before = readers.into_iter().chain(written.insert(key, number));
            for other in before.filter(|other| *other != number) {
                let is_left_out = match rule {
                    StorageRule::Kept => false,
                    StorageRule::Expanded => true,
                    StorageRule::Reduced => same(other, number) && self.is_reduction(number, 0),
                };
                if !is_left_out {
                    pairs.insert((other, number));
                }
            }
        }
        pairs
    }

    /// Returns what memory has after instances were carried out in an order: each value is known by the assignment and
    /// the values that went into it.
    fn memory(&self, order: &[usize]) -> BTreeMap<&ElementKey, u64> {
        let mut memory: BTreeMap<&ElementKey, u64> = BTreeMap::new();
        for number in order {
            let used = &self.elements[*number];
            let mut hasher = DefaultHasher::new();
            self.instances[*number].hash(&mut hasher);
            for key in &used[1..] {
                match memory.get(key) {
                    Some(value) => value.hash(&mut hasher),
                    None => key.hash(&mut hasher),
                }
            }
            memory.insert(&used[0], hasher.finish());
        }
        memory
    }
}

/// Returns the number of groups of instances that are joined by pairs.
fn groups(count: usize, pairs: &BTreeSet<(usize, usize)>) -> usize {
    let mut parents: Vec<usize> = (0..count).collect();
    fn root(parents: &mut [usize], mut at: usize) -> usize {
        while parents[at] != at {
            parents[at] = parents[parents[at]];
            at = parents[at];
        }
        at
    }
    for (a, b) in pairs {
        let (a, b) = (root(&mut parents, *a), root(&mut parents, *b));
        parents[a] = b;
    }
    (0..count).filter(|at| parents[*at] == *at).count()
}

/// Checks maps for values of the parameters.
///
/// # Errors
/// The maps are wrong, or the nest does not run with these parameters: what is wrong.
pub fn check_threads(
    analysis: &NestAnalysis<'_>,
    maps: &StatementMaps,
    rule: StorageRule,
    parameters: &[i64],
) -> Result<ThreadCheck, String> {
    let nest = analysis.nest;
    let all = Enumeration::new(nest, parameters).map_err(|fault| fault.to_string())?;
    let mut threads: Vec<Vec<i64>> = Vec::new();
    for instance in &all.instances {
        let forms = maps[instance.statement].iter();
        let numbers = forms.map(|form| nest.form_value(form, instance, parameters));
        let numbers: Vec<_> = numbers.collect::<Result<_, _>>().map_err(|f| f.to_string())?;
        if numbers.iter().any(|number| *number < 0) {
            return Err(format!("{instance:?} has the thread {numbers:?}, below 0"));
        }
        threads.push(numbers);
    }
    let pairs = all.pairs(rule);
    if let Some((a, b)) = pairs.iter().find(|(a, b)| threads[*a] != threads[*b]) {
        let (a, b) = (&all.instances[*a], &all.instances[*b]);
        return Err(format!("{b:?} depends on {a:?}, which is in another thread"));
    }
    if rule == StorageRule::Kept {
        check_memory(&all, &threads)?;
    }
    let distinct: BTreeSet<_> = threads.iter().collect();
    let (instances, most) = (all.instances.len(), groups(all.instances.len(), &pairs));
    Ok(ThreadCheck { parameters: parameters.to_vec(), instances, threads: distinct.len(), most })
}

/// Compares memory after a run thread by thread, forward and backward, with that after the run in order.
fn check_memory(all: &Enumeration<'_>, threads: &[Vec<i64>]) -> Result<(), String> {
    let order: Vec<usize> = (0..threads.len()).collect();
    let expected = all.memory(&order);
    let mut forward = order.clone();
    forward.sort_by_key(|number| &threads[*number]);
    let mut backward = order;
    backward.sort_by_key(|number| std::cmp::Reverse(&threads[*number]));
    for (order, name) in [(forward, "forward"), (backward, "backward")] {
        if all.memory(&order) != expected {
            return Err(format!("threads one after the other, {name}, leave another memory"));
        }
    }
    Ok(())
}
