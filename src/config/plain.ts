/** What is asked of a value where that is so little that no schema is needed to tell. */
export type Plain =
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly choices: readonly unknown[] }
  | { readonly kind: 'text'; readonly minLength: number }
  | { readonly kind: 'number'; readonly whole: boolean; readonly min: number; readonly max: number };

/** True only where the schema, too, would take the value, and as it is. */
export function isPlainly(plain: Plain, value: unknown): boolean {
  switch (plain.kind) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
      return plain.choices.includes(value);
    case 'text':
      return typeof value === 'string' && value.length >= plain.minLength;
    case 'number':
      return (
        typeof value === 'number' &&
        (plain.whole ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
        value >= plain.min &&
        value <= plain.max
      );
  }
}
