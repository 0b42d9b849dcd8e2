//! An empty crate for tests that need heavy readers. `signals.rs` reads VCD and FST with the reader of the Surfer viewer;
//! `perfetto_check.py` asks Perfetto's trace processor.
