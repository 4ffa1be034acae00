//! Tournaments and their finished games.

use crate::{BlockingStore, Store, StoreError, store::without_nul};
use sqlx::{AnyConnection, ColumnIndex, Decode, Row, Type, any::AnyRow};

/// Whether a tournament was created or resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TournamentStart {
    New,
    /// It existed already, with the same plan.
    Resumed,
}

/// A violation by a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViolationRow {
    /// `first` or `second`.
    pub side: String,
    /// Kind of violation, as a word.
    pub kind: String,
    /// Predicate of the sentence about it.
    pub why: String,
}

/// A finished game of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TournamentGameRow {
    /// Within the tournament.
    pub number: i64,
    pub game: String,
    /// Number of the opening.
    pub round: i64,
    /// First side first.
    pub players: [String; 2],
    /// In the text format of records.
    pub record: String,
    /// Thinking time of both sides in nanoseconds.
    pub nanos: [i64; 2],
    /// Processor time of both sides in nanoseconds, if it was measured.
    pub cpu_nanos: [Option<i64>; 2],
    /// The violation that ended the game.
    pub violation: Option<ViolationRow>,
    /// Standard error of both programs.
    pub stderr: [String; 2],
}

/// A tournament with its number of finished games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TournamentRow {
    pub name: String,
    /// Hash of its plan.
    pub fingerprint: String,
    /// Start time, as the caller of [`Store::begin_tournament`] gave it.
    pub begun: i64,
    /// Number of finished games.
    pub games: i64,
    /// Number of changes to its games or its plan, for caches: while it is the same, nothing else has changed.
    pub changes: i64,
    /// As text, if it was stored.
    pub plan: Option<String>,
}

const SUMMARY: &str = "SELECT name, fingerprint, begun, plan, changes, \
                       (SELECT COUNT(*) FROM tournament_game WHERE tournament_game.tournament = tournament.name) AS games \
                       FROM tournament";
pub(crate) const COLUMNS: &str = "number, game, round, first, second, record, first_nanos, second_nanos, foul_side, foul_kind, \
                       foul_why, first_aside, second_aside, first_cpu_nanos, second_cpu_nanos";

impl Store {
    /// Creates a tournament, or resumes the one of this name, which must have the same plan.
    pub async fn begin_tournament(
        &self,
        name: &str,
        fingerprint: &str,
        now: i64,
    ) -> Result<TournamentStart, StoreError> {
        let made = sqlx::query(
            "INSERT INTO tournament (name, fingerprint, begun) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING",
        );
        let made =
            made.bind(without_nul(name)).bind(without_nul(fingerprint)).bind(now).execute(&self.writer).await;
        let made = self.track_write("new tournament", &[name], made.map_err(StoreError::from))?;
        if made.rows_affected() == 1 {
            return Ok(TournamentStart::New);
        }
        let row = sqlx::query("SELECT fingerprint FROM tournament WHERE name = $1");
        let before: String = row.bind(without_nul(name)).fetch_one(&self.pool).await?.try_get(0)?;
        if before == without_nul(fingerprint) {
            Ok(TournamentStart::Resumed)
        } else {
            Err(StoreError::OtherPlan(name.to_string(), before))
        }
    }

    /// Stores the plan of a tournament as text, and replaces an earlier one.
    pub async fn set_plan(&self, name: &str, plan: &str) -> Result<(), StoreError> {
        let update = sqlx::query("UPDATE tournament SET plan = $2, changes = changes + 1 WHERE name = $1");
        let done = update.bind(without_nul(name)).bind(without_nul(plan)).execute(&self.writer).await;
        let done = self.track_write("plan of a tournament", &[name], done.map_err(StoreError::from))?;
        if done.rows_affected() == 0 { Err(StoreError::no_tournament(name)) } else { Ok(()) }
    }

    /// Stores the requirements of a tournament (the programs that a worker must have) as text, and replaces earlier ones.
    pub async fn set_requirements(&self, name: &str, terms: &str) -> Result<(), StoreError> {
        let update = sqlx::query("UPDATE tournament SET terms = $2 WHERE name = $1");
        let done = update.bind(without_nul(name)).bind(without_nul(terms)).execute(&self.writer).await;
        let done = self.track_write("programs of a tournament", &[name], done.map_err(StoreError::from))?;
        if done.rows_affected() == 0 { Err(StoreError::no_tournament(name)) } else { Ok(()) }
    }

