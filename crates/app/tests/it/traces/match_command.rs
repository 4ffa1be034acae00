//! The driver of `parlor match`: the binary, with bots of the simple dialect that are shell scripts and follow a script.

use super::{
    Log, Played,
    scripts::{Act, Script},
};
use crate::harness::parlor;
use parlor_core::{Cause, Ending, Outcome, Record, Side};
use parlor_testkit::{Folder, temp_folder};
use serde_json::{Map, Value, json};
use std::{fs, io::Read, path::Path, process::Stdio};

/// Reads one answer a turn from the file of its side. The game before the first one is the practice question. In the second
/// game of the pair the bots have the other sides, and resign.
const BOT: &str = r#"
tab=$(printf '\t')
practised=no
game=no
while IFS="$tab" read -r word spec position moves rest; do
    case "$word $practised" in
    "new no") practised=yes ;;
    "new yes") game=$position; exec 3< "$1/$position" ;;
    "turn yes")
        act=resign
        if [ "$game" = no ]; then
            act=first
        elif [ "$game" = "$2" ]; then
            echo "${rest##*"$tab"}" >> "$1/asked.$game"
            read -r act <&3 || act=first
        fi
        case "$act" in
        '' | first) echo "${moves%% *}" ;;
        crash) exit 3 ;;
        garbage) printf '\374\n' ;;
        stall) exec sleep 600 ;;
        *) echo "$act" ;;
        esac ;;
    quit*) exit 0 ;;
    esac
done
"#;

/// A bot of UGI that has no move: the simple dialect has no word for it.
const WITHOUT_MOVE: &str = r#"
while read -r word rest; do
    case "$word" in
    ugi) echo ugiok ;;
    isready) echo readyok ;;
    position) moves=${rest#*moves} ;;
    go)
        # In the second game of the pair it is asked before the first move.
        [ "$moves" != startpos ] && echo 0 >> "$1/asked.$2"
        echo "bestmove none" ;;
    quit) exit 0 ;;
    esac
done
"#;

/// Plays a script as the first game of a match.
pub fn play(script: &'static Script) -> Played {
    if script.exact {
        return Err("the binary has no hand-driven clock".into());
    }
    if script.start.is_some() {
        return Err("a match has no start position".into());
    }
    script.expressible_for_programs()?;
    let folder = temp_folder();
    for side in Side::BOTH {
        let acts: Result<Vec<&str>, String> =
            script.acts[side.index()].iter().map(|act| word(*act)).collect();
        folder.write(&side.to_string(), &(acts?.join("\n") + "\n"));
    }
    let bot = folder.write("bot.sh", BOT);
    let without_move = folder.write("none.sh", WITHOUT_MOVE);
    let spec = |side: Side| match script.acts[side.index()].first() {
        Some(Act::NoStart) => format!("bot:{}/missing", folder.text()),
        Some(Act::NoMove) => format!("ugi:sh {} {} {side}", without_move.display(), folder.text()),
        _ => format!("bot:sh {} {} {side}", bot.display(), folder.text()),
    };
    let (one, other) = (spec(Side::First), spec(Side::Second));
    let mut arguments = vec!["match", &one, &other, "--game", script.game, "--rounds", "1"];
    arguments.extend(["--opening", "0", "--seed", "1", "--no-sandbox", "--json"]);
    arguments.extend(["--first-name", "one", "--second-name", "two"]);
    if let Some(time) = script.time {
        arguments.extend(["--time", time]);
    }
    let mut child = parlor(&arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("parlor");
    let mut out = String::new();
    child.stdout.take().expect("its output").read_to_string(&mut out).expect("text");
    let code = child.wait().expect("an exit").code();
    let games = out.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let game = games.into_iter().find(|line| line["round"] == 1);
    let mut trace = game.map_or_else(Map::new, |game| trace(script, &folder, &game));
    trace.insert("exit code".into(), json!(code));
    Ok(trace)
}

fn word(act: Act) -> Result<&'static str, String> {
    Ok(match act {
        Act::Move(text) => text,
        Act::First | Act::NoStart | Act::NoMove => "first",
        Act::Resign | Act::Exhausted => "resign",
        Act::Claim => "claim",
        Act::Crash => "crash",
        Act::Garbage => "garbage",
        Act::Stall => "stall",
        Act::Timeout => return Err("the match itself times its programs: see the stalls".into()),
        Act::Takeback | Act::Interrupt | Act::EndOfInput | Act::Abort => unreachable!("no program does this"),
    })
}

/// The trace of a game as the match prints it.
fn trace(script: &'static Script, folder: &Folder, game: &Value) -> Map<String, Value> {
    let text = |name: &str| game[name].as_str().unwrap_or_default();
    let moves = game["moves"].as_array().into_iter().flatten();
    let cause = Cause::parse(text("termination")).expect("a cause");
    let record = Record {
        game: script.game.to_string(),
        moves: moves.filter_map(|text| text.as_str().map(String::from)).collect(),
        ending: Some(Ending { cause, outcome: Outcome::parse(text("result")) }),
        ..Record::default()
    };
    let mut log = Log::default();
    let times = Side::BOTH.map(|side| asked(folder, side));
    for side in Side::BOTH {
        for _ in &times[side.index()] {
            log.next(script, side);
        }
    }
    let mut trace = log.trace(&record);
    if let (Some(_), Some(time)) = (script.time, times[0].first()) {
        trace.insert("time of the first question".into(), json!(time));
    }
    if let Some(failure) = game["failure"].as_object() {
        trace.insert("failure".into(), json!({"side": failure["side"], "kind": failure["kind"]}));
    }
    trace
}

/// The milliseconds that a bot was told at each question.
fn asked(folder: &Path, side: Side) -> Vec<u64> {
    let text = fs::read_to_string(folder.join(format!("asked.{side}"))).unwrap_or_default();
    text.lines().filter_map(|line| line.trim().parse().ok()).collect()
}
