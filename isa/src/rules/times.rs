//! Times that follow from the latencies of the units (`[L]` cycle rules, Latency), with A that of
//! arithmetic and L that of loads. All are in bundles, counted from the issue.

/// Returns the time at which condition codes and FCSR are seen, and STATUS.FPE that a `mtc` replaces: A - 1, for they are
/// written one stage before an arithmetic result. What `mfc` reads is an arithmetic result: A.
pub const fn condition(arithmetic: u32) -> u32 {
    arithmetic - 1
}

/// Returns the time at which `psprmsgn` sees a load: L - 1, by its bypass.
pub const fn bypassed_load(load: u32) -> u32 {
    load - 1
}

/// Returns the number of cycles from a bundle to the first in which all that the bundle began has landed, when the slowest
/// unit takes `longest`: how long `sync` and `stop` hold, and how long a run drains.
pub const fn settled(longest: u32) -> u32 {
    longest - 1
}

/// Time at which `do` and `call` see a general register.
pub const GPR_TO_LOOP: u32 = 2;
/// Time at which `stop` and `run` see a general register.
pub const GPR_TO_STOP: u32 = 3;
/// Time at which STATUS shows that COMM was accessed.
pub const COMM_TO_STATUS: u32 = 2;
/// Time at which the first bundle of a kernel issues behind the `run` that starts it.
pub const RUN_TO_KERNEL: u32 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_cp2_follows_from_8_and_3() {
        assert_eq!((condition(8), bypassed_load(3), settled(8)), (7, 2, 7));
    }

    #[test]
    fn they_follow_other_latencies() {
        assert_eq!((condition(4), bypassed_load(6), settled(12)), (3, 5, 11));
    }
}
