//! Bytes of files, pipes and standard streams: to read and write them, and to move in a file.

use crate::user::Process;
use crate::user::errno::{Answer, Errno};
use crate::user::files::{Description, Open, flag};
use crate::user::pipe::PipeEnd;
use crate::user::row::Row;
use crate::user::signals::{self, origin};
use rustix::fs::SeekFrom;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::FileExt;

/// Largest number of bytes of a single transfer; Linux has such a limit too.
const LONGEST: u64 = 0x7fff_f000;
/// Bytes that are taken from the native machine at once.
const CHUNK: u64 = 1 << 20;
/// Buffers of a vector.
const MOST_BUFFERS: u64 = 1024;

/// Rows of the table of system calls.
pub(super) const ROWS: &[Row] = &[
    Row::part(5000, "read", NO_ALARM, |p, [a, b, c, ..]| p.read(a, b, c, None)),
    Row::part(5001, "write", NO_WAIT, |p, [a, b, c, ..]| p.write(a, b, c, None)),
    Row::whole(5008, "lseek", |p, [a, b, c, ..]| p.seek(a, b, c)),
    Row::whole(5016, "pread64", |p, [a, b, c, d, ..]| p.read(a, b, c, Some(d))),
    Row::whole(5017, "pwrite64", |p, [a, b, c, d, ..]| p.write(a, b, c, Some(d))),
    Row::part(5018, "readv", NO_ALARM, |p, [a, b, c, ..]| p.read_parts(a, b, c, None)),
    Row::part(5019, "writev", NO_WAIT, |p, [a, b, c, ..]| p.write_parts(a, b, c, None)),
    Row::part(5039, "sendfile", "the source is a file", |p, [a, b, c, d, ..]| p.send(a, b, c, d)),
    Row::whole(5289, "preadv", |p, [a, b, c, d, ..]| p.read_parts(a, b, c, Some(d))),
    Row::whole(5290, "pwritev", |p, [a, b, c, d, ..]| p.write_parts(a, b, c, Some(d))),
    Row::part(5321, "preadv2", NO_FLAGS, |p, [a, b, c, d, _, f]| match f {
        0 => p.read_parts(a, b, c, position(d)),
        _ => Err(Errno::EOPNOTSUPP),
    }),
    Row::part(5322, "pwritev2", NO_FLAGS, |p, [a, b, c, d, _, f]| match f {
        0 => p.write_parts(a, b, c, position(d)),
        _ => Err(Errno::EOPNOTSUPP),
    }),
];

const NO_WAIT: &str = "a wait at a pipe that nothing could end is EDEADLK";
const NO_ALARM: &str = "a wait at a pipe that nothing could end is EDEADLK; no alarm ends a wait for standard input, in which no time passes";
const NO_FLAGS: &str = "flags are EOPNOTSUPP";

/// Returns the position that a call names, none where it takes that of the file.
fn position(offset: u64) -> Option<u64> {
    (offset != u64::MAX).then_some(offset)
}

impl Process {
    /// Reads from the position of a descriptor, or from one in a file.
    fn read(&mut self, descriptor: u64, address: u64, length: u64, at: Option<u64>) -> Answer {
        let description = self.files.get(descriptor)?;
        if description.flags.get() & flag::ACCESS == flag::WRITE_ONLY {
            return Err(Errno::EBADF);
        }
        let length = length.min(LONGEST);
        match &description.open {
            Open::File(_) => return self.read_file(&description, address, length, at),
            Open::Folder(_) => return Err(Errno::EISDIR),
            _ if at.is_some() => return Err(Errno::ESPIPE),
            _ => {}
        }
        let bytes = self.receive(&description, length)?;
        self.core.memory.write(address, &bytes)?;
        Ok(bytes.len() as u64)
    }

    /// Takes up to so many bytes of a pipe or of standard input.
    fn receive(&mut self, description: &Description, length: u64) -> Result<Vec<u8>, Errno> {
        match &description.open {
            Open::Pipe(_) if length == 0 => Ok(Vec::new()),
            Open::Pipe(pipe) => match pipe.take(length as usize) {
                None => self.wait_at_pipe(description).map(|_| Vec::new()),
                Some(bytes) => Ok(bytes),
            },
            Open::Input => {
                let mut bytes = vec![0; length.min(CHUNK) as usize];
                let read = self.streams.input.read(&mut bytes);
                // A signal of the native machine is none of the process.
                self.is_interrupted =
                    read.as_ref().is_err_and(|error| error.kind() == ErrorKind::Interrupted);
                let n = read?;
                bytes.truncate(n);
                Ok(bytes)
            }
            _ => Err(Errno::EBADF),
        }
    }

