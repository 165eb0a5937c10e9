// Preact, its hooks, and htm.
import { h, render, Fragment } from './vendor/preact.mjs';
import htm from './vendor/htm.mjs';

export { render, Fragment };
export * from './vendor/hooks.mjs';
export const html = htm.bind(h);

// Import a module on demand; `name` is its path without extension.
export const loadModule = (name) => import(`./${name}.js`);
