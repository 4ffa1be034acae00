-- Live games: a row a game, as lists show it, and the log of its events. An event has its number once: nothing happens twice.
CREATE TABLE live_game (
    id          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    game        TEXT   NOT NULL,
    start       TEXT,
    clock       TEXT,
    first_kind  TEXT   NOT NULL,
    first_name  TEXT   NOT NULL,
    first_spec  TEXT   NOT NULL,
    second_kind TEXT   NOT NULL,
    second_name TEXT   NOT NULL,
    second_spec TEXT   NOT NULL,
    listed      BIGINT NOT NULL,
    created     BIGINT NOT NULL,
    touched     BIGINT NOT NULL,
    plies       BIGINT NOT NULL,
    ended       BIGINT,
    result      TEXT,
    cause       TEXT
);

CREATE INDEX live_game_by_end ON live_game (ended, touched);

CREATE TABLE live_event (
    game        TEXT COLLATE "C" NOT NULL REFERENCES live_game (id),
    seq         BIGINT NOT NULL,
    kind        TEXT   NOT NULL,
    text        TEXT   NOT NULL,
    at          BIGINT NOT NULL,
    first_left  BIGINT,
    second_left BIGINT,
    PRIMARY KEY (game, seq)
);

-- The plan itself, for whoever shows a tournament without having its file. Those begun before have none.
ALTER TABLE tournament ADD COLUMN plan TEXT;
