// Component Play: the table that the address names, or a new one.
import { LazyDialog } from '../dialogs/lazy_dialog.js';
import { openDialog } from '../dialogs/open_dialog.js';
import { takeFirstTable } from '../early_requests.js';
import { html, useEffect, useLayoutEffect, useRef, useState } from '../html.js';
import { onKeys } from '../keys.js';
import { Link, NO_LINK } from '../link.js';
import { entryOf, forgetTable, isKept, keepTable } from '../own_tables.js';
import { requestTable } from '../request_table.js';
import { settings } from '../settings.js';
import { errorText } from '../text/error_text.js';
import { t } from '../words.js';
import { PlayTable } from './play_table.js';
import { StartProgress } from './start_progress.js';

// States of a table to which no connection is tried again.
const ENDED = ['gone', 'refused', 'closed'];

const tableAddress = (table, key) => `#/play/${table}/${key}`;

async function openTable(options = {}) {
  const created = await requestTable(options);
  enterTable(created.table, created.token);
}

// Remember the table of this browser tab, also one that was entered by a link, for the way back from other sections.
const rememberTable = (table, key) => sessionStorage.setItem('table', JSON.stringify([table, key]));

function enterTable(table, key) {
  rememberTable(table, key);
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

export function Play({ path }) {
  const isNew = path[0] === 'new';
  const [table, key] = isNew ? [] : path;
  const game = isNew ? (path[1] ?? '') : '';
  const [view, setView] = useState(null);
  const [welcome, setWelcome] = useState(null);
  const [state, setState] = useState('connecting');
  const [problem, setProblem] = useState('');
  const [link, setLink] = useState(NO_LINK);
  const claimed = useRef(''); // name of the prepared table, which the server has opened without the settings
  const start = (options) => {
    setState('opening');
    setProblem('');
    return openTable(options).catch((error) => {
      setState('problem');
      setProblem(error.message);
    });
  };

  useEffect(() => {
    if (!table || !key) {
      const stored = isNew ? null : storedTable();
      if (stored) {
        location.replace(tableAddress(...stored));
        return undefined;
      }
      let isLeft = false;
      takeFirstTable(game).then((ready) => {
        if (isLeft) return;
        if (!ready) {
          start(game ? { game } : {});
          return;
        }
        setWelcome(ready.welcome);
        setView(ready.seen);
        claimed.current = ready.table;
        enterTable(ready.table, ready.token);
      });
      return () => {
        isLeft = true;
      };
    }
    if (welcome?.table !== table) setView(null);
    setState('connecting');
    let constant = welcome;
    let firstAt = null;
    const opened = new Link(table, key, (message) => {
      if (message.type === 'welcome') {
        constant = message;
        setWelcome(message);
      } else if (message.type === 'table') {
        if (message.chair != null || message.owner || !storedTable()) rememberTable(table, key);
        firstAt ??= message.at;
        const hasPlayed = message.at !== firstAt || !constant.practice || isKept(table);
        if (message.chair != null && hasPlayed) keepTable(entryOf(key, message, constant));
        setView(message);
        setState('there');
        setProblem('');
      } else if (message.type === 'error') setProblem(errorText(message));
      else {
        setState(message.type);
        if (!ENDED.includes(message.type)) return;
        setProblem('');
        setView(null);
        sessionStorage.removeItem('table');
        forgetTable(table);
      }
    });
    if (claimed.current === table) opened.send({ do: 'think', ms: settings().think });
    claimed.current = '';
    setLink(opened);
    return () => opened.close();
  }, [table, key, game]);
  useLayoutEffect(() => onKeys({ n: () => openDialog('new') }), []);

  const stateText = ENDED.includes(state)
    ? t(state)
    : state === 'lost'
      ? t('lost')
      : state === 'opening'
        ? t('opening')
        : t('connecting');
  return html`
    <${LazyDialog} name="new" file="dialogs/new_table" part="NewTable" start=${start} game=${welcome?.game} />
    ${
      problem &&
      html`
        <p class="problem toast" role="alert">
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
        <p class="problem toast" role="status">
          ${t('oldRules')} ${welcome.refused}
        </p>
      `
    }
    ${
      view && welcome && (welcome.table === table || !table)
        ? html`
          <${PlayTable}
            view=${view}
            welcome=${welcome}
            link=${link}
            lost=${state !== 'there' ? stateText : ''}
            isCut=${state === 'lost'}
            onError=${setProblem}
          />
        `
        : html`
          <div class="felt empty">
            <p class="wait">${state === 'problem' ? '' : stateText}</p>
            ${(state === 'opening' || state === 'connecting') && html`<${StartProgress} />`}
          </div>
        `
    }
    ${
      (ENDED.includes(state) || state === 'problem') &&
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
