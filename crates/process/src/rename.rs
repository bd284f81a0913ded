//! Renaming a complete file or folder into its place, which another program may have open.

use std::fs;
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use tempfile::NamedTempFile;

/// How often to try on Windows, which refuses to replace what is open. Other programs look into new
/// files for a moment, such as virus scanners.
const TRIES: u32 = 20;

/// The pause after each try.
const PAUSE: Duration = Duration::from_millis(50);

/// Advice if a file stays open. Windows doesn't say which program has it.
const HELD: &str = "hint: close the program that has it open, or check that you may change it";

/// Renames a file or folder, and replaces a file that has the new name.
///
/// # Errors
/// The system's error. On Windows it says what to do if another program has the file open.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    for _ in 1..TRIES {
        match fs::rename(from, to) {
            Err(error) if is_held(&error) => thread::sleep(PAUSE),
            done => return done,
        }
    }
    fs::rename(from, to).map_err(|error| {
        if !is_held(&error) {
            return error;
        }
        io::Error::new(error.kind(), format!("{error}\n{HELD}"))
    })
}

/// Closes a temporary file and renames it, as [`rename`] does. Removes it if that fails.
///
/// # Errors
/// As for [`rename`].
pub fn persist<F>(file: NamedTempFile<F>, to: &Path) -> io::Result<()> {
    // Clears the mark of a temporary file on Windows, too.
    let path = file.into_temp_path().keep()?;
    rename(&path, to).inspect_err(|_| drop(fs::remove_file(&path)))
}

/// Returns whether an error of Windows says that a file is open: access denied, a sharing violation
/// or a lock.
fn is_held(error: &io::Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(5 | 32 | 33))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_temporary_file_takes_the_place_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("file");
        for text in ["old", "new"] {
            let mut file = NamedTempFile::new_in(folder.path()).unwrap();
            file.write_all(text.as_bytes()).unwrap();
            persist(file, &place).unwrap();
            assert_eq!(fs::read_to_string(&place).unwrap(), text);
        }
        let file = NamedTempFile::new_in(folder.path()).unwrap();
        persist(file, &place.join("nowhere")).unwrap_err();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
