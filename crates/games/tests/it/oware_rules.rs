//! Tests each rule of Oware by its number in the module documentation, and its view.

use crate::common::game;
use parlor_core::{
    Audience, BoardEvent, Bounds, Game, Margin, Match, Notation, PictureOptions, Side, Staged, Step, Token,
    View,
};
use parlor_games::oware::{Oware, Pit, Position};

const ABAPA: &str = "oware";
const AWARI: &str = "oware:rules=awari";

fn position(game: &Oware, text: &str) -> Position {
    game.parse_position(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The position after these moves, which are not separated.
fn after(spec: &str, start: &str, moves: &str) -> String {
    let game: Oware = game(spec);
    let mut played = Match::from_position(game.clone(), position(&game, start));
    for mv in moves.chars() {
        played.play(&mv.to_string()).unwrap_or_else(|e| panic!("{start} {mv}: {e}"));
    }
    game.write_position(played.position())
}

/// The legal moves without separators.
fn moves(spec: &str, start: &str) -> String {
    let game: Oware = game(spec);
    let mut moves = Vec::new();
    game.moves(&position(&game, start), &mut moves);
    moves.into_iter().map(|mv| game.write_move(mv)).collect()
}

const NAMES: [&str; 2] = ["Ada", "Ben"];

fn captures(text: &str, cells: &[u16]) -> BoardEvent {
    BoardEvent::new(BoardEvent::CAPTURE, text.to_string(), cells.to_vec())
}

fn texts(events: &[BoardEvent]) -> Vec<&str> {
    events.iter().map(|event| event.text.as_str()).collect()
}

fn events(spec: &str, start: &str, mv: &str) -> Vec<BoardEvent> {
    let game: Oware = game(spec);
    let pos = position(&game, start);
    let mv = game.parse_move(&pos, mv).expect("legal");
    game.events(&pos, mv, NAMES).into_iter().map(|staged| staged.event).collect()
}

/// Scores, and the margin seen by the side to move, of a finished game.
fn end(spec: &str, text: &str) -> ([u8; 2], Option<i16>) {
    let game: Oware = game(spec);
    let pos = position(&game, text);
    (pos.scores(), game.result(&pos).map(|m| m.0))
}

#[test]
fn rule_1_seeds_are_sown_counterclockwise_one_by_one() {
    let start = "4-4-4-4-4-4-4-4-4-4-4-4-0-0-S";
    assert_eq!(after(ABAPA, start, "c"), "4-4-0-5-5-5-5-4-4-4-4-4-0-0-N");
    assert_eq!(after(ABAPA, start, "cE"), "5-5-1-5-5-5-5-4-4-4-0-5-0-0-S");
}

#[test]
fn rule_1_twelve_seeds_or_more_skip_the_pit_they_came_from_on_every_lap() {
    assert_eq!(after(ABAPA, "12-0-0-0-0-0-0-0-0-0-0-0-18-18-S", "a"), "0-2-1-1-1-1-1-1-1-1-1-1-18-18-N");
    assert_eq!(after(ABAPA, "23-0-0-0-0-0-0-0-0-0-0-0-12-13-S", "a"), "0-3-2-2-2-2-2-2-2-2-2-2-12-13-N");
    // The second lap makes twos of a and b, which are then captured.
    assert_eq!(after(ABAPA, "0-0-0-0-0-0-0-0-0-0-0-13-17-18-N", "F"), "0-0-1-1-1-1-1-1-1-1-1-0-17-22-S");
}

#[test]
fn rule_2_the_capture_runs_back_over_twos_and_threes_to_the_end_of_the_row() {
    // Pit f has 2 as well, but it is an own one.
    let start = "0-0-0-0-4-1-1-2-1-0-0-5-17-17-S";
    assert_eq!(after(ABAPA, start, "e"), "0-0-0-0-0-2-0-0-0-0-0-5-24-17-N");
    assert_eq!(events(ABAPA, start, "e"), [captures("Ada captures 7 seeds.", &[11, 10, 9])]);
}

#[test]
fn steps_sow_seed_by_seed_and_capture_from_the_last_pit_back() {
    let game: Oware = game(ABAPA);
    let pos = position(&game, "0-0-0-0-4-1-1-2-1-0-0-5-17-17-S");
    let sown = [5, 11, 10, 9].map(|to| Step::between(4, to, 1));
    let captured = [(9, 2), (10, 3), (11, 2)].map(|(from, seeds)| Step::between(from, 12, seeds));
    assert_eq!(game.steps(&pos, Pit(4)), [&sown[..], &captured[..]].concat());
}

#[test]
fn rule_2_the_capture_stops_at_the_first_pit_that_is_neither_two_nor_three() {
    assert_eq!(
        after(ABAPA, "0-0-0-0-4-1-1-4-1-0-0-5-16-16-S", "e"),
        "0-0-0-0-0-2-2-5-0-0-0-5-18-16-N",
        "A has 2, but B between them has 5"
    );
    assert_eq!(after(ABAPA, "0-0-0-0-4-1-1-1-3-0-0-5-17-16-S", "e"), "0-0-0-0-0-2-2-2-4-0-0-5-17-16-N");
    assert_eq!(after(ABAPA, "0-0-0-0-4-1-1-1-0-0-0-5-18-18-S", "e"), "0-0-0-0-0-2-2-2-1-0-0-5-18-18-N");
}

#[test]
fn rule_2_a_last_seed_in_the_own_row_captures_nothing() {
    assert_eq!(after(ABAPA, "1-1-0-0-0-0-2-2-2-0-0-0-20-20-S", "a"), "0-2-0-0-0-0-2-2-2-0-0-0-20-20-N");
}

#[test]
fn rule_2_player_2_captures_in_the_bottom_row() {
    assert_eq!(after(ABAPA, "1-2-9-0-0-0-0-0-0-0-0-2-17-17-N", "F"), "0-0-9-0-0-0-0-0-0-0-0-0-17-22-S");
}

#[test]
fn rule_3_a_grand_slam_captures_nothing_and_the_move_stands() {
    let start = "1-0-0-0-0-1-1-0-0-0-0-0-22-23-S";
    assert_eq!(after(ABAPA, start, "f"), "1-0-0-0-0-0-2-0-0-0-0-0-22-23-N");
    let spared = "Ada would capture all seeds (grand slam), so nothing is captured.";
    assert_eq!(texts(&events(ABAPA, start, "f")), [spared]);
    // One seed elsewhere in the row, and it is an ordinary capture.
    assert_eq!(after(ABAPA, "1-0-0-0-0-1-1-0-0-0-0-1-21-23-S", "f"), "1-0-0-0-0-0-0-0-0-0-0-1-23-23-N");
}

#[test]
fn rule_3_in_awari_a_grand_slam_is_illegal_while_another_move_exists_and_captures_if_none_does() {
    assert_eq!(moves(AWARI, "1-0-0-0-0-1-1-0-0-0-0-0-22-23-S"), "a");
    let forced = "0-0-0-0-0-1-1-0-0-0-0-0-23-23-S";
    assert_eq!(moves(AWARI, forced), "f");
    assert_eq!(after(AWARI, forced, "f"), "0-0-0-0-0-0-0-0-0-0-0-0-25-23-N");
    let choice = "0-0-0-0-2-1-1-0-0-0-0-0-22-22-S";
    assert_eq!(moves(AWARI, choice), "ef", "both would take everything, and there is no other");
    assert_eq!(after(AWARI, choice, "e"), "0-0-0-0-0-0-0-0-0-0-0-0-26-22-N", "the two seeds left in f too");
}

#[test]
fn rule_4_an_empty_row_must_be_fed() {
    for spec in [ABAPA, AWARI] {
        assert_eq!(moves(spec, "1-4-1-0-0-1-0-0-0-0-0-0-20-21-S"), "f");
        assert_eq!(moves(spec, "1-5-1-3-0-0-0-0-0-0-0-0-20-18-S"), "bd");
        assert_eq!(moves(spec, "0-0-0-0-0-0-1-1-1-1-2-0-20-22-N"), "E");
    }
}

#[test]
fn rule_4_a_feeding_grand_slam_is_still_feeding() {
    // 17 seeds give every pit of the empty row two: a capture of all of them is due.
    let start = "0-0-0-0-0-17-0-0-0-0-0-0-15-16-S";
    assert_eq!(after(ABAPA, start, "f"), "1-1-1-1-1-0-2-2-2-2-2-2-15-16-N");
    assert_eq!(
        after(AWARI, start, "f"),
        "0-0-0-0-0-0-0-0-0-0-0-0-32-16-N",
        "forced, and nothing is left to move"
    );
    // Pit a leaves the row empty, so that it is not another move; pit e feeds, and is one.
    assert_eq!(moves(AWARI, "1-0-0-0-0-17-0-0-0-0-0-0-15-15-S"), "f");
    assert_eq!(moves(AWARI, "0-0-0-0-2-17-0-0-0-0-0-0-14-15-S"), "e");
}

#[test]
fn rule_5_without_a_move_each_takes_the_own_row() {
    for spec in [ABAPA, AWARI] {
        assert_eq!(end(spec, "0-0-0-0-0-0-4-0-0-0-0-0-20-24-S"), ([20, 28], Some(-8)), "no seeds");
        assert_eq!(end(spec, "4-0-0-0-0-0-0-0-0-0-0-0-24-20-S"), ([28, 20], Some(8)), "cannot feed");
        assert_eq!(after(spec, "0-0-0-0-0-1-0-1-0-0-0-0-24-22-S", "f"), "0-0-0-0-0-0-0-0-0-0-0-0-24-24-N");
        let swept =
            BoardEvent::new(BoardEvent::SWEEP, "Ben collects the remaining 2 seeds.".into(), vec![10, 11]);
        assert_eq!(events(spec, "0-0-0-0-0-1-0-1-0-0-0-0-24-22-S", "f"), [swept]);
    }
}

#[test]
fn rule_6_25_seeds_end_the_game_at_once_with_the_scores_as_they_stand() {
    let start = "2-0-0-0-0-1-1-0-0-0-0-9-23-12-S";
    let over = "2-0-0-0-0-0-0-0-0-0-0-9-25-12-N";
    assert_eq!(after(ABAPA, start, "f"), over, "the seeds stay on the board");
    assert_eq!(events(ABAPA, start, "f"), [captures("Ada captures 2 seeds.", &[11])]);
    assert_eq!(end(ABAPA, over), ([25, 12], Some(-13)), "12 less 25, seen by Player 2");
    assert_eq!(moves(ABAPA, over), "");
    assert_eq!(moves(AWARI, over), "F", "awari goes on to the last seed");
    assert_eq!(end(AWARI, over), ([25, 12], None));
}

#[test]
fn rule_6_holds_where_the_winning_capture_also_leaves_no_move() {
    // Player 2 cannot feed Player 1's row with the seed in C. Rule 5 would give it to Player 2.
    let start = "0-0-0-0-0-1-1-0-1-0-0-0-23-22-S";
    assert_eq!(after(ABAPA, start, "f"), "0-0-0-0-0-0-0-0-1-0-0-0-25-22-N");
    assert_eq!(after(AWARI, start, "f"), "0-0-0-0-0-0-0-0-0-0-0-0-25-23-N");
    assert_eq!(events(ABAPA, start, "f"), [captures("Ada captures 2 seeds.", &[11])]);
}

#[test]
fn rule_6_a_position_with_25_seeds_captured_is_over_in_every_respect() {
    let game: Oware = game(ABAPA);
    for text in ["4-4-4-4-4-0-0-0-0-0-0-0-3-25-S", "1-2-0-0-0-0-3-0-0-0-0-4-33-5-N"] {
        let pos = position(&game, text);
        assert_eq!(game.write_position(&pos), text, "nothing is collected");
        let margin = game.result(&pos).expect("it is over");
        let [first, second] = pos.scores().map(i16::from);
        let own = if pos.turn() == Side::First { first - second } else { second - first };
        assert_eq!(margin, Margin(own));
        assert_eq!(game.bounds(&pos), Bounds::exactly(margin));
        assert_eq!((game.count(&pos), game.may_claim_repetition(&pos)), (0, false));
        assert_eq!(game.why_no_claim(&pos), "the game is over");
        assert_eq!(game.scores(&pos), Some(pos.scores().map(u16::from)));
        let seeds: u16 = pos.pits().into_iter().map(u16::from).sum();
        let drawn = game.marks(&pos).into_iter().take(12).map(|mark| match mark.token {
            Token::Count(count) => count,
            _ => 0,
        });
        assert_eq!(drawn.sum::<u16>(), seeds, "the seeds are drawn");
        assert!(game.to_the_last_seed().result(&pos).is_none(), "values are those of the whole game");
    }
}

#[test]
fn rule_6_24_seeds_do_not_end_the_game_and_24_each_is_a_draw() {
    let start = "2-0-0-0-0-1-1-0-0-0-0-9-22-13-S";
    assert_eq!(after(ABAPA, start, "f"), "2-0-0-0-0-0-0-0-0-0-0-9-24-13-N");
    assert_eq!(end(ABAPA, "0-0-0-0-0-0-0-0-0-0-0-0-24-24-N"), ([24, 24], Some(0)));
    let game: Oware = game(ABAPA);
    let drawn = Match::from_position(game.clone(), position(&game, "1-0-0-0-0-0-0-0-0-0-0-0-23-24-S"));
    assert_eq!(drawn.result().map(|o| o.to_string()).as_deref(), Some("draw"));
}

#[test]
fn rule_6_left_aside_the_same_rules_go_on_and_only_then_keys_are_exact() {
    let usual: Oware = game(ABAPA);
    let whole = usual.to_the_last_seed();
    let start = "2-0-0-0-0-1-1-0-0-0-0-9-23-12-S";
    let mut pos = position(&whole, start);
    whole.play(&mut pos, Pit(5));
    assert_eq!(whole.write_position(&pos), "2-0-0-0-0-0-0-0-0-0-0-9-25-12-N");
    assert!(whole.exact_key(&pos) && !usual.exact_key(&pos));
    let mut slam = position(&whole, "1-0-0-0-0-1-1-0-0-0-0-0-22-23-S");
    whole.play(&mut slam, Pit(5));
    assert_eq!(slam.scores(), [22, 23], "rule 3 still holds");
}

#[test]
fn rule_7_a_cycle_pays_the_own_rows_or_in_awari_nothing_more_and_needs_seeds_in_both_rows() {
    let text = "3-0-0-0-0-0-0-0-0-0-0-2-20-23-N";
    for (spec, margin, scores) in [(ABAPA, 2, [23, 25]), (AWARI, 3, [22, 25])] {
        let game: Oware = game(spec);
        let pos = position(&game, text);
        assert_eq!(game.repetition_payoff(&pos), Some(Margin(margin)), "{spec}");
        assert_eq!(game.settled_scores(&pos), Some(scores), "{spec}");
        assert!(game.may_claim_repetition(&pos));
        let alone = position(&game, "6-0-0-0-0-0-0-0-0-0-0-0-20-22-S");
        assert!(!game.may_claim_repetition(&alone) && game.repetition_payoff(&alone).is_some());
        assert!(
            !game.may_claim_repetition(&position(&game, "4-0-0-0-0-0-0-0-0-0-0-0-24-20-S")),
            "it is over"
        );
    }
}

#[test]
fn rule_7_play_can_come_back_to_the_same_position_and_the_match_counts_it() {
    let game: Oware = game(ABAPA);
    let start = position(&game, "0-0-0-0-0-1-0-0-0-0-0-1-23-23-S");
    let mut played = Match::from_position(game.clone(), start);
    for mv in "fFaAbBcCdDeE".chars() {
        played.play(&mv.to_string()).unwrap_or_else(|e| panic!("{mv}: {e}"));
    }
    assert_eq!(*played.position(), start);
    assert_eq!(played.occurrences(), 2);
    assert!(played.ending().is_none(), "the rules never end it");
}

#[test]
fn rule_7_a_stopped_cycle_tells_what_each_takes_and_a_refused_claim_tells_why() {
    let text = "3-0-0-0-0-0-2-0-0-0-0-0-20-23-S";
    let [abapa, awari] = [ABAPA, AWARI].map(game::<Oware>);
    let settled = |game: &Oware| game.settlement(&position(game, text), NAMES);
    assert_eq!(
        texts(&settled(&abapa)),
        ["Ada collects the remaining 3 seeds.", "Ben collects the remaining 2 seeds."]
    );
    assert_eq!(abapa.settled_scores(&position(&abapa, text)), Some([23, 25]));
    let halves = ["Ada collects the remaining 2 seeds.", "Ben collects the remaining 2 seeds."];
    assert_eq!(texts(&settled(&awari)), halves, "an odd seed goes to neither");
    assert_eq!(awari.settled_scores(&position(&awari, text)), Some([22, 25]));
    let empty = position(&abapa, "0-0-0-0-0-7-0-0-0-0-0-0-20-21-S");
    assert_eq!(
        abapa.why_no_claim(&empty),
        "repetition can be claimed only while both rows have seeds, and Player 2's row is empty"
    );
}

#[test]
fn rule_8_surrender_and_all_other_talk_is_by_case() {
    let keywords = Oware::KEYWORDS;
    assert_eq!((keywords.resign, keywords.claim), ([&["q"][..], &["Q"]], [&["p"][..], &["P"]]));
    assert_eq!((keywords.yes, keywords.no), ([&["y"][..], &["Y"]], [&["n"][..], &["N"]]));
    let game: Oware = game(ABAPA);
    assert_eq!(game.prompt(Side::First), "pit (a-f), p to claim repetition, q to surrender");
    assert_eq!(game.prompt(Side::Second), "pit (A-F), P to claim repetition, Q to surrender");
}

#[test]
fn keys_are_the_movers_view_and_blind_to_scores() {
    let game: Oware = game(AWARI);
    let key = |text: &str| game.key(&position(&game, text));
    let start = key("4-4-4-4-4-0-5-5-5-4-1-0-3-5-S");
    assert_eq!(start, key("5-5-5-4-1-0-4-4-4-4-4-0-8-0-N"), "the same board from the other side");
    assert_ne!(start, key("4-4-4-4-4-0-5-5-5-4-1-0-3-5-N"));
    let full = position(&game, "31-0-0-0-0-0-1-0-0-0-0-0-8-8-S");
    assert!(game.exact_key(&full) && game.key(&full) >> 63 == 0);
    let fuller = position(&game, "32-0-0-0-0-0-1-0-0-0-0-0-8-7-S");
    assert!(!game.exact_key(&fuller) && game.key(&fuller) >> 63 == 1);
}

#[test]
fn touching_a_cell_means_the_pit_of_that_name() {
    let game: Oware = game(ABAPA);
    let (cells, targets) = (game.cells(), game.targets());
    assert_eq!(targets.concat(), "abcdefFEDCBA");
    for (mv, letter) in (0..12).map(Pit).zip("abcdefABCDEF".chars()) {
        let [target] = game.path(&game.start(), mv)[..] else { panic!("one target") };
        let cell = cells.iter().find(|cell| cell.target == Some(target)).expect("a cell");
        assert_eq!(
            (cell.name.as_str(), targets[usize::from(target)].as_str()),
            (letter.to_string().as_str(), cell.name.as_str())
        );
        let beside = if letter.is_lowercase() { u16::from(mv.0) } else { 11 - u16::from(mv.0) };
        assert_eq!((cell.x, cell.y), (1 + beside, u16::from(letter.is_lowercase())));
    }
}

#[test]
fn the_board_is_drawn_with_f_to_a_above_and_fits_forty_columns() {
    let game: Oware = game(ABAPA);
    let pos = position(&game, "1-2-3-0-0-0-10-0-0-0-0-5-20-7-S");
    let drawn = |width| {
        let audience = Audience { names: ["Ada", "Ben"], width };
        game.draw(&pos, &PictureOptions { audience, last: &[], won: false })
    };
    let wide = [
        "                   Ben",
        "        F    E    D    C    B    A",
        "      ( 5) ( 0) ( 0) ( 0) ( 0) (10)",
        " [ 7]                               [20]",
        "      ( 1) ( 2) ( 3) ( 0) ( 0) ( 0)",
        "        a    b    c    d    e    f",
        "                   Ada",
    ];
    assert_eq!(drawn(40).to_string().lines().collect::<Vec<_>>(), wide);
    assert!(drawn(40).width() <= 40 && drawn(20).width() <= 20);
}

#[test]
fn events_come_with_the_board_just_before_them() {
    let game: Oware = game(ABAPA);
    let pos = position(&game, "2-0-0-0-0-1-1-0-0-0-0-9-23-12-S");
    let staged = game.events(&pos, Pit(5), NAMES);
    let shown: Vec<_> = staged.iter().map(|s| s.before.map(|pos| (pos.pits(), pos.scores()))).collect();
    assert_eq!(shown, [Some(([2, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 9], [23, 12]))]);
    let told = |staged: &[Staged<Position>]| -> Vec<String> {
        staged.iter().map(|s| s.event.text.clone()).collect()
    };
    assert_eq!(told(&staged), ["Ada captures 2 seeds."]);
    // The last own seed goes over, and the other player cannot give one back.
    let staged = game.events(&position(&game, "0-0-0-0-0-1-0-1-0-0-0-0-24-22-S"), Pit(5), NAMES);
    let shown = staged[0].before.map(|pos| (pos.pits(), pos.scores()));
    assert_eq!(shown, Some(([0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0], [24, 22])));
    assert_eq!(told(&staged), ["Ben collects the remaining 2 seeds."]);
    assert_eq!(game.touched(&pos, Pit(5)), [5, 11, 12], "the pit, where it fell, and the score");
    assert_eq!(
        (game.describe(Margin(6)), game.describe(Margin(-1))),
        ("6 seeds ahead".into(), "1 seed behind".into())
    );
}
