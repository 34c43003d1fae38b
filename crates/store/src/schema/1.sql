-- Times are milliseconds since 1970, durations microseconds, money billionths of a dollar.

-- What the store itself is: its identity, and which svc made it.
CREATE TABLE meta (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The high-water mark: counts the commits, and is written by each.
CREATE TABLE mark (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    commits INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Contents by their BLAKE3 hash. Without data, the content is in a file beside the database.
CREATE TABLE blobs (
    no INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    size INTEGER NOT NULL,
    codec TEXT NOT NULL CHECK (codec IN ('raw', 'lz4')),
    data BLOB
) STRICT;

CREATE TABLE runs (
    no INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    script TEXT NOT NULL,
    text BLOB NOT NULL,
    folder TEXT NOT NULL,
    params TEXT NOT NULL,
    bounds TEXT NOT NULL,
    version TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('running', 'ok', 'failed', 'cancelled')),
    started INTEGER NOT NULL,
    ended INTEGER,
    tokens INTEGER NOT NULL,
    cost INTEGER NOT NULL,
    value BLOB,
    error TEXT
) STRICT;

-- The files that a run's script imports.
CREATE TABLE imports (
    run INTEGER NOT NULL REFERENCES runs (no) ON DELETE CASCADE,
    name TEXT NOT NULL,
    text BLOB NOT NULL,
    PRIMARY KEY (run, name)
) STRICT, WITHOUT ROWID;

-- Operations by number, because their names stand in every node.
CREATE TABLE ops (
    no INTEGER PRIMARY KEY,
    component TEXT NOT NULL,
    op TEXT NOT NULL,
    version INTEGER NOT NULL,
    UNIQUE (component, op, version)
) STRICT;

CREATE TABLE nodes (
    no INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (no) ON DELETE CASCADE,
    path TEXT NOT NULL,
    key BLOB NOT NULL CHECK (length(key) = 32),
    op INTEGER NOT NULL REFERENCES ops (no),
    state TEXT NOT NULL CHECK (state IN ('intended', 'done', 'failed')),
    attempts INTEGER NOT NULL,
    started INTEGER NOT NULL,
    took INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost INTEGER NOT NULL,
    output BLOB,
    error TEXT,
    -- The arguments as JSON, or the hash of that JSON where it is long.
    args TEXT,
    args_blob BLOB,
    -- The hash of what entered.
    input BLOB,
    UNIQUE (run, path)
) STRICT;

-- What was done under a key, for reuse across runs.
CREATE INDEX nodes_by_key ON nodes (key) WHERE state = 'done';

-- What an operation used, for expectations.
CREATE INDEX nodes_by_op ON nodes (op) WHERE state = 'done';

CREATE TABLE attempts (
    node INTEGER NOT NULL REFERENCES nodes (no) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    started INTEGER NOT NULL,
    took INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost INTEGER NOT NULL,
    error TEXT,
    PRIMARY KEY (node, number)
) STRICT, WITHOUT ROWID;
