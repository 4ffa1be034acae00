//! A plan as text, kept beside its games: whoever opens the database later knows what was to be played without the file that
//! somebody wrote. It is JSON that this program writes for itself, not what people write.

use parlor_arena::{Entrant, Format, Openings, Plan, Sprt};
use parlor_catalog::{duration, write_duration};
use parlor_play::Record;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Written {
    name: String,
    games: Vec<String>,
    format: String,
    rounds: u64,
    time: String,
    #[serde(default, skip_serializing_if = "is_false")]
    ponder: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cpu_limit: Option<String>,
    concurrency: usize,
    #[serde(default, skip_serializing_if = "is_false")]
    pin: bool,
    openings: Beginnings,
    adjudicate: bool,
    sprt: Option<Test>,
    seed: u64,
    players: Vec<Who>,
}

/// What earlier versions did not write is left out, so that they read a plan that needs nothing new.
fn is_false(flag: &bool) -> bool {
    !flag
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Beginnings {
    Random { plies: usize, seed: u64 },
    Given(Vec<String>),
}

#[derive(Serialize, Deserialize)]
struct Test {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

#[derive(Serialize, Deserialize)]
struct Who {
    name: String,
    spec: String,
}

/// A plan as the text that is kept with its games.
pub fn plan_text(plan: &Plan) -> String {
    let written = Written {
        name: plan.name.clone(),
        games: plan.games.clone(),
        format: plan.format.to_string(),
        rounds: plan.rounds,
        time: plan.control.to_string(),
        ponder: plan.ponder,
        cpu_limit: plan.cpu_limit.map(write_duration),
        concurrency: plan.concurrency,
        pin: plan.pin,
        openings: match &plan.openings {
            Openings::Random { plies, seed } => Beginnings::Random { plies: *plies, seed: *seed },
            Openings::Given(records) => Beginnings::Given(records.iter().map(Record::to_string).collect()),
        },
        adjudicate: plan.adjudicate,
        sprt: plan.sprt.map(|Sprt { elo0, elo1, alpha, beta }| Test { elo0, elo1, alpha, beta }),
        seed: plan.seed,
        players: plan
            .players
            .iter()
            .map(|Entrant { name, spec }| Who { name: name.clone(), spec: spec.clone() })
            .collect(),
    };
    serde_json::to_string(&written).unwrap_or_default()
}

/// Reads what [`plan_text`] writes. The error says why it is no plan that could be played.
pub fn read_plan(text: &str) -> Result<Plan, String> {
    let written: Written = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let openings = match written.openings {
        Beginnings::Random { plies, seed } => Openings::Random { plies, seed },
        Beginnings::Given(records) => {
            let records = records.iter().map(|text| Record::parse(text));
            Openings::Given(
                records.collect::<Result<_, _>>().map_err(|bad| format!("an opening: {}", bad.0))?,
            )
        }
    };
    let plan = Plan {
        name: written.name,
        games: written.games,
        format: Format::parse(&written.format)
            .ok_or_else(|| format!("unknown format '{}'", written.format))?,
        rounds: written.rounds,
        control: written.time.parse().map_err(|bad| format!("the time control: {bad}"))?,
        ponder: written.ponder,
        cpu_limit: match written.cpu_limit {
            Some(text) => {
                Some(duration(&text).ok_or_else(|| format!("the limit of processor time '{text}'"))?)
            }
            None => None,
        },
        concurrency: written.concurrency,
        pin: written.pin,
        openings,
        adjudicate: written.adjudicate,
        sprt: written.sprt.map(|Test { elo0, elo1, alpha, beta }| Sprt { elo0, elo1, alpha, beta }),
        seed: written.seed,
        players: written.players.into_iter().map(|Who { name, spec }| Entrant { name, spec }).collect(),
    };
    plan.check().map_err(|bad| bad.to_string())?;
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn plan() -> Plan {
        let player = |name: &str| Entrant { name: name.into(), spec: format!("bot:./{name} \"x\"") };
        Plan {
            name: "a/b \"c\" <script>".into(),
            games: vec!["kalah:6,4".into(), "connect:7,6,4".into()],
            format: Format::Swiss,
            rounds: 3,
            control: "200ms+2ms".parse().expect("a control"),
            ponder: false,
            cpu_limit: None,
            concurrency: 2,
            pin: false,
            openings: Openings::Random { plies: 3, seed: u64::MAX },
            adjudicate: true,
            sprt: None,
            seed: 9,
            players: ["ä", "b", "c"].map(player).to_vec(),
        }
    }

    #[test]
    fn a_plan_is_read_as_it_was_written() {
        let record = Record::parse("[Game \"kalah:6,4\"]\n\n3 4\n").expect("a record");
        let given = Plan { openings: Openings::Given(vec![record]), ..plan() };
        let mut test = Plan { format: Format::RoundRobin, sprt: Some(Sprt::default()), ..plan() };
        test.players.pop();
        let cpu_limit = Some(Duration::from_millis(500));
        let measured = Plan { ponder: true, cpu_limit, pin: true, ..plan() };
        for plan in [plan(), given, test, measured] {
            assert_eq!(read_plan(&plan_text(&plan)), Ok(plan));
        }
    }

    #[test]
    fn a_plan_of_an_earlier_version_is_read_as_it_was_meant() {
        let text = plan_text(&plan());
        assert!(!["ponder", "cpu_limit", "pin"].iter().any(|key| text.contains(key)), "{text}");
        assert_eq!(read_plan(&text).map(|plan| plan.fingerprint()), Ok(plan().fingerprint()));
    }

    #[test]
    fn text_that_is_no_plan_is_refused() {
        let one = Plan { players: vec![], ..plan() };
        for text in ["", "name = \"spring\"", "{}", &plan_text(&one)] {
            assert!(read_plan(text).is_err(), "{text}");
        }
    }
}
