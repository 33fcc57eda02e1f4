import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { sha256 } from '../base/index.ts';
import type { ObjectId, ObjectStore } from '../objects/index.ts';

/** A store to be tested. */
export interface ObjectsUnderTest extends AsyncDisposable {
  /** The store. */
  readonly store: ObjectStore;
  /** Replaces the bytes of an object behind the store's back. */
  readonly spoil: (object: ObjectId, bytes: Buffer) => Promise<void>;
}

/** The tests that every store of files must pass. */
export function describeObjectStore(name: string, open: () => Promise<ObjectsUnderTest>): void {
  describe(`${name} as an object store`, () => {
    /** Sizes around the part size of uploads, and zero. */
    for (const bytes of [0, 1, 70_000, (8 << 20) - 1, 8 << 20, (8 << 20) + 1, 20 << 20])
      test(`${bytes} bytes are stored and returned unchanged`, async () => {
        await using under = await open();
        await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-objects-'));
        const object = writeObject(join(folder.path, 'from'), randomBytes(bytes));
        assert.equal(await under.store.head(object.sha256), undefined);
        await under.store.put(join(folder.path, 'from'), object);
        await under.store.put(join(folder.path, 'from'), object);
        assert.equal(await under.store.head(object.sha256), bytes);
        await under.store.get(object, join(folder.path, 'deep', 'to'));
        assert.ok(readFileSync(join(folder.path, 'deep', 'to')).equals(readFileSync(join(folder.path, 'from'))));
        assert.deepEqual(readdirSync(join(folder.path, 'deep')), ['to']);
      });

    test('a file that does not match its hash is refused, and nothing is stored', async () => {
      await using under = await open();
      await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-objects-'));
      for (const bytes of [10, 9 << 20]) {
        const path = join(folder.path, String(bytes));
        const object = writeObject(path, randomBytes(bytes));
        writeFileSync(path, randomBytes(bytes));
        await assert.rejects(under.store.put(path, object), { code: 'OBJECT_DAMAGED' });
        assert.equal(await under.store.head(object.sha256), undefined);
      }
    });

    test('reading a missing or damaged object leaves no file', async () => {
      await using under = await open();
      await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-objects-'));
      const object = writeObject(join(folder.path, 'from'), Buffer.from('the bytes'));
      const to = join(folder.path, 'out', 'to');
      await assert.rejects(under.store.get(object, to), { code: 'OBJECT_MISSING' });
      await under.store.put(join(folder.path, 'from'), object);
      for (const bytes of ['The bytes', 'the bytes and more', 'the']) {
        await under.spoil(object, Buffer.from(bytes));
        await assert.rejects(under.store.get(object, to), { code: 'OBJECT_DAMAGED' });
      }
      assert.deepEqual(existsSync(join(folder.path, 'out')) ? readdirSync(join(folder.path, 'out')) : [], []);
    });

    test('the owner is the first to claim the store, and is not listed as an object', async () => {
      await using under = await open();
      assert.equal(await under.store.owner(), undefined);
      for (const owner of ['one fleet', 'another']) {
        await under.store.claim(owner);
        assert.equal(await under.store.owner(), 'one fleet');
      }
      assert.deepEqual(await Array.fromAsync(under.store.list()), []);
    });

    test('stored objects are listed, and removed ones are not', async () => {
      await using under = await open();
      await using folder = await mkdtempDisposable(join(tmpdir(), 'docstokg-objects-'));
      const objects = Array.from({ length: 12 }, (_, at) =>
        writeObject(join(folder.path, String(at)), Buffer.from(`object ${at}`)),
      );
      for (const [at, object] of objects.entries()) await under.store.put(join(folder.path, String(at)), object);
      const [first, ...others] = objects;
      await under.store.remove(first?.sha256 ?? '');
      await under.store.remove(first?.sha256 ?? '');
      const listed = await Array.fromAsync(under.store.list());
      assert.deepEqual(
        new Map(listed.map(({ sha256: hash, bytes }) => [hash, bytes])),
        new Map(others.map(({ sha256: hash, bytes }) => [hash, bytes])),
      );
      assert.ok(listed.every(({ age }) => Math.abs(age) < 3_600_000));
    });
  });
}

function writeObject(path: string, bytes: Buffer): ObjectId {
  writeFileSync(path, bytes);
  return { sha256: sha256(bytes), bytes: bytes.length };
}
