//! `parlor play`, and the menu of `parlor` without a command.

use crate::{
    args::PlayOptions, date, environment, error::CommandError, files::GameArchive, interrupt, starting_board,
    stdio::Stdout, stdio::Tty,
};
use parlor_catalog::{PlayerSpec, duration};
use parlor_console::{ConsoleSettings, Participant, game_menu, main_menu};
use parlor_core::{Record, Side, shortened};
use parlor_protocol::Program;
use parlor_session::TimeControl;
use std::path::Path;

/// The players if none are given.
const DEFAULT_PLAYERS: [&str; 2] = ["human", "engine"];

pub fn menu(out: Stdout) -> Result<(), CommandError> {
    let mut settings = settings(None);
    let mut archive = GameArchive::open(None, settings.stop.clone())?;
    let mut tty = Tty::open(out, settings.stop.clone());
    main_menu(&mut settings, &mut archive, &mut tty)?;
    check_interrupted(&archive, None)
}

/// Settings with today's date and a stop flag that Ctrl-C sets.
fn settings(seed: Option<u64>) -> ConsoleSettings {
    let mut settings = ConsoleSettings::new(seed.unwrap_or_else(date::fresh_seed));
    settings.stop = interrupt::stop_flag();
    settings.resources.tables = environment::default_tables_dir();
    settings.tags = vec![("Date".to_string(), date::today())];
    settings
}

/// Plays one game. If no players are named and the game has its own menu, shows that menu.
pub fn run(options: &PlayOptions, out: Stdout) -> Result<(), CommandError> {
    let (game, board) = starting_board::board(&options.game, &options.start)?;
    let mut settings = settings(options.seed);
    settings.pause = !options.no_pause;
    if let Some(text) = &options.clock {
        settings.time = clock(text)?;
    }
    if let Some(text) = &options.linger {
        settings.linger = duration(text).ok_or_else(|| {
            CommandError::Input(format!(
                "--linger: '{text}' is not a time; expected one like 500ms, 4s or 1m"
            ))
        })?;
    }
    let specs = [("--first", &options.first), ("--second", &options.second)];
    let names = [&options.first_name, &options.second_name];
    let players = environment::players(".".as_ref(), true, !options.no_sandbox, settings.resources.clone())?;
    let named = specs.iter().any(|(_, spec)| spec.is_some());
    let from_start = options.start.position.is_none() && options.start.moves.is_none();
    let save = options.save.as_deref();
    if !named && from_start && !board.info().keywords.menu.is_empty() {
        let mut archive = GameArchive::open(save, settings.stop.clone())?;
        let mut tty = Tty::open(out, settings.stop.clone());
        game_menu(game.as_ref(), &mut settings, &mut archive, &mut tty)?;
        return check_interrupted(&archive, save);
    }
    let seat = |side: Side| {
        let (flag, text) = specs[side.index()];
        let text = text.as_deref().unwrap_or(DEFAULT_PLAYERS[side.index()]);
        let name = names[side.index()].as_deref();
        if Program::is_program_spec(text) {
            let player = players.make(game.as_ref(), text, 0);
            let mut player = player.map_err(|bad| CommandError::from(bad).for_option(flag))?;
            let ready = player.ready(&game.spec());
            ready.map_err(|failure| {
                CommandError::Failed(format!("{flag}: {}", CommandError::from(failure)))
            })?;
            return Ok(Participant::program(text, name, player));
        }
        let spec: Result<PlayerSpec, _> = text.parse();
        let spec = spec.map(|spec| PlayerSpec { name: name.map(String::from).or(spec.name), ..spec });
        spec.and_then(|spec| settings.participant(game.as_ref(), &spec, side))
            .map_err(|e| CommandError::from(e).for_option(flag))
    };
    let seats = [seat(Side::First)?, seat(Side::Second)?];
    let mut archive = GameArchive::open(save, settings.stop.clone())?;
    let mut tty = Tty::open(out, settings.stop.clone());
    let mut session = settings.session(board, seats, &mut archive);
    session.play(&mut tty)?;
    if options.linger.is_some() {
        session.show_result(&mut tty)?;
    }
    check_interrupted(&archive, save)
}

/// Parses `--clock`: a time control that limits time, or `free`.
fn clock(text: &str) -> Result<TimeControl, CommandError> {
    let why = match text.parse::<TimeControl>() {
        Ok(control) if control.is_timed() || control == TimeControl::Unlimited => return Ok(control),
        Ok(_) => "limits the search, not the time",
        Err(_) => "is not a time control",
    };
    let accepted = "5m+3s (time for the game, increment per move), move=10s, 5m,delay=3s, 5m,bronstein=3s, \
                    10m,byoyomi=3x30s or free";
    Err(CommandError::Input(format!("--clock: '{}' {why}; expected {accepted}", shortened(text, 40))))
}

/// Returns an error with the command to resume, if the last game was interrupted by Ctrl-C.
fn check_interrupted(archive: &GameArchive, save: Option<&Path>) -> Result<(), CommandError> {
    let Some(record) = &archive.interrupted else { return Ok(()) };
    let kept = save.map_or(String::new(), |file| format!("; the game is saved in {}", file.display()));
    Err(CommandError::Failed(format!("interrupted{kept}; resume with: {}", command(record))))
}

/// The command that resumes the game of a record.
fn command(record: &Record) -> String {
    let mut words = vec!["parlor".to_string(), "play".to_string(), in_quotes(&record.game)];
    let mut option = |flag: &str, value: &str| words.extend([flag.to_string(), in_quotes(value)]);
    if let Some(start) = &record.start {
        option("--position", start);
    }
    if !record.moves.is_empty() {
        option("--moves", &record.moves.join(" "));
    }
    for (flag, tag, usual) in
        [("--first", "First", DEFAULT_PLAYERS[0]), ("--second", "Second", DEFAULT_PLAYERS[1])]
    {
        if let Some(player) = record.tag(tag).filter(|player| *player != usual) {
            option(flag, player);
        }
    }
    words.join(" ")
}

/// Quotes a word for a shell, if necessary.
fn in_quotes(text: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || ":,=._@/-".contains(c);
    if !text.is_empty() && text.chars().all(bare) {
        text.to_string()
    } else if text.contains(['"', '$', '`', '\\', '!']) {
        format!("'{}'", text.replace('\'', "'\\''"))
    } else {
        format!("\"{text}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupted_game_can_be_resumed_by_a_command() {
        let mut record = Record { game: "kalah:6,4".into(), ..Record::default() };
        record.set_tag("First", "human");
        record.set_tag("Second", DEFAULT_PLAYERS[1]);
        assert_eq!(command(&record), "parlor play kalah:6,4");
        record.moves = vec!["3".into(), "6".into()];
        record.start = Some("4,4/4,4 0/0 s".into());
        record.set_tag("Second", "bad@It's $5");
        assert_eq!(
            command(&record),
            "parlor play kalah:6,4 --position \"4,4/4,4 0/0 s\" --moves \"3 6\" --second 'bad@It'\\''s $5'"
        );
    }
}
