// Preact, its hooks, and htm.
import { h, render, Fragment } from './vendor/preact.mjs';
import htm from './vendor/htm.mjs';

export { render, Fragment };
export * from './vendor/hooks.mjs';
export const html = htm.bind(h);

// Import a module on demand; `name` is its path without extension.
export const loadModule = (name) => import(`./${name}.js`);

// Style sheets that were added, by name.
const sheets = {};

function addSheet(name) {
  return new Promise((resolve) => {
    const sheet = document.createElement('link');
    Object.assign(sheet, { rel: 'stylesheet', href: `static/${name}.css`, onload: resolve, onerror: resolve });
    document.head.append(sheet);
  });
}

// Add a style sheet on demand, once; resolves when it applies. `name` is its path without extension.
export const loadStyle = (name) => (sheets[name] ??= addSheet(name));
