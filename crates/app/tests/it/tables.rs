//! Tests of `parlor table`, and of builds that are killed.

use crate::harness::PARLOR;
use parlor_testkit::{eventually, send_signal, temp_folder};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A command whose usual folder of tables is this one.
fn parlor(arguments: &[&str], dir: &Path) -> Command {
    let mut command = Command::new(PARLOR);
    command.args(arguments).env("PARLOR_TABLES", dir).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str], dir: &Path) -> (i32, String, String) {
    let output = parlor(arguments, dir).output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    (output.status.code().expect("a code"), text(&output.stdout), text(&output.stderr))
}

/// The layer files in a folder, by name.
fn layers(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let layers = paths.filter(|path| path.extension().is_some_and(|ending| ending == "layer"));
    let mut found: Vec<_> = layers
        .map(|path| (PathBuf::from(path.file_name().expect("a name")), fs::read(&path).expect("bytes")))
        .collect();
    found.sort();
    found
}

/// The only folder inside one.
fn inside(dir: &Path) -> PathBuf {
    fs::read_dir(dir).expect("a folder").next().expect("one").expect("an entry").path()
}

#[test]
fn a_build_counts_the_entries_that_it_filled() {
    let dir = temp_folder();
    for (game, entries) in [("oware", 5 * 455), ("oware:rules=awari", 455), ("kalah:6", 455)] {
        let (_, out, err) = run(&["table", "build", game, "--up-to", "3", "--json"], &dir);
        assert!(out.contains(&format!("\"filled\":{entries},")), "{out}{err}");
        // What is there already is not filled again.
        let (_, out, _) = run(&["table", "build", game, "--up-to", "3", "--json"], &dir);
        assert!(out.contains("\"filled\":0,"), "{out}");
    }
}

#[test]
fn builds_describes_verifies_and_probes_a_table() {
    let dir = temp_folder();
    let (code, out, err) = run(&["table", "build", "kalah:3,2", "--up-to", "8", "--threads", "2"], &dir);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.contains("layers 0 to 8 built in") && err.contains("layer 8 of 8: 1287 entries"),
        "{out}{err}"
    );
    let (_, out, _) = run(&["table", "info", "kalah:3,5"], &dir);
    assert_eq!(out.lines().count(), 10);
    assert!(out.starts_with("layer 0: 1 position, 4097 bytes, checksum "), "{out}");
    assert!(out.contains(": 3003 positions, "), "{out}");
    let (_, out, _) = run(&["table", "info", "kalah:3", "--json"], &dir);
    assert!(out.starts_with("{\"layer\":0,\"positions\":1,\"bytes\":4097,\"checksum\":\""), "{out}");
    let (_, out, _) = run(&["table", "info", "kalah:3", "--histogram"], &dir);
    assert!(out.starts_with("0 0 1\n1 -1 3\n1 1 3\n2 -2 "), "{out}");
    let sum: u64 = out.lines().filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum();
    assert_eq!(sum, 3003);
    let (code, out, _) = run(&["table", "verify", "kalah:3"], &dir);
    assert_eq!(code, 0);
    assert!(out.contains("9 layers, 9 blocks, 3003 entries: no errors"), "{out}");
    let (_, out, _) = run(&["table", "verify", "kalah:3", "--sample", "500", "--seed", "3", "--json"], &dir);
    assert!(out.contains("\"entries\":500,\"seed\":3,\"right\":true"), "{out}");
}

#[test]
fn a_compressed_table_is_smaller_and_has_the_same_values() {
    let (plain, packed) = (temp_folder(), temp_folder());
    for (game, up_to) in [("kalah:6", "8"), ("oware:rules=awari", "6"), ("oware", "4")] {
        let build = ["table", "build", game, "--up-to", up_to, "--compress"];
        assert_eq!(run(&build[..5], &plain).0, 0);
        assert_eq!(run(&build, &packed).0, 0);
        let histogram = |dir| run(&["table", "info", game, "--histogram"], dir);
        assert_eq!(histogram(&plain), histogram(&packed));
        let (code, out, err) = run(&["table", "verify", game], &packed);
        assert_eq!(code, 0, "{err}");
        assert!(out.contains(": no errors"), "{out}");
        let last = |dir| run(&["table", "info", game], dir).1.lines().last().map(String::from);
        let bits = |line: Option<String>| line?.split_once('(')?.1.split(' ').next()?.parse::<f64>().ok();
        assert!(bits(last(&packed)) < bits(last(&plain)), "{:?}", last(&packed));
    }
    let (_, out, _) = run(&["table", "info", "kalah:6"], &packed);
    assert!(out.contains("layer 8: 75582 positions, ") && out.contains(" bytes compressed ("), "{out}");
    let (_, out, _) = run(&["table", "info", "kalah:6", "--json"], &packed);
    assert!(out.lines().all(|line| line.contains("\"compressed\":true,\"bits\":")), "{out}");
}

