//! Whole tournaments of every format, resumed at any point. A seed always gives the same tournament.

use crate::players::own_players;
use parlor_catalog::{Monotonic, entries, game};
use parlor_session::TimeControl;
use parlor_tournament::{
    Entrant, Format, Ledger, LedgerEntry, MemoryLedger, Openings, Sprt, Tournament, TournamentPlan,
    TournamentState,
};
use std::{
    ops::ControlFlow,
    sync::{Arc, atomic::AtomicBool},
};

fn plan(format: Format, rounds: u64, players: &[&str]) -> TournamentPlan {
    let entrant = |(i, spec): (usize, &&str)| Entrant {
        name: format!("P{i}"),
        spec: (*spec).to_string(),
        ..Entrant::default()
    };
    TournamentPlan {
        name: "a test".into(),
        games: vec!["kalah:3,2".into(), "connect:4,4,3".into()],
        format,
        rounds,
        time: TimeControl::Nodes(50),
        concurrency: 2,
        openings: Openings::Random { plies: 2, seed: 7 },
        seed: 5,
        players: players.iter().enumerate().map(entrant).collect(),
        ..TournamentPlan::default()
    }
}

fn play(
    plan: &TournamentPlan,
    ledger: &mut dyn Ledger,
    watch: &mut dyn FnMut(&TournamentState, &[LedgerEntry]) -> ControlFlow<()>,
) -> TournamentState {
    plan.check().expect("a good plan");
    let games = plan.games.iter().map(|spec| game(spec).expect("a game")).collect();
    let make_player = own_players(plan);
    let tournament = Tournament { plan, games, make_player, clock: Arc::new(Monotonic::start()) };
    tournament.run(ledger, &AtomicBool::new(false), watch).expect("it goes through")
}

/// The part of a tournament that must not depend on how it was played: the moves of each game, and the points of
/// each player.
#[derive(Debug, PartialEq)]
struct Essence {
    games: Vec<(u64, Vec<String>)>,
    lines: Vec<(usize, u64)>,
}

fn essence(plan: &TournamentPlan, state: &TournamentState) -> Essence {
    let games = state.entries.iter().map(|(&number, entry)| (number, entry.record.moves.clone())).collect();
    let lines = state.standings(plan).lines.iter().map(|line| (line.player, line.halves)).collect();
    Essence { games, lines }
}

const FIVE: [&str; 5] = ["engine:level=6", "random", "engine:level=3", "bad", "minimax:depth=1"];

#[test]
fn every_format_ends_and_ranks_every_player() {
    for (format, games) in [
        (Format::RoundRobin, 2 * 2 * 2 * 10),
        (Format::Gauntlet, 2 * 2 * 2 * 4),
        (Format::Swiss, 2 * 2 * 2 * 2),
        (Format::Ladder, 2 * 2 * 2 * 2),
    ] {
        let plan = plan(format, 2, &FIVE);
        let state = play(&plan, &mut MemoryLedger::default(), &mut |_, _| ControlFlow::Continue(()));
        assert_eq!(state.entries.len(), games, "{format}");
        let table = state.standings(&plan);
        let mut players: Vec<usize> = table.lines.iter().map(|line| line.player).collect();
        assert!(
            format == Format::Ladder || table.lines.is_sorted_by(|a, b| a.halves >= b.halves),
            "{format}"
        );
        players.sort_unstable();
        assert_eq!(players, [0, 1, 2, 3, 4], "{format}");
        let whole: u64 = table.lines.iter().map(|line| line.halves - 8 * line.byes).sum();
        assert_eq!(whole, 2 * games as u64, "{format}: every game gives one point");
        let wins: u64 = table.cross.iter().flatten().map(|tally| 2 * tally.wins + tally.draws).sum();
        assert_eq!(wins, 2 * games as u64, "{format}");
    }
}

#[test]
fn a_knockout_has_one_winner_and_byes_for_the_first_of_the_list() {
    let plan = plan(Format::Knockout, 2, &FIVE);
    let state = play(&plan, &mut MemoryLedger::default(), &mut |_, _| ControlFlow::Continue(()));
    assert_eq!(state.schedule.stages()[0].byes, [0, 1, 2]);
    assert_eq!(state.schedule.stages()[0].meetings[0].players, [3, 4]);
    let table = state.standings(&plan);
    assert_eq!(table.lines.len(), 5);
    assert_eq!(table.lines[0].player, 0, "the strongest one wins");
}

