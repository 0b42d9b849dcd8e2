//! Programs in recordings of procedures: what is in instruction memory at the end has its names, its lines
//! and their texts, from the recording alone.

use cp2_emu::MachineConfig;
use cp2_fast::Translator;
use cp2_isa::BundleAddress;
use cp2_procedures::host::{Call, Host};
use cp2_recording::{Header, Recorder, Recording, RecordingInMemory};
use cp2_session::execution::Execution;
use cp2_session::recorded;
use std::io::Cursor;

const FIRST: &str = ".kernel first\n| nop\n| nop\n| stopi 1\n";
const SECOND: &str = ".kernel second\n| nop\n| stopi 2\n";
const BEHIND: &str = ".org 100\n.kernel behind\nhere: | nop\n| stopi 3\n";

/// Runs kernels of which the second takes the place of the first, and records that.
fn recording() -> Recording {
    let config = MachineConfig::preset("vm7").expect("a machine");
    let header = Header {
        cp2: "test".to_owned(),
        command: "test".to_owned(),
        machine: Some(config.dump()),
        core: *config.core().numbers(),
        inputs: Vec::new(),
    };
    let tape = RecordingInMemory::default();
    let recorder = Recorder::new(Box::new(tape.clone()), &header).expect("a recorder");
    let recorder: &'static Recorder = Box::leak(Box::new(recorder));
    let on = Execution { recorder: Some(recorder.clone()), ..Execution::on(*config.core()) };
    let mut host = Host::new(config, &on);
    for (name, text) in [("first.s", FIRST), ("second.s", SECOND), ("behind.s", BEHIND)] {
        let entry = host.install(name, || Ok(text.to_owned())).expect("a kernel");
        host.start_kernel(&Call::new(entry, Vec::new())).expect("a call");
        host.wait_for_cp2().expect("its end");
    }
    drop(host);
    recorder.finish().expect("a recording");
    let bytes = tape.take();
    Recording::open(Cursor::new(bytes), Box::new(Translator::default())).expect("a recording")
}

#[test]
fn kernels_that_a_host_sends_have_their_names_and_texts() {
    let mut recording = recording();
    let here = recording.cycle();
    let found = recorded::of(&mut recording).expect("programs");
    assert_eq!(recording.cycle(), here);
    let image = &found.image;
    let names: Vec<(&str, u16)> =
        image.kernels.iter().map(|k| (k.name.as_str(), k.start.0)).collect();
    assert_eq!(names, [("second", 0), ("behind", 100)]);
    assert_eq!(image.symbol("here"), Some(100));
    assert_eq!(image.symbol("first"), None);
    let line = |at: u16| {
        let place = image.lines[&BundleAddress(at)];
        let file = &image.files[place.file as usize];
        let text = found.sources.text_of(file).expect("a text");
        (file.as_str(), text.lines().nth(place.line as usize - 1).expect("a line"))
    };
    assert_eq!(line(1), ("second.s", "| stopi 2"));
    assert_eq!(line(101), ("behind.s", "| stopi 3"));
    assert!(!image.lines.contains_key(&BundleAddress(2)), "a line of what was overwritten");
}
