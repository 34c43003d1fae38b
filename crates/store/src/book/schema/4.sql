-- Reports of what is wrong, by the callers of a service.
CREATE TABLE bugs (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    run TEXT,
    at INTEGER NOT NULL,
    is_open INTEGER NOT NULL DEFAULT 1 CHECK (is_open IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE INDEX bugs_by_owner ON bugs (owner, at);

CREATE TABLE bug_comments (
    no INTEGER PRIMARY KEY,
    bug TEXT NOT NULL REFERENCES bugs (id),
    at INTEGER NOT NULL,
    text TEXT NOT NULL
) STRICT;

CREATE INDEX bug_comments_by_bug ON bug_comments (bug, no);
