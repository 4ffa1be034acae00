//! The version tag of jobs in the queue: the versions of the program and of the rules.

use parlor_core::RULES;

/// The version tag of this program. Jobs and workers have one, and a worker takes only jobs with its
/// own tag.
pub fn queue_version() -> String {
    format!("{} rules {RULES}", env!("CARGO_PKG_VERSION"))
}

/// Parses a version tag: the versions of the program and of the rules. Old builds wrote no version
/// of the rules, which was 1.
pub fn versions_of(version: &str) -> (&str, u32) {
    let both =
        version.split_once(" rules ").and_then(|(program, rules)| Some((program, rules.parse().ok()?)));
    both.unwrap_or((version, 1))
}

pub fn version_words(version: &str) -> String {
    let (program, rules) = versions_of(version);
    format!("Parlor {program} (rules {rules})")
}

/// A sentence about games that wait for a worker of another version.
pub(crate) fn wait_for_another(games: u64, theirs: &str, ours: &str) -> String {
    let (games, wait) =
        if games == 1 { ("1 game".to_string(), "waits") } else { (format!("{games} games"), "wait") };
    format!("{games} {wait} for {}; this is {}", version_words(theirs), version_words(ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_which_version_the_waiting_games_need() {
        assert_eq!(
            wait_for_another(12, "0.9.1 rules 3", "0.9.0 rules 2"),
            "12 games wait for Parlor 0.9.1 (rules 3); this is Parlor 0.9.0 (rules 2)"
        );
        assert_eq!(
            wait_for_another(1, "0.1.0", "0.1.0 rules 2"),
            "1 game waits for Parlor 0.1.0 (rules 1); this is Parlor 0.1.0 (rules 2)",
            "older builds wrote no number"
        );
    }
}
