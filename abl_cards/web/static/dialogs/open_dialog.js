// Open and close a dialog by name. One that is not there yet is loaded by its LazyDialog.
const find = (name) => document.getElementById(`dialog-${name}`);

export function openDialog(name) {
  const dialog = find(name);
  if (!dialog) dispatchEvent(new CustomEvent('dialog', { detail: name }));
  else if (!dialog.open) {
    dialog.showModal();
    dialog.dispatchEvent(new Event('shown'));
  }
}

export const closeDialog = (name) => find(name)?.close();
