//! The plan of a tournament: players, games, format, time and seeds as plain values, with their validation.

use crate::Sprt;
use parlor_core::{RULES, Record, is_unseen, write_duration};
use parlor_session::TimeControl;
use std::{fmt, time::Duration};

/// The pairing system.
///
/// # Examples
///
/// ```
/// use parlor_tournament::Format;
///
/// assert_eq!(Format::parse("swiss"), Some(Format::Swiss));
/// assert_eq!(Format::RoundRobin.to_string(), "round-robin");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Every player meets every other player.
    #[default]
    RoundRobin,
    /// The first player meets every other player.
    Gauntlet,
    /// Players with equal scores meet, without repeated pairings while that can be avoided.
    Swiss,
    /// The loser is eliminated.
    Knockout,
    /// Neighbours meet; the winner takes the higher place.
    Ladder,
}

impl Format {
    pub const ALL: [Format; 5] =
        [Format::RoundRobin, Format::Gauntlet, Format::Swiss, Format::Knockout, Format::Ladder];

    /// Reads what `Display` writes.
    pub fn parse(text: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.to_string() == text)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::RoundRobin => "round-robin",
            Format::Gauntlet => "gauntlet",
            Format::Swiss => "swiss",
            Format::Knockout => "knockout",
            Format::Ladder => "ladder",
        })
    }
}

