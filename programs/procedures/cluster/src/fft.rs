//! The FFT of an array of three dimensions whose planes are dealt out to processors: each transforms its planes along x and y,
//! all exchange blocks with all, and each transforms its share of the rows along z. The result lies by shares of y.

use crate::actions::RankAction;
use crate::driver::RankDriver;
use crate::error::ClusterMgError;
use crate::packing::{BEAT, BoxPlace, RowBox, copies};
use crate::procedure::{ClusterProcedure, ClusterResults, ClusterSetup, RankResult};
use crate::ranks::run_ranks;
use cp2_cluster::{Endpoint, Tick, TimeCause, Topology};
use cp2_emu::dma::Descriptor;
use cp2_isa::{Bytes, MemoryAddress, SECTIONS};
use cp2_procedures::host::pages::BANK_WORDS;
use cp2_procedures::spatial::{Sizes, SlabOutline, SlabPart};
use cp2_session::cost::Cost;
use cp2_session::error::KernelError;
use cp2_session::execution::Execution;
use num_complex::Complex32;
use serde::{Deserialize, Serialize};
use std::hash::Hasher as _;
use std::sync::Arc;
use twox_hash::XxHash64;

/// Bytes of a complex number.
const WORD: usize = 8;
/// Most beats that go through local memory at once.
const MOST_BEATS: usize = SECTIONS * BANK_WORDS;

/// Returns a fixed sequence of so many numbers with parts from -1 to 1, by the multiplier of Knuth's MMIX.
pub fn fixed_sequence(points: usize) -> Vec<Complex32> {
    let mut state = 1u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    (0..points).map(|_| Complex32::new(next(), next())).collect()
}

/// Problem of an FFT on several processors, as many as the topology has.
#[derive(Clone, Debug)]
pub struct ClusterFftProblem {
    /// Sizes of the array, whose z is dealt out before and y after the exchange.
    pub sizes: Sizes,
    /// Whether the transform is the inverse one, which is not divided by the number of points.
    pub inverse: bool,
    /// Elements of the array, x fastest.
    pub input: Arc<Vec<Complex32>>,
    /// Complex on which it runs.
    pub setup: ClusterSetup,
}

/// Result of a rank at the end of an FFT.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FftRankRun {
    /// Real and imaginary parts of the share of the rank: its rows of all planes, x fastest.
    pub output: Vec<[f32; 2]>,
    /// Moment at which the transform was done.
    pub end: Tick,
    /// Bytes of system memory that arrays, buffers and queues of descriptors take.
    pub memory: u64,
    /// Cost of what the machine did; `None` if another process of the computer did the rank.
    #[serde(skip)]
    pub cost: Option<Cost>,
}

impl RankResult for FftRankRun {
    fn brief(&self) -> Self {
        Self { output: Vec::new(), ..self.clone() }
    }

    fn end(&self) -> Tick {
        self.end
    }

    fn memory(&self) -> u64 {
        self.memory
    }
}

/// Results of an FFT on several processors.
pub type ClusterFftRun = ClusterResults<FftRankRun>;

impl ClusterFftRun {
    /// Returns the elements of the transform in the natural order, x fastest.
    pub fn output(&self, sizes: &Sizes) -> Vec<Complex32> {
        let [x, y, z] = sizes.0;
        let own = y / self.ranks.len().max(1);
        let mut all = vec![Complex32::default(); sizes.points()];
        for (number, rank) in self.ranks.iter().enumerate() {
            for (k, row) in rank.output.chunks(x).enumerate() {
                let at = (k / own % z * y + number * own + k % own) * x;
                for (to, &[re, im]) in all[at..][..row.len()].iter_mut().zip(row) {
                    *to = Complex32::new(re, im);
                }
            }
        }
        all
    }
}

/// Transforms an array on several processors.
///
/// # Errors
/// The sizes or the number of processors are refused, the machine does not hold its planes or cannot run the kernels, or its clock
/// does not fit the ticks of the network.
pub fn run_fft(
    problem: &ClusterFftProblem,
    execution: &Execution,
) -> Result<ClusterFftRun, ClusterMgError> {
    let ClusterFftProblem { sizes, input, .. } = problem;
    let outline = problem.slabs();
    outline.check()?;
    if input.len() != sizes.points() {
        let limit = format!("{}, the number of points", sizes.points());
        let what = "number of input values";
        return Err(KernelError::Parameter { what, value: input.len(), limit }.into());
    }
    let start =
        |endpoint, execution, period| go_through(problem, outline, execution, (endpoint, period));
    let outcome = run_ranks(&problem.setup, execution, problem.keeping(), start)?;
    Ok(ClusterResults::new(outcome, ()))
}

impl ClusterFftProblem {
    /// Returns how the planes of the array are dealt out.
    fn slabs(&self) -> SlabOutline {
        let processes = self.setup.topology.ranks();
        SlabOutline { sizes: self.sizes, processes, inverse: self.inverse }
    }
}

