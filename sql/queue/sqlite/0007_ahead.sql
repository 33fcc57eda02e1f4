-- Jobs leased before a worker is free: 1 while they wait, 2 if their holder died meanwhile, which is not their fault.
-- Removed by a later migration.
ALTER TABLE jobs ADD COLUMN ahead INTEGER NOT NULL DEFAULT 0;
