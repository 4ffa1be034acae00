-- Processor time of both sides in a game, in billionths of a second; null where it was not measured.
ALTER TABLE tournament_game ADD COLUMN first_cpu_nanos BIGINT;
ALTER TABLE tournament_game ADD COLUMN second_cpu_nanos BIGINT;
