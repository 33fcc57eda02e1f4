-- Jobs that are leased ahead of free workers: 1 while they are, 2 for those that were so when their holder died. These are
-- spared the blame, and are begun at once when they are leased again, so that one that kills its process is found.
ALTER TABLE jobs ADD COLUMN ahead INTEGER NOT NULL DEFAULT 0;
