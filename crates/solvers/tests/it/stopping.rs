//! A stopped solver is sound: whenever and however it is stopped, its bounds contain the value, every narrowing it reports
//! does, and what it has stored in its table is correct for later solves. Seeds fix what can be fixed; when another thread
//! raises the flag, only the moment varies, and the promise holds at every moment.

use parlor_core::{Bounds, Game, Limits, Margin, Match, Solve, split_moves};
use parlor_engine::{Manual, Random};
use parlor_games::connect::{Connect, Position};
use parlor_solvers::connect::{ConnectExpert, ConnectSolver};
use parlor_testkit::seed;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// A game in progress and its value for the side to move.
struct Known {
    played: Match<Connect>,
    value: Margin,
}

impl Known {
    fn position(&self) -> &Position {
        self.played.position()
    }

    fn must_be_in(&self, bounds: Bounds, how: &str) {
        let place = self.played.record().moves.join(" ");
        let spec = self.played.game().spec();
        assert!(
            bounds.contain(self.value),
            "{spec} after {place}, {how}: {bounds:?} without {:?}",
            self.value
        );
    }
}

/// Positions of the usual game with ten to fourteen checkers, their values from outside.
fn usual() -> Vec<Known> {
    let game = Connect::new(&[7, 6, 4]).expect("a size");
    let lines = include_str!("data/positions.txt").lines().filter(|line| !line.starts_with('#'));
    let read = |line: &str| {
        let (moves, value) = line.split_once(' ').expect("moves and value");
        let mut played = Match::new(game.clone());
        for mv in split_moves(moves, true) {
            played.play(&mv).expect("a legal move");
        }
        Known { played, value: Margin(value.parse().expect("a value")) }
    };
    lines.map(read).collect()
}

/// Random positions of other games, with the values of a solver that is not stopped: its values are tested against negamax.
fn others() -> Vec<Known> {
    let kinds = [
        ([6, 5, 4], 4..9),
        ([5, 5, 4], 0..6),
        ([6, 7, 4], 14..20),
        ([8, 6, 4], 20..26),
        ([8, 7, 4], 28..34),
        ([9, 7, 4], 34..40),
        ([10, 9, 4], 64..70),
        ([7, 6, 3], 2..6),
        ([6, 6, 5], 14..20),
        ([8, 6, 5], 24..30),
    ];
    let mut random = Random::new(seed(4));
    let mut found = Vec::new();
    for (size, plies) in kinds {
        let game = Connect::new(&size).expect("a size");
        let mut solver = ConnectSolver::new(&game, 16, 1);
        let mut wanted = 12;
        while wanted > 0 {
            let Some(played) = walk(&game, plies.start + random.below(plies.len()), &mut random) else {
                continue;
            };
            let bounds = solver.solve(played.position(), &AtomicBool::new(false), &mut |_, _| ());
            assert!(bounds.are_exact(), "it was not stopped");
            found.push(Known { played, value: bounds.lo });
            wanted -= 1;
        }
    }
    found
}

/// A random game of this length, if it is not over by then.
fn walk(game: &Connect, plies: usize, random: &mut Random) -> Option<Match<Connect>> {
    let mut played = Match::new(game.clone());
    for _ in 0..plies {
        let mv = game.pick(played.position(), &mut |n| random.below(n), &mut Vec::new())?;
        played.make(mv);
    }
    played.ending().is_none().then_some(played)
}

/// Solves until another thread raises the flag after this delay; every report is checked on the way.
fn stopped_after(delay: Duration, solver: &mut ConnectSolver, known: &Known) -> Bounds {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let begun = Instant::now();
            while begun.elapsed() < delay {
                std::hint::spin_loop();
            }
            stop.store(true, Ordering::Relaxed);
        });
        solver.solve(known.position(), &stop, &mut |bounds, _| known.must_be_in(bounds, "reported"))
    })
}

