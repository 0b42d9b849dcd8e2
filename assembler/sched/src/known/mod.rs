//! Schedules of loops that are known before anything is searched: certificates, texts that say at which times and in which
//! registers the operations of a loop are. `identity` tells for which loop one is, `certificate` is the value and its
//! text, `read` reads it, `difference` compares schedules. Nobody trusts them: the scheduler holds each against the loop,
//! and the checker validates the bundles. How they are used is in `search/certified`.

mod certificate;
mod difference;
mod identity;
mod read;

pub use certificate::{Certificate, Effort, certificates, mismatch};
pub use difference::{ScheduleDifference, difference};
pub use read::{CertificateError, read_certificates};

pub(crate) use certificate::{count_of, reported};
pub(crate) use identity::Identity;

use crate::place::Times;
use crate::registers::Allocation;
use identity::digest;
use std::sync::LazyLock;

/// A schedule of a loop's body that was found elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Given {
    /// Initiation interval in cycles.
    pub(crate) ii: i64,
    /// Time of each operation, in the order of the block.
    pub(crate) times: Times,
    pub(crate) allocation: Option<Allocation>,
}

/// The certificates that come with the scheduler: names of the kernels that they were made for, and texts.
const SHIPPED: [(&str, &str); 5] = [
    ("fused_32x32", include_str!("../../solved/fused_32x32.schedule")),
    ("proj_general", include_str!("../../solved/proj_general.schedule")),
    ("resid", include_str!("../../solved/resid.schedule")),
    ("smooth", include_str!("../../solved/smooth.schedule")),
    ("smooth0", include_str!("../../solved/smooth0.schedule")),
];

static SHIPPED_CERTIFICATES: LazyLock<Vec<Certificate>> = LazyLock::new(|| {
    let all = SHIPPED.iter().filter_map(|(_, text)| read_certificates(text).ok());
    all.flatten().collect()
});

/// Returns the certificates that come with the scheduler, each with the kernel that it was made for, as text. A test
/// has to find all of them readable, for one that is not is left out by [`schedule`](crate::schedule).
pub const fn shipped_certificates() -> &'static [(&'static str, &'static str)] {
    &SHIPPED
}

/// The certificates that the scheduler may use in place of a search: those that the caller gives, and, unless they are
/// left out, those that come with the scheduler.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownSchedules {
    given: Vec<Certificate>,
    has_shipped: bool,
}

/// The certificates that come with the scheduler, and no other.
pub(crate) static STANDARD: KnownSchedules =
    KnownSchedules { given: Vec::new(), has_shipped: true };

/// No certificate, so that every loop is searched.
pub(crate) static SEARCHED: KnownSchedules =
    KnownSchedules { given: Vec::new(), has_shipped: false };

impl Default for KnownSchedules {
    fn default() -> Self {
        STANDARD.clone()
    }
}

impl KnownSchedules {
    /// Creates a set of certificates, with those that come with the scheduler.
    pub const fn new(given: Vec<Certificate>) -> Self {
        Self { given, has_shipped: true }
    }

    /// Returns the set without the certificates that come with the scheduler.
    #[must_use]
    pub fn without_shipped(self) -> Self {
        Self { has_shipped: false, ..self }
    }

    /// Returns the certificates that were given.
    pub fn given(&self) -> &[Certificate] {
        &self.given
    }

    /// Returns a text that two sets share only if they have the same certificates: empty for those that come with the
    /// scheduler.
    pub fn key(&self) -> String {
        let shipped = if self.has_shipped { "" } else { "without those of the scheduler " };
        let all =
            self.given.iter().map(|certificate| format!("{:016x} ", digest(&certificate.text())));
        all.fold(shipped.to_owned(), |key, one| key + &one)
    }

    /// Returns the certificates for loops that were written with this number of operations.
    pub(crate) fn of_size(&self, operations: usize) -> impl Iterator<Item = &Certificate> {
        let shipped: &[Certificate] = if self.has_shipped { &SHIPPED_CERTIFICATES } else { &[] };
        let all = self.given.iter().chain(shipped);
        all.filter(move |certificate| certificate.identity.operations.count == operations)
    }
}
