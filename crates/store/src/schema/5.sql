-- The models that runs learnt or used. The content of a model is in `blobs`, under its id. What a
-- model is stands here as JSON, so that a list of models reads no contents.
CREATE TABLE model_uses (
    no INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (no) ON DELETE CASCADE,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    about TEXT NOT NULL,
    UNIQUE (run, hash)
) STRICT;

-- The names that users gave to models. A named model outlives its runs.
CREATE TABLE model_names (
    no INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    about TEXT NOT NULL
) STRICT;
