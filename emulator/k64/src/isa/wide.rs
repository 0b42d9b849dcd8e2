//! Operations that compute with 64 bits, which user mode has only where Status.UX is set.

use super::Operation;

impl Operation {
    /// Whether the operation computes with 64 bits: without Status.UX it is no instruction of user mode. Loads and stores
    /// of the FPU and of coprocessor 2 are instructions of both.
    #[must_use]
    pub fn is_wide(self) -> bool {
        use Operation as O;
        matches!(
            self,
            O::Dadd
                | O::Daddu
                | O::Dsub
                | O::Dsubu
                | O::Daddi
                | O::Daddiu
                | O::Dclz
                | O::Dclo
                | O::Dmult
                | O::Dmultu
                | O::Ddiv
                | O::Ddivu
                | O::Dsll
                | O::Dsrl
                | O::Dsra
                | O::Dsll32
                | O::Dsrl32
                | O::Dsra32
                | O::Dsllv
                | O::Dsrlv
                | O::Dsrav
                | O::Drotr
                | O::Drotr32
                | O::Drotrv
                | O::Dsbh
                | O::Dshd
                | O::Dext
                | O::Dextm
                | O::Dextu
                | O::Dins
                | O::Dinsm
                | O::Dinsu
                | O::Lwu
                | O::Ld
                | O::Ldl
                | O::Ldr
                | O::Lld
                | O::Sd
                | O::Sdl
                | O::Sdr
                | O::Scd
        ) || self.coprocessor().is_some()
    }

    /// Returns the coprocessor of an operation that moves 64 bits between it and a general register.
    #[must_use]
    pub fn coprocessor(self) -> Option<u8> {
        match self {
            Self::Dmfc0 | Self::Dmtc0 => Some(0),
            Self::Dmfc1 | Self::Dmtc1 => Some(1),
            Self::Dmfc2 | Self::Dmtc2 => Some(2),
            _ => None,
        }
    }
}
