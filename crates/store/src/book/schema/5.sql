-- Where the end of a job is reported.
ALTER TABLE jobs ADD COLUMN notify TEXT;

-- The outbox: what is to be sent about jobs, and what became of it.
CREATE TABLE deliveries (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The same at each try, so that receivers know what they have.
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    job INTEGER NOT NULL REFERENCES jobs (no),
    url TEXT NOT NULL,
    -- The state of the job that is reported.
    event TEXT NOT NULL,
    at INTEGER NOT NULL,
    -- Made before the first try.
    body TEXT,
    state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'stopped', 'failed')),
    tries INTEGER NOT NULL DEFAULT 0,
    -- When the next try is, and after which time there is none.
    next INTEGER NOT NULL,
    until INTEGER NOT NULL,
    -- Who tries, and until when without another sign of life.
    worker TEXT,
    lease INTEGER,
    status INTEGER,
    error TEXT,
    ended INTEGER,
    CHECK ((worker IS NULL) = (lease IS NULL)),
    CHECK (worker IS NULL OR state = 'pending')
) STRICT;

CREATE INDEX deliveries_pending ON deliveries (next) WHERE state = 'pending';
CREATE INDEX deliveries_by_owner ON deliveries (owner, no);
CREATE INDEX deliveries_by_job ON deliveries (job);

-- Which secret of an owner signs what is sent. The secrets are made of the pepper.
CREATE TABLE signing (
    owner TEXT NOT NULL PRIMARY KEY,
    generation INTEGER NOT NULL,
    since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Scripts that others start by signed requests.
CREATE TABLE hooks (
    id TEXT NOT NULL PRIMARY KEY,
    script TEXT NOT NULL,
    form TEXT NOT NULL CHECK (form IN ('standard', 'github')),
    -- The key whose owner and role it has; without one, it is of this machine's user.
    key TEXT REFERENCES keys (id),
    -- The name of the secret on the server; without one, the secret is made of the pepper.
    secret TEXT,
    created INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX hooks_by_script ON hooks (script);
