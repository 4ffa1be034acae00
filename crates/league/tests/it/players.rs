//! Tests of [`Players`]: making players from player specs.

use parlor_catalog::{Resources, game};
use parlor_core::{Answer, Limits, Player};
use parlor_league::Players;
use parlor_testkit::temp_folder;
use parlor_tournament::{Entrant, TournamentPlan};
use std::{path::Path, sync::atomic::AtomicBool};

fn players(dir: &Path) -> Players {
    Players::new(dir, true, None, None, Resources::seeded(0))
}

fn plan(specs: &[&str]) -> TournamentPlan {
    let entrant = |(i, spec): (usize, &&str)| Entrant {
        name: format!("P{i}"),
        spec: (*spec).to_string(),
        ..Entrant::default()
    };
    TournamentPlan {
        name: "a test".into(),
        games: vec!["kalah:3,2".into()],
        time: "nodes=50".parse().expect("a time control"),
        players: specs.iter().enumerate().map(entrant).collect(),
        ..TournamentPlan::default()
    }
}

/// The moves of a player that plays both sides.
fn moves(mut player: Box<dyn Player>) -> Vec<String> {
    let mut board = game("kalah:6,4").expect("a game").board();
    for _ in 0..12 {
        let answer = player.choose(board.as_ref(), &Limits::default(), &AtomicBool::new(false), &mut |_| ());
        let Ok(Answer::Move(text)) = answer else { panic!("{answer:?}") };
        board.play(&text).expect("a legal move");
    }
    board.record().moves
}

#[test]
fn our_players_depend_on_spec_and_seed_only() {
    let (dir, game) = (temp_folder(), game("kalah:6,4").expect("a game"));
    let players = players(&dir);
    let made = |seed| moves(players.make(game.as_ref(), "random", seed).expect("a player"));
    assert_eq!(made(1), made(1));
    assert_ne!(made(1), made(2));
}

#[test]
fn programs_are_reusable_and_our_own_players_are_not() {
    let (dir, game) = (temp_folder(), game("kalah:6,4").expect("a game"));
    for (spec, is_reusable) in [("bot:./program", true), ("ugi:./program", true), ("bad", false)] {
        let player = players(&dir).make(game.as_ref(), spec, 1).expect("it is not started yet");
        assert_eq!(player.is_reusable(), is_reusable, "{spec}");
    }
}

#[test]
fn a_program_is_searched_in_the_folder_of_the_players() {
    let (dir, game) = (temp_folder(), game("kalah:6,4").expect("a game"));
    let mut player = players(&dir).make(game.as_ref(), "bot:./missing", 1).expect("it is not started yet");
    let failure = player.ready("kalah:6,4").expect_err("there is no such file").to_string();
    assert!(failure.contains("'./missing'"), "{failure}");
}

#[test]
fn a_bad_spec_is_refused_with_a_sentence() {
    let (dir, game) = (temp_folder(), game("kalah:6,4").expect("a game"));
    for (spec, part) in [
        ("bot:", "expected a command after bot:"),
        ("ugi:'x", "the command has an unclosed quote"),
        ("wizard", "there is no player 'wizard'"),
        ("engine:depth=x", "depth 'x' is not a number"),
        ("", "expected a kind of player first"),
    ] {
        let error = players(&dir).make(game.as_ref(), spec, 1).err().expect(spec).to_string();
        assert!(error.contains(part), "{spec}: {error}");
    }
}

#[test]
fn people_are_refused_as_players_of_a_plan() {
    let (dir, game) = (temp_folder(), game("kalah:3,2").expect("a game"));
    let mixed = plan(&["bad", "bot:./program"]);
    let players_of_plan = players(&dir).for_plan(&mixed).expect("players");
    assert!(players_of_plan.has_programs());
    let make_player = players_of_plan.of_plan(&mixed, &[]);
    for (number, is_reusable) in [(0, false), (1, true)] {
        let player = make_player(game.as_ref(), number, 1).expect("a player");
        assert_eq!(player.is_reusable(), is_reusable);
    }
    for (specs, sentence) in [
        (["human", "bad"], "player human: people cannot play in matches; expected an engine or a bot"),
        (["bad", "bot:"], "player 'bot:': expected a command after bot:, like bot:python3 team7.py"),
    ] {
        let Err(error) = players(&dir).for_plan(&plan(&specs)) else { panic!("{specs:?} are accepted") };
        let error = error.to_string();
        assert_eq!(error, sentence);
    }
}
