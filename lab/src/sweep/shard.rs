//! A share of the points of a sweep, which one process of several runs.

use std::fmt;
use std::str::FromStr;

/// Share of the points of a sweep that one process of several runs, written K/N: every N-th point, beginning with the
/// K-th (K from 1 to N). The default is 1/1, all points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number of the share (K), from 1 to `of`: the share has the points whose index, from 0, is `number - 1` modulo
    /// `of`.
    pub number: u64,
    /// Number of shares into which the sweep is divided (N).
    pub of: u64,
}

impl Default for Shard {
    fn default() -> Self {
        Self { number: 1, of: 1 }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts =
            text.split_once('/').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
        match parts {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            _ => Err("a share is K/N with K from 1 to N, such as 3/16".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_told_from_one() {
        assert_eq!("3/16".parse(), Ok(Shard { number: 3, of: 16 }));
        assert_eq!(Shard::default().to_string(), "1/1");
        for text in ["0/4", "5/4", "4", "a/b", "-1/4", "1/0"] {
            assert!(text.parse::<Shard>().is_err_and(|e| e.contains("such as 3/16")), "{text}");
        }
    }
}
