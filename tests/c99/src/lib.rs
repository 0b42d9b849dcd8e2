//! Stands in for the published crate `c99`, of which `softfloat-sys` uses five types. The published
//! one asks a C compiler for them through cmake; here they are written down for the C libraries in
//! use, so that the tests build with Rust and a C compiler alone.
#![allow(non_camel_case_types, reason = "the names are those of C's stdint.h")]

/// Unsigned integer of at least 8 bits.
pub type uint_fast8_t = u8;
/// Signed integer of at least 64 bits.
pub type int_fast64_t = i64;
/// Unsigned integer of at least 64 bits.
pub type uint_fast64_t = u64;

/// Signed integer of at least 32 bits: glibc has `long`.
#[cfg(all(target_env = "gnu", target_os = "linux"))]
pub type int_fast32_t = std::ffi::c_long;
/// Unsigned integer of at least 32 bits: glibc has `unsigned long`.
#[cfg(all(target_env = "gnu", target_os = "linux"))]
pub type uint_fast32_t = std::ffi::c_ulong;
/// Signed integer of at least 32 bits: musl, Apple and Microsoft have 32.
#[cfg(not(all(target_env = "gnu", target_os = "linux")))]
pub type int_fast32_t = i32;
/// Unsigned integer of at least 32 bits: musl, Apple and Microsoft have 32.
#[cfg(not(all(target_env = "gnu", target_os = "linux")))]
pub type uint_fast32_t = u32;
