//! The output of builds and compilers, which is shown if they fail.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::process::ExitStatus;

use crate::environment::temporary_folder;
use crate::program::ProgramError;
use crate::tail::without_echoes;

/// The most bytes of output that are kept.
const OUTPUT_MAX: u64 = 64 * 1024;

/// Creates a file for what a program prints. Unlike a pipe, it never blocks its writer, and nothing
/// has to read it meanwhile.
pub(crate) fn output_file() -> Result<File, ProgramError> {
    tempfile::tempfile_in(temporary_folder()).map_err(|error| {
        ProgramError(format!(
            "can't create a temporary file for its output: {error}"
        ))
    })
}

/// Judges an exit status. A failure has the end of what was printed.
pub(crate) fn judge(status: ExitStatus, mut output: File) -> anyhow::Result<()> {
    if status.success() {
        return Ok(());
    }
    let length = output.seek(SeekFrom::End(0))?;
    output.seek(SeekFrom::Start(length.saturating_sub(OUTPUT_MAX)))?;
    let mut printed = Vec::new();
    output.take(OUTPUT_MAX).read_to_end(&mut printed)?;
    let printed = without_echoes(&String::from_utf8_lossy(&printed));
    Err(ProgramError(format!("{status}\n{}", printed.trim_end())).into())
}