#[test]
fn a_damaged_compressed_block_is_reported_and_not_used() {
    let dir = temp_folder();
    assert_eq!(run(&["table", "build", "kalah:2", "--up-to", "4", "--compress"], &dir).0, 0);
    let probe = ["table", "probe", "kalah:2,1"];
    assert_eq!(run(&probe, &dir).0, 0);
    let file = inside(&dir).join("04.layer");
    let mut bytes = fs::read(&file).expect("bytes");
    *bytes.last_mut().expect("a byte") ^= 1;
    fs::write(&file, bytes).expect("written");
    for (arguments, part) in [
        (&["table", "verify", "kalah:2"][..], "04.layer is damaged: the checksum of block 0 does not match"),
        (&["table", "build", "kalah:2", "--up-to", "5"], "04.layer is damaged: the checksum of block 0"),
        (&probe, "in layer 4 of kalah:2,4 is damaged; run parlor table verify"),
        (&["table", "info", "kalah:2", "--histogram"], "cannot decompress layer 4; run parlor table verify"),
    ] {
        let (code, _, err) = run(arguments, &dir);
        assert_eq!((code, err.lines().count()), (1, 1), "{arguments:?}: {err}");
        assert!(err.contains(part), "{arguments:?}: {err}");
    }
    // A search that only probes the table continues without the block.
    let (code, solved, err) = run(&["solve", "kalah:2,1"], &dir);
    assert_eq!(code, 0, "{err}");
    let (_, without, _) = run(&["solve", "kalah:2,1"], &temp_folder());
    assert_eq!(solved.lines().next(), without.lines().next());
}

#[test]
fn probe_and_solve_agree() {
    let dir = temp_folder();
    assert_eq!(run(&["table", "build", "kalah:3", "--up-to", "9"], &dir).0, 0);
    for position in ["0,1,2/2,0,0 0/0 s", "0,1,2/2,0,1 5/1 n", "1,1,1/1,2,3 0/3 s", "0,0,0/0,0,0 1/4 s"] {
        let (code, probed, err) = run(&["table", "probe", "kalah:3,2", "--position", position], &dir);
        assert_eq!(code, 0, "{err}");
        let (_, solved, _) = run(&["solve", "kalah:3,2", "--position", position], &dir);
        assert_eq!(probed.lines().next(), solved.lines().next(), "{position}");
    }
    let (_, out, _) = run(&["table", "probe", "kalah:3,1", "--json"], &dir);
    assert!(
        out.starts_with("{\"game\":\"kalah:3,1\",\"position\":\"1,1,1/1,1,1 0/0 s\",\"turn\":\"first\","),
        "{out}"
    );
    assert!(out.contains("\"exact\":true,\"best\":[") && out.contains("{\"move\":\"1\",\"value\":"), "{out}");
    let (code, _, err) = run(&["table", "probe", "kalah:3,2"], &dir);
    assert_eq!(code, 1);
    assert!(
        err.contains("is in layer 12, but the table of kalah:3,") && err.contains("build it with --up-to 12"),
        "{err}"
    );
}

#[test]
fn errors_are_one_sentence_with_an_exit_code() {
    let dir = temp_folder();
    let huge = ["table", "build", "kalah:6", "--up-to", "30", "--memory", "1G"];
    for (arguments, code, part) in [
        (&["table", "info", "kalah:3"][..], 1, "no table in "),
        (
            &["table", "info", "amazons"],
            2,
            "there are no tables for amazons:10,10; tables exist for small boards of kalah",
        ),
        (&["table", "build", "kalah:3", "--up-to", "-1"], 2, "expected a layer from 0 to 1000"),
        (&["table", "build", "kalah:3"], 2, "--up-to <N>"),
        (&["table", "verify", "kalah:3", "--seed", "1"], 2, "--sample <N>"),
        (&["table", "build", "kalah:1", "--up-to", "200"], 2, "build "),
        (
            &huge,
            2,
            "--memory: layer 30 needs 3G of memory, but the limit is 1G; raise the limit, or build up to layer 26",
        ),
        (&["table", "probe", "kalah:3", "--moves", "9"], 2, "move 1 '9' is illegal"),
    ] {
        let (found, out, err) = run(arguments, &dir);
        assert_eq!((found, err.lines().count()), (code, 1), "{arguments:?}: {err}");
        assert!(out.is_empty() && err.contains(part), "{arguments:?}: {err}");
    }
    let named = dir.join("named");
    let elsewhere = ["table", "build", "kalah:2", "--up-to", "2", "--dir", named.to_str().expect("a path")];
    assert_eq!(run(&elsewhere, &dir).0, 0);
    let file = inside(&named).join("02.layer");
    let mut bytes = fs::read(&file).expect("bytes");
    bytes[4099] ^= 1;
    fs::write(&file, bytes).expect("written");
    let (code, _, err) = run(&["table", "verify", "kalah:2", "--dir", named.to_str().expect("a path")], &dir);
    assert_eq!(code, 1);
    assert!(err.contains("02.layer is damaged: the checksum of block 0 does not match"), "{err}");
}

