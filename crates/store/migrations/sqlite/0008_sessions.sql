-- Periods of byo-yomi that each side has left after an event; null in games without byo-yomi.
ALTER TABLE live_event ADD COLUMN first_periods BIGINT;
ALTER TABLE live_event ADD COLUMN second_periods BIGINT;

-- The version of the rules that a game is played by. Games that were created before this column have version 1.
ALTER TABLE live_game ADD COLUMN rules BIGINT NOT NULL DEFAULT 1;

-- When the side to move of a correspondence game runs out of time, in milliseconds since 1970; null in all other games.
ALTER TABLE live_game ADD COLUMN deadline BIGINT;
CREATE INDEX live_game_by_deadline ON live_game (deadline) WHERE deadline IS NOT NULL;
