//! Parser for plan files (TOML). An error is one sentence with the line number.

use parlor_core::Record;
use parlor_session::{BadTimeControl, TimeControl};
use parlor_tournament::{BadPlan, Entrant, Format, MOST_PLIES, Openings, Sprt, TournamentPlan};
use serde::Deserialize;
use std::{
    io::Read,
    path::{Path, PathBuf},
    time::Duration,
};

/// The TOML structure of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    games: Vec<String>,
    #[serde(default = "round_robin")]
    format: String,
    #[serde(default = "one")]
    rounds: u64,
    #[serde(default = "a_second")]
    time: String,
    margin: Option<String>,
    #[serde(default)]
    ponder: bool,
    cpu_limit: Option<String>,
    concurrency: Option<u64>,
    #[serde(default)]
    pin: bool,
    openings: Option<Opening>,
    adjudicate: Option<Adjudicate>,
    sprt: Option<Test>,
    #[serde(default = "one")]
    seed: u64,
    #[serde(default)]
    player: Vec<Player>,
}

fn round_robin() -> String {
    Format::RoundRobin.to_string()
}

fn one() -> u64 {
    1
}

fn a_second() -> String {
    "move=1s".to_string()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Opening {
    plies: Option<usize>,
    seed: Option<u64>,
    file: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Adjudicate {
    proven: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Test {
    elo0: f64,
    elo1: f64,
    #[serde(default = "usual_risk")]
    alpha: f64,
    #[serde(default = "usual_risk")]
    beta: f64,
}

fn usual_risk() -> f64 {
    Sprt::default().alpha
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Player {
    name: Option<String>,
    spec: String,
    time: Option<String>,
    margin: Option<String>,
    #[serde(default)]
    read: Vec<PathBuf>,
}

/// A plan with the settings of the file that are not part of the plan.
pub struct PlanFile {
    pub plan: TournamentPlan,
    /// Folder of the file, where programs run.
    pub folder: PathBuf,
    /// The files that each player may read beside its own.
    pub reads: Vec<Vec<PathBuf>>,
}

/// Limit of random opening moves; a few are enough for many different games.
const USUAL_PLIES: usize = 2;

/// Maximum size of a plan file or a file of records.
const LARGEST: u64 = 256 * 1024 * 1024;

/// Reads a text file of limited size. The error is a sentence.
pub fn read_text(reader: impl Read) -> Result<String, String> {
    let mut bytes = Vec::new();
    reader.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("the file is larger than {} MiB", LARGEST >> 20));
    }
    String::from_utf8(bytes).map_err(|_| "the file is not UTF-8 text".to_string())
}

impl PlanFile {
    /// Parses the text of a plan file in this folder.
    pub fn parse(text: &str, folder: PathBuf) -> Result<PlanFile, BadPlan> {
        let file: File = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            let at = line.map_or(String::new(), |line| format!("line {line}: "));
            BadPlan(format!("{at}{}", error.message().replace('\n', " ")))
        })?;
        let planned = planned(file, folder).map_err(BadPlan)?;
        planned.plan.check()?;
        Ok(planned)
    }
}

fn planned(file: File, folder: PathBuf) -> Result<PlanFile, String> {
    let games = file.games.iter().map(|spec| match parlor_catalog::game(spec) {
        Ok(game) => Ok(game.spec()),
        Err(bad) => Err(format!("games: {bad}")),
    });
    let games: Vec<String> = games.collect::<Result<_, _>>()?;
    let format = Format::parse(&file.format).ok_or_else(|| {
        let known: Vec<String> = Format::ALL.iter().map(Format::to_string).collect();
        format!("format: '{}' is not one of {}", file.format, known.join(", "))
    })?;
    let time = parse_time_control(&file.time)?;
    let margin = file.margin.map(|text| margin(&text)).transpose()?;
    let cpu_limit = file.cpu_limit.map(|text| cpu_limit(&text)).transpose()?;
    let usual = TournamentPlan::usual_concurrency(file.ponder);
    let openings = openings(file.openings, file.seed, &games, &folder)?;
    let (mut players, mut reads) = (Vec::new(), Vec::new());
    for (number, player) in (1..).zip(file.player) {
        let read = player.read.iter().map(|path| folder.join(path)).collect();
        players.push(entrant(player).map_err(|wrong| format!("player {number}: {wrong}"))?);
        reads.push(read);
    }
    let sprt = file.sprt.map(|Test { elo0, elo1, alpha, beta }| Sprt { elo0, elo1, alpha, beta });
    if sprt.is_some_and(|sprt| !(0.0 < sprt.alpha && sprt.alpha < 0.5 && 0.0 < sprt.beta && sprt.beta < 0.5))
    {
        return Err("sprt: expected alpha and beta between 0 and 0.5".to_string());
    }
    let plan = TournamentPlan {
        name: file.name,
        games,
        format,
        rounds: file.rounds,
        time,
        margin,
        ponder: file.ponder,
        cpu_limit,
        concurrency: file.concurrency.map_or(usual, |games| games.min(u64::from(u32::MAX)) as usize),
        pin: file.pin,
        openings,
        adjudicate: file.adjudicate.is_some_and(|adjudicate| adjudicate.proven),
        sprt,
        seed: file.seed,
        players,
    };
    Ok(PlanFile { plan, folder, reads })
}