    /// The requirements of a tournament, if they were stored.
    pub async fn requirements(&self, name: &str) -> Result<Option<String>, StoreError> {
        let row = sqlx::query("SELECT terms FROM tournament WHERE name = $1");
        let row = row.bind(without_nul(name)).fetch_optional(&self.pool).await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?.flatten())
    }

    /// All tournaments, latest first.
    pub async fn tournaments(&self) -> Result<Vec<TournamentRow>, StoreError> {
        let text = format!("{SUMMARY} ORDER BY begun DESC, name");
        let rows = sqlx::query(sqlx::AssertSqlSafe(text)).fetch_all(&self.pool).await?;
        rows.iter().map(read_tournament).collect()
    }

    pub async fn tournament(&self, name: &str) -> Result<Option<TournamentRow>, StoreError> {
        let text = format!("{SUMMARY} WHERE name = $1");
        let row =
            sqlx::query(sqlx::AssertSqlSafe(text)).bind(without_nul(name)).fetch_optional(&self.pool).await?;
        row.as_ref().map(read_tournament).transpose()
    }

    /// The finished games of a tournament, ordered by number.
    pub async fn tournament_games(&self, tournament: &str) -> Result<Vec<TournamentGameRow>, StoreError> {
        let text = format!("SELECT {COLUMNS} FROM tournament_game WHERE tournament = $1 ORDER BY number");
        let rows = sqlx::query(sqlx::AssertSqlSafe(text))
            .bind(without_nul(tournament))
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(|row| read(row, tournament)).collect()
    }

    /// Stores all finished games or none.
    pub async fn add_games(&self, tournament: &str, games: &[TournamentGameRow]) -> Result<(), StoreError> {
        let done = self.insert(tournament, games).await;
        self.track_write("finished games of a tournament", &[tournament], done)
    }

    async fn insert(&self, tournament: &str, games: &[TournamentGameRow]) -> Result<(), StoreError> {
        let mut transaction = self.begin_write().await?;
        changed(&mut transaction, tournament).await?;
        for game in games {
            let text = format!(
                "INSERT INTO tournament_game (tournament, {COLUMNS}) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)"
            );
            let violation = game.violation.as_ref();
            let insert = sqlx::query(sqlx::AssertSqlSafe(text))
                .bind(without_nul(tournament))
                .bind(game.number)
                .bind(without_nul(&game.game))
                .bind(game.round)
                .bind(without_nul(&game.players[0]))
                .bind(without_nul(&game.players[1]))
                .bind(without_nul(&game.record))
                .bind(game.nanos[0])
                .bind(game.nanos[1])
                .bind(violation.map(|violation| without_nul(&violation.side)))
                .bind(violation.map(|violation| without_nul(&violation.kind)))
                .bind(violation.map(|violation| without_nul(&violation.why)))
                .bind(without_nul(&game.stderr[0]))
                .bind(without_nul(&game.stderr[1]))
                .bind(game.cpu_nanos[0])
                .bind(game.cpu_nanos[1]);
            let done = insert.execute(&mut *transaction).await;
            done.map_err(|error| match error.as_database_error() {
                Some(database) if database.is_unique_violation() => {
                    StoreError::DuplicateGame(tournament.to_string(), game.number)
                }
                Some(database) if database.is_foreign_key_violation() => {
                    StoreError::no_tournament(tournament)
                }
                _ => error.into(),
            })?;
        }
        Ok(transaction.commit().await?)
    }

    /// Deletes the games of these numbers, so that they can be played again.
    pub async fn delete_games(&self, tournament: &str, numbers: &[i64]) -> Result<(), StoreError> {
        let write = async {
            let mut transaction = self.begin_write().await?;
            changed(&mut transaction, tournament).await?;
            for &number in numbers {
                let delete = sqlx::query("DELETE FROM tournament_game WHERE tournament = $1 AND number = $2");
                delete.bind(without_nul(tournament)).bind(number).execute(&mut *transaction).await?;
            }
            Ok(transaction.commit().await?)
        };
        self.track_write("deletion of games of a tournament", &[tournament], write.await)
    }

    pub async fn delete_tournament(&self, tournament: &str) -> Result<(), StoreError> {
        let write = async {
            let mut transaction = self.begin_write().await?;
            changed(&mut transaction, tournament).await?;
            for text in [
                "DELETE FROM tournament_game WHERE tournament = $1",
                "DELETE FROM tournament WHERE name = $1",
            ] {
                sqlx::query(text).bind(without_nul(tournament)).execute(&mut *transaction).await?;
            }
            Ok(transaction.commit().await?)
        };
        self.track_write("deletion of a tournament", &[tournament], write.await)
    }
}

/// Counts a change of a tournament. It is the first statement of a transaction: concurrent changes of the same tournament wait
/// here for the row lock, on both databases.
async fn changed(connection: &mut AnyConnection, tournament: &str) -> Result<(), StoreError> {
    let update = sqlx::query("UPDATE tournament SET changes = changes + 1 WHERE name = $1");
    Ok(update.bind(without_nul(tournament)).execute(connection).await.map(drop)?)
}

