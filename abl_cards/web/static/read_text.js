// Text of a file, decompressed where its name ends in .gz.
export async function readText(file) {
  const stream = file.name.endsWith('.gz') ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  return new Response(stream).text();
}
