//! Stands in for the published crate `c99`, of which `softfloat-sys` uses five types. The published
//! one asks a C compiler for them through cmake; here they are written down for the C libraries in
//! use, so that the tests build with Rust and a C compiler alone.
#![allow(non_camel_case_types, reason = "the names are those of C's stdint.h")]

/// Type `uint_fast8_t` of C: the unsigned integer of at least 8 bits that the C library takes for the fastest.
pub type uint_fast8_t = u8;
/// Type `int_fast64_t` of C: the signed integer of at least 64 bits that the C library takes for the fastest.
pub type int_fast64_t = i64;
/// Type `uint_fast64_t` of C: the unsigned integer of at least 64 bits that the C library takes for the fastest.
pub type uint_fast64_t = u64;

/// Type `int_fast32_t` of C: the signed integer of at least 32 bits that the C library takes for the fastest; glibc
/// takes `long`.
#[cfg(all(target_env = "gnu", target_os = "linux"))]
pub type int_fast32_t = std::ffi::c_long;
/// Type `uint_fast32_t` of C: the unsigned integer of at least 32 bits that the C library takes for the fastest; glibc
/// takes `unsigned long`.
#[cfg(all(target_env = "gnu", target_os = "linux"))]
pub type uint_fast32_t = std::ffi::c_ulong;
/// Type `int_fast32_t` of C: the signed integer of at least 32 bits that the C library takes for the fastest; musl,
/// Apple and Microsoft take 32 bits.
#[cfg(not(all(target_env = "gnu", target_os = "linux")))]
pub type int_fast32_t = i32;
/// Type `uint_fast32_t` of C: the unsigned integer of at least 32 bits that the C library takes for the fastest; musl,
/// Apple and Microsoft take 32 bits.
#[cfg(not(all(target_env = "gnu", target_os = "linux")))]
pub type uint_fast32_t = u32;
