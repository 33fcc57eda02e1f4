-- Jobs up to this id are in the tally; later ones are counted together. Removed by a later migration.
ALTER TABLE control ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;
UPDATE control SET counted = coalesce((SELECT max(id) FROM jobs), 0);
