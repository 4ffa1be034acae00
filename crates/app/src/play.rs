//! `parlor` (the menu) and `parlor play`.

use crate::{
    args::PlayOptions,
    fault::Fault,
    start,
    terminal::{Stdout, Tty},
};
use parlor_catalog::{PlayerSpec, duration};
use parlor_console::{Lobby, Save, TimeControl, game_menu, main_menu};
use parlor_play::{Cause, Record, Side};
use std::{
    fs::File,
    io::{self, Write},
    path::Path,
    sync::atomic::Ordering,
};

/// Who plays where nobody was named.
const USUAL: [&str; 2] = ["human", "engine"];

/// The menu.
pub fn menu(out: Stdout) -> Result<(), Fault> {
    let mut lobby = Lobby { stop: start::interruptible(), ..Lobby::new(start::fresh_seed()) };
    let mut tty = Tty::open(out, lobby.stop.clone());
    Ok(main_menu(&mut lobby, &mut tty)?)
}

/// One game; or the game's own menu, where it has one and no players were named.
pub fn run(options: &PlayOptions, out: Stdout) -> Result<(), Fault> {
    let (game, board) = start::board(&options.game, &options.start)?;
    let mut lobby = Lobby::new(options.seed.unwrap_or_else(start::fresh_seed));
    lobby.pause = !options.no_pause;
    if let Some(text) = &options.clock {
        let control = text.parse::<TimeControl>().map_err(|e| Fault::Input(format!("--clock: {e}")))?;
        lobby.control = Some(control);
    }
    if let Some(text) = &options.linger {
        lobby.linger = duration(text)
            .ok_or_else(|| Fault::Input(format!("--linger: '{text}' is not a time like 500ms, 4s or 1m")))?;
    }
    let specs = [("--first", &options.first), ("--second", &options.second)];
    let named = specs.iter().any(|(_, spec)| spec.is_some());
    let from_start =
        options.start.position.is_none() && options.start.moves.is_none() && options.save.is_none();
    if !named && from_start && !board.face().manners.tables.is_empty() {
        lobby.stop = start::interruptible();
        let mut tty = Tty::open(out, lobby.stop.clone());
        return Ok(game_menu(game.as_ref(), &mut lobby, &mut tty)?);
    }
    let seat = |side: Side| {
        let (flag, text) = specs[side.index()];
        let text = text.as_deref().unwrap_or(USUAL[side.index()]);
        let spec: Result<PlayerSpec, _> = text.parse();
        spec.and_then(|spec| lobby.seat(game.as_ref(), &spec, side))
            .map_err(|e| Fault::Input(format!("{flag}: {e}")))
    };
    let seats = [seat(Side::First)?, seat(Side::Second)?];
    lobby.stop = start::interruptible();
    let mut tty = Tty::open(out, lobby.stop.clone());
    let mut sitting = lobby.sit(board, seats, save_to(options.save.as_deref()));
    let ending = sitting.play(&mut tty)?;
    if options.linger.is_some() {
        sitting.linger(&mut tty)?;
    }
    match ending {
        Some(ending) if ending.cause == Cause::Abandoned && lobby.stop.load(Ordering::Relaxed) => {
            let kept =
                options.save.as_deref().map(|file| format!("; the moves so far are in {}", file.display()));
            Err(Fault::Failed(format!("interrupted{}", kept.unwrap_or_default())))
        }
        _ => Ok(()),
    }
}

/// Writes the record beside the file and moves it there, so that at every moment the file holds a whole record.
fn save_to<'a>(file: Option<&'a Path>) -> Save<'a> {
    Box::new(move |record: &Record| match file {
        None => Ok(()),
        Some(file) => write_whole(file, &record.to_string()).map_err(|e| {
            io::Error::other(format!("the record could not be kept in {}: {e}", file.display()))
        }),
    })
}

fn write_whole(file: &Path, text: &str) -> io::Result<()> {
    let mut name =
        file.file_name().ok_or_else(|| io::Error::other("it is not the name of a file"))?.to_os_string();
    name.push(".new");
    let beside = file.with_file_name(name);
    let mut new = File::create(&beside)?;
    new.write_all(text.as_bytes())?;
    new.sync_all()?;
    std::fs::rename(&beside, file)
}
