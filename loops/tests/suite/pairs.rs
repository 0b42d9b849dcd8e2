//! Direct dependences of the library of sets beside those that a run in order shows, pair for pair.

use crate::kit::nest;
use crate::nests as n;
use cp2_loops::sets::IslLibrary;
use cp2_loops::threads::NestAnalysis;
use cp2_loops::{DependenceKind, sample_parameters};
use cp2_nest::{Nest, NestInstance};
use std::collections::{BTreeSet, HashMap};

type Pairs = BTreeSet<(DependenceKind, NestInstance, NestInstance)>;

/// Returns the pairs that a run shows: last writes before reads and writes, reads since the last write before writes.
fn shown(nest: &Nest, parameters: &[i64]) -> Pairs {
    let mut written: HashMap<(usize, Vec<i64>), NestInstance> = HashMap::new();
    let mut read: HashMap<(usize, Vec<i64>), Vec<NestInstance>> = HashMap::new();
    let mut pairs = Pairs::new();
    for instance in nest.instances(parameters, 3000).unwrap() {
        let of = &nest.statements[instance.statement];
        let keys: Vec<_> = of
            .accesses
            .iter()
            .map(|access| {
                let forms = nest.full_subscripts(access);
                let value = |form| nest.form_value(form, &instance, parameters).unwrap();
                (access.array, forms.iter().map(value).collect::<Vec<_>>())
            })
            .collect();
        for key in &keys[1..] {
            if let Some(source) = written.get(key) {
                pairs.insert((DependenceKind::Flow, source.clone(), instance.clone()));
            }
        }
        if let Some(source) = written.get(&keys[0]) {
            pairs.insert((DependenceKind::Output, source.clone(), instance.clone()));
        }
        for source in read.remove(&keys[0]).unwrap_or_default() {
            pairs.insert((DependenceKind::Anti, source, instance.clone()));
        }
        written.insert(keys[0].clone(), instance.clone());
        for key in &keys[1..] {
            let all = read.entry(key.clone()).or_default();
            if !all.contains(&instance) && *key != keys[0] {
                all.push(instance.clone());
            }
        }
    }
    pairs
}

/// Returns the pairs that the library finds.
fn found(analysis: &NestAnalysis<'_>, parameters: &[i64]) -> Pairs {
    let instances = analysis.nest.instances(parameters, 3000).unwrap();
    let mut pairs = Pairs::new();
    for one in &analysis.dependences {
        assert!(one.pairs.parts.iter().all(|part| part.extra == 0));
        let of = |statement| instances.iter().filter(move |known| known.statement == statement);
        for source in of(one.source) {
            for sink in of(one.sink) {
                let point = [source.indices.as_slice(), &sink.indices].concat();
                if one.pairs.has(&point, parameters) {
                    pairs.insert((one.kind, source.clone(), sink.clone()));
                }
            }
        }
    }
    pairs
}

#[test]
fn pairs_are_those_that_a_run_shows() {
    let texts = [
        n::POLYNOMIAL,
        n::PRODUCT_FROM_ZERO,
        n::FLOYD,
        n::FIVE_POINTS_IN_TIME,
        n::THREE_POINTS_IN_TIME,
        n::SHIFTED,
        n::TWO_NEIGHBOURS,
        n::MATRIX_VECTOR,
        n::FIR,
        n::TRIANGULAR,
        n::TRIANGULAR_RIGHT_SIDES,
        n::TRANSPOSE_IN_PLACE,
        n::SWAP_THROUGH_A_SCALAR,
        n::ANTI_ONLY,
        n::OUTPUT_ONLY,
        n::DIAGONAL,
        n::KNIGHT,
        n::TRIANGLE_COLUMNS,
        n::EVERY_SECOND,
        n::SUM,
    ];
    for text in texts {
        let (nest, library) = (nest(text), IslLibrary::default());
        let analysis = NestAnalysis::new(&nest, &library).unwrap();
        for parameters in sample_parameters(&nest) {
            // Pairs of many instances take long to compare.
            if nest.instances(&parameters, 400).is_err() {
                continue;
            }
            let (shown, found) = (shown(&nest, &parameters), found(&analysis, &parameters));
            let differ: Vec<_> = shown.symmetric_difference(&found).take(4).collect();
            assert!(differ.is_empty(), "{text} {parameters:?}\n{differ:?}");
        }
    }
}
