//! Descriptions of machines: their names, keys, numbers that are changed by hand, extensions that are switched on.

use cp2_isa::machine::{Key, KeyKind, PRESETS, Switch, TOGGLES};
use cp2_isa::{Core, CoreNumbers, Extensions, MachineConfig};

fn vm9() -> MachineConfig {
    MachineConfig::preset("vm9-1000-600").expect("a machine that comes with the program")
}

#[test]
fn a_machine_is_called_by_its_name() {
    for name in ["vm7", "vm9-1000-600"] {
        let config = MachineConfig::preset(name);
        assert_eq!(config.as_ref().map(MachineConfig::name).unwrap_or_default(), name);
    }
}

#[test]
fn a_section_that_no_file_has_is_answered_with_those_that_there_are() {
    let problem = MachineConfig::parse("name = \"a\"\n[strange]\nx = 1\n").err();
    let problem = problem.map(|problem| problem.to_string()).unwrap_or_default();
    let sections = Key::sections().join(", ");
    assert!(
        problem.contains(&format!("strange is not a section; the sections are {sections}")),
        "{problem}"
    );
}

/// The numbers of the core are those that a core is made of, and its extensions.
#[test]
fn keys_belong_to_what_is_made_of_them() {
    let of_core = Core::CP2.numbers().with_keys().map(|(key, _)| key);
    for key in Key::ALL {
        let is_of_core = of_core.contains(&key) || key.extension().is_some();
        assert_eq!(key.is_of_core(), is_of_core, "{key}");
        assert_eq!(key.is_of_control(), key.to_string().starts_with("control."), "{key}");
    }
}

/// The clocks of a machine are the numbers in its name.
#[test]
fn a_preset_has_the_clocks_of_its_name() {
    for (name, _) in PRESETS {
        let config = MachineConfig::preset(name).expect("a machine that comes with the program");
        let clocks = name.split('-').skip(1).map(|text| text.parse::<u32>());
        for (key, clock) in [Key::CpuClock, Key::MemoryClock].into_iter().zip(clocks) {
            assert_eq!(Ok(config.value(key)), clock, "{name}: {key}");
        }
    }
}

#[test]
fn every_key_is_found_by_the_name_that_its_section_has() {
    let names = Key::sections()
        .into_iter()
        .flat_map(|section| Key::names(section).into_iter().map(move |name| (section, name)));
    let found: Vec<Option<Key>> = names.map(|(section, name)| Key::named(section, name)).collect();
    assert_eq!(found, Key::ALL.map(Some));
}

/// The description that is printed, its JSON and the machine have the same numbers.
#[test]
fn json_has_the_numbers_with_their_origins() {
    let config = vm9();
    let json = config.to_json();
    for key in Key::ALL {
        let (info, number) = (key.info(), config.number(key));
        let told = &json[info.section][info.name];
        let value = match info.kind {
            KeyKind::Flag => told["value"].as_bool().map(u32::from),
            _ => told["value"].as_u64().map(|value| value as u32),
        };
        assert_eq!(value, Some(number.value), "{key}");
        assert_eq!(told["origin"], number.origin, "{key}");
    }
    assert_eq!(json["name"], config.name());
}

#[test]
fn assumptions_are_those_whose_origin_says_so() {
    let config = vm9();
    let assumptions = config.assumptions();
    assert!(!assumptions.is_empty());
    for key in Key::ALL {
        let is_one = config.number(key).origin.starts_with("assumption");
        let is_told = is_one && !key.to_string().starts_with("control.");
        assert_eq!(assumptions.contains(&key), is_told, "{key}");
    }
}

/// A flag takes the words true and false and no number but those.
#[test]
fn a_flag_is_set_by_words() {
    for key in Key::ALL.into_iter().filter(|key| key.info().kind == KeyKind::Flag) {
        let mut config = vm9();
        for (word, value) in [("true", 1), ("false", 0), ("true", 1)] {
            // Some flags need other numbers beside them; then nothing changes.
            if config.apply_set(&format!("{key}={word}")).is_ok() {
                assert_eq!(config.value(key), value, "{key}={word}");
            }
        }
        assert!(config.apply_set(&format!("{key}=perhaps")).is_err(), "{key}");
    }
    let mut config = vm9();
    for (word, value) in [("true", 1), ("false", 0)] {
        assert!(config.apply_set(&format!("extensions.word_access={word}")).is_ok());
        assert_eq!(config.value(Key::WordAccess), value);
    }
}

