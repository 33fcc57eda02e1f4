import { join } from 'node:path';

import type { Clock } from '../base/index.ts';
import { AppError } from '../base/index.ts';
import type { ProxySettings } from '../http/index.ts';
import { Secret } from '../http/index.ts';
import { FolderStore } from './folder-store.ts';
import type { ObjectStore } from './folder-store.ts';
import { S3Store } from './s3-store.ts';

export interface StoreSettings {
  /** `s3://bucket/prefix`, or a folder. */
  readonly url: string;
  readonly endpoint: string;
  readonly region: string;
  readonly path_style: boolean | null;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token: string;
}

interface OpenOptions {
  readonly clock: Clock;
  /** A folder for what is underway: unfinished uploads. */
  readonly state: string;
  readonly proxy?: ProxySettings | undefined;
}

/** Opens a folder or a bucket as a store of files named by their hash. */
export function openObjects(settings: StoreSettings, { clock, state, proxy }: OpenOptions): ObjectStore {
  const { url, endpoint, region, access_key_id: accessKeyId, secret_access_key: key, session_token: token } = settings;
  if (!url.startsWith('s3:')) {
    if (/^[a-z][a-z0-9+.-]+:\/\//i.test(url))
      throw new AppError('CONFIG_INVALID', `store.url = ${url.slice(0, 200)}: not a store`, {
        hint: 'give s3://bucket/prefix or a folder',
      });
    return new FolderStore(url, clock);
  }
  const [bucket = '', ...folders] = url.replace(/^s3:\/*/, '').split('/');
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new AppError('CONFIG_INVALID', `store.url = ${url.slice(0, 200)}: invalid bucket name`, {
      hint: 'give s3://bucket/prefix: 3 to 63 lower-case letters, digits, dots and hyphens',
    });
  if (accessKeyId === '' || key === '')
    throw new AppError('OBJECT_STORE_CREDENTIALS', `no credentials for ${url.slice(0, 200)}`, {
      hint: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write ~/.aws/credentials',
    });
  return new S3Store({
    bucket,
    prefix: folders.filter((folder) => folder !== '').join('/'),
    endpoint: endpoint === '' ? `https://s3.${region}.amazonaws.com` : endpoint,
    region,
    // Self-hosted servers have no host name for each bucket.
    pathStyle: settings.path_style ?? (endpoint !== '' || bucket.includes('.')),
    accessKeyId,
    secretAccessKey: new Secret(key),
    sessionToken: token === '' ? undefined : new Secret(token),
    uploads: join(state, 'uploads'),
    proxy,
    clock,
  });
}
