//! `parlor render`: a position as an SVG picture, or a whole game as an animation. The pictures are those of the server's pages.

use crate::{args::RenderOptions, commands::show, error::CommandError, starting_board, stdio::Stdout};
use parlor_console::BoardView;
use parlor_core::{Board, Record, counted, winner_sentence};
use parlor_render::{Frame, Scene};
use std::{
    fs,
    io::{self, Write},
    path::Path,
};

pub fn run(options: &RenderOptions, out: &mut Stdout) -> Result<(), CommandError> {
    let picture = match (&options.file, &options.game) {
        (Some(file), _) => recorded(file, options)?,
        (None, game) => {
            let (_, board) = starting_board::board(game.as_deref().unwrap_or_default(), &options.start)?;
            still(board.as_ref(), options.turned)
        }
    };
    match &options.out {
        Some(file) if file != Path::new("-") => fs::write(file, picture).map_err(|e| refused(file, &e)),
        _ => Ok(out.write_all(picture.as_bytes())?),
    }
}

fn refused(file: &Path, why: &io::Error) -> CommandError {
    CommandError::Failed(format!("cannot write the SVG to {}: {why}", file.display()))
}

/// SVG of the current position.
fn still(board: &dyn Board, turned: bool) -> String {
    let (info, marks, (last, won)) = (board.info(), board.marks(), board.pointed_out());
    parlor_render::file(&Scene { id: "board", info: &info, marks: &marks, last: &last, won, turned })
}

/// Renders a recorded game: one position if a ply was given, otherwise an animation.
fn recorded(file: &Path, options: &RenderOptions) -> Result<String, CommandError> {
    let (number, record) = one(file, options.number)?;
    let place =
        |what: String| CommandError::Input(format!("{}: game {number}: {what}", show::display_name(file)));
    let game = parlor_catalog::game(&record.game).map_err(|e| place(e.0))?;
    // The replay needs the canonical spec, which a record may abbreviate.
    let record = Record { game: game.spec(), ..record };
    let last = game.replay(&record).map_err(|e| place(e.0))?;
    let Some(ply) = options.ply else {
        let start = Record { moves: Vec::new(), ending: None, ..record.clone() };
        let board = game.replay(&start).map_err(|e| place(e.0))?;
        return film(&record, board, last.as_ref(), options.turned);
    };
    if ply > record.moves.len() {
        return Err(place(format!(
            "--ply: expected 0 to {}, the number of moves, not {ply}",
            record.moves.len()
        )));
    }
    let until = Record { moves: record.moves[..ply].to_vec(), ending: None, ..record };
    let board = game.replay(&until).map_err(|e| place(e.0))?;
    Ok(still(board.as_ref(), options.turned))
}

/// The chosen game of a file. A file with several games requires `--number`.
fn one(file: &Path, number: Option<usize>) -> Result<(usize, Record), CommandError> {
    let mut records = show::numbered(file, number)?;
    match records.len() {
        1 => Ok(records.remove(0)),
        count => {
            let which = if count == 0 { "" } else { "; choose one with --number" };
            Err(CommandError::Input(format!(
                "{}: the file contains {}{which}",
                show::display_name(file),
                counted(count as u64, "game")
            )))
        }
    }
}

/// An animation of all positions, with the moves and the result as captions.
fn film(
    record: &Record,
    mut board: Box<dyn Board>,
    last: &dyn Board,
    turned: bool,
) -> Result<String, CommandError> {
    let view = show::view(record, board.info());
    let mut frames = vec![frame(board.as_ref(), opening(&view))];
    for (ply, text) in (1..).zip(&record.moves) {
        let side = board.turn();
        let caption = format!("{ply}. {}: {}", view.name(side), board.check(text)?);
        board.play(text)?;
        frames.push(frame(board.as_ref(), vec![caption]));
    }
    if let Some(end) = frames.last_mut() {
        end.caption.truncate(1);
        end.caption.extend(verdict(&view, last));
    }
    Ok(parlor_render::film(&view.info, turned, &frames))
}

fn frame(board: &dyn Board, caption: Vec<String>) -> Frame {
    let (last, won) = board.pointed_out();
    Frame { marks: board.marks(), last, won, caption }
}

fn opening(view: &BoardView) -> Vec<String> {
    let [first, second] = view.both_names();
    vec![view.info.title.to_string(), format!("{first} against {second}")]
}

/// How the game ended; `None` while it is in progress.
fn verdict(view: &BoardView, last: &dyn Board) -> Option<String> {
    let ending = last.ending()?;
    let names = view.both_names();
    let verdict = last.verdict(names);
    verdict.or_else(|| Some(format!("{} ({})", winner_sentence(None, ending.outcome?, names), ending.cause)))
}
