//! One game at a terminal: asks the player to move, passes the answer to the session and shows the resulting event. This module
//! has input, output and time; the session decides.

use crate::{
    Archive, BoardView, ConsoleSettings, Input, Participant, Terminal,
    charged_time::{ChargedTime, clock_text},
    display::{print_faint, print_line, print_strong, prompt, sanitised_input},
    help::{Reply, ask_yes_or_no},
};
use parlor_core::{Board, Cause, Ending, Outcome, Side, capitalised};
use parlor_session::{
    Command, Event, EventKind, Micros, Policy, Refused, Remaining, Session, Takebacks, TimeControl,
    Violation, ViolationKind,
};
use std::{io, sync::atomic::Ordering, time::Duration};

/// Subtracted from the time limit of a program that plays against a person, because people's games have no grace period.
const MARGIN: Duration = Duration::from_millis(50);

/// Maximum length of an invalid line that is quoted in a message, in characters.
const LONGEST_QUOTE: usize = 40;
/// Width of the frame around the result, in characters.
const FRAME: usize = 8;

/// One game at a terminal.
pub struct ConsoleSession<'a> {
    pub(crate) settings: ConsoleSettings,
    pub(crate) session: Session,
    pub(crate) view: BoardView,
    pub(crate) participants: [Participant; 2],
    pub(crate) time: ChargedTime,
    archive: &'a mut dyn Archive,
    /// Whether the current turn has shown the hint that repetition can be claimed.
    repetition_mentioned: bool,
}

