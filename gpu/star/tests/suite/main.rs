//! The STAR machine on a device against the native machine and sequential programs; PoCL makes a device of the processor. Without
//! any device a test fails with the sentence that says what to install.
#![allow(clippy::unwrap_used, reason = "a test's helpers may panic")]

mod closure;
mod elementary;
mod library;
mod paths;
mod programs;
mod refusals;

use cp2_gpu::{Gpu, GpuChoice};
use cp2_gpu_star::backend::GpuBackend;
use cp2_session::random::split_mix_64;
use cp2_star::graph::{Graph, GraphArc};
use cp2_star::machine::BitVector;
use std::cell::RefCell;
use std::sync::{Mutex, PoisonError};

/// Opens the first device. Tests take turns, since the library of OpenCL may not find its platforms while another thread looks for
/// them.
fn device() -> Gpu {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let opened = Gpu::open(&GpuChoice { numbers: vec![0], parts: 1 });
    opened.unwrap_or_else(|e| panic!("{e}")).remove(0)
}

/// Uses a back end that a thread keeps, so that kernels are built once.
fn on_device<T>(use_it: impl FnOnce(&mut GpuBackend) -> T) -> T {
    thread_local! {
        static BACKEND: RefCell<GpuBackend> = RefCell::new(GpuBackend::new(&device()).unwrap());
    }
    BACKEND.with_borrow_mut(|backend| {
        let result = use_it(backend);
        assert_eq!(backend.fault(), None);
        result
    })
}

/// Random numbers from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        split_mix_64(&mut self.0)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn bits(&mut self, length: usize) -> BitVector {
        // Some are sparse, so that the first one is not always in the first word.
        let density = self.below(3);
        let words = (0..length.div_ceil(64)).map(|_| match density {
            0 => self.next(),
            1 => self.next() & self.next() & self.next() & self.next(),
            _ => u64::from(self.below(9) == 0) << self.below(64),
        });
        BitVector::from_words(length, words.collect())
    }

    /// A graph with `arcs` arcs at most, and weights of at most `most`.
    fn graph(&mut self, vertices: usize, arcs: usize, most: u64) -> Graph {
        let arcs: Vec<GraphArc> = (0..arcs)
            .map(|_| GraphArc {
                tail: self.below(vertices) + 1,
                head: self.below(vertices) + 1,
                weight: self.next() % (most + 1),
            })
            .collect();
        Graph::new(vertices, arcs)
    }
}
