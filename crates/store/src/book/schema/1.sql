-- Times are milliseconds since 1970, days are days since 1970, money is billionths of a dollar.

CREATE TABLE meta (
    name TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The high-water mark: counts the commits, and is written by each.
CREATE TABLE mark (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    commits INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Counts the changes of what processes keep in memory, so that each notices those of the others.
CREATE TABLE changes (
    what TEXT NOT NULL PRIMARY KEY,
    count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO changes (what, count) VALUES ('keys', 0), ('locks', 0);

-- Keys without their secrets: the tag is an HMAC of the key under the pepper.
CREATE TABLE keys (
    id TEXT NOT NULL PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('live', 'test', 'adm')),
    owner TEXT NOT NULL,
    role TEXT NOT NULL,
    bias INTEGER NOT NULL CHECK (bias IN (0, 1)),
    tag BLOB NOT NULL CHECK (length(tag) = 32),
    created INTEGER NOT NULL,
    -- When the first of the keys whose place it took was created.
    began INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    -- The key that took its place, and when it ends.
    successor TEXT REFERENCES keys (id) DEFERRABLE INITIALLY DEFERRED,
    ends INTEGER,
    revoked INTEGER,
    CHECK ((successor IS NULL) = (ends IS NULL))
) STRICT, WITHOUT ROWID;

-- Failed attempts by address; without a key, those of the address as a whole.
CREATE TABLE locks (
    address TEXT NOT NULL,
    key TEXT NOT NULL,
    -- The times of the latest failures, each 8 bytes.
    failures BLOB NOT NULL,
    level INTEGER NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (address, key)
) STRICT, WITHOUT ROWID;

-- The calls of a day that an account may have used.
CREATE TABLE days (
    account TEXT NOT NULL,
    day INTEGER NOT NULL,
    taken INTEGER NOT NULL,
    PRIMARY KEY (account, day)
) STRICT, WITHOUT ROWID;

-- The money of runs: what each may take at most, and what it took.
CREATE TABLE reservations (
    run TEXT NOT NULL PRIMARY KEY,
    account TEXT NOT NULL,
    day INTEGER NOT NULL,
    most INTEGER NOT NULL CHECK (most >= 0),
    used INTEGER CHECK (used >= 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX reservations_by_day ON reservations (account, day);

CREATE TABLE audit (
    no INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    key TEXT,
    owner TEXT,
    surface TEXT NOT NULL,
    tool TEXT NOT NULL,
    work TEXT NOT NULL,
    decision TEXT NOT NULL,
    rule TEXT NOT NULL,
    policy TEXT NOT NULL,
    status TEXT NOT NULL,
    took INTEGER NOT NULL,
    cost INTEGER NOT NULL,
    arguments BLOB,
    chain BLOB NOT NULL CHECK (length(chain) = 32)
) STRICT;

-- The number of entries and the end of their chain.
CREATE TABLE audit_head (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    entries INTEGER NOT NULL,
    chain BLOB NOT NULL CHECK (length(chain) = 32),
    seal BLOB NOT NULL CHECK (length(seal) = 32)
) STRICT, WITHOUT ROWID;
