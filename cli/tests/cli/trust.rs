//! Files that others could have made, that say what no run comes to, that never end, or that two runs want.
#![cfg(unix)]

use crate::kit::{Folder, twelve};
use std::fs::{File, Permissions};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn nothing_is_kept_nor_taken_where_others_may_write() {
    let folder = Folder::new();
    let (kept, run) = (folder.path("kept"), "kernels run axpy");
    let fresh = folder.printed_with_schedules(&kept, run);
    let entries = || std::fs::read_dir(&kept).unwrap().map(|e| e.unwrap().path());
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert!(entries().count() >= 2 && entries().all(|entry| mode(&entry) == 0o600));
    assert_eq!(mode(&kept), 0o700);
    for (mode, way) in [(0o2775, "2775"), (0o777, "777"), (0o1777, "1777")] {
        set_mode(&kept, mode);
        let before: Vec<_> =
            entries().map(|path| std::fs::metadata(path).unwrap().modified().unwrap()).collect();
        let output = folder.cp2_with_schedules(kept.clone(), run);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.stdout, fresh);
        assert!(told.contains(&format!("can be written by other users, mode {way}")), "{told}");
        assert!(told.contains("chmod go-w"), "{told}");
        let after: Vec<_> =
            entries().map(|path| std::fs::metadata(path).unwrap().modified().unwrap()).collect();
        assert_eq!(before, after, "something was taken or kept");
    }
    set_mode(&kept, 0o700);
    // Entries are pipes, for which nobody waits.
    let all: Vec<_> = entries().collect();
    for entry in &all {
        std::fs::remove_file(entry).unwrap();
        pipe(entry);
    }
    assert_eq!(folder.printed_with_schedules(&kept, run), fresh);
    let is_file = |entry: &std::path::PathBuf| std::fs::metadata(entry).unwrap().is_file();
    assert!(all.iter().all(is_file), "entries are written anew");
}

#[test]
fn what_has_no_end_is_no_checkpoint_and_no_recording() {
    let folder = Folder::new();
    pipe(&folder.path("pipe"));
    let run = "kernels run fft2d --machine vm7 --n1 32 --n2 32 --resume";
    for name in ["/dev/zero", "pipe"] {
        let text = folder.expect(3, &format!("{run} {name}"));
        assert!(text.contains(&format!("cannot read {name}: it is not a regular file")), "{text}");
    }
    folder.write("long.chk", b"CP2CHK\n\x1a");
    let file = File::options().write(true).open(folder.path("long.chk")).unwrap();
    file.set_len(1 << 40).unwrap();
    let text = folder.expect(3, &format!("{run} long.chk"));
    assert!(text.contains("MiB, the limit"), "{text}");
    pipe(&folder.path("pipe.cp2rec"));
    let text = folder.expect(3, "stats pipe.cp2rec");
    assert!(text.contains("it is not a regular file"), "{text}");
}

/// Returns the offsets at which chunks of a recording begin, each with its kind.
fn chunks(file: &[u8]) -> Vec<(usize, [u8; 4])> {
    let (mut all, mut at) = (Vec::new(), 12);
    while let Some(head) =
        file.get(at..at + 16).filter(|h| h[..4].iter().all(u8::is_ascii_uppercase))
    {
        all.push((at, head[..4].try_into().unwrap()));
        at += 16 + u64::from_le_bytes(head[8..].try_into().unwrap()) as usize;
    }
    all
}

/// Returns a recording without its index, of which the first chunk of a kind says something else, with the checksum of that.
fn forged(file: &[u8], kind: &[u8; 4], change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let all = chunks(file);
    let place = |kind: &[u8; 4]| all.iter().position(|(_, other)| other == kind).unwrap();
    let (here, index) = (place(kind), place(b"INDX"));
    let (begin, end) = (all[here].0, all[here + 1].0);
    let mut content = lz4_flex::decompress_size_prepended(&file[begin + 16..end]).unwrap();
    change(&mut content);
    let content = lz4_flex::compress_prepend_size(&content);
    let length = (content.len() as u64).to_le_bytes();
    let sum = crc32fast::hash(&[&kind[..], &length, &content].concat());
    let head = [&kind[..], &sum.to_le_bytes(), &length].concat();
    [&file[..begin], &head, &content, &file[end..all[index].0]].concat()
}

#[test]
fn a_recording_whose_counts_are_of_no_run_is_damaged() {
    let folder = twelve();
    folder.expect(0, "run twelve.s --record r.cp2rec");
    let whole = std::fs::read(folder.path("r.cp2rec")).unwrap();
    let all = chunks(&whole);
    let last = all.iter().rposition(|(_, kind)| kind == b"LEAF").unwrap();
    assert!(last > 0);
    // The second leaves are of the run; of the first one nothing is counted yet.
    let behind = |file: &[u8]| file[..all[last].0].to_vec();
    let of_last = [&whole[..12], &whole[all[last].0..]].concat();
    let changed = forged(&of_last, b"LEAF", |content| {
        // Number of leaves, begin, end, then cycles by cause.
        content[3] ^= 1;
    });
    folder.write("r.cp2rec", [&behind(&whole)[..], &changed[12..]].concat());
    for command in ["stats r.cp2rec", "report r.cp2rec -o page.html"] {
        let text = folder.expect(3, command);
        assert!(text.contains("this recording is damaged, the account does not add up"), "{text}");
    }
}

