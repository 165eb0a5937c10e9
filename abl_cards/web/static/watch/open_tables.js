// Component OpenTables: tables of this page, and tables that programs serve.
import { html } from '../html.js';
import { localise } from '../settings.js';
import { t } from '../words.js';
import { secondsSince } from './age.js';
import { TableList } from './table_list.js';

export function OpenTables({ tables, served }) {
  return html`
    <${TableList} tables=${tables} />
    ${
      served.length > 0 &&
      html`
        <section class="panel">
          <h2>${t('servedHere')}</h2>
          <ul class="list">
            ${served.map(
              (table) => html`
                <li key=${table.name}>
                  <b>${localise(table.title)}</b> ${table.players.join(' · ')}
                  <span class="small">
                    ${
                      table.over
                        ? t('servedOver')
                        : `${t('episode', table.episode + 1)}, ${t('servedAgo', secondsSince(table.written))}`
                    }
                  </span>${' '}
                  <a href=${`#/watch/served/${encodeURIComponent(table.name)}`}>${t('lookOn')}</a>
                </li>
              `,
            )}
          </ul>
        </section>
      `
    }
  `;
}
