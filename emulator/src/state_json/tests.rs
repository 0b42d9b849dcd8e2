//! States as JSON and back.

use super::*;

/// Creates a state whose registers and words all differ, as far as their bits exist.
fn colourful(core: &Core) -> State {
    let mut state = State::new(core);
    for (k, storage) in (1..).zip(Storage::ALL) {
        let bits = (storage.info().bits)(core);
        for (n, place) in (1u64..).zip(state.cells(storage)) {
            let value = n.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(k)) >> (64 - bits);
            assert!(state.set(core, place, value));
        }
    }
    state
}

#[test]
fn every_register_that_a_file_has_comes_back_from_it() {
    for core in [Core::CP2, Core::WIDEST] {
        let state = colourful(&core);
        let mut read = State::new(&core);
        read.load_json(&core, &state.to_json(state.status, 5)).unwrap();
        for storage in Storage::ALL {
            let same = state.cells(storage).all(|place| state.get(place) == read.get(place));
            let is_filed = storage.info().filed != Filed::No;
            assert_eq!(same, is_filed || state.count(storage) == 0, "{storage:?}");
        }
    }
}

#[test]
fn section_addresses_are_a_list_for_each_section() {
    let core = Core::WIDEST;
    let mut state = State::new(&core);
    let sa = r#"{"sa": [{"3": "11"}, {"3": "12"}, {}, {}], "sa4": ["1", "2", "3", "4"], "sa5": "7fff",
                 "qa": {"2": "3ff"}, "shared": {"1023": "1.5:0.0"}}"#;
    state.load_json(&core, &serde_json::from_str(sa).unwrap()).unwrap();
    let dump = state.to_json(0, 0);
    let all = dump["sa"].as_array().unwrap();
    assert_eq!(all.len(), SECTIONS);
    for (section, [third, fourth]) in
        all.iter().zip([["11", "1"], ["12", "2"], ["0", "3"], ["0", "4"]])
    {
        let values = section.as_array().unwrap();
        assert_eq!(values.len(), 16);
        assert_eq!(values[3], format!("{third:0>16}"));
        assert_eq!(values[4], format!("{fourth:0>16}"));
        assert_eq!(values[5], "0000000000007fff");
    }
    assert_eq!(dump["qa"][2], "00000000000003ff");
    assert_eq!(dump["shared"], json!({ "1023": "3fc0000000000000" }));
    let plain = state.load_json(&Core::CP2, &json!({ "sa": [] })).unwrap_err().to_string();
    assert!(plain.contains("`--enable section-addressing` gives them"), "{plain}");
    let wide = r#"{"sa": {"3": "8000"}}"#;
    let wide = state.load_json(&core, &serde_json::from_str(wide).unwrap()).unwrap_err();
    assert_eq!(
        wide.to_string(),
        "at `sa[3]`: 0x8000 does not fit into the 15 bits of the register: addresses of a section end at \
         0x7fff (core.local_memory_words)"
    );
}

#[test]
fn a_schema_names_the_keys_of_a_dump_and_no_others() {
    let dump = State::default().to_json(0, 0);
    let schema = schema(&Core::CP2);
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&dump), keys(&schema["properties"]));
    let sections = &schema["properties"]["fpr"]["anyOf"][0];
    assert_eq!(sections["items"]["anyOf"][0]["minItems"], 64);
}

fn read(text: &str) -> Result<State, String> {
    let mut state = State::default();
    let value: Value = serde_json::from_str(text).unwrap();
    state.load_json(&Core::CP2, &value).map(|()| state).map_err(|e| e.to_string())
}

#[test]
fn single_registers_are_set_and_the_others_keep_their_values() {
    let state = read(
        r#"{"gpr": {"2": "1f"}, "n3": "7", "f5": "1.5:-2.0", "f6": ["1", "2", "3", "4"],
            "fpr": {"7": "0x8", "8": ["1", "0:1", "3", "4"]},
            "lmem": {"100": "nan:inf", "101": ["a", "b", "c", "d"]}}"#,
    )
    .unwrap();
    assert_eq!((state.gpr[2], state.gpr[1], state.n[3], state.n[4]), (0x1f, 0, 7, 1));
    assert_eq!(state.fpr[5], [0x3fc0_0000_c000_0000; SECTIONS]);
    assert_eq!((state.fpr[6], state.fpr[7]), ([1, 2, 3, 4], [8; SECTIONS]));
    assert_eq!(state.fpr[8], [1, 0x3f80_0000, 3, 4]);
    assert_eq!(state.lmem[100], [0x7fff_ffff_7f80_0000; SECTIONS]);
    assert_eq!(state.lmem[101], [0xa, 0xb, 0xc, 0xd]);
    // One section by numbers, and a name over its file.
    let state =
        read(r#"{"fpr": [{"1": "5"}, {}, {}, {"1": "0.5:0.5"}], "gpr": {"2": "1"}, "g2": "3"}"#)
            .unwrap();
    assert_eq!(state.fpr[1], [5, 0, 0, 0x3f00_0000_3f00_0000]);
    assert_eq!(state.gpr[2], 3);
}

#[test]
fn what_a_state_cannot_be_is_told_with_its_place_and_the_form() {
    for (text, expected) in [
        (r#"{"cycles": "x"}"#, r#"at `cycles`: expected a number of cycles, found "x""#),
        (r#"{"cycles": -1}"#, "at `cycles`: expected a number of cycles, found -1"),
        (r#"{"g2": "0x"}"#, r#"at `g2`: expected 1 to 16 hexadecimal digits, found "0x""#),
        (r#"{"g2": 5}"#, "at `g2`: expected a string of hexadecimal digits, found 5"),
        (r#"{"g16": "1"}"#, "at `g16`: there are 16 of these, from 0 on"),
        (r#"{"a3": "2000"}"#, "at `a3`: 0x2000 does not fit into the 13 bits of the register"),
        (r#"{"f3": ["1"]}"#, "at `f3`: expected 4 values, found 1"),
        (r#"{"f3": "1.5"}"#, r#"at `f3`: expected 1 to 16 hexadecimal digits, found "1.5""#),
        (
            r#"{"f3": "1.5:x"}"#,
            r#"at `f3`: expected two floats HI:LO such as "1.5:-2.0", found "1.5:x""#,
        ),
        (
            r#"{"g3": "1.5:2.0"}"#,
            r#"at `g3`: expected 1 to 16 hexadecimal digits, found "1.5:2.0""#,
        ),
        (r#"{"gpr": {"16": "1"}}"#, "at `gpr[16]`: numbers of registers are decimal, from 0 to 15"),
        (r#"{"fpr": {"x": "1"}}"#, "at `fpr[x]`: numbers of registers are decimal, from 0 to 63"),
    ] {
        assert_eq!(read(text).unwrap_err(), expected, "{text}");
    }
}
