//! Files that gdb reads from the machine of the program: one, with the mapped addresses, for `info proc mappings`.

use super::Session;
use gdbstub::target::ext::host_io::{
    HostIo, HostIoClose, HostIoCloseOps, HostIoErrno, HostIoError, HostIoOpen, HostIoOpenFlags,
    HostIoOpenMode, HostIoOpenOps, HostIoPread, HostIoPreadOps, HostIoResult,
};

/// Name of the file.
const MAPS: &[u8] = b"/proc/1/maps";
/// Descriptor of the file.
const DESCRIPTOR: u32 = 3;

impl HostIo for Session<'_> {
    fn support_open(&mut self) -> Option<HostIoOpenOps<'_, Self>> {
        Some(self)
    }
    fn support_close(&mut self) -> Option<HostIoCloseOps<'_, Self>> {
        Some(self)
    }
    fn support_pread(&mut self) -> Option<HostIoPreadOps<'_, Self>> {
        Some(self)
    }
}

impl HostIoOpen for Session<'_> {
    fn open(
        &mut self,
        filename: &[u8],
        _flags: HostIoOpenFlags,
        _mode: HostIoOpenMode,
    ) -> HostIoResult<u32, Self> {
        let maps = self.guest.maps().filter(|_| filename == MAPS);
        self.opened = Some(maps.ok_or(HostIoError::Errno(HostIoErrno::ENOENT))?.into_bytes());
        Ok(DESCRIPTOR)
    }
}

impl HostIoClose for Session<'_> {
    fn close(&mut self, descriptor: u32) -> HostIoResult<(), Self> {
        match self.opened.take() {
            Some(_) if descriptor == DESCRIPTOR => Ok(()),
            _ => Err(HostIoError::Errno(HostIoErrno::EBADF)),
        }
    }
}

impl HostIoPread for Session<'_> {
    fn pread(
        &mut self,
        descriptor: u32,
        count: usize,
        offset: u64,
        bytes: &mut [u8],
    ) -> HostIoResult<usize, Self> {
        let file = self.opened.as_ref().filter(|_| descriptor == DESCRIPTOR);
        let file = file.ok_or(HostIoError::Errno(HostIoErrno::EBADF))?;
        let rest = usize::try_from(offset).ok().and_then(|at| file.get(at..)).unwrap_or_default();
        let n = rest.len().min(count).min(bytes.len());
        bytes[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }
}
