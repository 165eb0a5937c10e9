// Component Play: the table that the address names, or a new one.
import { NewTable } from '../dialogs/new_table.js';
import { openDialog } from '../dialogs/open_dialog.js';
import { html, useEffect, useLayoutEffect, useState } from '../html.js';
import { onKeys } from '../keys.js';
import { Link, NOBODY, ask } from '../link.js';
import { settings } from '../settings.js';
import { Table } from '../table/table.js';
import { t } from '../words.js';

const tableAddress = (table, key) => `#/play/${table}/${key}`;

async function openTable(wishes = {}) {
  const made = await ask('/api/tables', { name: settings().name, ...wishes });
  enterTable(made.table, made.token);
}

function enterTable(table, key) {
  sessionStorage.setItem('table', JSON.stringify([table, key]));
  location.replace(tableAddress(table, key));
}

function storedTable() {
  try {
    const [table, key] = JSON.parse(sessionStorage.getItem('table'));
    return [table, key];
  } catch {
    return null;
  }
}

// The table that lies ready, which has come with the page itself: it is painted before anything else is asked for.
const takePrewarmedTable = () => {
  const meta = document.querySelector('meta[name=laid]');
  const text = meta?.content;
  meta?.remove();
  return text ? JSON.parse(text) : null;
};

export function Play({ rest }) {
  const [table, key] = rest;
  const [ready] = useState(() => {
    const found = takePrewarmedTable();
    return table || storedTable() ? null : found;
  });
  const [seen, setSeen] = useState(ready?.seen ?? null);
  const [welcome, setWelcome] = useState(ready?.welcome ?? null);
  const [state, setState] = useState('connecting');
  const [problem, setProblem] = useState('');
  const [link, setLink] = useState(NOBODY);
  const start = (wishes) => {
    setState('opening');
    setProblem('');
    return openTable(wishes).catch((error) => {
      setState('problem');
      setProblem(error.message);
    });
  };

  useEffect(() => {
    if (!table || !key) {
      const before = storedTable();
      if (before) location.replace(tableAddress(...before));
      else if (ready) enterTable(ready.table, ready.token);
      else start();
      return undefined;
    }
    if (welcome?.table !== table) setSeen(null);
    setState('connecting');
    const made = new Link(table, key, (told) => {
      if (told.type === 'welcome') setWelcome(told);
      else if (told.type === 'table') {
        setSeen(told);
        setState('there');
        setProblem('');
      } else if (told.type === 'error') setProblem(told.text);
      else {
        setState(told.type);
        if (told.type === 'gone') sessionStorage.removeItem('table');
      }
    });
    setLink(made);
    return () => made.close();
  }, [table, key]);
  useLayoutEffect(() => onKeys({ n: () => openDialog('new') }), []);

  const state_text =
    state === 'gone' ? t('gone') : state === 'lost' ? t('lost') : state === 'opening' ? t('opening') : t('connecting');
  return html`
    <${NewTable} start=${start} game=${welcome?.game} />
    ${
      problem &&
      html`
        <p class="problem" role="alert">
          ${problem}${' '}
          <button type="button" class="quiet" aria-label=${t('close')} onClick=${() => setProblem('')}>
            ✕
          </button>
        </p>
      `
    }
    ${
      welcome?.refused &&
      html`
        <p class="problem" role="status">
          ${t('oldRules')} ${welcome.refused}
        </p>
      `
    }
    ${
      seen && welcome && welcome.table === (table ?? ready?.table)
        ? html`
          <${Table}
            seen=${seen}
            welcome=${welcome}
            link=${link}
            lost=${state !== 'there' ? state_text : ''}
            trouble=${setProblem}
          />
        `
        : html`
          <div class="felt empty">
            <p class="wait">${state === 'problem' ? '' : state_text}</p>
          </div>
        `
    }
    ${
      (state === 'gone' || state === 'problem') &&
      html`
        <p class="middle">
          <button type="button" class="strong" onClick=${() => start()}>
            ${t('openAnother')}
          </button>
        </p>
      `
    }
  `;
}
