// Component TableList: the tables of this page by what they do; those that nobody uses are folded.
import { html } from '../html.js';
import { localise } from '../settings.js';
import { agentName } from '../text/agent_name.js';
import { t } from '../words.js';
import { groupTables, playerText } from './table_groups.js';

const STATES = { open: 'tableRuns', end: 'dealOver', over: 'servedOver', asleep: 'tableRests' };

function TableRow({ table }) {
  const player = (index) => playerText(table.players[index], index, agentName, t);
  return html`
    <tr>
      <th scope="row">${localise(table.title)}</th>
      <td>${table.players.map((_, index) => player(index)).join(' · ')}</td>
      <td>${table.state === 'asleep' ? '' : t('episode', table.episode + 1)}</td>
      <td>${table.turn == null ? t(STATES[table.state]) : t('turnOf', player(table.turn))}</td>
      <td>${table.looking ? t('lookers', table.looking) : ''}</td>
      <td>
        <a href=${`#/play/${table.table}/${table.watch}`} aria-label=${`${t('lookOn')}${t('colon')}${localise(table.title)}`}>
          ${t('lookOn')}
        </a>
      </td>
    </tr>
  `;
}

function TableGrid({ tables, caption }) {
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label=${caption}>
      <table class="grid table-list">
        <thead>
          <tr>
            ${['game', 'seats', 'dealColumn', 'stateColumn', 'lookingColumn'].map(
              (word) => html`<th scope="col" key=${word}>${t(word)}</th>`,
            )}
            <td></td>
          </tr>
        </thead>
        <tbody>
          ${tables.map((table) => html`<${TableRow} key=${table.table} table=${table} />`)}
        </tbody>
      </table>
    </div>
  `;
}

export function TableList({ tables }) {
  const { used, idle } = groupTables(tables);
  return html`
    <section class="panel">
      <h2>${t('tablesHere')}</h2>
      ${used.length ? html`<${TableGrid} tables=${used} caption=${t('tablesHere')} />` : html`<p>${t('noTables')}</p>`}
      ${
        idle.length > 0 &&
        html`
          <details>
            <summary>${t('idleTables', idle.length)}</summary>
            <${TableGrid} tables=${idle} caption=${t('idleTables', idle.length)} />
          </details>
        `
      }
    </section>
  `;
}
