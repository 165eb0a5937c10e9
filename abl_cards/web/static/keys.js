// Keys: the last who asked for one is told first. Nobody is told of a key that is typed into a field.
const layers = [];

function typing(event) {
  const where = event.target;
  return where.closest?.(
    'input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable]',
  );
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event)) return;
  const inDialog = document.querySelector('dialog[open]');
  for (const layer of [...layers].reverse()) {
    if (inDialog && !layer.inDialogs) continue;
    const act = layer.keys[event.key] ?? layer.keys[event.key.toLowerCase()] ?? layer.keys.any;
    if (act && act(event) !== false) {
      event.preventDefault();
      return;
    }
  }
}

addEventListener('keydown', pressed);

export function onKeys(keys, inDialogs = false) {
  const layer = { keys, inDialogs };
  layers.push(layer);
  return () => layers.splice(layers.indexOf(layer), 1);
}
