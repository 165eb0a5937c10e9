// Component AblationResult: win rate of the agent without each preference, as dots with intervals.
import { html } from '../html.js';
import { t } from '../words.js';
import { DotPlot } from './dot_plot.js';

export function AblationResult({ cell, result }) {
  const rows = (result.rows ?? []).map((row) => ({ ...row, key: row.name }));
  return html`
    <p class="small">${t('ablationOf')} ${t('matchMethod', cell.options.games, cell.options.seed)}</p>
    ${rows.length > 0 && html`<${DotPlot} rows=${rows} />`}
  `;
}
