//! What `--save` and `--checkpoint` keep survives the sudden end of the program: at every moment the file holds a whole record
//! or proof.

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

/// Solves a position in a folder of its own: exit code, standard output, standard error.
fn proof(arguments: &[&str], folder: &Path) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_parlor"))
        .arg("solve")
        .args(arguments)
        .arg("--checkpoint")
        .arg(folder)
        .env("PARLOR_TABLES", folder.join("none"))
        .output()
        .expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("a code"), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_proof_goes_on_after_its_time_and_after_a_sudden_end() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("proof");
    let _ = fs::remove_dir_all(&folder);
    let (code, out, err) = proof(&["kalah:4,5", "--time", "30ms"], &folder);
    assert_eq!(code, 1, "{out}{err}");
    assert!(err.contains("the same command goes on from here"), "{err}");
    let mut child = Command::new(env!("CARGO_BIN_EXE_parlor"))
        .args(["solve", "kalah:4,5", "--checkpoint"])
        .arg(&folder)
        .env("PARLOR_TABLES", folder.join("none"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    thread::sleep(Duration::from_millis(100));
    child.kill().and_then(|()| child.wait()).expect("killed");
    let (code, out, err) = proof(&["kalah:4,5"], &folder);
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("value 4 (win for South, to move)"), "{out}");
    let (_, _, err) = proof(&["kalah:4,5"], &folder);
    assert!(err.starts_with("solved before, after "), "{err}");
    let (code, _, err) = proof(&["kalah:4,4"], &folder);
    assert!(
        code == 1 && err.contains("it is the proof of kalah:4,5, the start; choose another folder"),
        "{err}"
    );
    let file = folder.join("proof");
    let mut bytes = fs::read(&file).expect("bytes");
    *bytes.last_mut().expect("a byte") ^= 4;
    fs::write(&file, &bytes).expect("written");
    let (code, _, err) = proof(&["kalah:4,5"], &folder);
    assert!(code == 1 && err.contains("is damaged: its bytes do not match its checksum"), "{err}");
}
