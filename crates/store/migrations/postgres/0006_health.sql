-- One row that the health check overwrites, to find out whether the database can be written to.
CREATE TABLE health (
    id      BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    checked BIGINT NOT NULL
);
