//! Players with scripted answers.

use parlor_core::{Answer, Board, Failure, Limits, Player, Report};
use std::sync::atomic::AtomicBool;

/// A player whose answers come from a function of the board, such as a script or a kind of misbehaviour.
///
/// # Examples
///
/// ```
/// use parlor_core::{Answer, Board, Limits, Match, Player};
/// use parlor_games::kalah::Kalah;
/// use parlor_testkit::Scripted;
/// use std::sync::atomic::AtomicBool;
///
/// let mut script = ["3", "6"].into_iter();
/// let mut player = Scripted(move |_: &dyn Board| {
///     Ok(script.next().map_or(Answer::Resign, |text| Answer::Move(text.into())))
/// });
/// let board = Match::new(Kalah::sized(6, 4)?);
/// let mut ask = || player.choose(&board, &Limits::default(), &AtomicBool::new(false), &mut |_| ());
/// assert_eq!(ask(), Ok(Answer::Move("3".into())));
/// assert_eq!(ask(), Ok(Answer::Move("6".into())));
/// assert_eq!(ask(), Ok(Answer::Resign));
/// # Ok::<(), parlor_core::BadParams>(())
/// ```
pub struct Scripted<F>(pub F);

impl<F: FnMut(&dyn Board) -> Result<Answer, Failure> + Send> Player for Scripted<F> {
    fn choose(
        &mut self,
        board: &dyn Board,
        _: &Limits,
        _: &AtomicBool,
        _: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        (self.0)(board)
    }
}

/// A player whose program cannot be started, for this reason.
pub struct DoesNotStart(pub &'static str);

impl Player for DoesNotStart {
    fn ready(&mut self, _game: &str) -> Result<(), Failure> {
        Err(Failure::Start(self.0.to_string()))
    }

    fn choose(
        &mut self,
        _: &dyn Board,
        _: &Limits,
        _: &AtomicBool,
        _: &mut dyn FnMut(&Report),
    ) -> Result<Answer, Failure> {
        panic!("a player that did not start is asked for a move")
    }
}
