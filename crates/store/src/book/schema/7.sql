-- What the desktop keeps: projects and what is in them. A row is one thing of a kind; its body is JSON.
CREATE TABLE desk (
    -- The order of creation.
    no INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN
        ('project', 'resource', 'session', 'message', 'usage', 'worker', 'device', 'settings')),
    -- What it belongs to: the project of a session, the session of a message.
    parent TEXT NOT NULL,
    -- If it has a name, no other thing of its kind and parent has the same one.
    name TEXT,
    state TEXT NOT NULL,
    at INTEGER NOT NULL,
    -- Counts the changes of all rows: the latest changed row has the greatest number.
    version INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX desk_by_name ON desk (owner, kind, parent, name) WHERE name IS NOT NULL;
CREATE INDEX desk_by_parent ON desk (owner, kind, parent, no);
CREATE INDEX desk_by_version ON desk (version);

-- The jobs of a session.
CREATE INDEX jobs_by_session ON jobs (session, no) WHERE session IS NOT NULL;
