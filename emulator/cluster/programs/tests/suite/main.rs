//! Tests of programs on several processors.
