//! Barrier, sum and maximum of all ranks, out of messages along a tree. The order of all additions is that of the tree, so that
//! the sum does not depend on time.

use crate::endpoint::Endpoint;
use crate::network::TAGS;

/// Tags of the messages up and down the tree.
const UP: u32 = TAGS;
const DOWN: u32 = TAGS + 1;

impl Endpoint {
    /// Waits until all ranks have come here.
    pub async fn barrier(&mut self) {
        self.reduce(Vec::new(), |_, _| Vec::new()).await;
    }

    /// Returns the sum of a value of each rank, the same bits in all of them. Ranks r and r + 1 are added first, then r and
    /// r + 2, and so on.
    pub async fn sum(&mut self, value: f64) -> f64 {
        self.fold(value, |a, b| a + b).await
    }

    /// Returns the largest of the values of all ranks.
    pub async fn maximum(&mut self, value: f64) -> f64 {
        self.fold(value, f64::max).await
    }

    async fn fold(&mut self, value: f64, fold: impl Fn(f64, f64) -> f64) -> f64 {
        let number = |bytes: &[u8]| bytes.try_into().map(f64::from_le_bytes).unwrap_or(f64::NAN);
        let both = |a: &[u8], b: &[u8]| fold(number(a), number(b)).to_le_bytes().to_vec();
        number(&self.reduce(value.to_le_bytes().to_vec(), both).await)
    }

    /// Folds the bytes of all ranks in rank 0, up a binary tree, and returns the result in all of them.
    async fn reduce(
        &mut self,
        mut bytes: Vec<u8>,
        both: impl Fn(&[u8], &[u8]) -> Vec<u8>,
    ) -> Vec<u8> {
        let (rank, ranks) = (self.rank(), self.ranks());
        let mut step = 1;
        while step < ranks && rank.is_multiple_of(2 * step) {
            if rank + step < ranks {
                let other = self.recv_any(rank + step, UP).await;
                bytes = both(&bytes, &other.bytes);
            }
            step *= 2;
        }
        if rank > 0 {
            self.send_any(rank - step, UP, bytes);
            bytes = self.recv_any(rank - step, DOWN).await.bytes;
        }
        while step > 1 {
            step /= 2;
            if rank + step < ranks {
                self.send_any(rank + step, DOWN, bytes.clone());
            }
        }
        bytes
    }
}
