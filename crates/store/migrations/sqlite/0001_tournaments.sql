-- Tournaments and their finished games. A game of a tournament has its number once: nothing counts twice.
CREATE TABLE tournament (
    name        TEXT NOT NULL PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    begun       BIGINT NOT NULL
);

CREATE TABLE tournament_game (
    tournament   TEXT   NOT NULL REFERENCES tournament (name),
    number       BIGINT NOT NULL,
    game         TEXT   NOT NULL,
    round        BIGINT NOT NULL,
    first        TEXT   NOT NULL,
    second       TEXT   NOT NULL,
    record       TEXT   NOT NULL,
    first_nanos  BIGINT NOT NULL,
    second_nanos BIGINT NOT NULL,
    foul_side    TEXT,
    foul_kind    TEXT,
    foul_why     TEXT,
    first_aside  TEXT   NOT NULL,
    second_aside TEXT   NOT NULL,
    PRIMARY KEY (tournament, number)
);
