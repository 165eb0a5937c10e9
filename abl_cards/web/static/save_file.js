// Offer text as a download.
export function saveFile(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 5000);
}

// Name of a game, which may be the path of a folder, as part of the name of a file.
export const fileName = (game) => game.replace(/[^\w-]/g, '_');
