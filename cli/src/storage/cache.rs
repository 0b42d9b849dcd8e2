//! Schedules, assembled programs and translated code kept from run to run, as files in the user's cache folder. An entry
//! is the whole key, what is kept, and a digest of both: what is not exactly that is passed over and written anew. Whether a
//! schedule is right is not decided here; the assembler checks it. All else is taken and run as it is found, so nothing is kept
//! where another user could write.

use crate::process::exit::complain;
use crate::storage::trust::{self, Distrust};
use crate::storage::unfinished;
use cp2_asm::sched::Store;
use etcetera::BaseStrategy as _;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use twox_hash::XxHash64;

/// Environment variable that names the folder, in place of `cp2/schedules` in the user's cache folder.
pub(crate) const VARIABLE: &str = "CP2_CACHE_DIR";

/// Most bytes of all entries; when there are more, those that were not used for longest go.
const MOST_BYTES: u64 = 64 << 20;

/// Most bytes of all entries that stay when some have gone, and of a single entry.
const KEPT_BYTES: u64 = MOST_BYTES / 4 * 3;

/// Bytes with which an entry begins.
const HEAD: &[u8] = b"cp2 schedule 2 ";

/// Ending of the names of entries.
const ENDING: &str = "schedule";

/// Folder of schedules, programs and translated code.
pub(crate) struct Cache {
    folder: PathBuf,
    /// Name of the build of `cp2` that makes the entries; another one may make others.
    maker: String,
}

impl Cache {
    /// Returns the user's cache; `None` if there can be none, with a line on standard error if that is for others who could
    /// write there.
    pub(crate) fn of_user() -> Option<Self> {
        let folder = match std::env::var_os(VARIABLE) {
            Some(folder) if !folder.is_empty() => PathBuf::from(folder),
            _ => etcetera::choose_base_strategy().ok()?.cache_dir().join("cp2").join("schedules"),
        };
        match trust::own_folder(&folder) {
            Ok(folder) => Some(Self { folder, maker: maker()? }),
            Err(Distrust::Absent) => None,
            Err(Distrust::Shared(which, how)) => {
                complain(format!(
                    "cp2: note: the cache folder {} is not used: {} {how}; correct its owner and mode (chmod go-w), name another folder in {VARIABLE}, or give --no-cache",
                    folder.display(),
                    which.display()
                ));
                None
            }
        }
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{:016x}.{ENDING}", digest(key.as_bytes())))
    }

    /// Writes an entry for its user alone. It need not survive a loss of power.
    fn write(&self, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
        let (mut file, _listed) = unfinished::create(&self.folder, None)?;
        file.write_all(bytes)?;
        file.persist(path)?;
        Ok(())
    }

    fn full_key(&self, key: &str) -> String {
        format!("{}\n{key}", self.maker)
    }

    /// Deletes the entries that were not used for longest, if all are too large together. What cannot
    /// be read or deleted is left alone.
    fn shrink(&self, most: u64, kept: u64) {
        let mut entries: Vec<(SystemTime, u64, PathBuf)> = entries(&self.folder).collect();
        let mut total: u64 = entries.iter().map(|(_, size, _)| size).sum();
        if total <= most {
            return;
        }
        entries.sort();
        for (_, size, path) in entries {
            if total <= kept {
                break;
            }
            if std::fs::remove_file(path).is_ok() {
                total -= size;
            }
        }
    }
}

/// Returns the name of this version of the program and this build of it: during development, versions stay and schedulers
/// change.
fn maker() -> Option<String> {
    let program = std::fs::metadata(std::env::current_exe().ok()?).ok()?;
    let built = program.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let (version, size) = (env!("CARGO_PKG_VERSION"), program.len());
    Some(format!("cp2 {version}, {size} bytes of {}", built.as_nanos()))
}

/// Returns the entries of a folder: when each was used last, its size, its path.
fn entries(folder: &Path) -> impl Iterator<Item = (SystemTime, u64, PathBuf)> {
    let all = std::fs::read_dir(folder).into_iter().flatten().flatten();
    all.filter_map(|entry| {
        let (path, data) = (entry.path(), entry.metadata().ok()?);
        let is_entry = data.is_file() && path.extension().is_some_and(|e| e == ENDING);
        is_entry.then_some((data.modified().ok()?, data.len(), path))
    })
}

/// Returns the digest that tells damaged entries and spreads keys. Keys are compared in full.
fn digest(bytes: &[u8]) -> u64 {
    XxHash64::oneshot(0, bytes)
}

