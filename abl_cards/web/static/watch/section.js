// Component Section: the gallery, or the report, run, ladder or served table that the address names.
import { html, loadStyle } from '../html.js';
import { LadderPage } from './ladder_page.js';
import { Overview } from './overview.js';
import { Report } from './report.js';
import { RunPage } from './run_page.js';
import { ServedTable } from './served_table.js';
import './words.js';

await loadStyle('watch/watch');

export function Section({ path }) {
  const [kind, name = ''] = path;
  if (kind === 'served' && name) return html`<${ServedTable} key=${name} name=${name} />`;
  if (kind === 'report' && name) return html`<${Report} key=${name} name=${name} />`;
  if (kind === 'run' && name) return html`<${RunPage} key=${name} name=${name} />`;
  if (kind === 'ladder') return html`<${LadderPage} key=${name} game=${name} />`;
  return html`<${Overview} />`;
}
