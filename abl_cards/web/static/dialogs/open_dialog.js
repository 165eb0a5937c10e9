// Open and close a dialog by name.
export function openDialog(name) {
  const dialog = document.getElementById(`dialog-${name}`);
  if (dialog && !dialog.open) {
    dialog.showModal();
    dialog.dispatchEvent(new Event('shown'));
  }
}

export function closeDialog(name) {
  document.getElementById(`dialog-${name}`)?.close();
}