#[test]
fn a_game_whose_player_uses_a_damaged_table_does_not_start() {
    let dir = temp_folder();
    assert_eq!(run(&["table", "build", "kalah:2", "--up-to", "4"], &dir).0, 0);
    let play =
        |first| ["play", "kalah:2,2", "--first", first, "--second", "bad", "--no-pause", "--color", "never"];
    let users = ["engine:nodes=100", "perfect:time=50ms", "engine:level=2,tables=yes"];
    for first in users {
        assert_eq!(run(&play(first), &dir).0, 0, "{first}");
    }
    let file = inside(&dir).join("03.layer");
    let bytes = fs::read(&file).expect("bytes");
    fs::write(&file, &bytes[..bytes.len() - 1]).expect("written");
    for first in users {
        let (code, out, err) = run(&play(first), &dir);
        assert_eq!((code, err.lines().count()), (1, 1), "{first}: {err}");
        assert!(out.is_empty() && err.contains("03.layer is damaged: it has "), "{first}: {err}");
        let (code, out, err) = run(&["match", "bad", first, "--game", "kalah:2,2", "--rounds", "1"], &dir);
        assert_eq!((code, out.as_str()), (1, ""), "{first}: {err}");
        assert!(err.contains("03.layer is damaged: it has "), "{first}: {err}");
    }
    // One flipped bit among the entries is enough, and a probe reports it, too.
    let mut flipped = bytes;
    *flipped.last_mut().expect("a byte") ^= 1;
    fs::write(&file, flipped).expect("written");
    for first in users {
        let (code, out, err) = run(&play(first), &dir);
        assert_eq!((code, out.as_str(), err.lines().count()), (1, "", 1), "{first}: {err}");
        assert!(
            err.contains("03.layer is damaged: the checksum of block 0 does not match"),
            "{first}: {err}"
        );
    }
    for asked in [["solve", "kalah:2,2"], ["analyze", "kalah:2,2"]] {
        let (code, out, err) = run(&asked, &dir);
        assert_eq!((code, out.as_str(), err.lines().count()), (1, "", 1), "{asked:?}: {err}");
        assert!(
            err.contains("03.layer is damaged: the checksum of block 0 does not match"),
            "{asked:?}: {err}"
        );
    }
    let (code, _, err) = run(&["table", "probe", "kalah:2", "--position", "1,1/1,0 0/0 s"], &dir);
    assert!(
        code == 1 && err.contains("in layer 3 of kalah:2,4 is damaged; run parlor table verify"),
        "{err}"
    );
    for first in ["engine:level=2", "engine:nodes=100,tables=no", "random"] {
        assert_eq!(run(&play(first), &dir).0, 0, "{first}");
    }
}

#[test]
fn a_killed_build_resumes_with_the_same_bytes() {
    killed_builds_go_on(&["table", "build", "kalah:6,4", "--up-to", "10"]);
}

#[test]
fn a_killed_build_of_compressed_layers_resumes_with_the_same_bytes() {
    let build = ["table", "build", "kalah:6,4", "--up-to", "10", "--compress", "--threads", "2"];
    killed_builds_go_on(&build);
}

fn killed_builds_go_on(build: &[&str]) {
    let whole = temp_folder();
    assert_eq!(run(build, &whole).0, 0);
    let whole = layers(&inside(&whole));
    assert_eq!(whole.len(), 11);
    for layer in [0, 3, 7, 9] {
        let dir = temp_folder();
        let mut child =
            parlor(build, &dir).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        eventually("the layer is being built", || {
            let begun = fs::read_dir(&dir).expect("a folder").next().is_some();
            begun && (layer == 0 || inside(&dir).join(format!("{:02}.layer", layer - 1)).exists())
        });
        child.kill().expect("killed");
        child.wait().expect("it ends");
        for (name, bytes) in layers(&inside(&dir)) {
            assert!(whole.contains(&(name.clone(), bytes)), "{} is whole or not there", name.display());
        }
        assert_eq!(run(build, &dir).0, 0);
        assert_eq!(layers(&inside(&dir)), whole);
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_build_shows_its_progress_and_how_to_resume() {
    let dir = temp_folder();
    let build = ["table", "build", "kalah:6,4", "--up-to", "24"];
    let child =
        parlor(&build, &dir).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let begun = || fs::read_dir(&dir).expect("a folder").count() > 0;
    eventually("some layers are built", || begun() && inside(&dir).join("03.layer").exists());
    send_signal(child.id(), "INT");
    let output = child.wait_with_output().expect("it ends");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{error}");
    let last = error.lines().last().unwrap_or_default();
    assert!(last.starts_with("parlor: interrupted: layers 0 to "), "{error}");
    assert!(last.ends_with("are saved; resume with: parlor table build kalah:6,4 --up-to 24"), "{error}");
}
