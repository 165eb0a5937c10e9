// Component ContinueList: tables at which this browser has played, small, with whose turn it is.
import { html, useEffect, useState } from '../html.js';
import { Link, request } from '../link.js';
import { dealNumber, forgetTable, ownTables, standing } from '../own_tables.js';
import { localise } from '../settings.js';
import { positionOfView } from '../table/position.js';
import { Thumbnail } from '../table/thumbnail.js';
import { t } from '../words.js';

const POLL_MS = 5000;
const NUM_SHOWN = 4;
const WIDTH = 264;
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

function thumbnailPosition({ view, welcome }) {
  const position = positionOfView(view, welcome);
  return { ...position, hand: view.hand ?? null };
}

function ContinueItem({ entry, live, onRemove }) {
  const [isAsking, setIsAsking] = useState(false);
  const title = localise(entry.title);
  const isOpen = live?.state === 'open';
  const state = isOpen ? standing(live.view) : entry.state;
  const deal = t('episode', isOpen ? dealNumber(live.view) : entry.deal);
  const isAlone = entry.people < 2;
  return html`
    <li class=${`table-card stands-${state}`}>
      <a class="table-open" href=${`#/play/${entry.table}/${entry.key}`}>
        <span class="picture">
          ${isOpen ? html`<${Thumbnail} position=${thumbnailPosition(live)} width=${WIDTH} />` : ''}
        </span>
        <span class="line"><b>${title}</b> <span class="small">${deal}</span></span>
        <span class="turn-of">${t(`stands_${state}`)}</span>
      </a>
      <button
        type="button"
        class="quiet remove"
        aria-label=${`${t(entry.isOwner ? 'closeTable' : 'forget')}${t('colon')}${title}`}
        onClick=${() => (entry.isOwner ? setIsAsking(true) : onRemove(false))}
      >
        ✕
      </button>
      ${
        isAsking &&
        html`
          <div class="asks" role="group" aria-label=${t('closeTable')}>
            <button type="button" class="strong" onClick=${() => onRemove(true)}>
              ${t(isAlone ? 'closeAlone' : 'closeForAll')}
            </button>
            <button type="button" onClick=${() => onRemove(false)}>${t('forget')}</button>
            <button type="button" class="quiet" onClick=${() => setIsAsking(false)}>${t('cancel')}</button>
          </div>
        `
      }
    </li>
  `;
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
