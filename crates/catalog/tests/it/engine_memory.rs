//! Which engines get the default memory of a server: those whose memory nothing else fixes.

use parlor_catalog::PlayerSpec;

fn with_default_memory(text: &str) -> String {
    let mut spec: PlayerSpec = text.parse().expect("a player spec");
    spec.set_default_memory(16);
    spec.to_string()
}

#[test]
fn a_level_keeps_its_own_memory() {
    assert_eq!(with_default_memory("engine"), "engine");
    for level in 1..=9 {
        for more in ["", ",time=1s", ",nodes=100", ",threads=2", ",memory=3"] {
            let text = format!("engine:level={level}{more}");
            assert_eq!(with_default_memory(&text), text);
        }
    }
}

#[test]
fn an_engine_without_a_level_gets_the_default_memory() {
    for text in
        ["engine:level=10", "engine:nodes=100", "engine:time=1s", "engine:threads=2", "engine:depth=4"]
    {
        assert_eq!(with_default_memory(text), format!("{text},memory=16"));
        assert_eq!(with_default_memory(&format!("{text},memory=3")), format!("{text},memory=3"));
    }
}

#[test]
fn other_players_stay_as_they_are() {
    for text in ["random", "perfect:time=1s", "minimax:depth=4"] {
        assert_eq!(with_default_memory(text), text);
    }
}
