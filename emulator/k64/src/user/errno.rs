//! Errors of system calls, by the numbers of Linux on MIPS.

use std::io;

/// Result of a system call: a value, or an error.
pub(super) type Answer = Result<u64, Errno>;

/// An error of a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::upper_case_acronyms, reason = "the names of POSIX")]
pub(super) enum Errno {
    ENOENT = 2,
    ESRCH = 3,
    EINTR = 4,
    EIO = 5,
    EBADF = 9,
    EAGAIN = 11,
    ENOMEM = 12,
    EACCES = 13,
    EFAULT = 14,
    EBUSY = 16,
    EEXIST = 17,
    EXDEV = 18,
    ENOTDIR = 20,
    EISDIR = 21,
    EINVAL = 22,
    EMFILE = 24,
    ENOTTY = 25,
    EFBIG = 27,
    ENOSPC = 28,
    ESPIPE = 29,
    EMLINK = 31,
    EPIPE = 32,
    ERANGE = 34,
    EDEADLK = 45,
    ENAMETOOLONG = 78,
    ENOSYS = 89,
    ELOOP = 90,
    ENOTEMPTY = 93,
}

/// Returns the error of a system call for an error of the native machine.
pub(super) fn errno(error: &io::Error) -> Errno {
    use io::ErrorKind as K;
    match error.kind() {
        K::NotFound => Errno::ENOENT,
        K::AlreadyExists => Errno::EEXIST,
        K::NotADirectory => Errno::ENOTDIR,
        K::IsADirectory => Errno::EISDIR,
        K::DirectoryNotEmpty => Errno::ENOTEMPTY,
        K::StorageFull => Errno::ENOSPC,
        K::InvalidInput => Errno::EINVAL,
        K::PermissionDenied | K::ReadOnlyFilesystem => Errno::EACCES,
        K::BrokenPipe => Errno::EPIPE,
        K::FileTooLarge => Errno::EFBIG,
        K::ResourceBusy | K::ExecutableFileBusy => Errno::EBUSY,
        K::InvalidFilename => Errno::ENAMETOOLONG,
        K::CrossesDevices => Errno::EXDEV,
        K::TooManyLinks => Errno::EMLINK,
        K::Interrupted => Errno::EINTR,
        K::WouldBlock => Errno::EAGAIN,
        _ if error.raw_os_error() == Some(40) => Errno::ELOOP,
        _ => Errno::EIO,
    }
}
