// Component AblationResult: win rate of the agent without each preference, as dots with intervals.
import { html } from '../html.js';
import { t } from '../words.js';
import { DotPlot } from './dot_plot.js';

export function AblationResult({ cell, result, language }) {
  const index = language === 'zh' ? 1 : 0;
  const name = (row) => html`${row.words[index]} <code class="small">${row.name}</code>`;
  const rows = (result.rows ?? []).map((row) => ({ ...row, key: row.name, name: name(row) }));
  return html`
    <p class="small">${t('ablationOf')} ${t('matchMethod', cell.options.games, cell.options.seed)}</p>
    ${rows.length > 0 && html`<${DotPlot} rows=${rows} />`}
  `;
}
