-- Work that waits for its turn: each version of a job is one run. Input, bounds and error are JSON.
CREATE TABLE jobs (
    -- The order of the queue.
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 1),
    owner TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('tool', 'script')),
    name TEXT NOT NULL,
    input TEXT NOT NULL,
    bounds TEXT NOT NULL,
    session TEXT,
    -- The job whose calls it takes over.
    parent INTEGER REFERENCES jobs (no),
    state TEXT NOT NULL CHECK (state IN
        ('queued', 'running', 'waiting', 'ok', 'failed', 'cancelled', 'stuck', 'archived')),
    -- Whether a worker may take it: it is queued, or what it waits for has come.
    ready INTEGER NOT NULL CHECK (ready IN (0, 1)),
    run TEXT NOT NULL,
    -- Whether the run is in the store: then it must never begin again.
    begun INTEGER NOT NULL DEFAULT 0 CHECK (begun IN (0, 1)),
    -- Who works on it, and until when without another sign of life.
    worker TEXT,
    lease INTEGER,
    attempts INTEGER NOT NULL DEFAULT 0,
    deaths INTEGER NOT NULL DEFAULT 0,
    created INTEGER NOT NULL,
    started INTEGER,
    ended INTEGER,
    error TEXT,
    tokens INTEGER NOT NULL DEFAULT 0,
    cost INTEGER NOT NULL DEFAULT 0,
    UNIQUE (id, version),
    CHECK ((worker IS NULL) = (lease IS NULL)),
    CHECK ((state = 'running') = (worker IS NOT NULL)),
    CHECK (ready = 0 OR state IN ('queued', 'waiting'))
) STRICT;

CREATE INDEX jobs_ready ON jobs (no) WHERE ready = 1;
CREATE INDEX jobs_running ON jobs (no) WHERE state = 'running';
CREATE INDEX jobs_by_owner ON jobs (owner, no);
CREATE INDEX jobs_by_run ON jobs (run);

CREATE TABLE job_results (
    job INTEGER NOT NULL PRIMARY KEY REFERENCES jobs (no),
    value TEXT NOT NULL
) STRICT;

-- What people say about a job: a note at a path of its result, or a rating.
CREATE TABLE job_notes (
    no INTEGER PRIMARY KEY,
    job INTEGER NOT NULL REFERENCES jobs (no),
    at INTEGER NOT NULL,
    path TEXT,
    rating INTEGER CHECK (rating BETWEEN 1 AND 5),
    text TEXT NOT NULL,
    CHECK (path IS NULL OR rating IS NULL)
) STRICT;

CREATE INDEX job_notes_by_job ON job_notes (job, no);

-- Questions to a person.
CREATE TABLE approvals (
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    job INTEGER NOT NULL REFERENCES jobs (no),
    -- A script asks, or a write may have happened already.
    kind TEXT NOT NULL CHECK (kind IN ('ask', 'write')),
    run TEXT NOT NULL,
    path TEXT NOT NULL,
    -- A hash of everything that makes it another question.
    mark BLOB NOT NULL CHECK (length(mark) = 32),
    question TEXT NOT NULL,
    details TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'approved', 'rejected', 'expired')),
    asked INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    answered INTEGER,
    comment TEXT,
    -- Whether the answer was followed: a write is repeated once.
    used INTEGER NOT NULL DEFAULT 0 CHECK (used IN (0, 1)),
    UNIQUE (run, mark)
) STRICT;

CREATE INDEX approvals_by_owner ON approvals (owner, no);
CREATE INDEX approvals_open ON approvals (expires) WHERE state = 'open';
CREATE INDEX approvals_by_job ON approvals (job);

-- Work that is queued again and again.
CREATE TABLE schedules (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('tool', 'script')),
    name TEXT NOT NULL,
    input TEXT NOT NULL,
    bounds TEXT NOT NULL,
    -- The times, as a cron pattern in UTC.
    times TEXT NOT NULL,
    next INTEGER NOT NULL,
    created INTEGER NOT NULL,
    -- The job that it queued last.
    last INTEGER REFERENCES jobs (no)
) STRICT, WITHOUT ROWID;

CREATE INDEX schedules_by_owner ON schedules (owner, created);
CREATE INDEX schedules_by_next ON schedules (next);
