import type { Clock } from '../../base/index.ts';
import type { WorkOutcome } from '../../download/index.ts';
import { manifestRow } from '../../download/index.ts';
import type { Records } from '../../store/index.ts';
import type { Work } from '../../works/index.ts';
import { namedWork, NO_IDS } from '../../works/index.ts';
import type { UnreadableEntry } from '../search-titles.ts';
import { entryName } from '../search-titles.ts';
import type { ManifestFolder } from './manifest-folder.ts';

/** Writes manifest rows for list entries without a known work, so that every entry is accounted for. */
export class EntryRows {
  readonly #manifest: ManifestFolder;
  readonly #runId: string;
  readonly #clock: Clock;
  readonly #records: Pick<Records, 'add'>;

  constructor(manifest: ManifestFolder, records: Pick<Records, 'add'>, runId: string, clock: Clock) {
    this.#manifest = manifest;
    this.#records = records;
    this.#runId = runId;
    this.#clock = clock;
  }

  /** Records an unreadable entry or one whose work is unknown; repeated only if the reason changes. */
  readonly unreadable = async (entry: UnreadableEntry): Promise<void> => {
    const { word, line, reason, record } = entry;
    const detail = `line ${line}: ${reason}`;
    const name = entryName(entry);
    if (record) this.#records.add([{ ...record, id: `entry:${name}` }]);
    // A retry helps only if a service was down.
    const kind = word === 'lookup-failed' ? 'failed' : 'skipped';
    await this.#write(name, { kind, reason: word, detail }, record?.title ?? null);
  };

  /** Records that the work of an entry was found by title or chosen by a person. */
  readonly identified = async (entry: string, work: Work): Promise<void> => {
    // An entry that was found at once has no earlier row.
    if (!this.#manifest.last(`entry:${entry}`)) return;
    await this.#write(entry, { kind: 'skipped', reason: 'entry-identified', detail: `it is ${work.id}` });
  };

  async #write(
    entry: string,
    outcome: Extract<WorkOutcome, { kind: 'skipped' | 'failed' }>,
    title: string | null = null,
  ): Promise<void> {
    const work = namedWork(`entry:${entry}`, NO_IDS, { title });
    const before = this.#manifest.last(work.id);
    if (before?.reason === outcome.reason) return;
    const at = this.#clock.now();
    await this.#manifest.write(
      manifestRow({ work, outcome, attempts: [], problems: [], asked: [], startedAt: at, endedAt: at }, this.#runId),
    );
  }
}
