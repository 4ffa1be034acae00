//! Menus for the choice of game, size and players. A game may define its own menu, which replaces the choice of size and
//! players. The end of the input quits from every menu.

use crate::{
    Archive, ConsoleSettings, Input, Participant, Terminal,
    display::{item, print_line, print_strong, prompt, sanitised_input},
};
use parlor_catalog::{DynGame, Entry, PlayerKind, PlayerSpec, entries};
use parlor_core::{Fallback, MenuEntry, ParameterKind, Side, capitalised};
use std::{io, ops::ControlFlow, sync::Arc, sync::atomic::Ordering};

/// Longer input is cut. A player spec with a name is the longest valid input.
const LONGEST_ANSWER: usize = 100;

/// The answer in a menu: a value, back to the previous menu, or quit.
type Answered<T> = ControlFlow<Exit, T>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    Back,
    Quit,
}

/// Shows the main menu until the user quits.
pub fn main_menu(
    settings: &mut ConsoleSettings,
    archive: &mut dyn Archive,
    term: &mut dyn Terminal,
) -> io::Result<()> {
    loop {
        if settings.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let entry = match choose_game(term)? {
            ControlFlow::Continue(entry) => entry,
            ControlFlow::Break(_) => return print_line("Goodbye.", term),
        };
        if let ControlFlow::Break(Exit::Quit) = one_game(entry, settings, archive, term)? {
            return print_line("Goodbye.", term);
        }
        settings.resources.seed = settings.resources.seed.wrapping_add(1);
    }
}

fn choose_game(term: &mut dyn Terminal) -> io::Result<Answered<&'static Entry>> {
    heading("P A R L O R", term)?;
    let width = entries().iter().map(|entry| entry.title.chars().count()).max().unwrap_or_default();
    for (number, entry) in (1..).zip(entries()) {
        item(&format!("  {number}  {:<width$}  ", entry.title), entry.blurb, term)?;
    }
    item("  q  ", "quit\n", term)?;
    loop {
        let text = match read_answer("Game:", term)? {
            Some(text) if text.is_empty() => continue,
            Some(text) if ["q", "quit", "0"].contains(&text.to_ascii_lowercase().as_str()) => {
                return Ok(ControlFlow::Break(Exit::Quit));
            }
            Some(text) => text,
            None => return Ok(ControlFlow::Break(Exit::Quit)),
        };
        let numbered = text.parse::<usize>().ok().and_then(|number| entries().get(number.wrapping_sub(1)));
        let named = || {
            entries()
                .iter()
                .find(|e| e.name.eq_ignore_ascii_case(&text) || e.title.eq_ignore_ascii_case(&text))
        };
        match numbered.or_else(named) {
            Some(entry) => return Ok(ControlFlow::Continue(entry)),
            None => {
                print_line(
                    &format!("Please type a number from 1 to {}, or q to quit.", entries().len()),
                    term,
                )?;
            }
        }
    }
}

fn one_game(
    entry: &'static Entry,
    settings: &mut ConsoleSettings,
    archive: &mut dyn Archive,
    term: &mut dyn Terminal,
) -> io::Result<Answered<()>> {
    let usual = match entry.build("") {
        Ok(game) => game,
        Err(why) => {
            print_line(&format!("{why}."), term)?;
            return Ok(ControlFlow::Continue(()));
        }
    };
    if !usual.board().info().keywords.menu.is_empty() {
        term.clear()?;
        let exit = game_menu_within(usual.as_ref(), settings, archive, "back", term)?;
        if exit == ControlFlow::Break(Exit::Back) {
            term.clear()?;
        }
        return Ok(exit);
    }
    let game = match choose_size(entry, term)? {
        ControlFlow::Continue(game) => game,
        ControlFlow::Break(exit) => return Ok(ControlFlow::Break(exit)),
    };
    let mut participants = Vec::new();
    for side in Side::BOTH {
        match choose_player(entry, game.as_ref(), side, settings, term)? {
            ControlFlow::Continue(seat) => participants.push(seat),
            ControlFlow::Break(exit) => return Ok(ControlFlow::Break(exit)),
        }
    }
    if let Ok(participants) = <[Participant; 2]>::try_from(participants) {
        play_from_menu(settings, game.as_ref(), participants, archive, term)?;
    }
    Ok(ControlFlow::Continue(()))
}

/// Plays one game between menus. In games with a result screen, the game and the menu after it start on a cleared screen.
/// Otherwise the end of the game stays visible above the menu.
fn play_from_menu(
    settings: &ConsoleSettings,
    game: &dyn DynGame,
    participants: [Participant; 2],
    archive: &mut dyn Archive,
    term: &mut dyn Terminal,
) -> io::Result<()> {
    let board = game.board();
    if board.info().keywords.linger {
        term.clear()?;
    }
    let mut session = settings.session(board, participants, archive);
    session.play(term)?;
    // A user who interrupts the program wants to see the result, not an empty screen.
    if session.show_result(term)? && !settings.stop.load(Ordering::Relaxed) {
        term.clear()?;
    }
    Ok(())
}

/// Asks for the size. Enter takes the default.
fn choose_size(entry: &'static Entry, term: &mut dyn Terminal) -> io::Result<Answered<Arc<dyn DynGame>>> {
    let numbers = entry.parameters.iter().filter(|p| matches!(p.kind, ParameterKind::Number(..)));
    let names: Vec<&str> = numbers.clone().map(|p| p.name).collect();
    let usual: Vec<String> = numbers
        .map(|p| match p.fallback {
            Fallback::Value(value) | Fallback::AsBefore(value) => value.to_string(),
        })
        .collect();
    let question = format!("Size ({}) [{}] (q: back):", names.join(","), usual.join(","));
    loop {
        let text = match read_answer(&question, term)? {
            Some(text) if text.eq_ignore_ascii_case("q") => return Ok(ControlFlow::Break(Exit::Back)),
            Some(text) => text.replace([' ', 'x'], ","),
            None => return Ok(ControlFlow::Break(Exit::Quit)),
        };
        match entry.build(&text) {
            Ok(game) => return Ok(ControlFlow::Continue(game)),
            Err(why) => print_line(&format!("{}.", capitalised(&why.to_string())), term)?,
        }
    }
}

