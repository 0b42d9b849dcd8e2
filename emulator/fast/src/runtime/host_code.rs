//! Sizes of translations, as a measure of the translator that no load of the native machine changes. Nothing is run.

use crate::abi::context::Live;
use crate::analysis::speculation::Speculation;
use crate::back_end::assemble::{Steps, assemble};
use crate::back_end::encoding::NativeIsa;
use crate::front_end::environment::Environment;
use crate::front_end::region::{BlockStart, CodeSource, Extent, UNROLLED};
use crate::front_end::shape::PipelineState;
use crate::lowering::block::Start;
use crate::lowering::translate::translate;
use cp2_isa::rules::flow::ActiveLoop;
use cp2_isa::{BundleAddress, BundleBits, Core};

/// Numbers of native instructions that the fast engine makes of some bundles, with what saves and restores registers
/// around them. Of translations for a machine with nothing in its pipeline and linear address sets far apart; they are the
/// same on every native machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCode {
    /// Number of instructions of the bundles one after the other, once; `None` if the portable engine does the first of them.
    pub once: Option<usize>,
    /// Number of instructions of a loop around the bundles, unrolled as the engine does to short loops; `None` if it does not.
    pub unrolled: Option<usize>,
}

impl HostCode {
    /// Translates bundles that stand at address 0 for an instruction set. `None` if they are less than two, which no loop
    /// can have.
    pub fn of(core: &Core, bundles: &[BundleBits], native_isa: NativeIsa) -> Option<Self> {
        let last = BundleAddress(bundles.len().checked_sub(2)?.try_into().ok()?);
        let around = ActiveLoop { count: u32::MAX, start: BundleAddress(0), end: last };
        let once = (None, Extent::Straight);
        let times = UNROLLED.div_ceil(bundles.len());
        let unrolled = (Some(&around), Extent::Turns(times));
        let [once, unrolled] = [once, unrolled].map(|(around, extent)| {
            let place = BlockStart::new(BundleAddress(0), around, false);
            instructions(core, bundles, (&place, extent), native_isa)
        });
        Some(Self { once, unrolled })
    }
}

/// Returns the number of instructions of a block.
fn instructions(
    core: &Core,
    iram: &[BundleBits],
    (place, extent): (&BlockStart, Extent),
    native_isa: NativeIsa,
) -> Option<usize> {
    let mut live = Live::ZERO;
    live.rmask = 0xffff;
    // Linear steps.
    live.m = [core.address_mask().into(); 16];
    live.a = std::array::from_fn(|set| (set * core.lmem_words() / 16) as u32);
    let start = Start {
        shape: &PipelineState::default(),
        environment: Environment::of(core, &live, 0, false),
        live: &live,
        speculation: Speculation::Scalars,
        strays: Default::default(),
        notes: false,
    };
    let t = translate(CodeSource { core, iram }, (place, iram.len()), start, extent)?;
    let steps = Steps { parts: &t.parts, constants: &t.constants, contract: t.contract };
    Some(assemble(steps, native_isa).ok()?.count())
}
