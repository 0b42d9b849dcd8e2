//! Errors of system calls, by the numbers of Linux on MIPS.

use std::io;

/// An error of a system call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::upper_case_acronyms, reason = "the names of POSIX")]
pub(super) enum Errno {
    ENOENT = 2,
    EIO = 5,
    EBADF = 9,
    EAGAIN = 11,
    ENOMEM = 12,
    EACCES = 13,
    EFAULT = 14,
    EEXIST = 17,
    ENOTDIR = 20,
    EISDIR = 21,
    EINVAL = 22,
    EMFILE = 24,
    ENOTTY = 25,
    ENOSPC = 28,
    ESPIPE = 29,
    ERANGE = 34,
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
        _ if error.raw_os_error() == Some(40) => Errno::ELOOP,
        _ => Errno::EIO,
    }
}
