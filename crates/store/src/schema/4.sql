-- What attempts reserved and used. Each is written before it begins, and settled when it has
-- ended: one that is not settled may have used all that was reserved for it.
CREATE TABLE payments (
    no INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (no) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    -- The node, and its operation.
    path TEXT NOT NULL,
    op TEXT NOT NULL,
    -- The places of the bounds around it as JSON; nothing where they are not known.
    scopes TEXT,
    at INTEGER NOT NULL,
    most_tokens INTEGER NOT NULL,
    most_cost INTEGER NOT NULL,
    tokens INTEGER,
    cost INTEGER,
    -- The run that paid, where that is another one, from which this one goes on.
    origin TEXT,
    UNIQUE (run, number)
) STRICT;

-- Until now a node said what its last call used, and one that was begun what it might use.
INSERT INTO payments (run, number, path, op, at, most_tokens, most_cost, tokens, cost, origin)
    SELECT run, row_number() OVER (PARTITION BY run ORDER BY nodes.no), path,
        component || '.' || op.op, started, most_tokens, most_cost,
        iif(state = 'intended', NULL, tokens), iif(state = 'intended', NULL, cost), origin
    FROM (
        SELECT *,
            iif(state = 'intended', coalesce(most ->> '$.most.tokens', 0), tokens) AS most_tokens,
            iif(state = 'intended', coalesce(most ->> '$.most.cost', 0), cost) AS most_cost
        FROM (SELECT *, iif(json_valid(about), about, '{}') AS most FROM nodes)
    ) AS nodes JOIN ops AS op ON op.no = nodes.op
    WHERE most_tokens > 0 OR most_cost > 0;

-- What a run used on top of that, such as by calls that it repeated.
INSERT INTO payments (run, number, path, op, scopes, at, most_tokens, most_cost, tokens, cost)
    SELECT no, 0, '', '', '[]', started, tokens, cost, tokens, cost
    FROM (
        SELECT no, started,
            max(0, tokens - coalesce(
                (SELECT sum(it.tokens) FROM payments AS it WHERE it.run = runs.no), 0)) AS tokens,
            max(0, cost - coalesce(
                (SELECT sum(it.cost) FROM payments AS it WHERE it.run = runs.no), 0)) AS cost
        FROM runs
    ) WHERE tokens > 0 OR cost > 0;
