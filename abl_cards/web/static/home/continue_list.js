// Component ContinueList: tables at which this browser has played, small, with whose turn it is.
import { html, useEffect, useState } from '../html.js';
import { Link, request } from '../link.js';
import { forgetTable, ownTables } from '../own_tables.js';
import { t } from '../words.js';
import { ContinueItem } from './continue_item.js';

const POLL_MS = 5000;

const NUM_SHOWN = 4;

const END_MS = 8000;

// Close a table for everybody; its owner may.
function closeTable({ table, key }) {
  const link = new Link(table, key, (message) => {
    if (['closed', 'gone', 'refused', 'lost'].includes(message.type)) link.close();
  });
  link.send({ do: 'close' });
  setTimeout(() => link.close(), END_MS);
}

function useTables() {
  const [entries, setEntries] = useState(ownTables);
  const [states, setStates] = useState({});
  useEffect(() => {
    let timer = 0;
    let isLeft = false;
    const poll = async () => {
      const tables = ownTables().map(({ table, key }) => [table, key]);
      if (tables.length) {
        const response = await request('/api/tables/own', { tables }).catch(() => null);
        for (const one of response?.tables ?? []) if (one.state === 'gone') forgetTable(one.table);
        if (response) setStates(Object.fromEntries(response.tables.map((one) => [one.table, one])));
        setEntries(ownTables());
      }
      if (!isLeft) timer = setTimeout(poll, POLL_MS);
    };
    poll();
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, []);
  const remove = (entry, isForAll) => {
    if (isForAll) closeTable(entry);
    forgetTable(entry.table);
    setEntries(ownTables());
  };
  return { entries, states, remove };
}

export function ContinueList() {
  const { entries, states, remove } = useTables();
  const [showsAll, setShowsAll] = useState(false);
  if (!entries.length) return null;
  const shown = showsAll ? entries : entries.slice(0, NUM_SHOWN);
  return html`
    <section aria-labelledby="continue-heading">
      <h2 id="continue-heading">${t('continueTable')}</h2>
      <ul class="table-cards">
        ${shown.map(
          (entry) => html`
            <${ContinueItem}
              key=${entry.table}
              entry=${entry}
              live=${states[entry.table]}
              onRemove=${(isForAll) => remove(entry, isForAll)}
            />
          `,
        )}
      </ul>
      ${
        shown.length < entries.length &&
        html`
          <button type="button" class="quiet" onClick=${() => setShowsAll(true)}>
            ${t('showAll', entries.length)}
          </button>
        `
      }
    </section>
  `;
}
