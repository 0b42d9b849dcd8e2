//! Reading certificates. A text that is damaged is refused with the line and the reason.

use super::certificate::{Effort, HEAD};
use super::identity::{Identity, Part, digest};
use super::{Certificate, Given};
use crate::registers::Allocation;
use cp2_isa::FprSet;
use std::fmt;
use std::iter::Peekable;
use std::str::Lines;

/// Longest initiation interval, and latest time of an operation, in cycles.
const MOST_CYCLES: i64 = 1 << 16;

/// Most numbers in a list, and most iterations in a pass of the kernel.
const MOST: [usize; 2] = [1 << 20, 64];

/// The reason why a text is no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateError {
    /// Line of the text, from 1.
    pub line: usize,
    /// Message for people.
    pub message: String,
}

impl fmt::Display for CertificateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for CertificateError {}

type Read<T> = Result<T, CertificateError>;

/// Reads a text with any number of certificates. Empty lines, and lines that begin with `;`, count for nothing before a
/// certificate.
///
/// # Errors
/// Returns the first line that is wrong, and why.
pub fn read_certificates(text: &str) -> Result<Vec<Certificate>, CertificateError> {
    let mut reader = Reader { lines: text.lines().peekable(), line: 0, read: String::new() };
    let mut all = Vec::new();
    loop {
        while reader.lines.next_if(|line| line.is_empty() || line.starts_with(';')).is_some() {
            reader.line += 1;
        }
        if reader.lines.peek().is_none() {
            return Ok(all);
        }
        reader.read.clear();
        all.push(reader.certificate()?);
    }
}

struct Reader<'a> {
    lines: Peekable<Lines<'a>>,
    /// Number of the line that was read last, from 1.
    line: usize,
    /// The lines of the certificate at hand so far.
    read: String,
}

impl<'a> Reader<'a> {
    fn wrong<T>(&self, message: String) -> Read<T> {
        Err(CertificateError { line: self.line, message })
    }

    fn next(&mut self, wanted: &str) -> Read<&'a str> {
        self.line += 1;
        match self.lines.next() {
            Some(line) => {
                self.read.push_str(line);
                self.read.push('\n');
                Ok(line)
            }
            None => self.wrong(format!("the certificate ends here, and `{wanted}` is missing")),
        }
    }

    /// Returns what stands behind a word in the next line.
    fn field(&mut self, word: &str) -> Read<&'a str> {
        let line = self.next(word)?;
        match line.strip_prefix(word).and_then(|rest| rest.strip_prefix(' ')) {
            Some(rest) => Ok(rest),
            None => self.wrong(format!("`{word} ...` was expected, and this is `{}`", short(line))),
        }
    }

    fn number(&self, word: &str, text: &str, most: u64) -> Read<u64> {
        match text.parse::<u64>() {
            Ok(number) if number <= most => Ok(number),
            Ok(number) => self.wrong(format!("{number} is too large for `{word}`: at most {most}")),
            Err(_) => self.wrong(format!("`{}` is no number for `{word}`", short(text))),
        }
    }

    /// Reads the numbers that stand behind words in turns: `load 3 arithmetic 8`.
    fn named<const N: usize>(&self, text: &str, words: [&str; N]) -> Read<[u64; N]> {
        let mut parts = text.split(' ');
        let mut all = [0; N];
        for (number, word) in all.iter_mut().zip(words) {
            if parts.next() != Some(word) {
                return self.wrong(format!("`{word}` and a number were expected"));
            }
            *number = self.number(word, parts.next().unwrap_or_default(), u64::MAX)?;
        }
        match parts.next() {
            None => Ok(all),
            Some(more) => self.wrong(format!("`{}` is too much here", short(more))),
        }
    }

    fn part(&mut self, word: &str) -> Read<Part> {
        let field = self.field(word)?;
        let (count, digits) = field.split_once(' ').unwrap_or((field, ""));
        let count = self.number(word, count, MOST[0] as u64)? as usize;
        Ok(Part { count, digest: self.digits(digits)? })
    }

    fn digits(&self, digits: &str) -> Read<u64> {
        let is_right = digits.len() == 16 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        match u64::from_str_radix(digits, 16) {
            Ok(digest) if is_right => Ok(digest),
            _ => {
                self.wrong(format!("16 hexadecimal digits were expected, not `{}`", short(digits)))
            }
        }
    }

    /// Reads a list of numbers behind its length.
    fn list(&mut self, word: &str, most: i64) -> Read<Vec<i64>> {
        let count = self.field(word)?;
        let count = self.number(word, count, MOST[0] as u64)? as usize;
        let mut all = Vec::new();
        while all.len() < count {
            for number in self.next(word)?.split(' ') {
                all.push(self.number(word, number, most as u64)? as i64);
            }
        }
        match all.len() == count {
            true => Ok(all),
            false => {
                self.wrong(format!("{} numbers of `{word}`, and {count} were announced", all.len()))
            }
        }
    }

    fn certificate(&mut self) -> Read<Certificate> {
        let head = self.next(HEAD)?;
        if head != HEAD {
            return self.wrong(format!("`{HEAD}` was expected, and this is `{}`", short(head)));
        }
        let name = self.field("name")?.to_owned();
        let core = self.field("core")?;
        let latencies = self.named(core, ["load", "arithmetic", "psprmsgn", "mtfpr"])?;
        let identity = Identity {
            latencies: latencies.map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
            operations: self.part("operations")?,
            dependences: self.part("dependences")?,
            values: self.part("values")?,
        };
        let count = self.field("count")?.to_owned();
        let is_exchanged = match self.field("exchanged")? {
            "yes" => true,
            "no" => false,
            other => {
                return self.wrong(format!("`exchanged` is yes or no, not `{}`", short(other)));
            }
        };
        let effort = self.next("conflicts")?;
        let [conflicts, trials] = self.named(effort, ["conflicts", "trials"])?;
        let trials = u32::try_from(trials).unwrap_or(u32::MAX);
        let given = self.given()?;
        let here = digest(&self.read);
        let end = self.field("end")?;
        if self.digits(end)? != here {
            let message =
                "the lines of the certificate are not those that were written: its digest is";
            return self.wrong(format!("{message} {here:016x}, and `end` says {}", short(end)));
        }
        let effort = Effort { conflicts, trials };
        Ok(Certificate { name, identity, count, is_exchanged, given, effort })
    }

    fn given(&mut self) -> Read<Given> {
        let interval = self.field("interval")?;
        let ii = self.number("interval", interval, MOST_CYCLES as u64)? as i64;
        if ii == 0 {
            return self.wrong("an interval of 0 cycles: at least 1".to_owned());
        }
        let times = self.list("times", MOST_CYCLES)?;
        let unroll = self.field("unroll")?;
        let unroll = self.number("unroll", unroll, MOST[1] as u64)? as usize;
        let registers = self.list("registers", i64::from(u8::MAX))?;
        if unroll == 0 || !registers.len().is_multiple_of(unroll) {
            let count = registers.len();
            return self.wrong(format!("{count} registers cannot be those of {unroll} iterations"));
        }
        let registers: Vec<u8> = registers.into_iter().map(|r| r as u8).collect();
        let used = registers.iter().fold(FprSet::EMPTY, |used, &r| used | FprSet::one(r));
        let registers = registers.chunks(unroll).map(<[u8]>::to_vec).collect();
        Ok(Given {
            ii,
            times,
            allocation: Some(Allocation { unroll: unroll as i64, registers, used }),
        })
    }
}

/// Returns the begin of a text, for a message.
fn short(text: &str) -> String {
    text.chars().take(40).collect()
}
