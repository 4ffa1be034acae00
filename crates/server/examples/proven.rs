//! Measures how many random positions get a proven value for every move within 2 s over the API.
//!
//! `cargo run --release -p parlor-server --example proven`

use axum::{Router, body::Body, http::Request};
use http_body_util::BodyExt;
use parlor_catalog::Random;
use parlor_server::{RateLimits, Service, Settings, app};
use parlor_store::Store;
use std::{
    io::{self, Write},
    time::{Duration, Instant},
};
use tower::ServiceExt;

/// The positions to measure: a game, their number, and the least number of moves.
struct Sample {
    spec: &'static str,
    count: usize,
    least: usize,
    /// Most seeds or beans in play, for Kalah and Oware.
    in_play: Option<u16>,
}

const SAMPLES: [Sample; 9] = [
    Sample { spec: "connect:7,6", count: 200, least: 12, in_play: None },
    Sample { spec: "kalah:6,4", count: 100, least: 12, in_play: None },
    Sample { spec: "kalah:6,4", count: 100, least: 12, in_play: Some(24) },
    Sample { spec: "oware", count: 100, least: 20, in_play: Some(16) },
    Sample { spec: "oware", count: 100, least: 20, in_play: Some(12) },
    Sample { spec: "oware", count: 100, least: 20, in_play: Some(10) },
    Sample { spec: "oware", count: 100, least: 20, in_play: Some(8) },
    Sample { spec: "oware", count: 100, least: 20, in_play: Some(6) },
    Sample { spec: "oware:rules=awari", count: 100, least: 20, in_play: Some(12) },
];
/// Number of seeds or beans, which is the same in Kalah and Oware.
const ALL: u16 = 48;
/// The random seed, so that every run measures the same positions.
const SEED: u64 = 20_240_607;

#[tokio::main]
async fn main() -> io::Result<()> {
    let folder = std::env::temp_dir().join(format!("parlor-proven-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let store = Store::open(&folder.join("games.db")).await.map_err(io::Error::other)?;
    let mut settings = Settings::new(store);
    settings.rate_limits = RateLimits::none();
    let app = app(Service::new(settings));
    for sample in &SAMPLES {
        let line = measure(&app, sample).await;
        writeln!(io::stdout(), "{line}")?;
    }
    std::fs::remove_dir_all(&folder)
}

async fn measure(app: &Router, sample: &Sample) -> String {
    let (mut random, mut times, mut proven) = (Random::new(SEED), Vec::new(), 0);
    // The widths of the moves' proved bounds.
    let mut widths = Vec::new();
    for _ in 0..sample.count {
        let moves = position(sample, &mut random).join(",");
        let uri = format!("/api/v1/analysis?game={}&moves={moves}&wait=2s", sample.spec);
        let request = Request::get(uri).body(Body::empty()).expect("a request");
        let begun = Instant::now();
        let response = app.clone().oneshot(request).await.expect("an answer");
        let bytes = response.into_body().collect().await.expect("a body").to_bytes();
        times.push(begun.elapsed());
        let verdict: serde_json::Value = serde_json::from_slice(&bytes).expect("JSON");
        proven += usize::from(verdict["proven"] == serde_json::json!(true));
        let side = |worth: &serde_json::Value, name: &str| worth[name].as_i64().expect("a bound");
        let moves = verdict["moves"].as_array().expect("moves");
        widths.extend(moves.iter().map(|worth| side(worth, "hi") - side(worth, "lo")));
    }
    times.sort();
    let millis = |time: Duration| time.as_secs_f64() * 1000.0;
    let left = sample.in_play.map_or(String::new(), |most| format!(", at most {most} in play"));
    let open: Vec<i64> = widths.iter().copied().filter(|&width| width > 0).collect();
    let width = open.iter().sum::<i64>() as f64 / open.len().max(1) as f64;
    format!(
        "{} from {} plies on{left}: {proven} of {} wholly proven within 2 s; of {} moves {} \
         proven, the others within {width:.1}; median {:.1} ms, worst {:.1} ms",
        sample.spec,
        sample.least,
        sample.count,
        widths.len(),
        widths.len() - open.len(),
        millis(times[times.len() / 2]),
        millis(times[times.len() - 1])
    )
}

/// Random moves to an unfinished position that meets the conditions of the sample.
fn position(sample: &Sample, random: &mut Random) -> Vec<String> {
    let game = parlor_catalog::game(sample.spec).expect("a game");
    loop {
        let (mut board, wanted) = (game.board(), sample.least + random.below(12));
        while board.ply() < 400 && board.ending().is_none() {
            let left = board.scores().map_or(0, |[one, other]| ALL - one - other);
            if board.ply() >= wanted && sample.in_play.is_none_or(|most| left <= most) {
                return board.record().moves;
            }
            let moves = board.moves();
            board.play(&moves[random.below(moves.len())]).expect("a legal move");
        }
    }
}