/// Asks for the player of a side: a number of the list, a kind, or a player spec.
fn choose_player(
    entry: &'static Entry,
    game: &dyn DynGame,
    side: Side,
    settings: &ConsoleSettings,
    term: &mut dyn Terminal,
) -> io::Result<Answered<Participant>> {
    const HUMAN: PlayerKind = PlayerKind { name: "human", about: "a person at this keyboard", options: &[] };
    let kinds: Vec<PlayerKind> = std::iter::once(HUMAN).chain(entry.kinds.iter().copied()).collect();
    let seat = entry.seats[side.index()];
    let usual =
        if side == Side::First { 0 } else { kinds.iter().position(|k| k.name == "engine").unwrap_or(0) };
    print_line(&format!("\nWho plays {seat}?"), term)?;
    for (number, kind) in (1..).zip(&kinds) {
        item(&format!("  {number}  {:<8} ", kind.name), kind.about, term)?;
    }
    loop {
        let text = match read_answer(&format!("{seat} [{}] (q: back):", kinds[usual].name), term)? {
            Some(text) if text.eq_ignore_ascii_case("q") => return Ok(ControlFlow::Break(Exit::Back)),
            Some(text) => text,
            None => return Ok(ControlFlow::Break(Exit::Quit)),
        };
        let numbered = text.parse::<usize>().ok().and_then(|number| kinds.get(number.wrapping_sub(1)));
        if numbered.is_none() && !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
            let range = format!("a number from 1 to {}", kinds.len());
            print_line(&format!("Please type {range}, or a player like minimax:depth=4."), term)?;
            continue;
        }
        let spec = match (text.as_str(), numbered) {
            ("", _) => Ok(kinds[usual].plain()),
            (_, Some(kind)) => Ok(kind.plain()),
            (text, None) => text.parse::<PlayerSpec>(),
        };
        match spec.and_then(|spec| settings.participant(game, &spec, side)) {
            Ok(seat) => return Ok(ControlFlow::Continue(seat)),
            Err(why) => print_line(&format!("{}.", capitalised(&why.to_string())), term)?,
        }
    }
}

/// Shows a game's own menu as the top menu, so that leaving it quits.
pub fn game_menu(
    game: &dyn DynGame,
    settings: &mut ConsoleSettings,
    archive: &mut dyn Archive,
    term: &mut dyn Terminal,
) -> io::Result<()> {
    game_menu_within(game, settings, archive, "quit", term).map(|_| ())
}

fn game_menu_within(
    game: &dyn DynGame,
    settings: &mut ConsoleSettings,
    archive: &mut dyn Archive,
    leave: &str,
    term: &mut dyn Terminal,
) -> io::Result<Answered<()>> {
    let info = game.board().info();
    let entries = info.keywords.menu;
    loop {
        if settings.stop.load(Ordering::Relaxed) {
            return Ok(ControlFlow::Break(Exit::Quit));
        }
        heading(info.title, term)?;
        for (number, entry) in (1..).zip(entries) {
            item(&format!("  {number}  "), entry.label, term)?;
        }
        item("  0  ", &format!("{leave} (or q)\n"), term)?;
        let entry = match choose_entry(entries, term)? {
            ControlFlow::Continue(entry) => entry,
            ControlFlow::Break(exit) => return Ok(ControlFlow::Break(exit)),
        };
        let seat = |side: Side| {
            let spec: PlayerSpec = entry.players[side.index()].parse()?;
            settings.participant(game, &spec, side)
        };
        match (seat(Side::First), seat(Side::Second)) {
            (Ok(first), Ok(second)) => {
                play_from_menu(settings, game, [first, second], archive, term)?;
            }
            (Err(why), _) | (_, Err(why)) => print_line(&format!("{why}."), term)?,
        }
        settings.resources.seed = settings.resources.seed.wrapping_add(1);
    }
}

fn choose_entry(
    entries: &'static [MenuEntry],
    term: &mut dyn Terminal,
) -> io::Result<Answered<&'static MenuEntry>> {
    loop {
        let Some(text) = read_answer("Your choice:", term)? else {
            return Ok(ControlFlow::Break(Exit::Quit));
        };
        if ["0", "q", "Q"].contains(&text.as_str()) {
            return Ok(ControlFlow::Break(Exit::Back));
        }
        match text.parse::<usize>().ok().and_then(|number| entries.get(number.wrapping_sub(1))) {
            Some(entry) => return Ok(ControlFlow::Continue(entry)),
            None if text.is_empty() => {}
            None => print_line(&format!("Please type a number from 0 to {}.", entries.len()), term)?,
        }
    }
}

fn heading(text: &str, term: &mut dyn Terminal) -> io::Result<()> {
    term.print("\n")?;
    print_strong(text, term)?;
    term.print("\n")
}

/// Reads a trimmed line; `None` at the end of the input.
fn read_answer(question: &str, term: &mut dyn Terminal) -> io::Result<Option<String>> {
    prompt(question, term)?;
    match term.read_line(None)? {
        Input::Line(line) => Ok(Some(sanitised_input(&line, LONGEST_ANSWER))),
        Input::End | Input::TimedOut | Input::Interrupted => {
            term.print("\n")?;
            Ok(None)
        }
    }
}
