-- What the programs of a tournament were when their games were played, as text of whoever plays it. There is no queue in a file:
-- whoever shares work shares a database of PostgreSQL.
ALTER TABLE tournament ADD COLUMN terms TEXT;