#[test]
fn swiss_pairings_are_not_repeated_while_that_can_be_avoided() {
    for count in [4_usize, 5, 6, 7, 8] {
        let specs: Vec<&str> = (0..count).map(|i| if i % 2 == 0 { "random" } else { "bad" }).collect();
        // Up to this number of rounds, every player has enough opponents that it has not met.
        let rounds = count.div_ceil(2) as u64;
        let plan = TournamentPlan { games: vec!["kalah:3,2".into()], ..plan(Format::Swiss, rounds, &specs) };
        let state = play(&plan, &mut MemoryLedger::default(), &mut |_, _| ControlFlow::Continue(()));
        let mut met: Vec<[usize; 2]> = Vec::new();
        for stage in state.schedule.stages() {
            let mut seated: Vec<usize> = stage.byes.clone();
            for meeting in &stage.meetings {
                let [one, other] = meeting.players;
                let pair = [one.min(other), one.max(other)];
                assert!(!met.contains(&pair), "{count}: {pair:?} met twice");
                met.push(pair);
                seated.extend(pair);
            }
            seated.sort_unstable();
            assert_eq!(seated, (0..count).collect::<Vec<_>>(), "every player plays or has a bye");
        }
        let byes: Vec<usize> = state.schedule.stages().iter().flat_map(|stage| stage.byes.clone()).collect();
        assert!(byes.iter().all(|player| byes.iter().filter(|other| *other == player).count() == 1));
    }
}

