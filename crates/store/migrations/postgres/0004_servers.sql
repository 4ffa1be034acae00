-- The servers that share this database, each with its last sign of life in milliseconds of the database's own time, and whose
-- each live game is.
CREATE TABLE server (
    name TEXT   COLLATE "C" NOT NULL PRIMARY KEY,
    seen BIGINT NOT NULL
);

ALTER TABLE live_game ADD COLUMN owner TEXT COLLATE "C";
CREATE INDEX live_game_by_owner ON live_game (owner) WHERE ended IS NULL;
