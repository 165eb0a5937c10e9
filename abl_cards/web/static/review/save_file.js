// Offer text as a download.
export function saveFile(name, text, type) {
  const made = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement('a'), { href: made, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(made), 5000);
}