    fn read_file(
        &mut self,
        description: &Description,
        address: u64,
        length: u64,
        at: Option<u64>,
    ) -> Answer {
        let mut file = description.file()?;
        if at.is_some_and(|at| at > i64::MAX as u64) {
            return Err(Errno::EINVAL);
        }
        let mut bytes = vec![0; length.min(CHUNK) as usize];
        let mut done = 0;
        while done < length {
            let most = (length - done).min(CHUNK) as usize;
            let n = match at {
                Some(at) => file.read_at(&mut bytes[..most], at.saturating_add(done))?,
                None => file.read(&mut bytes[..most])?,
            };
            if let Err(error) = self.core.memory.write(address.wrapping_add(done), &bytes[..n]) {
                if at.is_none() {
                    rustix::fs::seek(file, SeekFrom::Current(-(n as i64)))?;
                }
                return if done > 0 { Ok(done) } else { Err(error.into()) };
            }
            done += n as u64;
            if n < most {
                break;
            }
        }
        Ok(done)
    }

    /// Writes at the position of a descriptor, or at one in a file.
    fn write(&mut self, descriptor: u64, address: u64, length: u64, at: Option<u64>) -> Answer {
        let description = self.files.get(descriptor)?;
        let bytes = self.core.memory.read(address, length.min(LONGEST))?;
        self.write_bytes(&description, &bytes, at)
    }

    fn write_bytes(&mut self, description: &Description, bytes: &[u8], at: Option<u64>) -> Answer {
        if description.flags.get() & flag::ACCESS == flag::READ_ONLY {
            return Err(Errno::EBADF);
        }
        if at.is_some_and(|at| at > i64::MAX as u64) {
            return Err(Errno::EINVAL);
        }
        let answer = match (&description.open, at) {
            (Open::File(file), Some(at)) => file.write_at(bytes, at).map_err(Errno::from),
            (Open::File(file), None) => (&*file).write(bytes).map_err(Errno::from),
            (Open::Input | Open::Folder(_), _) => Err(Errno::EBADF),
            (_, Some(_)) => Err(Errno::ESPIPE),
            (Open::Pipe(pipe), None) => return self.write_to_pipe(description, pipe, bytes),
            (Open::Output, None) => {
                self.streams.output.write_all(bytes).map(|()| bytes.len()).map_err(Errno::from)
            }
            (Open::Error, None) => {
                self.streams.error.write_all(bytes).map(|()| bytes.len()).map_err(Errno::from)
            }
        };
        if answer == Err(Errno::EPIPE) {
            self.signals.raise(signals::PIPE, origin::PROCESS);
        }
        answer.map(|n| n as u64)
    }

    fn write_to_pipe(&mut self, description: &Description, pipe: &PipeEnd, bytes: &[u8]) -> Answer {
        if bytes.is_empty() {
            return Ok(0);
        }
        if pipe.is_alone() {
            self.signals.raise(signals::PIPE, origin::PROCESS);
            return Err(Errno::EPIPE);
        }
        match pipe.put(bytes) {
            0 => self.wait_at_pipe(description),
            n => {
                // The rest waits for room, until a signal ends that.
                if n < bytes.len() && !description.is_without_waiting() {
                    let _ = self.pause();
                }
                Ok(n as u64)
            }
        }
    }

    /// Answers where a read or write would wait, which only the handler of an alarm could end, or make room for.
    fn wait_at_pipe(&mut self, description: &Description) -> Answer {
        if description.is_without_waiting() { Err(Errno::EAGAIN) } else { self.pause_to_restart() }
    }

    /// Returns address and length of each buffer of a vector.
    fn buffers(&self, address: u64, count: u64) -> Result<Vec<[u64; 2]>, Errno> {
        if count > MOST_BUFFERS {
            return Err(Errno::EINVAL);
        }
        let pairs = (0..count).map(|i| self.pair(address.wrapping_add(16 * i)));
        let pairs = pairs.collect::<Result<Vec<_>, _>>()?;
        if pairs.iter().any(|[_, length]| length >> 63 != 0) {
            return Err(Errno::EINVAL);
        }
        Ok(pairs)
    }

