//! `parlor match`: plays pairs of games between two players and prints the statistics.

use crate::{
    args::MatchOptions,
    date,
    environment::{self, default_tables_dir},
    error::CommandError,
    files, interrupt, stdio,
};
use parlor_catalog::{Monotonic, PlayerSpec, Resources};
use parlor_core::counted;
use parlor_league::unsigned;
use parlor_protocol::Program;
use parlor_session::{TimeControl, Violation};
use parlor_tournament::{
    Cores, Entrant, Format, LedgerEntry, MemoryLedger, Openings, Sprt, Tally, Tournament, TournamentPlan,
    TournamentState,
};
use serde_json::json;
use std::{
    fs::File,
    io::Write,
    ops::ControlFlow,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

/// The default time control of a match with an external program.
const DEFAULT_TIME_FOR_PROGRAMS: TimeControl = TimeControl::Move(Duration::from_secs(5));

pub fn run(options: &MatchOptions, out: &mut dyn Write) -> Result<(), CommandError> {
    let game =
        parlor_catalog::game(&options.game).map_err(|e| CommandError::Input(format!("--game: {e}")))?;
    let plan = plan(options, &game.spec())?;
    plan.check().map_err(|bad| CommandError::Input(bad.0))?;
    if plan.pin {
        Cores::for_games(plan.concurrency).map_err(CommandError::Input)?;
    }
    let clock = Arc::new(Monotonic::start());
    let resources = Resources { tables: default_tables_dir(), ..Resources::with_clock(0, clock.clone()) };
    let players =
        environment::players(".".as_ref(), true, !options.no_sandbox, resources)?.for_plan(&plan)?;
    if players.has_programs() {
        stdio::remark(&players.remark());
    }
    let mut save = match &options.save {
        None => None,
        Some(file) => Some(files::append(file)?),
    };
    let stop = interrupt::stop_flag();
    let make_player = players.of_plan(&plan, &[]);
    let tournament = Tournament { plan: &plan, games: vec![game], make_player, clock };
    let mut output_error = None;
    let state = tournament.run(&mut MemoryLedger::default(), &stop, &mut |state, played| {
        let reported =
            played.iter().try_for_each(|entry| report_game(entry, state, &plan, options, save.as_mut(), out));
        match reported {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                output_error = Some(error);
                ControlFlow::Break(())
            }
        }
    })?;
    if let Some(error) = output_error {
        return Err(error);
    }
    summary(&plan, &state, options, out)?;
    if stop.load(Ordering::Relaxed) {
        return Err(CommandError::Failed(format!(
            "interrupted after {} of {} pairs; to repeat the same games, use --seed {}",
            state.entries.len() / 2,
            options.rounds,
            plan.seed
        )));
    }
    Ok(())
}

fn plan(options: &MatchOptions, game: &str) -> Result<TournamentPlan, CommandError> {
    // In a program's spec everything after the colon is the command, so it has no @NAME.
    let named = |text: &str, given: &Option<String>| match (given, text.parse::<PlayerSpec>()) {
        (Some(name), _) => name.clone(),
        (None, Ok(PlayerSpec { name: Some(name), .. })) if !Program::is_program_spec(text) => name,
        _ => text.to_string(),
    };
    let mut names = [named(&options.one, &options.first_name), named(&options.other, &options.second_name)];
    if names[0] == names[1] {
        names = [format!("{} (1)", names[0]), format!("{} (2)", names[1])];
    }
    let programs = [&options.one, &options.other].iter().any(|text| Program::is_program_spec(text));
    let [one, other] = names;
    let entrant = |name, spec: &String| Entrant { name, spec: spec.clone(), ..Entrant::default() };
    let players = vec![entrant(one, &options.one), entrant(other, &options.other)];
    let seed = options.seed.unwrap_or_else(date::fresh_seed);
    Ok(TournamentPlan {
        name: "match".to_string(),
        games: vec![game.to_string()],
        format: Format::RoundRobin,
        rounds: options.rounds,
        time: options.time.unwrap_or(if programs {
            DEFAULT_TIME_FOR_PROGRAMS
        } else {
            TimeControl::Unlimited
        }),
        margin: None,
        ponder: options.ponder,
        cpu_limit: options.cpu_limit,
        concurrency: options.concurrency,
        pin: options.pin,
        openings: Openings::Random { plies: options.opening, seed },
        adjudicate: options.adjudicate,
        sprt: options.sprt.map(|[elo0, elo1]| Sprt { elo0, elo1, ..Sprt::default() }),
        seed,
        players,
    })
}

