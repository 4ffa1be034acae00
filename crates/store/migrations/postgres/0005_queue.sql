-- What the programs of a tournament were when their games were played, as text of whoever plays it.
ALTER TABLE tournament ADD COLUMN terms TEXT;

-- Work for whoever has time: games of tournaments, and positions to judge. `until` is when whoever took it is taken for gone, in
-- milliseconds of this server's clock. A game of a tournament is here once.
CREATE TABLE job (
    id         BIGSERIAL NOT NULL PRIMARY KEY,
    kind       TEXT COLLATE "C" NOT NULL,
    tournament TEXT COLLATE "C",
    number     BIGINT,
    first      TEXT COLLATE "C",
    second     TEXT COLLATE "C",
    terms      TEXT COLLATE "C" NOT NULL,
    text       TEXT NOT NULL,
    version    TEXT COLLATE "C" NOT NULL,
    state      TEXT COLLATE "C" NOT NULL DEFAULT 'ready',
    worker     TEXT COLLATE "C",
    until      BIGINT NOT NULL DEFAULT 0,
    attempts   BIGINT NOT NULL DEFAULT 0,
    why        TEXT,
    answer     TEXT,
    created    BIGINT NOT NULL DEFAULT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::BIGINT,
    UNIQUE (kind, tournament, number)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 2000);

CREATE INDEX job_open ON job (kind, id) WHERE state IN ('ready', 'taken');
CREATE INDEX job_over ON job (tournament) WHERE state IN ('done', 'failed');
CREATE INDEX job_taken ON job (worker) WHERE state = 'taken';

-- Whoever works, and when it was last heard of.
CREATE TABLE worker (
    name     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    version  TEXT COLLATE "C" NOT NULL,
    seen     BIGINT  NOT NULL,
    games    BIGINT  NOT NULL,
    seats    BIGINT  NOT NULL,
    analyses BOOLEAN NOT NULL
);
