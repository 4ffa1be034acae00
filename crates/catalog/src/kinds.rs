//! The general players: every game has them.

use crate::{BadPlayer, KindInfo, PlayerSpec, Setting};
use parlor_engine::{Bad, Beam, Minimax, Random, Seated, Uniform};
use parlor_play::{Evaluated, Notation, Player};
use std::time::Duration;

pub(crate) type Make<G> = fn(&G, &PlayerSpec, &Setting) -> Result<Box<dyn Player>, BadPlayer>;

/// A kind of player of one game, and how one is made.
pub(crate) struct Kind<G> {
    pub info: KindInfo,
    pub make: Make<G>,
}

/// Bad, random, minimax and beam.
pub(crate) fn general<G: Notation + Evaluated>() -> Vec<Kind<G>> {
    vec![bad(), uniform(), minimax(), beam()]
}

fn bad<G: Notation>() -> Kind<G> {
    Kind {
        info: KindInfo { name: "bad", about: "always the first legal move", options: &[] },
        make: |game, _, _| Ok(Box::new(Seated::new(game.clone(), Bad))),
    }
}

fn uniform<G: Notation>() -> Kind<G> {
    Kind {
        info: KindInfo {
            name: "random",
            about: "any legal move",
            options: &[("seed", "a number that fixes its choices")],
        },
        make: |game, spec, setting| {
            let seed = spec.number("seed", 0, u64::MAX)?;
            let random = seed.map_or_else(|| setting.random(), Random::new);
            Ok(Box::new(Seated::new(game.clone(), Uniform(random))))
        },
    }
}

fn minimax<G: Notation + Evaluated>() -> Kind<G> {
    Kind {
        info: KindInfo {
            name: "minimax",
            about: "looks ahead, judging simply; alone it thinks for 5s a move",
            options: &[
                ("depth", "moves to look ahead, 1 to 400"),
                ("time", "how long to think, like 500ms or 5s"),
            ],
        },
        make: |game, spec, setting| {
            let depth = spec.number("depth", 1, 400)?.map(|depth| depth as u32);
            let time = spec.time("time")?.or((depth.is_none()).then_some(Duration::from_secs(5)));
            let chooser = Minimax { evaluator: G::CLASSIC, depth, time, clock: setting.clock.clone() };
            Ok(Box::new(Seated::new(game.clone(), chooser)))
        },
    }
}

fn beam<G: Notation + Evaluated>() -> Kind<G> {
    Kind {
        info: KindInfo {
            name: "beam",
            about: "looks ahead along the best-looking moves only",
            options: &[
                ("width", "moves kept at each position, 1 to 1000000, default 100"),
                ("depth", "moves to look ahead, 1 to 400, default 2"),
                ("time", "how long to think, like 500ms, default 30s"),
            ],
        },
        make: |game, spec, setting| {
            let chooser = Beam {
                evaluator: G::CLASSIC,
                width: spec.number("width", 1, 1_000_000)?.unwrap_or(100) as usize,
                depth: spec.number("depth", 1, 400)?.unwrap_or(2) as u32,
                time: Some(spec.time("time")?.unwrap_or(Duration::from_secs(30))),
                clock: setting.clock.clone(),
            };
            Ok(Box::new(Seated::new(game.clone(), chooser)))
        },
    }
}
