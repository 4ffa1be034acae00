//! Tests of `parlor render`: pictures of positions and games, to a file or to standard output.

use crate::harness::parlor;
use parlor_testkit::{Folder, temp_folder};
use std::{fs, process::Output};

fn run(arguments: &[&str]) -> Output {
    parlor(arguments).output().expect("it starts")
}

/// Standard output of `parlor render` with these arguments.
fn picture(arguments: &[&str]) -> String {
    let output = run(&[&["render"], arguments].concat());
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// A file with a won game between two people, the first with a name that needs care.
fn game(folder: &Folder) -> String {
    let text = "[Game \"connect\"]\n[First \"human@<Ann>\"] [Second \"bad\"]\n\n1 2 1 2 1 2 1\n\n";
    folder.write("game.parlor", text).to_str().expect("a path").to_string()
}

#[test]
fn the_svg_of_a_position_contains_its_style() {
    for spec in parlor_catalog::entries().iter().flat_map(parlor_catalog::Entry::sizes) {
        let drawn = picture(&[spec]);
        assert!(drawn.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""), "{spec}");
        assert!(drawn.ends_with("</svg>\n") && drawn.contains("<style>"), "{spec}");
        assert!(!drawn.contains("http:") || drawn.matches("http:").count() == 1, "{spec} fetches nothing");
    }
}

#[test]
fn moves_and_positions_have_the_syntax_of_other_commands() {
    let moved = picture(&["connect", "--moves", "4453"]);
    assert_eq!(moved.matches("class=\"disc").count(), 4);
    assert_eq!(picture(&["amazons:4", "--position", "q3/4/2*1/3Q w"]).matches("class=\"blocked").count(), 1);
    assert_ne!(picture(&["oware", "--moves", "a"]), picture(&["oware", "--moves", "a", "--turned"]));
}

#[test]
fn an_animation_shows_all_positions_and_the_result() {
    let folder = temp_folder();
    let film = picture(&["--game", &game(&folder)]);
    for part in [
        "@keyframes",
        "prefers-reduced-motion",
        "1. &lt;Ann&gt;: 1<",
        "7. &lt;Ann&gt;: 1<",
        "The winner is &lt;Ann&gt;.",
    ] {
        assert!(film.contains(part), "'{part}' is missing");
    }
    assert_eq!(film.matches("class=\"disc").count(), 7, "a checker that lies stands in the file once");
    assert_eq!(film.matches("class=\"star").count(), 4);
}

#[test]
fn a_single_ply_is_a_still_picture() {
    let folder = temp_folder();
    let still = picture(&["--game", &game(&folder), "--ply", "3"]);
    assert_eq!(still.matches("class=\"disc").count(), 3);
    assert!(!still.contains("@keyframes"));
}

#[test]
fn writes_the_picture_to_a_file() {
    let folder = temp_folder();
    let file = folder.join("board.svg");
    let name = file.to_str().expect("a path");
    assert_eq!(picture(&["kalah", "--out", name]), "");
    assert_eq!(fs::read_to_string(&file).expect("a file"), picture(&["kalah"]));
}

#[test]
fn invalid_input_gets_one_sentence() {
    let folder = temp_folder();
    let (one, two) = (game(&folder), folder.join("two.parlor"));
    fs::write(&two, fs::read_to_string(&one).expect("a game").repeat(2)).expect("written");
    let (two, nowhere) = (two.to_str().expect("a path"), folder.join("no/such/folder.svg"));
    let nowhere = nowhere.to_str().expect("a path");
    for (arguments, code, part) in [
        (vec!["chess"], 2, "there is no game 'chess'"),
        (vec!["kalah", "--moves", "9"], 2, "--moves: move 1 '9' is illegal"),
        (vec!["kalah", "--position", "x"], 2, "--position:"),
        (vec!["--file", &one, "--ply", "8"], 2, "--ply: expected 0 to 7, the number of moves, not 8"),
        (vec!["--file", &one, "--number", "2"], 2, "--number: there is no game 2 in"),
        (vec!["--file", two], 2, "the file contains 2 games; choose one with --number"),
        (vec!["kalah", "--out", nowhere], 1, "cannot write the SVG to"),
        (vec![], 2, "required"),
        (vec!["kalah", "--ply", "3"], 2, "cannot be used with"),
        (vec!["--number", "3"], 2, "required"),
        (vec!["kalah", "--file", &one], 2, "cannot be used with"),
    ] {
        let output = run(&[&["render"], arguments.as_slice()].concat());
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
        assert!(told.contains(part), "{arguments:?}: {told}");
    }
}
