//! The range of each field of a snapshot: the last value that a run can come to, which is taken, and those behind it,
//! which are refused.

use serde_json::Value;

/// Facts of a snapshot that ranges refer to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// Current cycle, and the tick of memory at which it begins.
    pub(crate) cycle: u64,
    pub(crate) tick: u64,
}

/// Last value of a field of a group in a snapshot; `None` if the snapshot says nothing about it.
type Last = fn(&Value, &Facts) -> Option<u64>;

/// Fields below some places, which have the same ranges there.
pub(crate) struct Group {
    /// Places; `*` stands for every number.
    pub(crate) places: &'static [&'static str],
    /// Paths of fields from such a place on, and their last values.
    pub(crate) fields: &'static [(&'static str, Last)],
}

/// Count that no run reaches.
const BEYOND: u64 = 1 << 62;
/// Ticks and cycles that a channel can be ahead.
const AHEAD: u64 = 1 << 40;

/// Returns the number at a path; 0 if there is none.
fn n(value: &Value, path: &str) -> u64 {
    value.pointer(path).and_then(Value::as_u64).unwrap_or_default()
}

fn is(value: &Value, path: &str) -> bool {
    value.pointer(path).and_then(Value::as_bool).unwrap_or_default()
}

fn sum(value: &Value, path: &str) -> u64 {
    let list = value.pointer(path).and_then(Value::as_array);
    list.map_or(0, |list| list.iter().filter_map(Value::as_u64).sum())
}

/// Returns the last position of a count, which acts as 1 if it is 0.
fn before(count: u64) -> Option<u64> {
    Some(count.max(1) - 1)
}

/// Returns the number of entries of a gather that are known and belong to no part of the list.
fn unlisted(gather: &Value) -> u64 {
    let len = |path: &str| gather.pointer(path).and_then(Value::as_array).map_or(0, Vec::len);
    let ahead: u64 = (0..len("/ahead")).map(|k| n(gather, &format!("/ahead/{k}/0"))).sum();
    len("/addresses") as u64 - n(gather, "/left") - n(gather, "/listed") - ahead
}

const NEVER: Last = |_, _| Some(BEYOND - 1);
const ADDRESS: Last = |_, _| Some(8191);

