//! Vector registers that an instruction can name: with AVX-512 most instructions have a form that reaches 32. Which value is
//! in which register at what time is decided in `registers`.

use iced_x86::{Code, Register};

/// Instruction set of the native machine (x86-64) that translated code may use, the smaller one first; there are no
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NativeIsa {
    /// AVX2 and BMI1, with 16 vector registers of 256 bits.
    Avx2,
    /// AVX-512 F, VL and DQ in addition to AVX2 and BMI1, with 32 vector registers of 256 bits.
    Avx512,
}

impl NativeIsa {
    /// Returns the number of vector registers.
    pub(crate) const fn registers(self) -> u8 {
        match self {
            Self::Avx2 => LOW_REGISTERS,
            Self::Avx512 => 32,
        }
    }

    /// Returns the largest instruction set that the native machine has; `None` if it cannot run translated code.
    pub fn detect() -> Option<Self> {
        #[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
        {
            use std::is_x86_feature_detected as has;
            let base = has!("avx2") && has!("bmi1");
            let wide = has!("avx512f") && has!("avx512vl") && has!("avx512dq");
            base.then_some(if wide { Self::Avx512 } else { Self::Avx2 })
        }
        #[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
        None
    }
}

/// Number of vector registers that every vector instruction can name.
pub(crate) const LOW_REGISTERS: u8 = 16;

/// Returns a vector register by number.
pub(crate) fn ymm(register: u8) -> Register {
    Register::YMM0 + u32::from(register)
}

macro_rules! forms {
    ($($short:ident => $long:ident,)*) => {
        /// Returns the form of an instruction that reaches 32 registers, if there is one.
        pub(crate) fn long_form(code: Code) -> Option<Code> {
            match code {
                $(Code::$short => Some(Code::$long),)*
                _ => None,
            }
        }

        #[cfg(test)]
        const FORMS: &[(Code, Code)] = &[$((Code::$short, Code::$long)),*];
    };
}

forms! {
    VEX_Vmovups_ymm_ymmm256 => EVEX_Vmovups_ymm_k1z_ymmm256,
    VEX_Vmovups_ymmm256_ymm => EVEX_Vmovups_ymmm256_k1z_ymm,
    VEX_Vbroadcastsd_ymm_m64 => EVEX_Vbroadcastsd_ymm_k1z_xmmm64,
    VEX_Vaddps_ymm_ymm_ymmm256 => EVEX_Vaddps_ymm_k1z_ymm_ymmm256b32,
    VEX_Vsubps_ymm_ymm_ymmm256 => EVEX_Vsubps_ymm_k1z_ymm_ymmm256b32,
    VEX_Vmulps_ymm_ymm_ymmm256 => EVEX_Vmulps_ymm_k1z_ymm_ymmm256b32,
    VEX_Vdivps_ymm_ymm_ymmm256 => EVEX_Vdivps_ymm_k1z_ymm_ymmm256b32,
    VEX_Vxorps_ymm_ymm_ymmm256 => EVEX_Vxorps_ymm_k1z_ymm_ymmm256b32,
    VEX_Vandps_ymm_ymm_ymmm256 => EVEX_Vandps_ymm_k1z_ymm_ymmm256b32,
    VEX_Vorps_ymm_ymm_ymmm256 => EVEX_Vorps_ymm_k1z_ymm_ymmm256b32,
    VEX_Vmovsldup_ymm_ymmm256 => EVEX_Vmovsldup_ymm_k1z_ymmm256,
    VEX_Vmovshdup_ymm_ymmm256 => EVEX_Vmovshdup_ymm_k1z_ymmm256,
    VEX_Vpermilps_ymm_ymmm256_imm8 => EVEX_Vpermilps_ymm_k1z_ymmm256b32_imm8,
    VEX_Vcvtdq2ps_ymm_ymmm256 => EVEX_Vcvtdq2ps_ymm_k1z_ymmm256b32,
    VEX_Vcvtps2dq_ymm_ymmm256 => EVEX_Vcvtps2dq_ymm_k1z_ymmm256b32,
    VEX_Vpabsd_ymm_ymmm256 => EVEX_Vpabsd_ymm_k1z_ymmm256b32,
    VEX_Vpaddd_ymm_ymm_ymmm256 => EVEX_Vpaddd_ymm_k1z_ymm_ymmm256b32,
    VEX_Vpsubd_ymm_ymm_ymmm256 => EVEX_Vpsubd_ymm_k1z_ymm_ymmm256b32,
    VEX_Vpaddq_ymm_ymm_ymmm256 => EVEX_Vpaddq_ymm_k1z_ymm_ymmm256b64,
    VEX_Vpminud_ymm_ymm_ymmm256 => EVEX_Vpminud_ymm_k1z_ymm_ymmm256b32,
    VEX_Vpsllvd_ymm_ymm_ymmm256 => EVEX_Vpsllvd_ymm_k1z_ymm_ymmm256b32,
    VEX_Vpsrlvd_ymm_ymm_ymmm256 => EVEX_Vpsrlvd_ymm_k1z_ymm_ymmm256b32,
    VEX_Vpsravd_ymm_ymm_ymmm256 => EVEX_Vpsravd_ymm_k1z_ymm_ymmm256b32,
    VEX_Vpslld_ymm_ymm_imm8 => EVEX_Vpslld_ymm_k1z_ymmm256b32_imm8,
    VEX_Vpsrld_ymm_ymm_imm8 => EVEX_Vpsrld_ymm_k1z_ymmm256b32_imm8,
    VEX_Vpsrad_ymm_ymm_imm8 => EVEX_Vpsrad_ymm_k1z_ymmm256b32_imm8,
    VEX_Vandnps_ymm_ymm_ymmm256 => EVEX_Vandnps_ymm_k1z_ymm_ymmm256b32,
    VEX_Vcvttps2dq_ymm_ymmm256 => EVEX_Vcvttps2dq_ymm_k1z_ymmm256b32,
    VEX_Vpmuldq_ymm_ymm_ymmm256 => EVEX_Vpmuldq_ymm_k1z_ymm_ymmm256b64,
    VEX_Vpsllq_ymm_ymm_imm8 => EVEX_Vpsllq_ymm_k1z_ymmm256b64_imm8,
    VEX_Vpsrlq_ymm_ymm_imm8 => EVEX_Vpsrlq_ymm_k1z_ymmm256b64_imm8,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_the_same_instruction() {
        for &(short, long) in FORMS {
            assert_eq!(short.mnemonic(), long.mnemonic());
            assert_eq!(long_form(short), Some(long));
        }
    }
}