impl<'a> ConsoleSession<'a> {
    pub(crate) fn new(
        settings: ConsoleSettings,
        mut board: Box<dyn Board>,
        participants: [Participant; 2],
        archive: &'a mut dyn Archive,
    ) -> ConsoleSession<'a> {
        let view =
            BoardView::new(board.info(), [participants[0].name.as_deref(), participants[1].name.as_deref()]);
        board.tag("First", &participants[0].described);
        board.tag("Second", &participants[1].described);
        for (name, value) in &settings.tags {
            board.tag(name, value);
        }
        board.tag("Seed", &settings.resources.seed.to_string());
        if settings.time != TimeControl::Unlimited {
            board.tag("Clock", &settings.time.to_string());
        }
        let policy = policy([participants[0].is_person(), participants[1].is_person()]);
        let session = Session::new(board, [settings.time; 2], policy, Micros::ZERO);
        let time = ChargedTime::new(settings.resources.clock.clone());
        ConsoleSession { settings, session, view, participants, time, archive, repetition_mentioned: false }
    }

    /// Plays to the end and announces the result.
    pub fn play(&mut self, term: &mut dyn Terminal) -> io::Result<Option<Ending>> {
        self.archive.begin()?;
        self.archive.keep(&self.session.record())?;
        self.greet(term)?;
        self.open(term)?;
        self.start_programs(term)?;
        self.wait_for_viewer(term)?;
        while self.session.ending().is_none() {
            self.turn(term)?;
        }
        let ending = self.session.ending();
        if let Some(ending) = ending {
            let players = self.participants.iter_mut().filter_map(|seat| seat.player.as_mut());
            players.for_each(|player| player.end(&ending));
        }
        self.view.announce(self.session.board(), term)?;
        Ok(ending)
    }

    /// Remaining time of both sides.
    pub fn remaining(&self) -> [Option<Remaining>; 2] {
        self.session.remaining(self.time.now())
    }

    /// Starts the programs. A program that does not start loses.
    fn start_programs(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        let spec = self.view.info.spec.clone();
        for side in Side::BOTH {
            let Some(player) = &mut self.participants[side.index()].player else { continue };
            match player.ready(&spec) {
                Ok(()) => player.begin(&spec, side),
                Err(_) if self.session.ending().is_some() => {}
                Err(failure) => self.handle(side, Err(failure).into(), term)?,
            }
        }
        Ok(())
    }

    pub(crate) fn name(&self, side: Side) -> &str {
        self.view.name(side)
    }

    fn has_person(&self) -> bool {
        self.participants.iter().any(Participant::is_person)
    }

    fn greet(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        let described = |side: Side| {
            let (seat, name) =
                (self.view.info.seats[side.index()], &self.participants[side.index()].described);
            format!("{seat}: {name}")
        };
        let line =
            format!("{} - {}, {}", self.view.info.spec, described(Side::First), described(Side::Second));
        term.print("\n")?;
        print_strong(&line, term)?;
        if self.session.ending().is_none() && self.has_person() {
            print_faint("Type help for a list of commands.", term)?;
        }
        Ok(())
    }

    /// Shows the first board. If the game is already over, shows its last move, too.
    fn open(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        if self.session.ending().is_some() { self.show_last_move(term) } else { self.show(term) }
    }

    pub(crate) fn show(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        self.view.show(self.session.board(), term)
    }

    /// Shows the events of the last move and the board after it.
    fn show_last_move(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        match self.session.board().last_turn(self.view.audience(term)) {
            Some(turn) => self.view.print_turn(turn, self.session.board(), term)?,
            None => self.show(term)?,
        }
        // Games of programs end by repetition without a claim.
        if self.session.ending().is_some_and(|ending| ending.cause == Cause::Cycle) {
            let times = self.session.board().occurrences();
            print_line(
                &format!("The position has occurred {times} times: the game ends by repetition."),
                term,
            )?;
        }
        Ok(())
    }

    fn turn(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        let side = self.session.board().turn();
        if self.settings.stop.load(Ordering::Relaxed) {
            self.handle(side, Command::Abandon, term)
        } else if self.participants[side.index()].is_person() {
            self.ask_person(side, term)
        } else {
            self.ask_program(side, term)
        }
    }

    fn ask_person(&mut self, side: Side, term: &mut dyn Terminal) -> io::Result<()> {
        self.mention_repetition(side, term)?;
        self.time.start();
        let command = self.read_command(side, term);
        self.time.stop();
        match command? {
            Some(command) => self.handle(side, command, term),
            None => self.show(term),
        }
    }

    /// Reads lines until one is a command for the session. Answers `help` and `moves` itself. `None` asks for the board again.
    /// The end of the input resigns.
    fn read_command(&self, side: Side, term: &mut dyn Terminal) -> io::Result<Option<Command>> {
        loop {
            let left = self.time.left(&self.session);
            if left.is_some_and(|left| left.is_zero()) {
                return Ok(Some(Command::TimeUp));
            }
            let clock = clock_text(&self.session, side, self.time.now());
            let clock = clock.map_or(String::new(), |clock| format!(" [{clock}]"));
            prompt(&format!("{}{clock}, {}:", self.name(side), self.session.board().prompt()), term)?;
            let line = match term.read_line(left)? {
                Input::Line(line) => sanitised_input(&line, LONGEST_QUOTE),
                silence => {
                    term.print("\n")?;
                    return Ok(Some(match silence {
                        Input::TimedOut => Command::TimeUp,
                        Input::Interrupted => Command::Abandon,
                        Input::Line(_) | Input::End => Command::Resign,
                    }));
                }
            };
            let keywords = &self.view.info.keywords;
            if line.is_empty() {
                continue;
            }
            if is_one_of(&line, keywords.resign[side.index()]) {
                if let Some(command) = self.confirm_resignation(side, term)? {
                    return Ok(Some(command));
                }
            } else if is_one_of(&line, keywords.claim[side.index()]) {
                return Ok(Some(Command::ClaimRepetition));
            } else if let Some(sentence) = self.reply_to_other_keyword(side, &line) {
                print_line(&sentence, term)?;
            } else {
                let first = line.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
                match first.as_str() {
                    "help" | "?" => self.help(side, term)?,
                    "moves" => self.list_moves(&line, term)?,
                    "rules" => self.rules(term)?,
                    "board" => return Ok(None),
                    "undo" => return Ok(Some(Command::OfferTakeback)),
                    "abort" => return Ok(Some(Command::Abort)),
                    _ => return Ok(Some(Command::text(line))),
                }
            }
        }
    }

    /// The reply to a keyword of the other side.
    fn reply_to_other_keyword(&self, side: Side, text: &str) -> Option<String> {
        let words = [self.view.info.keywords.resign, self.view.info.keywords.claim];
        words.iter().find(|words| is_one_of(text, words[side.other().index()]))?;
        let yours: Vec<&str> =
            words.iter().filter_map(|words| words[side.index()].first().copied()).collect();
        Some(format!("'{text}' is a command of the other player; yours are {}.", yours.join(" and ")))
    }

    fn confirm_resignation(&self, side: Side, term: &mut dyn Terminal) -> io::Result<Option<Command>> {
        let info = &self.view.info;
        let question = format!("Do you want to {}?", info.keywords.give_up[0]);
        let left = || self.time.left(&self.session);
        Ok(match ask_yes_or_no(info, side, &question, &left, term)? {
            Reply::Yes => Some(Command::Resign),
            Reply::No => None,
            Reply::TimeUp => Some(Command::TimeUp),
            Reply::Interrupted => Some(Command::Abandon),
        })
    }

    /// Shows once per turn that repetition can be claimed.
    fn mention_repetition(&mut self, side: Side, term: &mut dyn Terminal) -> io::Result<()> {
        let board = self.session.board();
        if self.repetition_mentioned || !self.session.policy().points_out_repetition(board) {
            return Ok(());
        }
        self.repetition_mentioned = true;
        let Some(key) = self.view.info.keywords.claim[side.index()].first() else { return Ok(()) };
        let times = board.occurrences();
        print_line(
            &format!("This position has occurred {times} times; type {key} to claim repetition."),
            term,
        )
    }

    fn ask_program(&mut self, side: Side, term: &mut dyn Terminal) -> io::Result<()> {
        let mut limits = self.session.limits(self.time.now());
        if self.has_person() {
            limits = limits.with_margin(MARGIN);
        }
        let ply = self.session.board().ply();
        let Some(player) = &mut self.participants[side.index()].player else { return Ok(()) };
        let asked = self.settings.resources.clock.now();
        let answer = player.choose(self.session.board(), &limits, &self.settings.stop, &mut |_| ());
        if self.settings.stop.load(Ordering::Relaxed) {
            // The terminal has shown ^C.
            term.print("\n")?;
            return self.handle(side, Command::Abandon, term);
        }
        let passed = self.settings.resources.clock.now().saturating_sub(asked);
        self.time.add(player.thought().unwrap_or(passed));
        self.handle(side, answer.into(), term)?;
        let board = self.session.board();
        let has_moved = board.ply() > ply;
        if has_moved && (board.turn() != side || board.ending().is_some()) {
            self.wait_for_viewer(term)?;
        }
        Ok(())
    }

    /// Waits for Enter if a person watches two programs.
    fn wait_for_viewer(&mut self, term: &mut dyn Terminal) -> io::Result<()> {
        if !self.settings.pause || self.has_person() {
            return Ok(());
        }
        let is_over = self.session.ending().is_some();
        prompt(
            if is_over {
                "Press Enter for the result."
            } else {
                "Press Enter for the next turn, or type run (play to the end) or q (stop)."
            },
            term,
        )?;
        let stops = match term.read_line(None)? {
            Input::Line(line) => {
                let word = line.trim().to_ascii_lowercase();
                self.settings.pause = word != "run";
                ["q", "quit"].contains(&word.as_str())
            }
            Input::End | Input::TimedOut => {
                // The input has ended, so waiting again would not help.
                self.settings.pause = false;
                term.print("\n")?;
                false
            }
            Input::Interrupted => {
                term.print("\n")?;
                true
            }
        };
        if stops && !is_over {
            self.handle(self.session.board().turn(), Command::Abandon, term)?;
        }
        Ok(())
    }

    /// Passes a command to the session and shows the resulting event.
    fn handle(&mut self, by: Side, command: Command, term: &mut dyn Terminal) -> io::Result<()> {
        match self.decide(by, command, term)? {
            Some(event) => self.report(&event, term),
            None => Ok(()),
        }
    }

    /// Passes a command to the session and saves the record of a changed game. Shows a refusal.
    pub(crate) fn decide(
        &mut self,
        by: Side,
        command: Command,
        term: &mut dyn Terminal,
    ) -> io::Result<Option<Event>> {
        let event = match self.session.handle(by, command, self.time.now()) {
            Ok(event) => event,
            // The wait ended slightly before the deadline, so the player is asked again.
            Err(Refused::TimeLeft) => return Ok(None),
            Err(refused) => {
                print_line(&format!("{}.", capitalised(&refused.to_string())), term)?;
                return Ok(None);
            }
        };
        if event.kind.is_durable() {
            self.repetition_mentioned = false;
            self.archive.keep(&self.session.record())?;
        }
        Ok(Some(event))
    }

    pub(crate) fn report(&mut self, event: &Event, term: &mut dyn Terminal) -> io::Result<()> {
        match &event.kind {
            EventKind::Move(text) => {
                let board = self.session.board();
                let mover = board.ply().checked_sub(1).and_then(|ply| board.mover(ply));
                if let Some(side) = mover.filter(|side| !self.participants[side.index()].is_person()) {
                    print_line(&format!("{} plays {text}.", self.name(side)), term)?;
                }
                self.show_last_move(term)
            }
            EventKind::Offer(open) => self.ask_other(*open, term),
            EventKind::End { violation: Some(violation), .. } => self.report_violation(violation, term),
            EventKind::End { ending, .. } if ending.cause == Cause::Resigned => {
                self.view.print_cause(*ending, term)
            }
            // Takebacks and closed offers are reported where the offer is; other endings are announced.
            EventKind::Takeback(_) | EventKind::OfferClosed { .. } | EventKind::End { .. } => Ok(()),
        }
    }

    fn report_violation(&self, violation: &Violation, term: &mut dyn Terminal) -> io::Result<()> {
        let Violation { side, kind, reason } = violation;
        let name = self.name(*side);
        if *kind == ViolationKind::Timeout && self.participants[side.index()].is_person() {
            return print_line(&format!("{name} ran out of time."), term);
        }
        print_line(&format!("{name} {reason}."), term)
    }

    /// Shows the result screen for a while, in games that have one. Returns whether it was shown. A screen is cleared first, and
    /// the last board is drawn above the result.
    pub fn show_result(&mut self, term: &mut dyn Terminal) -> io::Result<bool> {
        if !self.view.info.keywords.linger || self.settings.linger == Duration::ZERO {
            return Ok(false);
        }
        let Some(Ending { cause, outcome: Some(outcome) }) = self.session.ending() else { return Ok(false) };
        if term.clear()? {
            self.show(term)?;
        }
        let lines = self.result_lines(cause, outcome, term.width().saturating_sub(FRAME));
        let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) + 4;
        let rule = format!("  +{}+", "-".repeat(width));
        term.print(&format!("\n{rule}\n"))?;
        for line in lines {
            term.print(&format!("  |{line:^width$}|\n"))?;
        }
        term.print(&format!("{rule}\n\n"))?;
        term.wait(self.settings.linger)?;
        Ok(true)
    }

    /// The lines of the result screen: winner, reason of an early end, scores.
    fn result_lines(&self, cause: Cause, outcome: Outcome, width: usize) -> Vec<String> {
        let names = self.view.both_names();
        let winner = match outcome.winner {
            Some(side) => format!("{} wins", names[side.index()]),
            None => "Draw".to_string(),
        };
        let reason = match cause {
            Cause::Resigned => Some(format!("by {}", self.view.info.keywords.give_up[1])),
            Cause::Timeout => Some("on time".to_string()),
            Cause::Illegal => Some("by an illegal move".to_string()),
            Cause::Crash => Some("by a crash".to_string()),
            _ => None,
        };
        let board = self.session.board();
        let scores = board.final_scores().or_else(|| board.scores());
        let scores = scores.map_or(Vec::new(), |[first, second]| {
            let together = format!("{} {first} : {second} {}", names[0], names[1]);
            if together.chars().count() <= width {
                vec![together]
            } else {
                vec![format!("{} {first}", names[0]), format!("{} {second}", names[1])]
            }
        });
        [winner].into_iter().chain(reason).chain(scores).collect()
    }
}

/// Whether `text` is one of the words. Upper and lower case differ in single letters only.
pub(crate) fn is_one_of(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| *word == text || word.len() > 1 && word.eq_ignore_ascii_case(text))
}

/// The policy for people and programs. Two people at one keyboard take back one move at a time.
fn policy(people: [bool; 2]) -> Policy {
    let policy = Policy::of(people.map(|is_person| !is_person));
    if people == [true; 2] { Policy { takebacks: Takebacks::LastMove, ..policy } } else { policy }
}
