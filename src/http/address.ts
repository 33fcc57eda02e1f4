import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Special-purpose ranges of the IANA registries; no public web server has such an address. */
const FORBIDDEN_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Only 2000::/3 is assigned; these ranges inside it are not ordinary hosts. */
const FORBIDDEN_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
];

const forbidden = new BlockList();
for (const [network, prefix] of FORBIDDEN_V4) forbidden.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of FORBIDDEN_V6) forbidden.addSubnet(network, prefix, 'ipv6');
const globalV6 = new BlockList();
globalV6.addSubnet('2000::', 3, 'ipv6');

/** Whether an address is on the public internet. An IPv6 address that embeds an IPv4 address is judged by the latter. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !forbidden.check(address, 'ipv4');
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain)) return false;
  const words = ipv6Words(plain);
  const carried = carriedIpv4(words);
  if (carried !== undefined) return isPublicAddress(carried);
  return globalV6.check(plain, 'ipv6') && !forbidden.check(plain, 'ipv6');
}

/** The IPv4 address embedded in a mapped (::ffff:0:0/96), NAT64 (64:ff9b::/96) or 6to4 (2002::/16) address. */
function carriedIpv4(words: readonly number[]): string | undefined {
  const zeros = (from: number, to: number): boolean => words.slice(from, to).every((word) => word === 0);
  if (zeros(0, 5) && words[5] === 0xffff) return ipv4Of(words[6], words[7]);
  if (words[0] === 0x64 && words[1] === 0xff9b && zeros(2, 6)) return ipv4Of(words[6], words[7]);
  if (words[0] === 0x2002) return ipv4Of(words[1], words[2]);
  return undefined;
}

function ipv4Of(high = 0, low = 0): string {
  return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`;
}

function ipv6Words(address: string): number[] {
  // The last group may be written as an IPv4 address.
  const text = address.replace(
    /(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/,
    (_all, a: string, b: string, c: string, d: string) =>
      [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((word) => word.toString(16)).join(':'),
  );
  const [head = '', tail] = text.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...gap, ...right].map((word) => Number.parseInt(word, 16));
}
