/** A CSV record and the line it starts on; `fields` is undefined if it is too long or unterminated. */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[] | undefined;
}

/** Reads CSV (RFC 4180) as a stream: quotes, doubled quotes, line breaks inside quotes, any line ending. */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  options: { readonly separator: ',' | ';' | '\t'; readonly maxRecordCharacters?: number },
): AsyncGenerator<CsvRecord> {
  const most = options.maxRecordCharacters ?? 1_000_000;
  const decoder = new TextDecoder('utf-8');
  let fields: string[] = [];
  let field = '';
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  let line = 1;
  let startedAt = 1;
  let length = 0;
  let afterReturn = false;
  const take = (): CsvRecord | undefined => {
    const isBlank = fields.length === 0 && field === '' && state === 'start';
    const record = { line: startedAt, fields: length > most ? undefined : [...fields, field] };
    fields = [];
    field = '';
    state = 'start';
    length = 0;
    return isBlank ? undefined : record;
  };
  for await (const chunk of chunks) {
    for (const character of decoder.decode(chunk, { stream: true })) {
      if (afterReturn && character === '\n') {
        afterReturn = false;
        startedAt = line;
        continue;
      }
      afterReturn = false;
      const isBreak = character === '\n' || character === '\r';
      if (isBreak) line += 1;
      if (isBreak && state !== 'quoted') {
        afterReturn = character === '\r';
        const record = take();
        if (record) yield record;
        startedAt = line;
        continue;
      }
      length += 1;
      // An unterminated record is counted, not stored.
      if (length > most) continue;
      if (state === 'quoted') {
        if (character === '"') state = 'closed';
        else field += character;
      } else if (character === options.separator) {
        fields.push(field);
        field = '';
        state = 'start';
      } else if (character === '"' && (state === 'start' || state === 'closed')) {
        if (state === 'closed') field += '"';
        state = 'quoted';
      } else {
        field += character;
        state = 'plain';
      }
    }
  }
  const unfinished = state === 'quoted';
  const last = take();
  if (last) yield unfinished ? { ...last, fields: undefined } : last;
}