/// The first player's results.
fn tally(plan: &TournamentPlan, state: &TournamentState) -> Tally {
    state.standings(plan).cross[0][1]
}

fn report_game(
    entry: &LedgerEntry,
    state: &TournamentState,
    plan: &TournamentPlan,
    options: &MatchOptions,
    save: Option<&mut File>,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    let record = &entry.record;
    if let Some(file) = save {
        writeln!(file, "{record}")?;
    }
    let result = record.ending.and_then(|ending| ending.outcome).map_or("*".to_string(), |o| o.to_string());
    let cause = record.ending.map_or(String::new(), |ending| ending.cause.to_string());
    if options.json {
        let mut line = json!({
            "round": entry.slot.round + 1, "first": record.tag("First"), "second": record.tag("Second"),
            "result": result, "termination": cause, "moves": record.moves,
            "seconds": entry.thought.map(|time| time.as_secs_f64()),
        });
        if entry.cpu.iter().any(Option::is_some) {
            line["cpu_seconds"] = json!(entry.cpu.map(|time| time.map(|time| time.as_secs_f64())));
        }
        if let Some(Violation { side, kind, reason }) = &entry.violation {
            line["failure"] = json!({"side": side.to_string(), "kind": kind.to_string(), "why": reason});
        }
        writeln!(out, "{line}")?;
        out.flush()?;
    } else if let Some(Violation { side, kind, reason }) = &entry.violation {
        let name = &plan.players[entry.slot.seats[side.index()]].name;
        stdio::remark(&format!("round {}: {name} {reason} ({kind})", entry.slot.round + 1));
    } else if stdio::stderr_is_terminal() {
        let Tally { wins, draws, losses, .. } = tally(plan, state);
        let played = wins + draws + losses;
        stdio::progress(&format!("{}: {wins} won, {draws} drawn, {losses} lost ", counted(played, "game")));
    }
    Ok(())
}

fn summary(
    plan: &TournamentPlan,
    state: &TournamentState,
    options: &MatchOptions,
    out: &mut dyn Write,
) -> Result<(), CommandError> {
    let names = [0, 1].map(|i| plan.players[i].name.clone());
    let (tally, game) = (tally(plan, state), &plan.games[0]);
    let (elo, verdict) = (tally.elo(), plan.sprt.map(|sprt| (sprt, sprt.verdict(&state.tally()))));
    if options.json {
        let mut line = json!({
            "game": game, "players": names, "time": plan.time.to_string(), "seed": plan.seed, "games": tally.games(),
            "wins": tally.wins, "draws": tally.draws, "losses": tally.losses, "pairs": tally.pairs,
            "score": tally.score(), "elo": elo.difference, "error": elo.error, "superiority": tally.superiority(),
        });
        if let Some((sprt, verdict)) = verdict {
            line["sprt"] = json!({"elo0": sprt.elo0, "elo1": sprt.elo1, "ratio": sprt.ratio(&state.tally()), "verdict": verdict.to_string()});
        }
        return Ok(writeln!(out, "{line}")?);
    }
    stdio::end_progress();
    let time = match plan.time {
        TimeControl::Unlimited => "no time limit".to_string(),
        time => format!("time {time}"),
    };
    writeln!(out, "{} against {}: {game}, seed {}, {time}", names[0], names[1], plan.seed)?;
    let Tally { wins, draws, losses, .. } = tally;
    writeln!(
        out,
        "{}: {wins} won, {draws} drawn, {losses} lost; score {:.3}",
        counted(tally.games(), "game"),
        tally.score()
    )?;
    writeln!(
        out,
        "game pairs with 0, 1/2, 1, 3/2 and 2 points: {}",
        tally.pairs.map(|n| n.to_string()).join(", ")
    )?;
    writeln!(
        out,
        "Elo {:+.1} +/- {:.1}; likelihood of superiority {:.1}%",
        unsigned(elo.difference),
        elo.error,
        100.0 * tally.superiority()
    )?;
    if let Some((sprt, verdict)) = verdict {
        let [lower, upper] = sprt.limits();
        let ratio = sprt.ratio(&state.tally());
        writeln!(
            out,
            "SPRT, elo0 = {}, elo1 = {}: {} (LLR {ratio:.2}, bounds {lower:.2} to {upper:.2})",
            sprt.elo0,
            sprt.elo1,
            sprt.conclusion(verdict)
        )?;
    }
    Ok(())
}
