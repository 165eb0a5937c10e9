// Component BalanceResult: statistics of simulated games before and now, as bars with intervals.
import { html } from '../html.js';
import { agentName } from '../text/agent_name.js';
import { t } from '../words.js';
import { balanceRows } from './balance_rows.js';
import { IntervalBars } from './interval_bars.js';

export function BalanceResult({ result }) {
  if (!result.balance) return null;
  const { shares, counts } = balanceRows(result.balance);
  const series = [t('labBefore'), t('labNow')];
  return html`
    <p class="small">${t('balanceMethod', result.balance[0].episodes, agentName(result.agent), result.seed)}</p>
    <${IntervalBars} rows=${shares} series=${series} unit="%" />
    ${counts.map((row) => html`<${IntervalBars} key=${row.name} rows=${[row]} series=${series} />`)}
  `;
}
