// Component TableRow: a table of this page with its players, deal and state
import { html } from '../html.js';
import { localise } from '../settings.js';
import { agentName } from '../text/agent_name.js';
import { t } from '../words.js';
import { playerText } from './table_groups.js';

const STATES = { open: 'tableRuns', end: 'dealOver', over: 'servedOver', asleep: 'tableRests' };

export function TableRow({ table }) {
  const player = (index) => playerText(table.players[index], index, agentName, t);
  return html`
    <tr>
      <th scope="row">${localise(table.title)}</th>
      <td>${table.players.map((_, index) => player(index)).join(' · ')}</td>
      <td>${table.state === 'asleep' ? '' : t('episode', table.episode + 1)}</td>
      <td>${table.turn == null ? t(STATES[table.state]) : t('turnOf', player(table.turn))}</td>
      <td>${table.looking ? t('lookers', table.looking) : ''}</td>
      <td>
        <a
          href=${`#/play/${table.table}/${table.watch}`}
          aria-label=${`${t('lookOn')}${t('colon')}${localise(table.title)}`}
        >
          ${t('lookOn')}
        </a>
      </td>
    </tr>
  `;
}
