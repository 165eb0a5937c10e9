// Open and close a dialog by name.
export function openDialog(name) {
  const found = document.getElementById(`dialog-${name}`);
  if (found && !found.open) {
    found.showModal();
    found.dispatchEvent(new Event('shown'));
  }
}

export function closeDialog(name) {
  document.getElementById(`dialog-${name}`)?.close();
}
