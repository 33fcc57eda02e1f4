// What the peers' pools run: plain JavaScript, because they load it themselves.
export default function noop(item) {
  return { itemId: item.itemId, status: 'success' };
}
