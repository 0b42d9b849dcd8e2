//! An empty crate for tests that read traces with the programs of others. `signals.rs` reads VCD and FST with the
//! reader of the viewer Surfer; `perfetto_check.py` asks Perfetto's trace processor.