/// Stopped again and again at random moments, by one solver that keeps its table; then left alone.
fn check_flag(positions: &[Known], threads: usize, longest: usize, seed: u64) -> usize {
    let (mut random, mut open) = (Random::new(seed), 0);
    for known in positions {
        let mut solver = ConnectSolver::new(known.played.game(), 16, threads);
        for _ in 0..4 {
            let delay = Duration::from_micros(random.below(longest) as u64);
            let bounds = stopped_after(delay, &mut solver, known);
            known.must_be_in(bounds, "stopped by another thread");
            open += usize::from(!bounds.are_exact());
        }
        let bounds = solver.solve(known.position(), &AtomicBool::new(false), &mut |_, _| ());
        assert_eq!(bounds, Bounds::exactly(known.value), "what is left in the table is correct");
    }
    open
}

#[test]
fn a_flag_raised_at_any_moment_leaves_bounds_that_contain_the_value() {
    let open = check_flag(&usual(), 1, 1500, 1);
    // How many depends on what else the machine does; none at all would test nothing.
    assert!(open > 0, "none of 800 was stopped before the end");
    check_flag(&others(), 1, 500, 2);
}

#[test]
fn several_threads_stopped_at_any_moment_do_so_too() {
    check_flag(&usual()[..60], 2, 3000, 3);
}

#[test]
fn stopped_between_any_two_windows_the_bounds_contain_the_value_and_only_narrow() {
    let positions: Vec<Known> = usual().into_iter().chain(others()).collect();
    for known in &positions {
        let mut last: Option<Bounds> = None;
        for most in 0..8 {
            let (stop, mut windows) = (AtomicBool::new(most == 0), 0);
            let mut solver = ConnectSolver::new(known.played.game(), 16, 1);
            let bounds = solver.solve(known.position(), &stop, &mut |bounds, _| {
                known.must_be_in(bounds, "reported");
                windows += 1;
                stop.store(windows >= most, Ordering::Relaxed);
            });
            known.must_be_in(bounds, "stopped between windows");
            let narrower = |last: Bounds| last.lo <= bounds.lo && bounds.hi <= last.hi;
            assert!(last.is_none_or(narrower), "{last:?} became {bounds:?}");
            last = Some(bounds);
        }
    }
}

#[test]
fn limits_of_nodes_and_of_time_leave_bounds_that_contain_the_value() {
    let mut random = Random::new(seed(5));
    let positions: Vec<Known> = usual().into_iter().chain(others()).collect();
    for known in &positions {
        // Each reading advances this clock by a millisecond: the time limit passes after that many readings.
        let clock = Arc::new(Manual::stepping(Duration::from_millis(1)));
        let mut expert = ConnectExpert::new(16 << 20, 1, clock);
        let few = Limits { nodes: Some(random.below(20_000) as u64), ..Limits::default() };
        let short = Limits { time: Some(Duration::from_millis(random.below(5) as u64)), ..Limits::default() };
        for (limits, how) in [(few, "limited by nodes"), (short, "limited by time"), (few, "again")] {
            let stop = AtomicBool::new(false);
            let bounds = expert.solve(&known.played, &limits, &stop, &mut |report| {
                known.must_be_in(report.proved.expect("bounds"), "reported by the expert");
            });
            known.must_be_in(bounds, how);
            assert!(!stop.load(Ordering::Relaxed), "the caller's flag is the caller's");
        }
    }
}

#[test]
fn a_question_that_was_stopped_has_no_answer_or_the_right_one() {
    let mut random = Random::new(seed(6));
    for known in usual().iter().take(100) {
        let mut solver = ConnectSolver::new(known.played.game(), 16, 1);
        let asked = Margin(known.value.0 + random.below(5) as i16 - 2);
        let stop = AtomicBool::new(random.below(4) == 0);
        // Far less than a search takes, and about as long as one.
        let delay = random.below(200_000);
        let answer = thread::scope(|scope| {
            scope.spawn(|| {
                (0..delay).for_each(|_| std::hint::spin_loop());
                stop.store(true, Ordering::Relaxed);
            });
            solver.reaches(asked, known.position(), &stop)
        });
        assert!(answer.is_none_or(|reached| reached == (known.value >= asked)), "{asked:?}: {answer:?}");
    }
}