fn read_tournament(row: &AnyRow) -> Result<TournamentRow, StoreError> {
    let name = row.try_get::<String, _>("name").unwrap_or_default();
    read_summary(row).map_err(|error| error.in_row("tournament", format_args!("tournament '{name}'")))
}

fn read_summary(row: &AnyRow) -> Result<TournamentRow, StoreError> {
    Ok(TournamentRow {
        name: row.try_get("name")?,
        fingerprint: row.try_get("fingerprint")?,
        begun: row.try_get("begun")?,
        games: row.try_get("games")?,
        changes: row.try_get("changes")?,
        plan: row.try_get("plan")?,
    })
}

/// Reads a game of this tournament from a row of either database.
pub(crate) fn read<'r, R: Row>(row: &'r R, tournament: &str) -> Result<TournamentGameRow, StoreError>
where
    &'static str: ColumnIndex<R>,
    i64: Decode<'r, R::Database> + Type<R::Database>,
    Option<i64>: Decode<'r, R::Database> + Type<R::Database>,
    String: Decode<'r, R::Database> + Type<R::Database>,
    Option<String>: Decode<'r, R::Database> + Type<R::Database>,
{
    read_columns(row).map_err(|error| {
        let number =
            row.try_get::<i64, _>("number").map_or(String::new(), |number| format!(", number {number}"));
        error.in_row("tournament_game", format_args!("tournament '{tournament}'{number}"))
    })
}

fn read_columns<'r, R: Row>(row: &'r R) -> Result<TournamentGameRow, StoreError>
where
    &'static str: ColumnIndex<R>,
    i64: Decode<'r, R::Database> + Type<R::Database>,
    Option<i64>: Decode<'r, R::Database> + Type<R::Database>,
    String: Decode<'r, R::Database> + Type<R::Database>,
    Option<String>: Decode<'r, R::Database> + Type<R::Database>,
{
    let violation: [Option<String>; 3] =
        [row.try_get("foul_side")?, row.try_get("foul_kind")?, row.try_get("foul_why")?];
    let violation = match violation {
        [Some(side), Some(kind), Some(why)] => Some(ViolationRow { side, kind, why }),
        _ => None,
    };
    Ok(TournamentGameRow {
        number: row.try_get("number")?,
        game: row.try_get("game")?,
        round: row.try_get("round")?,
        players: [row.try_get("first")?, row.try_get("second")?],
        record: row.try_get("record")?,
        nanos: [row.try_get("first_nanos")?, row.try_get("second_nanos")?],
        cpu_nanos: [row.try_get("first_cpu_nanos")?, row.try_get("second_cpu_nanos")?],
        violation,
        stderr: [row.try_get("first_aside")?, row.try_get("second_aside")?],
    })
}

/// Blocking variants of the calls for code without async.
impl BlockingStore {
    /// See [`Store::begin_tournament`].
    pub fn begin_tournament(
        &self,
        name: &str,
        fingerprint: &str,
        now: i64,
    ) -> Result<TournamentStart, StoreError> {
        self.block_on(self.store().begin_tournament(name, fingerprint, now))
    }

    /// See [`Store::set_plan`].
    pub fn set_plan(&self, name: &str, plan: &str) -> Result<(), StoreError> {
        self.block_on(self.store().set_plan(name, plan))
    }

    /// See [`Store::set_requirements`].
    pub fn set_requirements(&self, name: &str, terms: &str) -> Result<(), StoreError> {
        self.block_on(self.store().set_requirements(name, terms))
    }

    /// See [`Store::requirements`].
    pub fn requirements(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.block_on(self.store().requirements(name))
    }

    /// See [`Store::tournament_games`].
    pub fn tournament_games(&self, tournament: &str) -> Result<Vec<TournamentGameRow>, StoreError> {
        self.block_on(self.store().tournament_games(tournament))
    }

    /// See [`Store::add_games`].
    pub fn add_games(&self, tournament: &str, games: &[TournamentGameRow]) -> Result<(), StoreError> {
        self.block_on(self.store().add_games(tournament, games))
    }

    /// See [`Store::delete_games`].
    pub fn delete_games(&self, tournament: &str, numbers: &[i64]) -> Result<(), StoreError> {
        self.block_on(self.store().delete_games(tournament, numbers))
    }

    /// See [`Store::delete_tournament`].
    pub fn delete_tournament(&self, tournament: &str) -> Result<(), StoreError> {
        self.block_on(self.store().delete_tournament(tournament))
    }
}
