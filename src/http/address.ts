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
for (const [network, prefix] of FORBIDDEN_V4) {
  forbidden.addSubnet(network, prefix, 'ipv4');
  const [a = 0, b = 0, c = 0, d = 0] = network.split('.').map(Number);
  const words = [a * 256 + b, c * 256 + d].map((word) => word.toString(16)).join(':');
  // An IPv6 address that embeds an IPv4 address is judged by it: NAT64 and 6to4; BlockList does so for mapped ones.
  forbidden.addSubnet(`64:ff9b::${words}`, 96 + prefix, 'ipv6');
  forbidden.addSubnet(`2002:${words}::`, 16 + prefix, 'ipv6');
}
for (const [network, prefix] of FORBIDDEN_V6) forbidden.addSubnet(network, prefix, 'ipv6');
const globalV6 = new BlockList();
for (const [network, prefix] of [
  ['2000::', 3],
  ['64:ff9b::', 96],
  ['::ffff:0:0', 96],
] as const)
  globalV6.addSubnet(network, prefix, 'ipv6');

/** Whether an address is on the public internet. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !forbidden.check(address, 'ipv4');
  const [plain = ''] = address.split('%');
  return isIPv6(plain) && globalV6.check(plain, 'ipv6') && !forbidden.check(plain, 'ipv6');
}
