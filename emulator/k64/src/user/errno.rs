//! Errors of system calls, by the numbers of Linux on MIPS, and those of the native machine that they stand for.

use rustix::io::Errno as Native;
use std::io;

/// Result of a system call: a value, or an error.
pub(super) type Answer = Result<u64, Errno>;

/// Declares the errors, each with its number on MIPS and with the error of the native machine that it stands for.
macro_rules! errors {
    ($($name:ident = $number:literal $native:ident,)*) => {
        /// An error of a system call.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(clippy::upper_case_acronyms, reason = "the names of POSIX")]
        pub(super) enum Errno {
            $($name = $number,)*
        }

        impl From<Native> for Errno {
            fn from(error: Native) -> Self {
                match error {
                    $(Native::$native => Self::$name,)*
                    _ => Self::EIO,
                }
            }
        }
    };
}

errors! {
    EPERM = 1 PERM,
    ENOENT = 2 NOENT,
    ESRCH = 3 SRCH,
    EINTR = 4 INTR,
    EIO = 5 IO,
    ENXIO = 6 NXIO,
    EBADF = 9 BADF,
    ECHILD = 10 CHILD,
    EAGAIN = 11 AGAIN,
    ENOMEM = 12 NOMEM,
    EACCES = 13 ACCESS,
    EFAULT = 14 FAULT,
    EBUSY = 16 BUSY,
    EEXIST = 17 EXIST,
    EXDEV = 18 XDEV,
    ENODEV = 19 NODEV,
    ENOTDIR = 20 NOTDIR,
    EISDIR = 21 ISDIR,
    EINVAL = 22 INVAL,
    ENFILE = 23 NFILE,
    EMFILE = 24 MFILE,
    ENOTTY = 25 NOTTY,
    ETXTBSY = 26 TXTBSY,
    EFBIG = 27 FBIG,
    ENOSPC = 28 NOSPC,
    ESPIPE = 29 SPIPE,
    EROFS = 30 ROFS,
    EMLINK = 31 MLINK,
    EPIPE = 32 PIPE,
    ERANGE = 34 RANGE,
    EDEADLK = 45 DEADLK,
    ENAMETOOLONG = 78 NAMETOOLONG,
    EOVERFLOW = 79 OVERFLOW,
    ENOSYS = 89 NOSYS,
    ELOOP = 90 LOOP,
    ENOTEMPTY = 93 NOTEMPTY,
    EOPNOTSUPP = 122 OPNOTSUPP,
    ESTALE = 151 STALE,
    EDQUOT = 1133 DQUOT,
}

impl From<io::Error> for Errno {
    fn from(error: io::Error) -> Self {
        use io::ErrorKind as K;
        if let Some(native) = Native::from_io_error(&error) {
            return native.into();
        }
        match error.kind() {
            K::PermissionDenied => Self::EACCES,
            K::InvalidInput => Self::EINVAL,
            K::BrokenPipe => Self::EPIPE,
            K::WouldBlock => Self::EAGAIN,
            K::Interrupted => Self::EINTR,
            K::StorageFull | K::WriteZero => Self::ENOSPC,
            _ => Self::EIO,
        }
    }
}
