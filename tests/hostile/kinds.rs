//! The kinds of input, as rows of a table.

use super::{
    bundles, checkpoints, code, debugger, generate, kept, programs, readers, recordings, seeds,
    star,
};
use crate::SplitMix64;
use cp2_descriptors as chain;

/// Verdict of a reader on an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The input was good, and what was made of it could be worked with.
    Accepted,
    /// The input was refused with an error.
    Refused,
    /// The kind is a text, and the bytes are none: the command line refuses them before the reader.
    NoText,
}

/// A verdict, or what is wrong with the reader.
pub type Judgement = Result<Verdict, String>;

/// A kind of input.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Name of the kind, as `CP2_KIND` gives it.
    pub name: &'static str,
    /// Maker of real files to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words that mean something in such files.
    pub words: &'static [&'static str],
    /// An input from a grammar, or from one of the real files with another content.
    pub generate: fn(&mut SplitMix64, &[Vec<u8>]) -> Vec<u8>,
    /// Reader of an input, which works as the commands do.
    pub read: fn(&[u8]) -> Judgement,
    /// Factor by which fewer inputs of the kind are tested as a rule, for they take that much longer.
    pub slower: u64,
}

/// All kinds of input.
pub const KINDS: [Kind; 20] = [
    Kind {
        name: "source",
        seeds: seeds::sources,
        words: &generate::SOURCE_WORDS,
        generate: |sequence, _| generate::source(sequence),
        read: readers::source,
        slower: 2,
    },
    Kind {
        name: "hex",
        seeds: seeds::hex,
        words: &[";", "#", "\n", "0000000004000000", "ffffffffffffffff", " ", "\r\n", "g", "+"],
        generate: |sequence, _| generate::hex(sequence),
        read: readers::hex,
        slower: 1,
    },
    Kind {
        name: "object",
        seeds: seeds::objects,
        words: &[".text.main\0", ".lmem.all\0", ".symtab\0", ".cp2.hints\0", "\u{7f}ELF"],
        generate: |sequence, _| generate::object(sequence),
        read: readers::object,
        slower: 1,
    },
    Kind {
        name: "state",
        seeds: seeds::states,
        words: &generate::STATE_WORDS,
        generate: |sequence, _| generate::state(sequence),
        read: readers::state,
        slower: 1,
    },
    Kind {
        name: "machine",
        seeds: seeds::machines,
        words: &[
            "[core]",
            "[memory]",
            "=",
            "{ value = 1 }",
            "\"",
            "true",
            "inf",
            "1979-05-27",
            "\n",
        ],
        generate: |sequence, _| generate::machine(sequence),
        read: readers::machine,
        slower: 1,
    },
    Kind {
        name: "setting",
        seeds: || vec![b"core.arithmetic_latency=4".to_vec(), b"memory.clock_mhz=800".to_vec()],
        words: &["=", ".", "core.", "memory.", "true", " "],
        generate: |sequence, _| generate::setting(sequence),
        read: readers::setting,
        slower: 1,
    },
    Kind {
        name: "npy",
        seeds: seeds::arrays,
        words: &generate::ARRAY_WORDS,
        generate: |sequence, _| generate::array(sequence),
        read: readers::array,
        slower: 1,
    },
    Kind {
        name: "mtx",
        seeds: seeds::matrices,
        words: &[
            "%",
            "\n",
            "real",
            "pattern",
            "symmetric",
            "integer",
            "complex",
            "inf",
            "nan",
            "-",
            "e",
        ],
        generate: |sequence, _| generate::matrix(sequence),
        read: readers::matrix,
        slower: 1,
    },
    Kind {
        name: "chain",
        seeds: seeds::chains,
        words: &generate::CHAIN_WORDS,
        generate: |sequence, _| generate::chain(sequence),
        read: |bytes| readers::chain_of(bytes, chain::read_toml),
        slower: 1,
    },
    Kind {
        name: "hex chain",
        seeds: seeds::hex_chains,
        words: &[";", "#", "\n", "ffffffffffffffff", "0", " "],
        generate: |sequence, _| generate::hex_chain(sequence),
        read: |bytes| readers::chain_of(bytes, chain::read_hex),
        slower: 1,
    },
    Kind {
        name: "recording",
        seeds: recordings::seeds,
        words: &["HEAD", "PAGE", "LEAF", "CHKP", "INDX", "CP2REC\n\u{1a}", "CP2RECIX"],
        generate: recordings::generate,
        read: recordings::read,
        slower: 2,
    },
    Kind {
        name: "checkpoint",
        seeds: checkpoints::seeds,
        words: &["CP2CHK\n\u{1a}", "vm7", "fft3d"],
        generate: checkpoints::generate,
        read: checkpoints::read,
        slower: 8,
    },
    Kind {
        name: "schedule",
        seeds: kept::seeds,
        words: &["null", "[", "]", ",", "-1", "\"blocks\":", "\"pipeline\":", "\"cost\":"],
        generate: kept::generate,
        read: kept::read,
        slower: 4,
    },
    Kind {
        name: "certificate",
        seeds: kept::certificates,
        words: &[
            "cp2-schedule 1\n",
            "times ",
            "registers ",
            "unroll ",
            "interval ",
            "end ",
            "\n",
            "; ",
        ],
        generate: kept::sealed,
        read: kept::read_certificate,
        slower: 4,
    },
    Kind {
        name: "code",
        seeds: code::seeds,
        words: &[],
        generate: code::generate,
        read: code::read,
        slower: 2,
    },
    Kind {
        name: "program",
        seeds: programs::seeds,
        words: &["\u{7f}ELF", ".text\0", ".debug_line\0", ".symtab\0"],
        generate: programs::generate,
        read: programs::read,
        slower: 8,
    },
    Kind {
        name: "gdb",
        seeds: debugger::seeds,
        words: &debugger::WORDS,
        generate: debugger::generate,
        read: debugger::read,
        slower: 20,
    },
    Kind {
        name: "bundles",
        seeds: bundles::seeds,
        words: &[],
        generate: bundles::generate,
        read: bundles::read,
        slower: 8,
    },
    Kind {
        name: "star",
        seeds: star::programs,
        words: &star::WORDS,
        generate: star::program,
        read: star::read_program,
        slower: 2,
    },
    Kind {
        name: "graph",
        seeds: star::graphs,
        words: &star::GRAPH_WORDS,
        generate: star::graph,
        read: star::read_graphs,
        slower: 1,
    },
];
