//! The version for which jobs are in the queue, as text and in words.

use parlor_core::RULES;

/// The version for which jobs are put into the queue, and by which workers register: the program's
/// and that of the rules. A worker takes jobs of its own version only.
pub fn queue_version() -> String {
    format!("{} rules {RULES}", env!("CARGO_PKG_VERSION"))
}

/// The version of the program and that of the rules in what [`queue_version`] writes. Builds before
/// the rules had a number wrote only the first.
pub fn versions_of(version: &str) -> (&str, u32) {
    let both =
        version.split_once(" rules ").and_then(|(program, rules)| Some((program, rules.parse().ok()?)));
    both.unwrap_or((version, 1))
}

pub fn version_words(version: &str) -> String {
    let (program, rules) = versions_of(version);
    format!("Parlor {program} (rules {rules})")
}

/// The sentence that games wait for a worker of another version than ours.
pub(crate) fn wait_for_another(games: u64, theirs: &str, ours: &str) -> String {
    let (games, wait) =
        if games == 1 { ("1 game".to_string(), "waits") } else { (format!("{games} games"), "wait") };
    format!("{games} {wait} for {}; this is {}", version_words(theirs), version_words(ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_for_another_version_is_said() {
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
