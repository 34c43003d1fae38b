-- What one component tunes: which version of its bias is active, and what guards it.
CREATE TABLE biases (
    component TEXT NOT NULL PRIMARY KEY,
    active INTEGER NOT NULL,
    -- The draw by which cases are sealed, and how often sealed cases were used since.
    seal INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    -- The version to return to if the active one turns out to be worse.
    guarded INTEGER
) STRICT, WITHOUT ROWID;

-- Versions never change. The first one has no params: the defaults of the component.
CREATE TABLE bias_versions (
    component TEXT NOT NULL,
    version INTEGER NOT NULL,
    -- The version that was active before.
    parent INTEGER,
    at INTEGER NOT NULL,
    summary TEXT NOT NULL,
    -- The changed params, as JSON.
    params TEXT NOT NULL,
    PRIMARY KEY (component, version)
) STRICT, WITHOUT ROWID;

-- What was done, each entry chained to the one before.
CREATE TABLE bias_log (
    no INTEGER NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    component TEXT NOT NULL,
    op TEXT NOT NULL,
    version INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    detail TEXT NOT NULL,
    chain BLOB NOT NULL
) STRICT;

CREATE INDEX bias_log_by_component ON bias_log (component, no);

-- The number of entries and the last link, sealed.
CREATE TABLE bias_log_head (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    entries INTEGER NOT NULL,
    seal BLOB NOT NULL
) STRICT;

-- Finished evaluations, so that an evolution goes on where it stopped.
CREATE TABLE bias_results (
    key BLOB NOT NULL PRIMARY KEY,
    component TEXT NOT NULL,
    at INTEGER NOT NULL,
    result TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX bias_results_by_component ON bias_results (component);

-- The best candidates of the last evolution of a component.
CREATE TABLE bias_frontier (
    component TEXT NOT NULL,
    place INTEGER NOT NULL,
    params TEXT NOT NULL,
    score TEXT NOT NULL,
    PRIMARY KEY (component, place)
) STRICT, WITHOUT ROWID;

-- How good results of a version were, as users saw them.
CREATE TABLE bias_scores (
    no INTEGER NOT NULL PRIMARY KEY,
    component TEXT NOT NULL,
    version INTEGER NOT NULL,
    at INTEGER NOT NULL,
    score REAL NOT NULL,
    source TEXT NOT NULL
) STRICT;

CREATE INDEX bias_scores_by_version ON bias_scores (component, version, no);

-- Traces of workflows that were observed.
CREATE TABLE bias_traces (
    no INTEGER NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    trace TEXT NOT NULL
) STRICT;

-- Notes of people and agents.
CREATE TABLE notes_kept (
    id TEXT NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    source TEXT NOT NULL,
    tags TEXT NOT NULL,
    text TEXT NOT NULL,
    -- The hash of the words, and the times at which it was recalled, as JSON.
    digest BLOB NOT NULL,
    used TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX notes_kept_by_digest ON notes_kept (digest);

INSERT INTO changes (what, count) VALUES ('biases', 0);