/// Fields whose values end somewhere.
pub(crate) const GROUPS: &[Group] = &[
    Group {
        places: &["/cp2"],
        fields: &[
            ("/state/a/3", ADDRESS),
            ("/state/n/15", ADDRESS),
            ("/state/m/0", ADDRESS),
            ("/counted/stats/cycles", |p, _| Some(n(p, "/counted/stats/cycles"))),
            ("/counted/stats/flops/3", NEVER),
            ("/counted/stats/collisions/0", NEVER),
            ("/counted/stats/bank_accesses/1", NEVER),
            ("/counted/stats/arithmetic/4", NEVER),
            ("/counted/stats/exchange/4", NEVER),
            ("/counted/stats/causes/2", |p, _| Some(n(p, "/counted/stats/causes/2"))),
            ("/sequencer/hold", |_, _| Some(1 << 16)),
            ("/sequencer/jump_to", ADDRESS),
            ("/sequencer/start_at/0", NEVER),
            ("/sequencer/start_at/1", ADDRESS),
            ("/latest/banks", |_, _| Some(0b11)),
            ("/pipeline/replaces_flags", NEVER),
        ],
    },
    Group { places: &["/cp2/pipeline/slots/*/*"], fields: &[("/enabled", |_, _| Some(15))] },
    Group {
        places: &["/cp2/pipeline/slots/*/*/landing"],
        fields: &[
            ("/Fpr/reg", |_, _| Some(63)),
            ("/Conditions/first", |p, _| Some(8 - n(p, "/Conditions/count"))),
            ("/Conditions/count", |p, _| Some(2.min(8 - n(p, "/Conditions/first")))),
        ],
    },
    Group {
        places: &["/cp2/pipeline/scalar_log/*"],
        fields: &[("/0", |_, facts| Some(facts.cycle)), ("/1", |_, _| Some(15))],
    },
    Group {
        places: &["/dma"],
        fields: &[
            ("/stats/causes/4", |p, facts| {
                Some(facts.cycle - sum(p, "/stats/causes") + n(p, "/stats/causes/4"))
            }),
            ("/stats/n_descriptors", NEVER),
            ("/stats/bytes_get", NEVER),
            ("/stats/bytes_put", NEVER),
            ("/now", |_, facts| Some(facts.cycle)),
            ("/state/Starting", NEVER),
            ("/state/Fetching", NEVER),
            ("/state/SettingUp/0", NEVER),
        ],
    },
    Group {
        places: &["/dma/port"],
        fields: &[
            ("/wanted/0", |_, facts| Some(facts.cycle + AHEAD)),
            ("/wanted/1", |_, facts| Some(facts.tick + AHEAD)),
            ("/window/0", |_, facts| Some(facts.tick + AHEAD)),
            ("/window/1", |_, facts| Some(facts.tick + AHEAD)),
            ("/course/bus_free", |_, facts| Some(facts.tick + AHEAD)),
            ("/course/oldest", |_, _| Some(1)),
            ("/course/n_transactions", NEVER),
            ("/course/n_row_openings", NEVER),
        ],
    },
    Group {
        places: &["/dma/state/Moving"],
        fields: &[
            ("/transaction/beats", |p, _| {
                let words = p.pointer("/transfer/Gather/is_listing") == Some(&Value::Bool(false));
                Some(if words { 1 } else { 255 })
            }),
            ("/since", |_, facts| Some(facts.cycle)),
            ("/moved", |p, _| before(n(p, "/transaction/beats"))),
            ("/transaction/first_tick", |_, facts| Some(facts.tick + AHEAD)),
            ("/next", NEVER),
            ("/bank", |p, _| p["bank"].as_u64()),
        ],
    },
    Group {
        places: &[
            "/dma/state/Moving/transfer/Get/memory",
            "/dma/state/Moving/transfer/Put/memory",
            "/dma/state/Moving/transfer/Copy/from",
            "/dma/state/Moving/transfer/Copy/to",
        ],
        fields: &[
            ("/walk/base", |_, _| Some(u32::MAX.into())),
            ("/walk/x/count", |_, _| Some(0xf_ffff)),
            ("/walk/y/count", |_, _| Some(0xf_ffff)),
            ("/address", |_, _| Some(u32::MAX.into())),
            ("/beat", |p, _| before(n(p, "/walk/burst"))),
            ("/x", |p, _| Some(n(p, "/walk/x/count"))),
            ("/y", |p, _| Some(n(p, "/walk/y/count")).map(|count| count.max(1))),
        ],
    },
    Group {
        places: &[
            "/dma/state/Moving/transfer/Get/local",
            "/dma/state/Moving/transfer/Put/sources/local",
        ],
        fields: &[
            ("/mask", ADDRESS),
            ("/address", |p, _| Some(8190 + n(p, "/address") % 2)),
            ("/x", |p, _| before(n(p, "/walk/x/count"))),
            ("/y", |p, _| before(n(p, "/walk/y/count"))),
        ],
    },
    Group {
        places: &[
            "/dma/state/Moving/transfer/Get/sections/*",
            "/dma/state/Moving/transfer/GetWords/takers/sections/*",
            "/dma/state/Moving/transfer/Gather/takers/sections/*",
        ],
        fields: &[("/taken", |p, _| before(n(p, "/pattern/run")))],
    },
    Group {
        places: &["/dma/state/Moving/transfer/Put/sources"],
        fields: &[
            ("/flow", |_, _| Some(4)),
            ("/section", |_, _| Some(3)),
            ("/turn", |p, _| before(n(p, "/flow"))),
            ("/round/0/0", |_, _| Some(8190)),
            ("/round/3/0", |_, _| Some(8190)),
        ],
    },
    Group {
        places: &[
            "/dma/state/Moving/transfer/GetWords/memory",
            "/dma/state/Moving/transfer/PutWords/memory",
            "/dma/state/Moving/transfer/Gather/list",
        ],
        fields: &[
            ("/word", |p, _| before(n(p, "/walk/burst"))),
            ("/x", |p, _| before(n(p, "/walk/x/count")).filter(|_| !is(p, "/is_finished"))),
            ("/y", |p, _| before(n(p, "/walk/y/count")).filter(|_| !is(p, "/is_finished"))),
        ],
    },
    Group {
        places: &[
            "/dma/state/Moving/transfer/GetWords/takers",
            "/dma/state/Moving/transfer/Gather/takers",
            "/dma/state/Moving/transfer/PutWords",
        ],
        fields: &[("/n", NEVER), ("/local/bits", |_, _| Some(14))],
    },
    Group {
        places: &["/dma/state/Moving/transfer/PutWords"],
        fields: &[("/flow", |_, _| Some(4))],
    },
    Group {
        places: &["/dma/state/Moving/transfer/Gather"],
        fields: &[
            ("/left", |p, _| Some(n(p, "/left") + unlisted(p))),
            ("/listed", |p, _| Some(n(p, "/listed") + unlisted(p)).filter(|_| n(p, "/left") > 0)),
            ("/ahead/0/1", |_, facts| Some(facts.cycle)),
            ("/ahead/0/0", |p, _| Some(n(p, "/ahead/0/0") + unlisted(p))),
        ],
    },
];

