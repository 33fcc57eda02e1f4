/** An id that nobody else makes. Not every address of a server may use `crypto.randomUUID`. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
