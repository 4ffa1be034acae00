//! Files of `--save` and `--checkpoint` survive a crash: at every moment they contain a complete record or proof.

use crate::harness::PARLOR;
use parlor_core::Record;
use parlor_testkit::{eventually, temp_folder};
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

#[test]
fn a_killed_game_leaves_a_record_that_can_be_shown() {
    let folder = temp_folder();
    for moves in [0, 1, 5, 12, 30] {
        let file = folder.join(format!("killed-{moves}.parlor"));
        let mut child = Command::new(PARLOR)
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
        eventually("the record has these moves", || {
            let text = fs::read_to_string(&file).unwrap_or_default();
            Record::parse_many(&text).is_ok_and(|records| records.iter().any(|one| one.moves.len() >= moves))
        });
        child.kill().expect("killed");
        child.wait().expect("it ends");
        let shown = Command::new(PARLOR).arg("show").arg(&file).output().expect("it starts");
        assert_eq!(shown.status.code(), Some(0), "{}", String::from_utf8_lossy(&shown.stderr));
    }
}

/// Solves a position in a folder. Returns exit code, standard output and standard error.
fn proof(arguments: &[&str], folder: &Path) -> (i32, String, String) {
    let output = Command::new(PARLOR)
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
fn a_proof_resumes_after_its_time_limit_and_after_a_crash() {
    let temporary = temp_folder();
    let folder = temporary.join("proof");
    let (code, out, err) = proof(&["kalah:4,5", "--time", "30ms"], &folder);
    assert_eq!(code, 1, "{out}{err}");
    assert!(err.contains("run the same command to resume"), "{err}");
    let kept = || fs::read(folder.join("proof")).unwrap_or_default();
    let before = kept();
    let mut child = Command::new(PARLOR)
        .args(["solve", "kalah:4,5", "--checkpoint"])
        .arg(&folder)
        .env("PARLOR_TABLES", folder.join("none"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    // Killed after it has saved another checkpoint, or at its end.
    eventually("the checkpoint is written", || {
        child.try_wait().expect("its state").is_some() || kept() != before
    });
    child.kill().and_then(|()| child.wait()).expect("killed");
    let (code, out, err) = proof(&["kalah:4,5"], &folder);
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("value 4 (win for South, to move)"), "{out}");
    let (_, _, err) = proof(&["kalah:4,5"], &folder);
    assert!(err.starts_with("already solved after "), "{err}");
    let (code, _, err) = proof(&["kalah:4,4"], &folder);
    assert!(
        code == 1 && err.contains("it is a proof of kalah:4,5, the start; choose another folder"),
        "{err}"
    );
    let file = folder.join("proof");
    let mut bytes = fs::read(&file).expect("bytes");
    *bytes.last_mut().expect("a byte") ^= 4;
    fs::write(&file, &bytes).expect("written");
    let (code, _, err) = proof(&["kalah:4,5"], &folder);
    assert!(code == 1 && err.contains("is damaged: the checksum does not match"), "{err}");
}