/// Fields whose values begin somewhere: their paths and their first values.
pub(crate) const FIRST: &[(&str, Last)] = &[
    ("/cp2/sequencer/start_at/0", |_, facts| Some(facts.cycle)),
    ("/cp2/counted/stats/cycles", |p, _| Some(n(p, "/cp2/counted/stats/cycles"))),
    ("/cp2/counted/stats/causes/2", |p, _| Some(n(p, "/cp2/counted/stats/causes/2"))),
    ("/dma/state/Starting", |_, facts| Some(facts.cycle)),
    ("/dma/state/Fetching", |_, facts| Some(facts.cycle)),
    ("/dma/state/SettingUp/0", |_, facts| Some(facts.cycle)),
    ("/dma/state/Moving/next", |_, facts| Some(facts.cycle)),
    ("/dma/state/Moving/transaction/beats", |p, _| Some(n(p, "/dma/state/Moving/moved") + 1)),
    ("/dma/state/Moving/transfer/Gather/ahead/0/0", |_, _| Some(1)),
    ("/dma/state/Moving/bank", |p, _| p.pointer("/dma/state/Moving/bank")?.as_u64()),
    ("/dma/state/Moving/transfer/Get/local/mask", ADDRESS),
    ("/dma/state/Moving/transfer/Put/sources/local/mask", ADDRESS),
    ("/dma/state/Moving/transfer/GetWords/memory/walk/x/count", |p, _| {
        Some(n(p, "/dma/state/Moving/transfer/GetWords/memory/x") + 1)
    }),
    ("/dma/state/Moving/transfer/PutWords/memory/walk/y/count", |p, _| {
        Some(n(p, "/dma/state/Moving/transfer/PutWords/memory/y") + 1)
    }),
    ("/dma/state/Moving/transfer/GetWords/takers/local/bits", |_, _| Some(14)),
    ("/dma/state/Moving/transfer/PutWords/local/bits", |_, _| Some(14)),
    ("/dma/state/Moving/transfer/Gather/takers/local/bits", |_, _| Some(14)),
    ("/dma/state/Moving/transfer/GetWords/takers/local/x/count", |_, _| Some(1)),
    ("/dma/state/Moving/transfer/GetWords/takers/local/y/count", |_, _| Some(1)),
    ("/dma/state/Moving/transfer/PutWords/local/x/count", |_, _| Some(1)),
    ("/dma/state/Moving/transfer/PutWords/local/y/count", |_, _| Some(1)),
    ("/dma/state/Moving/transfer/Gather/takers/local/y/count", |_, _| Some(1)),
];
