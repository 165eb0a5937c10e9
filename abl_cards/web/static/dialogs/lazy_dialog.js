// Component LazyDialog: a dialog that is loaded when it is opened first.
import { html, loadModule, useEffect, useLayoutEffect, useState } from '../html.js';
import { openDialog } from './open_dialog.js';

// `file` is the path of the module without extension, `part` the name of the component that it exports.
export function LazyDialog({ name, file, part, ...options }) {
  const [Component, setComponent] = useState(null);
  useLayoutEffect(() => {
    const load = async (event) => {
      if (event.detail !== name) return;
      const module = await loadModule(file);
      setComponent(() => module[part]);
    };
    addEventListener('dialog', load);
    return () => removeEventListener('dialog', load);
  }, [name]);
  useEffect(() => {
    if (Component) openDialog(name);
  }, [Component]);
  return Component && html`<${Component} ...${options} />`;
}
