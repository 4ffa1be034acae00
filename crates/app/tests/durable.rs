//! What `--save` keeps survives the sudden end of the program: at every moment the file holds a whole record.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

#[test]
fn a_killed_game_leaves_a_record_that_can_be_shown() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("durable");
    fs::create_dir_all(&folder).expect("a folder");
    for delay in [5, 20, 40, 60, 90] {
        let file = folder.join(format!("killed-{delay}.parlor"));
        let _ = fs::remove_file(&file);
        let mut child = Command::new(env!("CARGO_BIN_EXE_parlor"))
            .args([
                "play",
                "kalah:12,12",
                "--first",
                "random",
                "--second",
                "minimax:depth=3",
                "--no-pause",
                "--save",
            ])
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        // The first record is kept before the first move.
        while !file.exists() {
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(delay));
        child.kill().expect("killed");
        child.wait().expect("it ends");
        let shown =
            Command::new(env!("CARGO_BIN_EXE_parlor")).arg("show").arg(&file).output().expect("it starts");
        assert_eq!(shown.status.code(), Some(0), "{}", String::from_utf8_lossy(&shown.stderr));
    }
}
