//! Machine files: presets, checks, settings and dumps.

use cp2_emu::machine::{Key, MachineConfig, PRESETS};
use cp2_emu::memory::MemoryTiming;

fn machine(name: &str) -> MachineConfig {
    MachineConfig::preset(name).expect("a machine")
}

/// Returns the problems of a file.
fn problems(text: &str) -> Vec<String> {
    MachineConfig::parse(text).expect_err("problems").problems
}

#[test]
fn presets_are_dumped_and_read_again() {
    for (name, _) in PRESETS {
        let config = machine(name);
        assert_eq!(config.name(), name);
        assert_eq!(MachineConfig::parse(&config.dump()), Ok(config));
    }
    assert_eq!(MachineConfig::preset("vm8"), None);
}

#[test]
fn presets_have_the_clocks_of_the_tables() {
    let clocks = PRESETS.map(|(name, _)| {
        let config = machine(name);
        (config.value(Key::CpuClock), config.value(Key::MemoryClock))
    });
    assert_eq!(clocks, [(200, 200), (1000, 667), (1000, 600), (1000, 700), (1200, 800)]);
    assert_eq!(machine("vm9-1200-800").number(Key::MemoryClock).origin, "[D] tables B.5, B.7");
    assert_eq!(machine("vm7").value(Key::Outstanding), 8);
    assert_eq!(machine("vm9").value(Key::Outstanding), 2);
    let peaks = ["vm7", "vm9"].map(|n| MemoryTiming::from(&machine(n)).peak_mb_per_s());
    assert_eq!(peaks, [3200.0, 10672.0]);
}

#[test]
fn every_number_of_a_preset_says_where_it_comes_from() {
    for (name, _) in PRESETS {
        let config = machine(name);
        for key in Key::ALL {
            let origin = &config.number(key).origin;
            let known = ["[D]", "[L]", "fit: ", "assumption: "];
            assert!(known.iter().any(|k| origin.starts_with(k)), "{name} {key}: {origin}");
        }
        assert!(config.assumptions().contains(&Key::RowSize));
        assert!(!config.assumptions().contains(&Key::CpuClock));
    }
}

#[test]
fn settings_change_one_number_and_say_so() {
    let mut config = machine("vm9");
    assert_eq!(config.apply_set("memory.clock_mhz=800"), Ok(()));
    assert_eq!(config.apply_set(" dma.memory_to_memory = false"), Ok(()));
    assert_eq!(config.value(Key::MemoryClock), 800);
    assert_eq!(config.value(Key::MemoryToMemory), 0);
    assert_eq!(config.number(Key::MemoryClock).origin, "set by hand");
    assert_eq!(MachineConfig::parse(&config.dump()), Ok(config));
}

#[test]
fn wrong_settings_change_nothing_and_name_key_value_and_limit() {
    let mut config = machine("vm9");
    let mut refused = |setting: &str| {
        let before = config.clone();
        let text = config.apply_set(setting).expect_err("refused").to_string();
        assert_eq!(config, before);
        text
    };
    assert_eq!(
        refused("memory.outstanding=0"),
        "memory.outstanding is 0; it takes a whole number from 1 to 64"
    );
    assert_eq!(
        refused("memory.bytes_per_clock=12"),
        "memory.bytes_per_clock is 12; it takes a power of two from 1 to 256"
    );
    assert_eq!(
        refused("memory.page_bytes=1000"),
        "memory.page_bytes is 1000; it takes a multiple of 16 from 16 to 1048576"
    );
    assert_eq!(
        refused("dma.memory_to_memory=1"),
        "dma.memory_to_memory is 1; it takes true or false"
    );
    assert!(refused("cpu.clock_mhz=fast").contains("cpu.clock_mhz is \"fast\""));
    assert!(refused("cpu.clock_mhz=-1").contains("cpu.clock_mhz is -1"));
    assert_eq!(refused("cpu.speed=1"), "cpu.speed is not a key; [cpu] has clock_mhz");
    assert!(
        refused("gpu.clock_mhz=1")
            .contains("the sections are core, extensions, cpu, memory, dma, host, control")
    );
    assert!(refused("clock=1").contains("section.key"));
    assert!(refused("clock").contains("not of the form"));
    assert_eq!(
        refused("memory.page_bytes=128"),
        "memory.transaction_bytes is 256, more than memory.page_bytes, which is 128; a transaction lies in one row"
    );
}

#[test]
fn files_are_checked_as_a_whole() {
    let text = machine("vm7").dump();
    let text = text
        .replace("[cpu]\nclock_mhz", "[cpu]\nclock_hz")
        .replace("size_mib = { value = 768,", "size_mib = { value = 100000,")
        .replace(
            "outstanding = { value = 8, origin = \"",
            "outstanding = { value = 8, source = \"",
        )
        + "\n[cache]\nsize = 1\n";
    let found = problems(&text);
    for expected in [
        "cpu.clock_hz is not a key; [cpu] has clock_mhz",
        "cpu.clock_mhz is missing: clock of CP2 and of the control processor",
        "memory.size_mib is 100000; it takes a whole number from 1 to 4096",
        "memory.outstanding.source is not a key; a number has value and origin",
        "cache is not a section; the sections are core, extensions, cpu, memory, dma, host, control",
    ] {
        assert!(found.iter().any(|p| p == expected), "{expected}: {found:#?}");
    }
    assert_eq!(found.len(), 5);
}

#[test]
fn numbers_may_stand_bare_but_not_without_a_name_of_the_machine() {
    let text = machine("vm7").dump();
    let bare = text.replace(
        "size_mib = { value = 768, origin = \"[D] 1.3, tables A.1 and A.2\" }",
        "size_mib = 512",
    );
    let config = MachineConfig::parse(&bare).expect("a machine");
    assert_eq!(config.value(Key::MemorySize), 512);
    assert_eq!(config.number(Key::MemorySize).origin, "unstated");
    assert_eq!(problems(&text.replace("name = \"vm7\"", "")), ["name is missing"]);
    assert!(problems(&text.replace("name = \"vm7\"", "name = 7"))[0].contains("name is 7"));
    let without = text
        .replace("{ value = 768, origin = \"[D] 1.3, tables A.1 and A.2\" }", "{ value = 768 }");
    assert!(problems(&without)[0].contains("memory.size_mib has no origin"));
    assert!(problems("name = ")[0].starts_with("this is not TOML: "));
}
