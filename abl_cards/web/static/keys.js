// Keyboard shortcuts: the handler registered last comes first; keys typed into a field are ignored.
const layers = [];

function isTyping(event) {
  const target = event.target;
  return target.closest?.(
    'input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable]',
  );
}

function onKeyDown(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  const inDialog = document.querySelector('dialog[open]');
  for (const layer of [...layers].reverse()) {
    if (inDialog && !layer.inDialogs) continue;
    const action = layer.keys[event.key] ?? layer.keys[event.key.toLowerCase()] ?? layer.keys.any;
    if (action && action(event) !== false) {
      event.preventDefault();
      return;
    }
  }
}

addEventListener('keydown', onKeyDown);

export function onKeys(keys, inDialogs = false) {
  const layer = { keys, inDialogs };
  layers.push(layer);
  return () => layers.splice(layers.indexOf(layer), 1);
}
