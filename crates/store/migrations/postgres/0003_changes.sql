-- How often the games or the plan of a tournament were changed: whoever shows it sees by this number whether to read it anew.
ALTER TABLE tournament ADD COLUMN changes BIGINT NOT NULL DEFAULT 0;
