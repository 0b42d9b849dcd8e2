//! Stands in for the published crate `c99`, of which `softfloat-sys` uses five types. The published
//! one asks a C compiler for them through cmake; here they are written down for the C libraries in
//! use, so that the tests build with Rust and a C compiler alone.
#![allow(non_camel_case_types, reason = "the names are those of C's stdint.h")]

/// At least 8 bits, unsigned.
pub type uint_fast8_t = u8;
/// At least 64 bits.
pub type int_fast64_t = i64;
/// At least 64 bits, unsigned.
pub type uint_fast64_t = u64;

/// At least 32 bits: glibc has `long`.
#[cfg(all(target_env = "gnu", target_os = "linux"))]
pub type int_fast32_t = std::ffi::c_long;
/// At least 32 bits, unsigned: glibc has `unsigned long`.
#[cfg(all(target_env = "gnu", target_os = "linux"))]
pub type uint_fast32_t = std::ffi::c_ulong;
/// At least 32 bits: musl, Apple and Microsoft have 32.
#[cfg(not(all(target_env = "gnu", target_os = "linux")))]
pub type int_fast32_t = i32;
/// At least 32 bits, unsigned: musl, Apple and Microsoft have 32.
#[cfg(not(all(target_env = "gnu", target_os = "linux")))]
pub type uint_fast32_t = u32;