/// The start positions of games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Openings {
    /// Random moves, the most balanced of a few candidates; the same for both sides.
    Random {
        /// Number of moves.
        plies: usize,
        /// Seed of the random openings.
        seed: u64,
    },
    /// The games of a file in order, repeated from the beginning if needed.
    Given(Vec<Record>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entrant {
    /// Unique in the plan.
    pub name: String,
    /// Player spec.
    pub spec: String,
    /// Its own time control; `None` for that of the plan.
    pub time: Option<TimeControl>,
    /// Its own margin for late answers; `None` for that of the plan.
    pub margin: Option<Duration>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct TournamentPlan {
    pub name: String,
    /// The canonical specs of the games; every pairing plays every game.
    pub games: Vec<String>,
    pub format: Format,
    /// Pairs of games each pairing plays; in a Swiss and a ladder, how often there is a new pairing.
    pub rounds: u64,
    /// The time control of players without their own.
    pub time: TimeControl,
    /// The margin for late answers of players without their own; `None` for 20 ms.
    pub margin: Option<Duration>,
    /// Whether programs may think in the opponent's time; otherwise they are frozen then.
    pub ponder: bool,
    /// Processor time that a program may use for a move.
    pub cpu_limit: Option<Duration>,
    /// Number of concurrent games.
    pub concurrency: usize,
    /// Whether each game is pinned to its own processor core.
    pub pin: bool,
    pub openings: Openings,
    /// Whether a game ends as soon as its result is proved.
    pub adjudicate: bool,
    /// The sequential test that stops the tournament early, if any.
    pub sprt: Option<Sprt>,
    /// Seed of all players.
    pub seed: u64,
    pub players: Vec<Entrant>,
}

/// One round robin of one round, one second per move, from the standard start; without games and players.
impl Default for TournamentPlan {
    fn default() -> TournamentPlan {
        TournamentPlan {
            name: String::new(),
            games: Vec::new(),
            format: Format::RoundRobin,
            rounds: 1,
            time: TimeControl::Move(Duration::from_secs(1)),
            margin: None,
            ponder: false,
            cpu_limit: None,
            concurrency: 1,
            pin: false,
            openings: Openings::Random { plies: 0, seed: 1 },
            adjudicate: false,
            sprt: None,
            seed: 1,
            players: Vec::new(),
        }
    }
}

/// Why a plan cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadPlan(pub String);

/// The largest number of games of a plan.
const MOST_GAMES: u64 = 10_000_000;
const MOST_CONCURRENCY: usize = 256;
const MOST_ELO: f64 = 2000.0;
/// The longest margin: a longer one would act as a time control.
const LONGEST_MARGIN: Duration = Duration::from_secs(10);
const LONGEST_NAME: usize = 60;

impl TournamentPlan {
    /// Refuses a plan that cannot be played, with a sentence for the first error.
    ///
    /// # Examples
    ///
    /// ```
    /// use parlor_tournament::TournamentPlan;
    ///
    /// let plan = TournamentPlan { games: vec!["oware".into()], name: "empty".into(), ..TournamentPlan::default() };
    /// assert!(plan.check().is_err_and(|bad| bad.0 == "player: expected at least two players, found 0"));
    /// ```
    pub fn check(&self) -> Result<(), BadPlan> {
        let bad = |sentence: String| Err(BadPlan(sentence));
        if self.games.is_empty() {
            return bad("games: expected at least one game, like \"kalah:6,4\"".into());
        }
        if let Some(twice) = self.games.iter().enumerate().find(|(i, game)| self.games[..*i].contains(game)) {
            return bad(format!("games: duplicate game {}", twice.1));
        }
        if self.name.trim().is_empty() || self.name.chars().any(is_unseen) {
            return bad("name: expected a name of printable characters".into());
        }
        if self.players.len() < 2 {
            return bad(format!("player: expected at least two players, found {}", self.players.len()));
        }
        for (i, Entrant { name, .. }) in self.players.iter().enumerate() {
            if name.trim().is_empty()
                || name.chars().any(char::is_control)
                || name.chars().count() > LONGEST_NAME
            {
                return bad(format!(
                    "player {}: expected a name of 1 to {LONGEST_NAME} printable characters",
                    i + 1
                ));
            }
            if name.trim() != name || name.chars().any(is_unseen) {
                return bad(format!(
                    "player {}: the name has leading or trailing spaces or invisible characters",
                    i + 1
                ));
            }
            if self.players[..i].iter().any(|other| other.name == *name) {
                return bad(format!("player {}: duplicate name '{name}'", i + 1));
            }
            if let Some(wrong) = too_long(self.players[i].margin) {
                return bad(format!("player {}: {wrong}", i + 1));
            }
        }
        if let Some(wrong) = too_long(self.margin) {
            return bad(wrong);
        }
        if self.sprt.is_some() && self.players.len() != 2 {
            return bad(format!("sprt: expected exactly two players, found {}", self.players.len()));
        }
        if self.sprt.is_some() && self.format != Format::RoundRobin {
            return bad(format!("sprt: expected format \"round-robin\", not \"{}\"", self.format));
        }
        if let Some(sprt) = self.sprt {
            let sound = |elo: f64| elo.abs() <= MOST_ELO;
            if !(sound(sprt.elo0) && sound(sprt.elo1) && sprt.elo0 < sprt.elo1) {
                let what = "expected elo0 to be less than elo1, both from";
                return bad(format!("sprt: {what} -{MOST_ELO} to {MOST_ELO}"));
            }
        }
        if !(1..=MOST_CONCURRENCY).contains(&self.concurrency) {
            return bad(format!(
                "concurrency: {} is not a number from 1 to {MOST_CONCURRENCY}",
                self.concurrency
            ));
        }
        if self.cpu_limit.is_some_and(|limit| limit.is_zero()) {
            return bad("cpu_limit: expected a time above 0, like \"500ms\"".into());
        }
        let players = self.players.len() as u64;
        let meetings = match self.format {
            Format::RoundRobin => players * (players - 1) / 2,
            _ => players,
        };
        let games =
            meetings.saturating_mul(self.games.len() as u64).saturating_mul(self.rounds.saturating_mul(2));
        if self.rounds == 0 || games > MOST_GAMES {
            return bad(format!(
                "rounds: {} rounds are {games} games; expected 1 to {MOST_GAMES} games",
                self.rounds
            ));
        }
        Ok(())
    }

    pub fn time_of(&self, player: usize) -> TimeControl {
        self.players[player].time.unwrap_or(self.time)
    }

    /// The margin for late answers of a player.
    pub fn margin_of(&self, player: usize) -> Duration {
        self.players[player].margin.or(self.margin).unwrap_or(parlor_session::GRACE.into())
    }

    /// The default number of concurrent games: one core per game for the side that thinks, or two if programs may think in the
    /// opponent's time.
    pub fn usual_concurrency(ponder: bool) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        (if ponder { cores / 2 } else { cores }).clamp(1, MOST_CONCURRENCY)
    }

    /// The version of the rules by which a tournament with this fingerprint was begun, and the rest of the text.
    pub fn rules_of(fingerprint: &str) -> (u32, &str) {
        let line = fingerprint.strip_prefix("rules ").and_then(|rest| rest.split_once('\n'));
        let read = line.and_then(|(number, rest)| Some((number.parse().ok()?, rest)));
        read.unwrap_or((1, fingerprint))
    }

    /// A text of everything that the games depend on, the version of the rules first: two plans with the same text play the
    /// same games. Concurrency and pinning are not part of it, and neither is the number of rounds if all pairings are known
    /// from the beginning.
    pub fn fingerprint(&self) -> String {
        let fixed = matches!(self.format, Format::RoundRobin | Format::Gauntlet);
        let rounds = if fixed { "any".to_string() } else { self.rounds.to_string() };
        let openings = match &self.openings {
            Openings::Random { plies, seed } => format!("random {plies} {seed}"),
            Openings::Given(records) => {
                records.iter().map(|record| format!("{} {} ", record.game, record.moves.join(" "))).collect()
            }
        };
        // A key with its default leaves no trace, so that plans of earlier versions keep their text.
        let ponder = if self.ponder { "\nponder true" } else { "" };
        let given = |key: &str, time: Option<Duration>| {
            time.map_or(String::new(), |time| format!("{key} {}", in_minutes(time)))
        };
        let (margin, cpu_limit) = (given("\nmargin", self.margin), given("\ncpu_limit", self.cpu_limit));
        let player = |player: &Entrant| {
            let time = player.time.map_or(String::new(), |time| format!("\ttime {}", stable(time)));
            let margin = given("\tmargin", player.margin);
            format!("\nplayer {} = {}{time}{margin}", player.name, player.spec)
        };
        let players: String = self.players.iter().map(player).collect();
        format!(
            "rules {RULES}\ngames {}\nformat {}\nrounds {rounds}\ntime {}\nopenings {openings}\nadjudicate {}\nseed {}{ponder}{margin}{cpu_limit}{players}",
            self.games.join(" "),
            self.format,
            stable(self.time),
            self.adjudicate,
            self.seed
        )
    }
}

/// The error of a margin, if it is invalid.
fn too_long(margin: Option<Duration>) -> Option<String> {
    let margin = margin.filter(|margin| *margin > LONGEST_MARGIN)?;
    let (given, most) = (write_duration(margin), write_duration(LONGEST_MARGIN));
    Some(format!("margin: {given} is not a time from 0ms to {most}"))
}

/// A time control in the stable form of fingerprints: a clock with its increment, hours as minutes.
fn stable(time: TimeControl) -> String {
    match time {
        TimeControl::Clock { base, increment } => format!("{}+{}", in_minutes(base), in_minutes(increment)),
        TimeControl::Move(time) => format!("move={}", in_minutes(time)),
        other => other.to_string(),
    }
}

/// A duration with minutes as its longest unit.
fn in_minutes(time: Duration) -> String {
    let millis = time.as_millis();
    let whole = millis >= 60_000 && millis.is_multiple_of(60_000);
    if whole { format!("{}m", millis / 60_000) } else { write_duration(time) }
}
