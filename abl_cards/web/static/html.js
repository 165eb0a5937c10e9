// What every part of the page is made with.
import { h, render, Fragment } from './vendor/preact.mjs';
import htm from './vendor/htm.mjs';

export { render, Fragment };
export * from './vendor/hooks.mjs';
export const html = htm.bind(h);

// A file of the page that is needed later, or never.
export const later = (name) => import(`./${name}.js`);
