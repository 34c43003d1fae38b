-- Each log has a head from the beginning, so that one that was emptied is noticed. Here it has no seal
-- yet, as the pepper is not known.
INSERT OR IGNORE INTO audit_head (one, entries, chain, seal)
    SELECT 1, 0, zeroblob(32), zeroblob(32) WHERE NOT EXISTS (SELECT 1 FROM audit);
INSERT OR IGNORE INTO bias_log_head (one, entries, seal)
    SELECT 1, 0, zeroblob(32) WHERE NOT EXISTS (SELECT 1 FROM bias_log);

-- Of an entry that makes a version active, the hash of the params of that version.
ALTER TABLE bias_log ADD COLUMN params BLOB;

-- Says that the heads may lack their seals; empty from the first opening on.
CREATE TABLE unsealed (one INTEGER NOT NULL PRIMARY KEY) STRICT;
INSERT INTO unsealed VALUES (1);
