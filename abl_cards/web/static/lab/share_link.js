// Pack the files edited in the lab into a link. They stand behind the `#`, so no server receives them.
export const MAX_LINK_LENGTH = 24000; // characters

const MAX_CONTENT_LENGTH = 400000; // bytes before compression

export const LINK_MARK = '~';

// Mark of the identifier of a copy that this browser keeps.
export const COPY_MARK = 'copy-';

const pipeThrough = async (bytes, transform, maxSize) => {
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  const parts = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > maxSize) {
      reader.cancel();
      throw new Error('too large');
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
};

export async function pack(folder) {
  const bytes = await pipeThrough(
    new TextEncoder().encode(JSON.stringify(folder)),
    new CompressionStream('deflate-raw'),
    MAX_CONTENT_LENGTH,
  );
  const text = btoa(Array.from(bytes, (item) => String.fromCharCode(item)).join(''));
  return LINK_MARK + text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

// Unpack the files of a link. They are untrusted: the server checks each name and each text.
export async function unpack(text) {
  if (!text.startsWith(LINK_MARK) || text.length > MAX_LINK_LENGTH) throw new Error('no link');
  const bytes = Uint8Array.from(atob(text.slice(1).replaceAll('-', '+').replaceAll('_', '/')), (item) =>
    item.charCodeAt(0),
  );
  const folder = JSON.parse(
    new TextDecoder('utf-8', { fatal: true }).decode(
      await pipeThrough(bytes, new DecompressionStream('deflate-raw'), MAX_CONTENT_LENGTH),
    ),
  );
  const { game, files } = folder;
  if (
    typeof game !== 'string' ||
    !files ||
    typeof files !== 'object' ||
    Array.isArray(files) ||
    !Object.values(files).every((item) => typeof item === 'string')
  )
    throw new Error('no folder');
  return { game, files };
}
