//! Distances in bundles, from an operation to the first that sees its result, that follow from the latencies of the
//! units or are fixed (`[L]` cycle rules, Latency).

/// Returns the distance in bundles at which condition codes and FCSR are seen, and STATUS.FPE that a `mtc` replaces:
/// the latency of arithmetic less 1, for they are written one stage before an arithmetic result. The FPR that `mfc`
/// writes is such a result and is seen at the latency of arithmetic.
pub const fn condition(arithmetic: u32) -> u32 {
    arithmetic - 1
}

/// Returns the distance in bundles at which `psprmsgn` sees a loaded value, by its bypass: the latency of loads less 1.
pub const fn bypassed_load(load: u32) -> u32 {
    load - 1
}

/// Returns the number of cycles after a bundle until all that the bundle began has landed, that is, stands in its
/// register: `longest` - 1, where `longest` is the latency of the slowest unit. `sync` and `stop` keep the next bundle
/// from issuing for this long, and a run drains for this long.
pub const fn settled(longest: u32) -> u32 {
    longest - 1
}

/// Distance in bundles from the write of a general register to the first `do` or `call` that sees the value.
pub const GPR_TO_LOOP: u32 = 2;
/// Distance in bundles from the write of a general register to the first `stop` or `run` that sees the value.
pub const GPR_TO_STOP: u32 = 3;
/// Distance in bundles from an access of the mailbox COMM to the first read of STATUS that shows the access.
pub const COMM_TO_STATUS: u32 = 2;
/// Number of cycles from the issue of a `run` to the issue of the first bundle of the kernel that it starts.
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
