// Component Section: the overview, or one served table.
import { html, loadStyle } from '../html.js';
import { Overview } from './overview.js';
import { ServedTable } from './served_table.js';
import './words.js';

await loadStyle('watch/watch');

export function Section({ path }) {
  const [kind, name] = path;
  return kind === 'served' && name
    ? html`<${ServedTable} key=${name} name=${decodeURIComponent(name)} />`
    : html`<${Overview} />`;
}
