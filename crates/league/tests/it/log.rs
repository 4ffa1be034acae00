//! Tests of the log messages about corrupt rows.

use parlor_league::Snapshot;
use parlor_store::TournamentRow;
use parlor_testkit::Log;

#[test]
fn a_corrupt_plan_and_corrupt_games_of_a_tournament_are_logged() {
    let row = |plan: &str| TournamentRow {
        name: "spring".into(),
        fingerprint: String::new(),
        begun: 0,
        games: 0,
        changes: 0,
        plan: Some(plan.into()),
    };
    let log = Log::capture();
    Snapshot::of(row("{\"name\": 7}"), Vec::new());
    let line = log.only("corrupt row");
    assert!(
        line.starts_with("ERROR corrupt row table=tournament column=plan tournament=spring reason="),
        "{line}"
    );
}
