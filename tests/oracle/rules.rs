//! The rules of timing that a run can meet, each with a counter: they prove that the random programs
//! exercise what the reference says.

use cp2_isa::Arith;

macro_rules! rules {
    ($($rule:ident $text:literal)*) => {
        /// A rule that decides what a program gives.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Rule {
            $(#[doc = $text] $rule,)*
        }

        impl Rule {
            pub(crate) const ALL: &'static [Self] = &[$(Self::$rule),*];

            pub(crate) fn text(self) -> &'static str {
                match self {
                    $(Self::$rule => $text,)*
                }
            }
        }
    };
}

rules! {
    OldFpr "an FPR read with a write under way, unused operand fields counted too"
    LoadBypass "psprmsgn takes a load by the bypass"
    OldCondition "a predicate or mfc reads FCCR or FCSR with a write under way"
    OldGpr "do, call or stop reads a GPR with a write under way"
    MixedPredicate "some section executes an operation and another does not"
    Circular "a circular address step"
    Reversed "a bit-reversed address step"
    LoadLost "a load lands with an arithmetic result, which stays"
    LoadHalfLost "a load lands with one half of an elementary function"
    LaterKept "psprmsgn or mtfpr lands with an arithmetic result and stays"
    LostLoadPermuted "psprmsgn takes a load that lands with an arithmetic result"
    MfcBeforeMtc "mfc with an mtc under way"
    FlagsBehindMtc "flags with an mtc to FCSR under way"
    MtcDisabled "an mtc to FCSR that no section executes"
    FlagsInBundle "STATUS read in the bundle that raises flags"
    FlagsDropped "an mtc takes flags from STATUS when it lands"
    FlagsKept "flags raised behind an mtc stay in STATUS when it lands"
    MoveOverwritten "a move to STATUS 1 to 5 bundles behind an mtc to FCSR"
    MoveBesideMtc "a move to STATUS 6 bundles behind an mtc to FCSR"
    MoveOverFlags "a move to STATUS in a bundle that raises flags"
    CommLate "STATUS read one bundle behind a move from or to COMM"
    PcElsewhere "PC read where the next bundle is not the next address"
    LoopReadAtEnd "LC, LA or LSP read in the bundle at end"
    LoopReadBehindEnd "LC, LA or LSP read in the bundle at end + 1"
    LoopWrittenAtEnd "LC or LA written in the bundle at end, with iterations left"
    LoopWrittenBeforeEnd "LC or LA written one bundle before end"
    LoopAroundWritten "LC or LA of the loop around written in the last iteration's end or end + 1"
    NoLoopWritten "LC or LA written outside loops"
    FlowReadOnly "PC, PSP or LSP written"
    StackReadBehind "LSP, PSP, LC or LA read in the bundle behind do, call, ret or enddo"
    RindStepped "RIND read in the bundle that steps it"
    RindWritten "RIND written in the bundle that steps it"
    SlotAtEnd "a taken delay slot at the innermost end"
    ZeroCountFull "do with count 0 inside 15 loops"
    StopcodeRefused "a move to STOPCODE"
    DmaAsked "check_dma"
}

/// Counts of how often each rule was met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Met {
    rules: [u64; Rule::ALL.len()],
    /// Elementary operations in a section, by operation: within their domain, outside (V).
    pub(crate) functions: [[u64; 2]; Arith::ALL.len()],
}

impl Default for Met {
    fn default() -> Self {
        Self { rules: [0; Rule::ALL.len()], functions: [[0; 2]; Arith::ALL.len()] }
    }
}

impl Met {
    pub(crate) fn count(&self, rule: Rule) -> u64 {
        self.rules[rule as usize]
    }

    /// Counts a rule if it was met.
    pub(super) fn note(&mut self, rule: Rule, met: bool) {
        self.rules[rule as usize] += u64::from(met);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.rules.iter_mut().zip(other.rules).for_each(|(sum, n)| *sum += n);
        for (sums, more) in self.functions.iter_mut().zip(other.functions) {
            sums.iter_mut().zip(more).for_each(|(sum, n)| *sum += n);
        }
    }
}

impl std::fmt::Display for Met {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for &rule in Rule::ALL {
            writeln!(f, "{:8} {}", self.count(rule), rule.text())?;
        }
        for op in Arith::ALL {
            let [inside, outside] = self.functions[*op as usize];
            if inside + outside > 0 {
                writeln!(f, "{inside:8} {} in its domain, {outside} outside", op.row().name)?;
            }
        }
        Ok(())
    }
}