#[test]
fn two_runs_do_not_record_into_one_file() {
    let folder = twelve();
    folder.expect(0, "run twelve.s --record r.cp2rec");
    let whole = std::fs::read(folder.path("r.cp2rec")).unwrap();
    let other = File::options().write(true).open(folder.path("r.cp2rec")).unwrap();
    other.lock().unwrap();
    let text = folder.expect(3, "run twelve.s --record r.cp2rec");
    assert!(text.contains("cannot write r.cp2rec: another run records into this file"), "{text}");
    assert!(std::fs::read(folder.path("r.cp2rec")).unwrap() == whole, "it was changed");
    drop(other);
    folder.expect(0, "run twelve.s --record r.cp2rec");
    folder.expect(0, "stats r.cp2rec --verify");
}

#[test]
fn what_killed_runs_leave_is_removed_by_the_next_one() {
    let folder = twelve();
    folder.write(".cp2-abcdEF12.unfinished", "half of it");
    let held = File::create(folder.path(".cp2-abcdEF34.unfinished")).unwrap();
    held.lock().unwrap();
    folder.expect(0, "run twelve.s --dump a.json");
    assert_eq!(folder.names(), [".cp2-abcdEF34.unfinished", "a.json", "twelve.s"]);
}

#[test]
fn an_output_goes_where_a_link_leads_though_nothing_is_there_yet() {
    let folder = twelve();
    std::fs::create_dir(folder.path("there")).unwrap();
    symlink("there/new.json", folder.path("link.json")).unwrap();
    symlink("link.json", folder.path("other.json")).unwrap();
    folder.expect(0, "run twelve.s --dump other.json");
    assert!(folder.path("link.json").is_symlink() && folder.path("other.json").is_symlink());
    assert_eq!(folder.json("there/new.json")["cycles"], 30);
    symlink("around.json", folder.path("around.json")).unwrap();
    let text = folder.expect(3, "run twelve.s --dump around.json");
    assert!(text.contains("more than 40 symbolic links"), "{text}");
    symlink("nowhere/a.json", folder.path("lost.json")).unwrap();
    let text = folder.expect(3, "run twelve.s --dump lost.json");
    assert!(text.contains("there is no folder") || text.contains("No such file"), "{text}");
    // One file under two names.
    std::fs::remove_file(folder.path("there/new.json")).unwrap();
    let text = folder.expect(2, "run twelve.s --dump link.json --profile-folded there/new.json");
    assert!(text.contains("two outputs go to"), "{text}");
}

#[test]
fn arrays_are_in_files_whose_names_are_no_text() {
    let folder = Folder::new();
    folder.write(
        "copy.s",
        "
        .kernel copy
        .array  x, in,  float32, 8, layout=blocks
        .array  y, out, float32, 8, layout=blocks
        | seti  a0, x
        | seti  a1, y
        nop
        | lwo   f0, (r0)+1
        nop
        nop
        | swo   f0, (r1)+1
        | stopi 0
        .lmem   all
x:      .zero   16
y:      .zero   16
",
    );
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (8,), }";
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    npy.extend(format!("{header:<117}\n").bytes());
    (0..8).for_each(|i| npy.extend((i as f32).to_le_bytes()));
    let [x, y] = [&b"x\xff.npy"[..], b"y\xfe.npy"].map(std::ffi::OsStr::from_bytes);
    std::fs::write(folder.path("").join(x), &npy).unwrap();
    let argument = |name: &str, path: &std::ffi::OsStr| {
        let mut text = std::ffi::OsString::from(name);
        text.push(path);
        text
    };
    let output = Command::new(env!("CARGO_BIN_EXE_cp2"))
        .current_dir(folder.path(""))
        .args(["run", "copy.s", "--no-cache", "--load"])
        .arg(argument("x=", x))
        .arg("--store")
        .arg(argument("y=", y))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let stored = std::fs::read(folder.path("").join(y)).unwrap();
    assert_eq!(stored.len(), npy.len());
}

#[test]
#[cfg(unix)]
fn inputs_of_kernels_need_no_names_of_text() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::new();
    let header = "{'descr': '<c8', 'fortran_order': False, 'shape': (4, 64), }";
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    npy.extend(format!("{header:<117}\n").bytes());
    (0..4 * 64 * 2).for_each(|i| npy.extend((i as f32).to_le_bytes()));
    let name = std::ffi::OsStr::from_bytes(b"x\xff.npy");
    std::fs::write(folder.path("").join(name), &npy).unwrap();
    let run = |name: &std::ffi::OsStr| {
        Command::new(env!("CARGO_BIN_EXE_cp2"))
            .current_dir(folder.path(""))
            .args(["kernels", "run", "fft64", "--no-cache", "--input"])
            .arg(name)
            .output()
            .unwrap()
    };
    let output = run(name);
    assert!(output.status.success(), "{output:?}");
    let output = run(std::ffi::OsStr::from_bytes(b"y\xff.npy"));
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{message}");
    assert!(message.contains("y\u{fffd}.npy"), "{message}");
    let output = run(std::ffi::OsStr::from_bytes(b"x.npy:as=\xff"));
    assert_eq!(output.status.code(), Some(2), "{output:?}");
}

#[test]
fn a_bundle_with_an_upper_word_is_told_whole() {
    let folder = Folder::new();
    let bundle = "00000000000007390100000000000000";
    folder.write("upper.hex", format!("0000000000000000\n{bundle}\n"));
    let text = folder.expect(4, "run upper.hex --enable more-fprs=256 --json --no-cache");
    assert!(text.contains(&format!("\"word\": \"{bundle}\"")), "{text}");
    assert!(text.contains(&format!("bundle 1 (0x{bundle})")), "{text}");
}