fn entrant(player: Player) -> Result<Entrant, String> {
    let Player { name, spec, time: own_time, margin: own_margin, .. } = player;
    Ok(Entrant {
        name: name.unwrap_or_else(|| spec.clone()),
        spec,
        time: own_time.map(|text| parse_time_control(&text)).transpose()?,
        margin: own_margin.map(|text| margin(&text)).transpose()?,
    })
}

fn parse_time_control(text: &str) -> Result<TimeControl, String> {
    text.parse().map_err(|bad: BadTimeControl| format!("time: {bad}"))
}

/// Parses a time margin, which says how late an answer may be. The plan checks its range.
fn margin(text: &str) -> Result<Duration, String> {
    parlor_core::duration(text).ok_or_else(|| {
        let shown: String = text.chars().take(40).collect();
        format!("margin: '{shown}' is not a time from 0ms to 10s; expected one like 50ms")
    })
}

/// Parses a limit of processor time.
fn cpu_limit(text: &str) -> Result<Duration, String> {
    let limit = parlor_core::duration(text).filter(|limit| !limit.is_zero());
    limit.ok_or_else(|| {
        let shown: String = text.chars().take(40).collect();
        format!("cpu_limit: '{shown}' is not a time; expected one like 500ms")
    })
}

fn openings(given: Option<Opening>, seed: u64, games: &[String], folder: &Path) -> Result<Openings, String> {
    let opening = given.unwrap_or(Opening { plies: None, seed: None, file: None });
    let Some(file) = opening.file else {
        let plies = opening.plies.unwrap_or(USUAL_PLIES);
        if plies > MOST_PLIES {
            return Err(format!("openings: plies {plies} is too large; expected at most {MOST_PLIES}"));
        }
        return Ok(Openings::Random { plies, seed: opening.seed.unwrap_or(seed) });
    };
    let place = folder.join(&file);
    let text = std::fs::File::open(&place).map_err(|error| error.to_string()).and_then(read_text);
    let text = text.map_err(|why| format!("openings: {}: {why}", file.display()))?;
    let records =
        Record::parse_many(&text).map_err(|bad| format!("openings: {}: {}", file.display(), bad.0))?;
    for record in &records {
        let replayed = parlor_catalog::game(&record.game).map_err(|bad| bad.0).and_then(|game| {
            let open = Record { game: game.spec(), ending: None, ..record.clone() };
            game.replay(&open).map_err(|bad| bad.0)
        });
        let board = replayed.map_err(|why| format!("openings: {}: {why}", file.display()))?;
        if board.ending().is_some() {
            return Err(format!("openings: {}: a game in this file is already over", file.display()));
        }
    }
    for game in games {
        if !records.iter().any(|record| record.game == *game) {
            return Err(format!("openings: {} contains no game of {game}", file.display()));
        }
    }
    Ok(Openings::Given(records))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(text: &str) -> Result<PlanFile, String> {
        let file: Result<File, _> = toml::from_str(text);
        file.map_err(|e| e.message().to_string()).and_then(|file| planned(file, PathBuf::from(".")))
    }

    const LEAGUE: &str = r#"
        name = "spring league"
        games = ["kalah:6,4", "connect:7,6,4"]
        format = "round-robin"
        rounds = 10
        time = "200ms+2ms"
        concurrency = 2
        openings = { plies = 3, seed = 7 }
        adjudicate = { proven = true }
        [[player]]
        name = "ours"
        spec = "engine:level=5"
        [[player]]
        name = "team7"
        spec = "bot:python3 team7.py"
    "#;

    #[test]
    fn parses_the_documented_file() {
        let plan = reading(LEAGUE).map_err(|e| panic!("{e}")).map(|planned| planned.plan);
        let plan = plan.expect("a plan");
        assert_eq!((plan.players.len(), plan.rounds, plan.concurrency), (2, 10, 2));
        assert_eq!(plan.time.to_string(), "200ms+2ms");
        assert_eq!(plan.openings, Openings::Random { plies: 3, seed: 7 });
        assert!(plan.adjudicate && plan.sprt.is_none());
        assert_eq!(plan.players[1].spec, "bot:python3 team7.py");
    }

    #[test]
    fn parses_limits_of_processor_time() {
        let plan = |keys: &str| {
            let text = LEAGUE.replace("concurrency = 2", keys);
            reading(&text).map_err(|why| panic!("{why}")).map(|planned| planned.plan).expect("a plan")
        };
        let usual = plan("");
        assert_eq!((usual.ponder, usual.cpu_limit, usual.pin), (false, None, false));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        assert_eq!(usual.concurrency, cores, "a core for each game");
        assert_eq!(plan("ponder = true").concurrency, (cores / 2).max(1), "a core for each side");
        let given = plan("ponder = true\ncpu_limit = \"500ms\"\npin = true\nconcurrency = 3");
        assert_eq!((given.ponder, given.pin, given.concurrency), (true, true, 3));
        assert_eq!(given.cpu_limit, Some(Duration::from_millis(500)));
        let added = given.fingerprint().replace("\nponder true\ncpu_limit 500ms", "");
        assert_eq!(added, usual.fingerprint(), "what is not set leaves no trace");
    }

    #[test]
    fn a_player_may_have_its_own_time_control_and_margin() {
        let own = "spec = \"engine:level=5\"\ntime = \"5m,delay=3s\"\nmargin = \"50ms\"";
        let text = LEAGUE.replace("spec = \"engine:level=5\"", own);
        let text = text.replace("concurrency = 2", "margin = \"100ms\"");
        let plan = reading(&text).map_err(|why| panic!("{why}")).map(|planned| planned.plan).expect("a plan");
        let times = [0, 1].map(|player| plan.time_of(player).to_string());
        assert_eq!(times, ["5m,delay=3s", "200ms+2ms"]);
        assert_eq!([0, 1].map(|player| plan.margin_of(player).as_millis()), [50, 100]);
    }

    #[test]
    fn errors_state_what_is_wrong() {
        for (from, to, part) in [
            ("round-robin", "cup", "format: 'cup' is not one of round-robin, gauntlet"),
            ("kalah:6,4", "chess", "games: there is no game 'chess'"),
            ("200ms+2ms", "quick", "time: 'quick' is not a time control; expected 5m+3s ("),
            (
                "rounds = 10",
                "margin = \"late\"",
                "margin: 'late' is not a time from 0ms to 10s; expected one like 50ms",
            ),
            (
                "name = \"team7\"",
                "time = \"0s\"",
                "player 2: time: '0s' is not a time control; expected 5m+3s (",
            ),
            ("name = \"team7\"", "margin = \"5\"", "player 2: margin: '5' is not a time from 0ms to 10s"),
            ("name = \"team7\"", "margin = 5", "invalid type"),
            ("rounds", "round", "unknown field `round`"),
            ("plies = 3", "plies = 300", "plies 300 is too large; expected at most 60"),
            ("plies = 3, seed = 7", "file = \"nowhere.parlor\"", "openings: nowhere.parlor: "),
            ("rounds = 10", "rounds = -1", "invalid value"),
            (
                "rounds = 10",
                "cpu_limit = \"much\"",
                "cpu_limit: 'much' is not a time; expected one like 500ms",
            ),
            ("rounds = 10", "cpu_limit = \"0s\"", "cpu_limit: '0s' is not a time; expected one like 500ms"),
            ("rounds = 10", "ponder = 1", "invalid type"),
        ] {
            let sentence = reading(&LEAGUE.replace(from, to)).err().unwrap_or_default();
            assert!(sentence.contains(part), "{to}: {sentence}");
        }
    }
}
