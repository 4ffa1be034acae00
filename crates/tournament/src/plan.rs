//! The plan of a tournament: players, games, format, time and seeds as plain values, and their validation, with one
//! sentence for each error.

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
    /// The loser is out.
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
    /// The games of a file, one after the other and again from the beginning.
    Given(Vec<Record>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entrant {
    /// Unique in the plan.
    pub name: String,
    /// Player spec.
    pub spec: String,
    /// Its own time control; none: that of the plan.
    pub time: Option<TimeControl>,
    /// How late its answers may be; none: as late as those of the plan.
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
    /// For players without a time control of their own.
    pub time: TimeControl,
    /// How late answers may be, of players without their own margin; none: 20 ms.
    pub margin: Option<Duration>,
    /// Whether programs may think while the other side does; otherwise they are frozen then.
    pub ponder: bool,
    /// Processor time that a program may use for a move.
    pub cpu_limit: Option<Duration>,
    /// How many games are played at the same time.
    pub concurrency: usize,
    /// Whether each of them has a processor core of its own.
    pub pin: bool,
    pub openings: Openings,
    /// Whether a game ends as soon as its result is proved.
    pub adjudicate: bool,
    /// Whether, and by which test, it stops as soon as the results suffice.
    pub sprt: Option<Sprt>,
    /// Seed of all players.
    pub seed: u64,
    pub players: Vec<Entrant>,
}

/// One round robin of one round, a second for each move, from the usual start; without games and players.
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
/// A longer margin is a time control in disguise.
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

    /// How late the answers of a player may be.
    pub fn margin_of(&self, player: usize) -> Duration {
        self.players[player].margin.or(self.margin).unwrap_or(parlor_session::GRACE.into())
    }

    /// How many games a plan plays at the same time if it does not say so: each has a core for the side that thinks, and where
    /// programs may think all the time, one for each side.
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

    /// Everything that the games depend on, as text, the version of the rules first: two plans with the same text play the same games. How many are played
    /// at a time and on which core does not count, nor, where every pairing is known from the beginning, how many rounds there are.
    pub fn fingerprint(&self) -> String {
        let fixed = matches!(self.format, Format::RoundRobin | Format::Gauntlet);
        let rounds = if fixed { "any".to_string() } else { self.rounds.to_string() };
        let openings = match &self.openings {
            Openings::Random { plies, seed } => format!("random {plies} {seed}"),
            Openings::Given(records) => {
                records.iter().map(|record| format!("{} {} ", record.game, record.moves.join(" "))).collect()
            }
        };
        // A key that is not given leaves no trace, so that plans of earlier versions keep their text.
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

/// What is wrong with a margin, if anything is.
fn too_long(margin: Option<Duration>) -> Option<String> {
    let margin = margin.filter(|margin| *margin > LONGEST_MARGIN)?;
    let (given, most) = (write_duration(margin), write_duration(LONGEST_MARGIN));
    Some(format!("margin: {given} is not a time from 0ms to {most}"))
}

/// A time control as fingerprints have always had it: a clock with its increment, hours as minutes.
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