/// Returns an entry as it is written: head, digest of all that follows, length of the key, key, what is kept.
fn written(key: &str, entry: &[u8]) -> Vec<u8> {
    let length = (key.len() as u64).to_le_bytes();
    let rest = [&length, key.as_bytes(), entry].concat();
    [HEAD, &digest(&rest).to_le_bytes(), &rest].concat()
}

/// Returns the offset in an entry at which the kept bytes begin, if the entry is whole and its key is this one.
fn start_of_kept(written: &[u8], key: &str) -> Option<usize> {
    let (found, rest) = written.strip_prefix(HEAD)?.split_first_chunk()?;
    let (length, behind) = rest.split_first_chunk()?;
    let is_whole = u64::from_le_bytes(*found) == digest(rest);
    let is_it =
        u64::from_le_bytes(*length) == key.len() as u64 && behind.starts_with(key.as_bytes());
    (is_whole && is_it).then(|| written.len() - behind.len() + key.len())
}

impl Store for Cache {
    fn get(&mut self, key: &str) -> Option<Vec<u8>> {
        let key = self.full_key(key);
        let file = trust::open_own(&self.path(&key), KEPT_BYTES).ok()?;
        let mut entry = Vec::new();
        (&file).take(KEPT_BYTES).read_to_end(&mut entry).ok()?;
        entry.drain(..start_of_kept(&entry, &key)?);
        // The time of the last use; not to know it is no harm.
        let _ = file.set_modified(SystemTime::now());
        Some(entry)
    }

    /// Writes an entry. A folder that cannot be written is no error: the entry is made anew the next time.
    fn put(&mut self, key: &str, entry: &[u8]) {
        let key = self.full_key(key);
        let written = written(&key, entry);
        let fits = written.len() as u64 <= KEPT_BYTES;
        if fits && self.write(&self.path(&key), &written).is_ok() {
            self.shrink(MOST_BYTES, KEPT_BYTES);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(folder: &Path) -> Cache {
        Cache { folder: folder.to_owned(), maker: "test".to_owned() }
    }

    #[test]
    fn entries_come_back_under_their_key_only() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = cache(folder.path());
        assert_eq!(cache.get("key"), None);
        cache.put("key", b"schedule");
        cache.put("other", b"another");
        assert_eq!(cache.get("key").as_deref(), Some(&b"schedule"[..]));
        assert_eq!(cache.get("ke"), None);
        cache.maker = "another build".to_owned();
        assert_eq!(cache.get("key"), None);
    }

    #[test]
    fn damaged_entries_are_none_and_are_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = cache(folder.path());
        cache.put("key", b"schedule");
        let path = cache.path(&cache.full_key("key"));
        let whole = std::fs::read(&path).unwrap();
        for n in 0..whole.len() {
            std::fs::write(&path, &whole[..n]).unwrap();
            assert_eq!(cache.get("key"), None, "the first {n} bytes");
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[n] ^= 1 << bit;
                std::fs::write(&path, damaged).unwrap();
                assert_eq!(cache.get("key"), None, "bit {bit} of byte {n} changed");
            }
        }
        cache.put("key", b"schedule");
        assert_eq!(std::fs::read(&path).unwrap(), whole);
        let n_files = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(n_files, 1, "a temporary file is left");
    }

    #[cfg(unix)]
    #[test]
    fn entries_of_others_are_none_and_are_replaced() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let mut cache = cache(folder.path());
        cache.put("key", b"schedule");
        let path = cache.path(&cache.full_key("key"));
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o660)).unwrap();
        assert_eq!(cache.get("key"), None);
        let other = folder.path().join("other");
        std::fs::rename(&path, &other).unwrap();
        std::fs::set_permissions(&other, std::fs::Permissions::from_mode(0o600)).unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        assert_eq!(cache.get("key"), None);
        cache.put("key", b"schedule");
        assert!(!path.is_symlink() && mode(&path) == 0o600);
        assert_eq!(cache.get("key").as_deref(), Some(&b"schedule"[..]));
    }

    #[test]
    fn what_was_used_last_stays() {
        let folder = tempfile::tempdir().unwrap();
        let mut cache = cache(folder.path());
        for (age, key) in [(30, "oldest"), (20, "older"), (10, "young")] {
            cache.put(key, &[b'x'; 1000]);
            let file = std::fs::File::options().append(true).open(cache.path(&cache.full_key(key)));
            let time = SystemTime::now() - std::time::Duration::from_secs(age);
            file.unwrap().set_modified(time).unwrap();
        }
        cache.shrink(4000, 2500);
        assert_eq!(entries(folder.path()).count(), 3);
        assert!(cache.get("oldest").is_some());
        cache.shrink(3000, 2500);
        assert_eq!(cache.get("older"), None);
        assert!(cache.get("oldest").is_some() && cache.get("young").is_some());
    }
}
