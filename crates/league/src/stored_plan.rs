//! A plan as JSON. It is stored with the games, so that servers and workers do not need the plan
//! file.

use parlor_core::{Record, duration, write_duration};
use parlor_tournament::{Entrant, Format, Openings, Sprt, TournamentPlan};
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Serialize, Deserialize)]
struct PlanJson {
    name: String,
    games: Vec<String>,
    format: String,
    rounds: u64,
    time: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    margin: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    ponder: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cpu_limit: Option<String>,
    concurrency: usize,
    #[serde(default, skip_serializing_if = "is_false")]
    pin: bool,
    openings: OpeningsJson,
    adjudicate: bool,
    sprt: Option<SprtJson>,
    seed: u64,
    players: Vec<EntrantJson>,
}

/// Skips fields with their default value, so that earlier versions can read plans without new
/// features.
fn is_false(flag: &bool) -> bool {
    !flag
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OpeningsJson {
    Random { plies: usize, seed: u64 },
    Given(Vec<String>),
}

#[derive(Serialize, Deserialize)]
struct SprtJson {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

#[derive(Serialize, Deserialize)]
struct EntrantJson {
    name: String,
    spec: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    margin: Option<String>,
}

impl EntrantJson {
    fn of(player: &Entrant) -> EntrantJson {
        EntrantJson {
            name: player.name.clone(),
            spec: player.spec.clone(),
            time: player.time.map(|time| time.to_string()),
            margin: player.margin.map(write_duration),
        }
    }

    fn entrant(self) -> Result<Entrant, String> {
        let time = self.time.map(|text| text.parse()).transpose();
        let time = time.map_err(|bad| format!("the time control of '{}': {bad}", self.name))?;
        let margin = read_duration(self.margin, "margin")?;
        Ok(Entrant { name: self.name, spec: self.spec, time, margin })
    }
}

fn read_duration(text: Option<String>, what: &str) -> Result<Option<Duration>, String> {
    let read = |text: String| duration(&text).ok_or_else(|| format!("the {what} '{text}' is not a time"));
    text.map(read).transpose()
}

/// The plan as JSON.
pub fn plan_text(plan: &TournamentPlan) -> String {
    let written = PlanJson {
        name: plan.name.clone(),
        games: plan.games.clone(),
        format: plan.format.to_string(),
        rounds: plan.rounds,
        time: plan.time.to_string(),
        margin: plan.margin.map(write_duration),
        ponder: plan.ponder,
        cpu_limit: plan.cpu_limit.map(write_duration),
        concurrency: plan.concurrency,
        pin: plan.pin,
        openings: match &plan.openings {
            Openings::Random { plies, seed } => OpeningsJson::Random { plies: *plies, seed: *seed },
            Openings::Given(records) => OpeningsJson::Given(records.iter().map(Record::to_string).collect()),
        },
        adjudicate: plan.adjudicate,
        sprt: plan.sprt.map(|Sprt { elo0, elo1, alpha, beta }| SprtJson { elo0, elo1, alpha, beta }),
        seed: plan.seed,
        players: plan.players.iter().map(EntrantJson::of).collect(),
    };
    serde_json::to_string(&written).unwrap_or_default()
}

/// Reads what [`plan_text`] writes. The error says why the plan is invalid.
pub fn read_plan(text: &str) -> Result<TournamentPlan, String> {
    let written: PlanJson = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let openings = match written.openings {
        OpeningsJson::Random { plies, seed } => Openings::Random { plies, seed },
        OpeningsJson::Given(records) => {
            let records = records.iter().map(|text| Record::parse(text));
            Openings::Given(
                records.collect::<Result<_, _>>().map_err(|bad| format!("an opening: {}", bad.0))?,
            )
        }
    };
    let plan = TournamentPlan {
        name: written.name,
        games: written.games,
        format: Format::parse(&written.format)
            .ok_or_else(|| format!("unknown format '{}'", written.format))?,
        rounds: written.rounds,
        time: written.time.parse().map_err(|bad| format!("the time control: {bad}"))?,
        margin: read_duration(written.margin, "margin")?,
        ponder: written.ponder,
        cpu_limit: read_duration(written.cpu_limit, "CPU time limit")?,
        concurrency: written.concurrency,
        pin: written.pin,
        openings,
        adjudicate: written.adjudicate,
        sprt: written.sprt.map(|SprtJson { elo0, elo1, alpha, beta }| Sprt { elo0, elo1, alpha, beta }),
        seed: written.seed,
        players: written.players.into_iter().map(EntrantJson::entrant).collect::<Result<_, _>>()?,
    };
    plan.check().map_err(|bad| bad.to_string())?;
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> TournamentPlan {
        let player = |name: &str| {
            let spec = format!("bot:./{name} \"x\"");
            Entrant { name: name.into(), spec, ..Entrant::default() }
        };
        TournamentPlan {
            name: "a/b \"c\" <script>".into(),
            games: vec!["kalah:6,4".into(), "connect:7,6,4".into()],
            format: Format::Swiss,
            rounds: 3,
            time: "200ms+2ms".parse().expect("a time control"),
            concurrency: 2,
            openings: Openings::Random { plies: 3, seed: u64::MAX },
            adjudicate: true,
            seed: 9,
            players: ["ä", "b", "c"].map(player).to_vec(),
            ..TournamentPlan::default()
        }
    }

    #[test]
    fn a_plan_is_read_as_it_was_written() {
        let record = Record::parse("[Game \"kalah:6,4\"]\n\n3 4\n").expect("a record");
        let given = TournamentPlan { openings: Openings::Given(vec![record]), ..plan() };
        let mut test = TournamentPlan { format: Format::RoundRobin, sprt: Some(Sprt::default()), ..plan() };
        test.players.pop();
        let cpu_limit = Some(Duration::from_millis(500));
        let measured = TournamentPlan { ponder: true, cpu_limit, pin: true, ..plan() };
        let mut own = TournamentPlan { margin: Some(Duration::ZERO), ..plan() };
        own.players[1].time = Some("10m,byoyomi=3x30s".parse().expect("a time control"));
        own.players[2].margin = Some(Duration::from_millis(50));
        for plan in [plan(), given, test, measured, own] {
            assert_eq!(read_plan(&plan_text(&plan)), Ok(plan));
        }
    }

    #[test]
    fn a_plan_of_an_earlier_version_gets_default_values() {
        let text = plan_text(&plan());
        assert_eq!(text.matches("time").count(), 1, "{text}");
        assert!(!["ponder", "cpu_limit", "pin", "margin"].iter().any(|key| text.contains(key)), "{text}");
        assert_eq!(read_plan(&text).map(|plan| plan.fingerprint()), Ok(plan().fingerprint()));
        let clock = text.replace("200ms+2ms", "10s+0ms");
        let fingerprint = plan().fingerprint().replace("200ms+2ms", "10s+0ms");
        assert_eq!(read_plan(&clock).map(|plan| plan.fingerprint()), Ok(fingerprint));
    }

    #[test]
    fn refuses_invalid_plans() {
        let one = TournamentPlan { players: vec![], ..plan() };
        for text in ["", "name = \"spring\"", "{}", &plan_text(&one)] {
            assert!(read_plan(text).is_err(), "{text}");
        }
    }
}
