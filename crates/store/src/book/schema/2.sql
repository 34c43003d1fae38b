-- Calls that must not be made twice: the key that the caller chose, and what became of the call.
CREATE TABLE once (
    caller TEXT NOT NULL,
    route TEXT NOT NULL,
    key TEXT NOT NULL,
    -- The hash of what was asked.
    asked BLOB NOT NULL CHECK (length(asked) = 32),
    at INTEGER NOT NULL,
    -- The process that makes the call.
    holder TEXT NOT NULL,
    -- The stored run that the call became.
    run TEXT,
    status INTEGER,
    format TEXT,
    answer TEXT,
    PRIMARY KEY (caller, route, key),
    CHECK ((status IS NULL) = (format IS NULL) AND (status IS NULL) = (answer IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX once_by_age ON once (at);
