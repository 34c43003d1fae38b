-- What a run has beside its script: the run that it goes on from, the price tables, what it
-- was told to reuse. As JSON; the origin by its name, which may be gone.
ALTER TABLE runs ADD COLUMN origin TEXT;
ALTER TABLE runs ADD COLUMN about TEXT NOT NULL DEFAULT '{}';

-- When the value of a node was made, and the run that made it where that is another one.
ALTER TABLE nodes ADD COLUMN born INTEGER NOT NULL DEFAULT 0;
ALTER TABLE nodes ADD COLUMN origin TEXT;
-- What else decided the call, and why it was made although it had been made before. As JSON.
ALTER TABLE nodes ADD COLUMN about TEXT NOT NULL DEFAULT '{}';
ALTER TABLE nodes ADD COLUMN cause TEXT;

UPDATE nodes SET born = started;