#[test]
fn a_tournament_that_is_interrupted_repeatedly_ends_like_an_uninterrupted_one() {
    let mut interruptions = 0;
    for format in Format::ALL {
        let plan = plan(format, 3, &FIVE);
        let whole = play(&plan, &mut MemoryLedger::default(), &mut |_, _| ControlFlow::Continue(()));
        let mut kept = MemoryLedger::default();
        let broken = loop {
            let mut left = 3;
            let state = play(&plan, &mut kept, &mut |_, _| {
                left -= 1;
                if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            if state.is_over() {
                break state;
            }
            interruptions += 1;
        };
        assert_eq!(essence(&plan, &broken), essence(&plan, &whole), "{format}");
        assert_eq!(kept.0.len(), whole.entries.len(), "{format}: nothing was played twice");
    }
    // The number of games that finish before a run stops depends on the machine.
    assert!(interruptions > 0, "no tournament was broken off");
}

#[test]
fn games_that_no_longer_follow_from_the_results_are_deleted_and_replayed() {
    let plan = plan(Format::Knockout, 1, &FIVE[..4]);
    let mut kept = MemoryLedger::default();
    let whole = play(&plan, &mut kept, &mut |_, _| ControlFlow::Continue(()));
    // The players of the last stage are swapped, as after a different earlier result.
    let last = whole.schedule.stages().len() - 1;
    let first_of_last: u64 =
        2 * whole.schedule.stages()[..last].iter().map(|stage| stage.meetings.len() as u64).sum::<u64>();
    for entry in kept.0.iter_mut().filter(|entry| entry.slot.number >= first_of_last) {
        entry.slot.seats = [3, 1];
    }
    let again = play(&plan, &mut kept, &mut |_, _| ControlFlow::Continue(()));
    assert_eq!(essence(&plan, &again), essence(&plan, &whole));
}

#[test]
fn a_fingerprint_begins_with_the_version_of_the_rules() {
    let fingerprint = plan(Format::RoundRobin, 1, &FIVE[..3]).fingerprint();
    assert_eq!(fingerprint.lines().next(), Some("rules 2"));
    let (rules, rest) = TournamentPlan::rules_of(&fingerprint);
    assert_eq!((rules, rest.lines().next()), (2, Some("games kalah:3,2 connect:4,4,3")));
    assert_eq!(TournamentPlan::rules_of(rest), (1, rest), "builds before the version wrote none");
}

#[test]
fn more_rounds_of_a_round_robin_keep_the_finished_games() {
    let short = plan(Format::RoundRobin, 1, &FIVE[..3]);
    let long = TournamentPlan { rounds: 3, ..short.clone() };
    assert_eq!(short.fingerprint(), long.fingerprint());
    let mut kept = MemoryLedger::default();
    play(&short, &mut kept, &mut |_, _| ControlFlow::Continue(()));
    let before = kept.0.clone();
    let whole = play(&long, &mut MemoryLedger::default(), &mut |_, _| ControlFlow::Continue(()));
    let grown = play(&long, &mut kept, &mut |_, _| ControlFlow::Continue(()));
    assert_eq!(kept.0[..before.len()], before);
    assert_eq!(essence(&long, &grown), essence(&long, &whole));
}

#[test]
fn a_sequential_test_stops_at_the_same_game_for_any_concurrency() {
    let mut plan = plan(Format::RoundRobin, 400, &["engine:level=6", "random"]);
    plan.sprt = Some(Sprt { elo0: 0.0, elo1: 50.0, alpha: 0.05, beta: 0.05 });
    let mut ends = Vec::new();
    for concurrency in [1, 2, 5] {
        plan.concurrency = concurrency;
        let state = play(&plan, &mut MemoryLedger::default(), &mut |_, _| ControlFlow::Continue(()));
        assert!(state.entries.len() < 800, "it stopped early");
        assert_eq!(state.decided, Some(state.entries.len() as u64));
        ends.push(essence(&plan, &state));
    }
    assert!(ends.iter().all(|end| *end == ends[0]));
}

#[test]
fn openings_are_the_same_for_a_seed_and_never_end_the_game() {
    let random = |plies, seed| Openings::Random { plies, seed };
    for entry in entries() {
        let game = entry.build("").expect("a game");
        let openings = random(4, 7);
        for number in 0..6 {
            let [one, two] = [0, 1].map(|_| openings.board(game.as_ref(), number));
            assert_eq!(one.record(), two.record());
            assert!(one.ending().is_none() && one.ply() == 4, "{}", entry.name);
        }
        let others: Vec<_> = (0..6).map(|n| openings.board(game.as_ref(), n).record().moves).collect();
        assert!(others.iter().any(|moves| *moves != others[0]), "{}", entry.name);
        let given = Openings::Given(vec![openings.board(game.as_ref(), 0).record()]);
        assert_eq!(given.board(game.as_ref(), 3).record().moves, others[0]);
    }
    let tiny = game("connect:1,3,3").expect("a game");
    assert!(
        random(9, 1).board(tiny.as_ref(), 1).ending().is_none(),
        "a shorter one where no long one exists"
    );
    let over = game("kalah:3,0").expect("a game");
    assert_eq!(random(3, 1).board(over.as_ref(), 1).ply(), 0);
}

#[test]
fn a_meeting_is_two_games_with_the_same_opening_and_sides_swapped() {
    let plan = plan(Format::RoundRobin, 4, &["engine:level=6", "random"]);
    let state = play(&plan, &mut MemoryLedger::default(), &mut |_, _| ControlFlow::Continue(()));
    for number in (0..16).step_by(2) {
        let [one, two] = [&state.entries[&number].record, &state.entries[&(number + 1)].record];
        assert_eq!(one.moves[..2], two.moves[..2], "the same opening");
        assert_eq!(one.tag("First"), two.tag("Second"), "the sides are swapped");
        assert!(one.comments.contains_key(&3), "each move has its time: {one}");
    }
    let table = state.standings(&plan);
    assert_eq!(table.lines[0].player, 0);
    assert!(table.lines[0].rating.difference > table.lines[1].rating.difference + 100.0);
    assert_eq!(table.lines[0].tally.pairs.iter().sum::<u64>(), 8);
    assert!(table.delays.count() > 50);
}

#[test]
fn a_plan_that_cannot_be_played_is_refused_with_the_reason() {
    let good = plan(Format::RoundRobin, 1, &FIVE);
    let sprt = Some(Sprt::default());
    for (bad, part) in [
        (TournamentPlan { games: Vec::new(), ..good.clone() }, "games: expected at least one"),
        (
            TournamentPlan { players: good.players[..1].to_vec(), ..good.clone() },
            "expected at least two players, found 1",
        ),
        (TournamentPlan { rounds: 0, ..good.clone() }, "rounds: 0 rounds are 0 games"),
        (TournamentPlan { rounds: u64::MAX, ..good.clone() }, "games; expected 1 to"),
        (TournamentPlan { concurrency: 0, ..good.clone() }, "concurrency: 0 is not"),
        (TournamentPlan { sprt, ..good.clone() }, "sprt: expected exactly two players, found 5"),
        (TournamentPlan { players: vec![good.players[0].clone(); 2], ..good.clone() }, "duplicate name 'P0'"),
    ] {
        let sentence = bad.check().expect_err(part).0;
        assert!(sentence.contains(part), "{sentence}");
    }
}
