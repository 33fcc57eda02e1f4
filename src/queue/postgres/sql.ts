// Parts of SQL that several statements share. Parameters are named, see PostgresConnection.run.

/** The moment to compare with: the server's own unless the caller names one. */
export const NOW = 'coalesce(:now::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)';

/** The CODE of an error stored as `CODE: message`; empty for none. */
export const ERROR_CODE = "coalesce(substring(last_error FROM '^([A-Z][A-Z0-9_]*):'), '')";

/** The code under which a job is counted: earlier errors of a job that runs or is done do not count. */
export const COUNTED_CODE = `CASE WHEN state IN ('in_progress', 'done') THEN '' ELSE ${ERROR_CODE} END`;

/** The resolver in the name of a lane; empty for none. */
export const RESOLVER = "split_part(lane, ' ', 2)";

/** Adds the rows of a query to the counts, or with `-` takes them away. A delayed job is counted as `delayed`. */
export const tally = (rows: string, state: string, sign: '' | '-', code: string): string =>
  `INSERT INTO tally SELECT ${state}, ${RESOLVER}, ${code}, ${sign}count(*) FROM ${rows} GROUP BY 1, 2, 3`;
