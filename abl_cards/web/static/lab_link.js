// Pack the files edited in the lab into a link. They stand behind the `#`, so no server receives them.
import { add } from './words.js';

add({
  linkMake: ['Copy a link to these rules', '复制规则链接'],
  linkMade: ['The link is copied: {} characters.', '链接已复制，共{}个字符。'],
  linkLong: ['These files are too large for a link: download the zip.', '文件太大，放不进链接，请下载 zip。'],
  linkBrings: ['This link brings rules of somebody’s for “{}”: {}', '此链接带来别人为“{}”写的规则：{}'],
  linkOpen: ['Open them as a new copy', '作为新副本打开'],
  linkRefuse: ['Do not open', '不打开'],
  linkDamaged: ['This link is damaged, or too large.', '此链接已损坏或过大。'],
});

export const LONGEST = 24000; // characters of a link
const MOST = 400000; // characters of what is in it
export const MARK = '~';

const through = async (bytes, made, most) => {
  const reader = new Blob([bytes]).stream().pipeThrough(made).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) {
      reader.cancel();
      throw new Error('too large');
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
};

export async function pack(folder) {
  const bytes = await through(
    new TextEncoder().encode(JSON.stringify(folder)),
    new CompressionStream('deflate-raw'),
    MOST,
  );
  const text = btoa(Array.from(bytes, (each) => String.fromCharCode(each)).join(''));
  return MARK + text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

// What a link brings; nothing of it is believed: the server checks each name and each text.
export async function unpack(text) {
  if (!text.startsWith(MARK) || text.length > LONGEST) throw new Error('no link');
  const bytes = Uint8Array.from(atob(text.slice(1).replaceAll('-', '+').replaceAll('_', '/')), (each) =>
    each.charCodeAt(0),
  );
  const folder = JSON.parse(
    new TextDecoder('utf-8', { fatal: true }).decode(
      await through(bytes, new DecompressionStream('deflate-raw'), MOST),
    ),
  );
  const { game, files } = folder;
  if (
    typeof game !== 'string' ||
    !files ||
    typeof files !== 'object' ||
    Array.isArray(files) ||
    !Object.values(files).every((each) => typeof each === 'string')
  )
    throw new Error('no folder');
  return { game, files };
}
