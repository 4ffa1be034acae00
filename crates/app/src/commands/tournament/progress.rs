//! Shows the progress of a tournament: at a terminal a progress line and the standings, redrawn four times a second; otherwise
//! one line every 30 s. Failures of players are shown at once.

use crate::stdio;
use parlor_league::{
    plain,
    scoreboard::{standings, title},
};
use parlor_tournament::{LedgerEntry, TournamentPlan, TournamentState};
use std::time::{Duration, Instant};

const REDRAW_INTERVAL: Duration = Duration::from_millis(250);
const LINE_INTERVAL: Duration = Duration::from_secs(30);
/// The number of failures that are shown one by one.
const MOST_FAILURES: u32 = 20;

/// Prints the progress of a tournament to standard error.
pub struct ProgressDisplay {
    terminal: bool,
    begun: Instant,
    drawn: Option<Instant>,
    /// Lines on the screen that the next drawing replaces.
    lines: usize,
    played: usize,
    failures: u32,
}

impl ProgressDisplay {
    pub fn new() -> ProgressDisplay {
        let terminal = stdio::stderr_is_terminal();
        ProgressDisplay { terminal, begun: Instant::now(), drawn: None, lines: 0, played: 0, failures: 0 }
    }

    /// Called after these games have finished.
    pub fn update(&mut self, plan: &TournamentPlan, state: &TournamentState, games: &[LedgerEntry]) {
        self.played += games.len();
        for entry in games {
            self.print_failure(plan, entry);
        }
        let pause = if self.terminal { REDRAW_INTERVAL } else { LINE_INTERVAL };
        let due = self.drawn.unwrap_or(self.begun).elapsed() >= pause || state.is_over();
        if due {
            self.draw(plan, state);
        }
    }

    fn print_failure(&mut self, plan: &TournamentPlan, entry: &LedgerEntry) {
        let Some(violation) = &entry.violation else { return };
        self.failures += 1;
        let player = &plan.players[entry.slot.seats[violation.side.index()]].name;
        // Level info, because a warning would repeat the line on the terminal.
        tracing::info!(
            tournament = plan.name,
            game = entry.slot.number + 1,
            player,
            kind = %violation.kind,
            reason = violation.reason,
            "bot failed"
        );
        if self.failures > MOST_FAILURES {
            return;
        }
        self.erase();
        let name = plain(player, 40);
        let why = plain(&violation.reason, 300);
        stdio::remark(&format!("game {}: {name} {why} ({})", entry.slot.number + 1, violation.kind));
        if self.failures == MOST_FAILURES {
            stdio::remark("further failures are only counted in the table");
        }
    }

    fn draw(&mut self, plan: &TournamentPlan, state: &TournamentState) {
        self.drawn = Some(Instant::now());
        let rate = self.played as f64 / self.begun.elapsed().as_secs_f64().max(1e-3);
        let left = state.schedule.games().saturating_sub(state.entries.len() as u64) as f64 / rate.max(1e-9);
        let rest = if state.is_over() { String::new() } else { format!(", about {} left", spell(left)) };
        let progress = format!("{}, {rate:.1} games/s{rest}", title(plan, state));
        if !self.terminal {
            stdio::remark(&progress);
            return;
        }
        self.erase();
        let text = format!("{progress}\n{}", standings(plan, &state.standings(plan)));
        let (width, height) = window();
        let shown: Vec<String> =
            text.lines().take(height).map(|line| line.chars().take(width).collect()).collect();
        self.lines = shown.len();
        shown.iter().for_each(|line| stdio::remark(line));
    }

    /// Erases the last drawing from the screen.
    fn erase(&mut self) {
        stdio::erase_lines(self.lines);
        self.lines = 0;
    }

    /// Makes room for the final table.
    pub fn end(&mut self) {
        self.erase();
    }
}

/// Available columns and rows.
fn window() -> (usize, usize) {
    stdio::stderr_size().map_or((80, 20), |(width, height)| (width, height.saturating_sub(2).max(2)))
}

fn spell(seconds: f64) -> String {
    match seconds {
        short if short < 90.0 => format!("{short:.0} s"),
        long if long < 5400.0 => format!("{:.0} min", long / 60.0),
        long => format!("{:.1} h", long / 3600.0),
    }
}
