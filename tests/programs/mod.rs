//! The programs under test.

use std::path::Path;
use std::process::Command;
use std::sync::Once;

/// Their folder.
pub(crate) fn folder() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_arena")).parent().unwrap()
}

/// A sample bot, built if `cargo test` was asked for this package alone.
pub(crate) fn sample_bot(name: &str) -> String {
    static BUILT: Once = Once::new();
    BUILT.call_once(|| {
        let profile: &[&str] = if folder().ends_with("release") {
            &["--release"]
        } else {
            &[]
        };
        let mut build = Command::new(env!("CARGO"));
        build.current_dir(env!("CARGO_MANIFEST_DIR")).args([
            "build",
            "--quiet",
            "-p",
            "sample-bots",
            "--bins",
        ]);
        let status = build
            .args(profile)
            .arg("--target-dir")
            .arg(folder().parent().unwrap())
            .status()
            .unwrap();
        assert!(status.success(), "the sample bots do not build");
    });
    folder().join(name).display().to_string()
}