/// Switching on adds one extension or one size, and leaves everything else as it was.
#[test]
fn a_switch_changes_what_it_names() {
    let before = *Core::CP2.numbers();
    for toggle in TOGGLES {
        let Ok(switch) = toggle.name.parse::<Switch>() else { continue };
        let after = switch.on_core(before);
        let mut expected = before;
        if let Some((key, _)) = toggle.size() {
            let size = after.with_keys().into_iter().find(|(k, _)| *k == key).map(|(_, n)| n);
            match key {
                Key::Fprs => expected.fprs = size.unwrap_or_default(),
                Key::LocalMemory => expected.local_memory_words = size.unwrap_or_default(),
                _ => {}
            }
        }
        expected.extensions |= toggle.extension().unwrap_or_default();
        assert_eq!(after, expected, "{}", toggle.name);
    }
}

#[test]
fn a_larger_memory_and_more_registers_are_switched_on_with_their_size() {
    let on =
        |text: &str| text.parse::<Switch>().ok().map(|switch| switch.on_core(*Core::CP2.numbers()));
    let flags = |numbers: CoreNumbers| numbers.extensions;
    assert_eq!(on("word-access").map(flags), Some(Extensions::WORD_ACCESS));
    for toggle in TOGGLES.iter().filter(|toggle| toggle.size().is_some()) {
        let (key, _) = toggle.size().unwrap_or((Key::Fprs, 0));
        for size in [128, 256, 16384, 32768].into_iter().filter(|&n| key.info().kind.takes(n)) {
            let Some(numbers) = on(&format!("{}={size}", toggle.name)) else { continue };
            let mut of_keys = numbers.with_keys().into_iter();
            if let Some((_, found)) = of_keys.find(|(k, _)| *k == key) {
                assert_eq!(found, size, "{}", toggle.name);
            }
        }
    }
}

/// The longest distance of a core is that of its slowest unit, whichever this is.
#[test]
fn the_slowest_unit_decides_when_all_has_landed() {
    let with = |change: fn(&mut CoreNumbers, u32), latency| {
        let mut numbers = *Core::CP2.numbers();
        change(&mut numbers, latency);
        Core::new(numbers).map(|core| core.latencies().longest())
    };
    let usual = Core::CP2.latencies().longest();
    let slowest = Core::CP2.numbers().arithmetic_latency;
    let units: [fn(&mut CoreNumbers, u32); 4] = [
        |numbers, latency| numbers.arithmetic_latency = latency,
        |numbers, latency| numbers.load_latency = latency,
        |numbers, latency| numbers.psprmsgn_latency = latency,
        |numbers, latency| numbers.mtfpr_latency = latency,
    ];
    for unit in units {
        let longer = with(unit, slowest + 1);
        assert!(longer.as_ref().map_or(true, |&longest| longest > usual), "{longer:?} {usual}");
    }
}

/// A name or an origin stands in a line of a report.
#[test]
fn names_and_origins_are_a_line_that_is_not_empty() {
    let text = vm9().dump();
    let origin = text.lines().find_map(|line| line.split_once("origin = ")).expect("a number").1;
    for (bad, is_fine) in [("\"\"", false), ("\"a\\nb\"", false), ("\"a b\"", true)] {
        let named = text.replacen("name = \"vm9-1000-600\"", &format!("name = {bad}"), 1);
        let from = text.replacen(origin, &format!("{bad} }}"), 1);
        assert!(named != text && from != text, "{text}");
        for changed in [named, from] {
            assert_eq!(MachineConfig::parse(&changed).is_ok(), is_fine, "{bad}: {changed}");
        }
    }
}