impl ClusterProcedure for ClusterFftProblem {
    type Rank = FftRankRun;
    type Choice = ();

    fn setup(&self) -> &ClusterSetup {
        &self.setup
    }

    fn setup_mut(&mut self) -> &mut ClusterSetup {
        &mut self.setup
    }

    fn outline(&self) -> String {
        let mut digest = XxHash64::with_seed(0);
        for x in self.input.iter() {
            digest.write_u32(x.re.to_bits());
            digest.write_u32(x.im.to_bits());
        }
        format!("fft {:?} of {:016x}", self.slabs(), digest.finish())
    }

    fn run(&self, execution: &Execution) -> Result<ClusterFftRun, ClusterMgError> {
        run_fft(self, execution)
    }

    fn alone(&self, topology: Topology) -> Self {
        let setup = ClusterSetup { topology, ..self.setup.clone() };
        Self { setup, ..self.clone() }
    }

    fn is_same(&self, run: &ClusterFftRun, (_, one): (&Self, &ClusterFftRun)) -> Option<bool> {
        let bits = |run: &ClusterFftRun| -> Vec<[u32; 2]> {
            let output = run.output(&self.sizes);
            output.into_iter().map(|x| [x.re.to_bits(), x.im.to_bits()]).collect()
        };
        Some(bits(one) == bits(run))
    }
}

/// Makes the part of a rank and goes through its actions.
async fn go_through(
    problem: &ClusterFftProblem,
    outline: SlabOutline,
    execution: Execution,
    (endpoint, period): (Endpoint, Tick),
) -> Result<FftRankRun, ClusterMgError> {
    let rank = endpoint.rank();
    let mut part = SlabPart::new(problem.setup.config.clone(), &execution, outline)?;
    let points = outline.slab().points();
    part.write(&problem.input[rank * points..][..points])?;
    let actions = actions(&mut part, outline, rank)?;
    let mut rank = RankDriver::new(part, endpoint, period);
    rank.go_through(&actions).await?;
    let end = rank.endpoint.clock();
    let output = rank.part.output()?.into_iter().map(|x| [x.re, x.im]).collect();
    let memory = rank.part.host().allocated().0 - MemoryAddress::FIRST.0;
    Ok(FftRankRun { output, end, memory, cost: Some(rank.part.cost()) })
}

/// Returns the actions of a rank: the passes along x and y, the exchange, the pass along z. Blocks go to the next process first,
/// then to the one after it, so that all are received in another order.
fn actions(
    part: &mut SlabPart,
    outline: SlabOutline,
    rank: usize,
) -> Result<Vec<RankAction>, KernelError> {
    let (processes, passes) = (outline.processes, part.first_passes());
    let computing = |chain| RankAction::Run { chain, cause: TimeCause::Computing };
    let mut actions: Vec<_> = (0..passes).map(computing).collect();
    if processes > 1 {
        let bytes = outline.block() * WORD;
        let (slab, share) = (part.slab(), part.share());
        let place = |of: usize| share + Bytes::from(of * bytes);
        let mut tail = Vec::new();
        let mut sends = Vec::new();
        for step in 0..processes {
            let to = (rank + step) % processes;
            let at =
                if to == rank { place(rank) } else { part.host().allocate(Bytes::from(bytes))? };
            tail.extend(packed(outline, slab, to, at)?);
            if to != rank {
                sends.push(RankAction::Send { to, tag: 0, at, bytes });
            }
        }
        let chain = part.add_copies(tail)?;
        actions.push(RankAction::Run { chain, cause: TimeCause::Packing });
        actions.extend(sends);
        let from = (1..processes).map(|step| (rank + processes - step) % processes);
        actions.extend(from.map(|from| RankAction::Receive { from, tag: 0, at: place(from) }));
    }
    actions.push(computing(passes));
    Ok(actions)
}

/// Returns the transfers that copy the rows of a process out of all planes of the slab to a place, without gaps.
fn packed(
    outline: SlabOutline,
    slab: MemoryAddress,
    of: usize,
    to: MemoryAddress,
) -> Result<Vec<Descriptor>, KernelError> {
    let [x, y, planes] = outline.slab().0;
    let rows = y / outline.processes;
    // As many rows at once as local memory holds.
    let most = (MOST_BEATS * BEAT / WORD / x).max(1);
    let (plane, own) = (x * y * WORD, x * rows * WORD);
    let mut transfers = Vec::new();
    for first in (0..rows).step_by(most) {
        let count = most.min(rows - first);
        let part = RowBox { beats: x * count * WORD / BEAT, rows: 1, planes };
        let from = slab + Bytes::from((of * rows + first) * x * WORD);
        let to = to + Bytes::from(first * x * WORD);
        let place = |at, pitch| BoxPlace { at, pitch: [pitch; 2] };
        transfers.extend(copies(&part, place(from, plane), place(to, own))?);
    }
    Ok(transfers)
}