    /// Does something with each part of a vector of buffers, until one is not done whole; `each` is given address and
    /// length of the part, and the bytes before it.
    fn parts(
        &mut self,
        address: u64,
        count: u64,
        each: impl Fn(&mut Self, u64, u64, u64) -> Answer,
    ) -> Answer {
        let pairs = self.buffers(address, count)?;
        let mut done = 0;
        for [base, length] in pairs {
            if length == 0 {
                continue;
            }
            match each(self, base, length, done) {
                Ok(n) if n < length => return Ok(done + n),
                Ok(n) => done += n,
                Err(_) if done > 0 => break,
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    fn read_parts(&mut self, descriptor: u64, address: u64, count: u64, at: Option<u64>) -> Answer {
        let description = self.files.get(descriptor)?;
        if at.is_none() && matches!(description.open, Open::Pipe(_) | Open::Input) {
            return self.scatter(&description, address, count);
        }
        self.parts(address, count, |process, base, length, before| {
            process.read(descriptor, base, length, at.map(|at| at.saturating_add(before)))
        })
    }

    /// Reads bytes that are there once into a vector of buffers, with one wait for all.
    fn scatter(&mut self, description: &Description, address: u64, count: u64) -> Answer {
        if description.flags.get() & flag::ACCESS == flag::WRITE_ONLY {
            return Err(Errno::EBADF);
        }
        let buffers = self.buffers(address, count)?;
        let all = buffers.iter().fold(0u64, |all, [_, length]| all.saturating_add(*length));
        let bytes = self.receive(description, all.min(LONGEST))?;
        let mut done = 0usize;
        for [base, length] in buffers {
            let part = &bytes[done..bytes.len().min(done.saturating_add(length as usize))];
            match self.core.memory.write(base, part) {
                Err(error) if done == 0 => return Err(error.into()),
                Err(_) => break,
                Ok(()) => done += part.len(),
            }
        }
        Ok(done as u64)
    }

    /// Writes a vector of buffers to a pipe at once, up to a buffer that is not there.
    fn gather(&mut self, description: &Description, address: u64, count: u64) -> Answer {
        let mut bytes = Vec::new();
        for [base, length] in self.buffers(address, count)? {
            let left = LONGEST - bytes.len() as u64;
            match self.core.memory.read(base, length.min(left)) {
                Err(error) if bytes.is_empty() => return Err(error.into()),
                Err(_) => break,
                Ok(part) => bytes.extend(part),
            }
        }
        self.write_bytes(description, &bytes, None)
    }

    fn write_parts(
        &mut self,
        descriptor: u64,
        address: u64,
        count: u64,
        at: Option<u64>,
    ) -> Answer {
        let description = self.files.get(descriptor)?;
        if at.is_none() && matches!(description.open, Open::Pipe(_)) {
            return self.gather(&description, address, count);
        }
        self.parts(address, count, |process, base, length, before| {
            process.write(descriptor, base, length, at.map(|at| at.saturating_add(before)))
        })
    }

    /// Answers `sendfile`: copies bytes of a file to a descriptor.
    fn send(&mut self, to: u64, from: u64, offset: u64, count: u64) -> Answer {
        let (to, from) = (self.files.get(to)?, self.files.get(from)?);
        let mut file = from.file().map_err(|_| Errno::EINVAL)?;
        if to.flags.get() & flag::APPEND != 0 {
            return Err(Errno::EINVAL);
        }
        let mut bytes = vec![0; count.min(CHUNK) as usize];
        if offset == 0 {
            let n = file.read(&mut bytes)?;
            let sent = self.write_bytes(&to, &bytes[..n], None);
            let left = n as u64 - sent.unwrap_or(0);
            rustix::fs::seek(file, SeekFrom::Current(-(left as i64)))?;
            return sent;
        }
        let mut start = [0; 8];
        start.copy_from_slice(&self.core.memory.read(offset, 8)?);
        let start = u64::from_be_bytes(start);
        let n = file.read_at(&mut bytes, start)?;
        let sent = self.write_bytes(&to, &bytes[..n], None)?;
        self.put(offset, &[start + sent])?;
        Ok(sent)
    }

    /// Answers `lseek`.
    fn seek(&mut self, descriptor: u64, offset: u64, whence: u64) -> Answer {
        let description = self.files.get(descriptor)?;
        if let Open::Folder(folder) = &description.open {
            let mut folder = folder.borrow_mut();
            match (whence, i64::try_from(offset)) {
                (0, Ok(_)) => folder.seek(offset),
                (1, Ok(0)) => {}
                _ => return Err(Errno::EINVAL),
            }
            return Ok(folder.position());
        }
        let file = description.file()?;
        let signed = offset as i64;
        let to = match whence {
            0 if signed < 0 => return Err(Errno::EINVAL),
            0 => SeekFrom::Start(offset),
            1 => SeekFrom::Current(signed),
            2 => SeekFrom::End(signed),
            3 if signed < 0 => return Err(Errno::ENXIO),
            3 => SeekFrom::Data(offset),
            4 if signed < 0 => return Err(Errno::ENXIO),
            4 => SeekFrom::Hole(offset),
            _ => return Err(Errno::EINVAL),
        };
        Ok(rustix::fs::seek(file, to)?)
    }
}
