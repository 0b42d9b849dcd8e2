//! What each of several changes is worth among all: shares by Shapley, exact over all sets or sampled with its error, and how much
//! two help each other.

use super::machines::MachineSet;

/// Permutations that are sampled at most.
pub(super) const MOST_ORDERS: usize = 2000;

/// Share of one change in what all of them are worth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SharedGain {
    /// Worth of the change if it is the only one.
    pub alone: f64,
    /// Worth of the change if all others are made already.
    pub last: f64,
    /// Mean of its worth over all orders in which the changes can be made (Shapley value).
    pub share: f64,
    /// Standard error of `share`; 0 if it is exact.
    pub error: f64,
}

/// Returns the exact shares of `n` changes; `worth` gives the worth of a set, in which bit k stands for change k.
pub(super) fn exact(n: usize, worth: &dyn Fn(usize) -> f64) -> Vec<SharedGain> {
    let all = (1 << n) - 1;
    let values: Vec<f64> = (0..=all).map(worth).collect();
    // Of all orders, those in which a set of s comes first, then the change: s! (n - s - 1)! / n!.
    let mut weights = vec![1.0 / n as f64];
    for s in 1..n {
        weights.push(weights[s - 1] * s as f64 / (n - s) as f64);
    }
    let of_one = |k: usize| {
        let bit = 1 << k;
        let before = (0..=all).filter(|set| set & bit == 0);
        let share = before
            .map(|set: usize| {
                weights[set.count_ones() as usize] * (values[set | bit] - values[set])
            })
            .sum();
        let (alone, last) = (values[bit] - values[0], values[all] - values[all & !bit]);
        SharedGain { alone, last, share, error: 0.0 }
    };
    (0..n).map(of_one).collect()
}

/// Returns how much each two of `n` changes help each other, over all sets of the others (interaction index of Shapley); above 0
/// they are worth more together than apart.
pub(super) fn pairs(n: usize, worth: &dyn Fn(usize) -> f64) -> Vec<(usize, usize, f64)> {
    let all: usize = (1 << n) - 1;
    let values: Vec<f64> = (0..=all).map(worth).collect();
    // s! (n - s - 2)! / (n - 1)!
    let mut weights = vec![1.0 / (n.max(2) - 1) as f64];
    for s in 1..n.saturating_sub(1) {
        weights.push(weights[s - 1] * s as f64 / (n - s - 1) as f64);
    }
    let mut found = Vec::new();
    for i in 0..n {
        for k in i + 1..n {
            let (a, b) = (1 << i, 1 << k);
            let others = (0..=all).filter(|set| set & (a | b) == 0);
            let help = others.map(|set| {
                let together =
                    values[set | a | b] - values[set | a] - values[set | b] + values[set];
                weights[set.count_ones() as usize] * together
            });
            found.push((i, k, help.sum::<f64>()));
        }
    }
    found.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()));
    found
}

/// Returns random orders of `n` changes, always the same.
pub(super) fn orders(n: usize) -> Vec<Vec<usize>> {
    let mut random = fastrand::Rng::with_seed(1);
    let order = |_| {
        let mut order: Vec<usize> = (0..n).collect();
        random.shuffle(&mut order);
        order
    };
    (0..MOST_ORDERS).map(order).collect()
}

/// Returns the sets that an order passes through, the empty one first.
pub(super) fn prefixes(order: &[usize]) -> impl Iterator<Item = usize> {
    let mut set = 0;
    std::iter::once(0).chain(order.iter().map(move |k| {
        set |= 1 << k;
        set
    }))
}

/// Returns the shares by the mean over some orders, with the standard errors.
pub(super) fn sampled(
    n: usize,
    orders: &[Vec<usize>],
    worth: &dyn Fn(usize) -> f64,
) -> Vec<SharedGain> {
    let mut gains = vec![Vec::new(); n];
    for order in orders {
        let values: Vec<f64> = prefixes(order).map(worth).collect();
        for (step, &k) in order.iter().enumerate() {
            gains[k].push(values[step + 1] - values[step]);
        }
    }
    let all = (1 << n) - 1;
    let of_one = |(k, found): (usize, &Vec<f64>)| {
        let count = found.len().max(1) as f64;
        let share = found.iter().sum::<f64>() / count;
        let squares = found.iter().map(|gain| (gain - share).powi(2)).sum::<f64>();
        let error = (squares / (count - 1.0).max(1.0) / count).sqrt();
        let (alone, last) = (worth(1 << k) - worth(0), worth(all) - worth(all & !(1 << k)));
        SharedGain { alone, last, share, error }
    };
    gains.iter().enumerate().map(of_one).collect()
}

/// Returns the machines that sampled shares over some orders need, without those of the orders: the base, all, each alone and each
/// left out.
pub(super) fn corners(set: &MachineSet) -> Vec<usize> {
    let n = set.axes.len();
    let all: usize = (1 << n) - 1;
    let each = (0..n).flat_map(|k| [1 << k, all & !(1 << k)]);
    let mut machines: Vec<usize> =
        [0, all].into_iter().chain(each).map(|mask| set.of_mask(mask)).collect();
    machines.sort_unstable();
    machines.dedup();
    machines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A worth in which the first two help each other by 3, and the last does nothing.
    fn worth(set: usize) -> f64 {
        let has = |k: usize| f64::from(u8::from(set >> k & 1 == 1));
        2.0 * has(0) + has(1) + 3.0 * has(0) * has(1) + 5.0 * has(2)
    }

    #[test]
    fn shares_add_up_and_what_helps_is_divided() {
        let found = exact(4, &worth);
        let shares: Vec<f64> = found.iter().map(|gain| gain.share).collect();
        for (share, expected) in shares.iter().zip([3.5, 2.5, 5.0, 0.0]) {
            assert!((share - expected).abs() < 1e-12, "{shares:?}");
        }
        assert_eq!((found[0].alone, found[0].last), (2.0, 5.0));
        let help = pairs(4, &worth);
        assert_eq!((help.len(), help[0].0, help[0].1), (6, 0, 1));
        assert!((help[0].2 - 3.0).abs() < 1e-12 && help[1].2.abs() < 1e-12);
    }

    #[test]
    fn sampled_shares_are_near_the_exact_ones() {
        let all = orders(4);
        for (gain, exact) in sampled(4, &all, &worth).iter().zip(exact(4, &worth)) {
            assert!(
                (gain.share - exact.share).abs() <= 4.0 * gain.error + 1e-9,
                "{gain:?} {exact:?}"
            );
        }
        assert_eq!(prefixes(&[2, 0]).collect::<Vec<_>>(), [0, 4, 5]);
    }

    #[test]
    fn one_change_has_all_of_it() {
        let one = |set: usize| set as f64;
        assert_eq!(exact(1, &one)[0].share, 1.0);
        assert!(pairs(1, &one).is_empty());
    }
}
