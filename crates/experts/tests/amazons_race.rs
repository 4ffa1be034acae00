//! What a race proves is true: random endgames against plain negamax. `cargo xtask check amazons` does the same with many more.

#[path = "common/endgames.rs"]
mod endgames;

use endgames::{endgame, separated, wins};
use parlor_engine::Random;
use parlor_experts::amazons::{Racer, race};
use parlor_games::amazons::Amazons;
use parlor_play::{Game, Margin, Notation};
use std::collections::HashMap;

#[test]
fn a_race_is_never_judged_wrongly() {
    let mut random = Random::new(1);
    let mut judged = 0;
    for _ in 0..3000 {
        let empty = 1 + random.below(8);
        let (game, pos) = endgame(&mut random, empty);
        let budget = [0, 1, 20, 1_000_000][random.below(4)];
        if let Some(Margin(margin)) = race(&game, &pos, budget) {
            let won = wins(&game, &pos, &mut HashMap::new());
            assert_eq!(margin, if won { 1 } else { -1 }, "{} {}", game.spec(), game.write_position(&pos));
            judged += 1;
        }
    }
    assert!(judged > 600, "only {judged} of 3000 were judged: the test tests little");
}

#[test]
fn where_the_queens_are_separated_every_race_is_decided() {
    let mut random = Random::new(2);
    let mut checked = 0;
    while checked < 300 {
        let empty = 1 + random.below(10);
        let (game, pos) = endgame(&mut random, empty);
        if !separated(&game, &pos) {
            continue;
        }
        let won = wins(&game, &pos, &mut HashMap::new());
        let told = race(&game, &pos, u64::MAX);
        let expected = Margin(if won { 1 } else { -1 });
        assert_eq!(told, Some(expected), "{} {}", game.spec(), game.write_position(&pos));
        checked += 1;
    }
}

#[test]
fn a_guard_that_can_shoot_back_has_its_hideout_for_itself() {
    let game = Amazons::sized(5, 4).expect("a size");
    let mut racer = Racer::new(&game);
    // Black's queen on b2 keeps four squares; White on d3 has two more to go to, and one of those behind is the guard's.
    let pos = game.parse_position("2**1/2*Q1/*q***/***** w").expect("a position");
    assert_eq!(racer.race(&pos, 1000), Some(Margin(-1)));
    let pos = game.parse_position("2**1/2*Q1/*q***/***** b").expect("a position");
    assert_eq!(racer.race(&pos, 1000), Some(Margin(1)));
}

#[test]
fn nothing_is_told_while_everybody_reaches_everything() {
    for (columns, rows) in [(4, 4), (5, 6), (10, 10)] {
        let game = Amazons::sized(columns, rows).expect("a size");
        assert_eq!(race(&game, &game.start(), 1000), None);
    }
}
