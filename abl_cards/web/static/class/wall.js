// Component Wall: all tables of a class for its teacher, who waits, and the results of the same cards side by side.
import { InviteLink } from '../home/invite_link.js';
import { html, useEffect, useRef, useState } from '../html.js';
import { request } from '../link.js';
import { localise } from '../settings.js';
import { makeNames } from '../table/position.js';
import { seatName } from '../table/seats.js';
import { t } from '../words.js';
import { countTables, leaveClass, mergeViews } from './class_data.js';
import { ResultTables } from './result_tables.js';
import { WallTable } from './wall_table.js';

const POLL_MS = 2500;

// The wall, read again and again; tables whose view has not changed are not sent again.
function useWall(code, token, first) {
  const [wall, setWall] = useState(first);
  const [problem, setProblem] = useState('');
  const known = useRef(new Map(first.tables.map((table) => [table.table, table])));
  useEffect(() => {
    let timer = 0;
    let isLeft = false;
    const poll = async () => {
      const revisions = Object.fromEntries([...known.current].map(([name, table]) => [name, table.revision ?? -1]));
      try {
        const read = await request(`/api/classes/${code}`, { do: 'state', token, known: revisions });
        if (isLeft) return;
        const tables = mergeViews(read.tables, known.current);
        known.current = new Map(tables.map((table) => [table.table, table]));
        setWall({ ...read, tables });
        setProblem('');
      } catch (error) {
        setProblem(error.message);
      }
      if (!isLeft) timer = setTimeout(poll, POLL_MS);
    };
    timer = setTimeout(poll, POLL_MS);
    return () => {
      isLeft = true;
      clearTimeout(timer);
    };
  }, [code, token]);
  return { wall, problem, setProblem };
}

export function Wall({ code, token, first }) {
  const { wall, problem, setProblem } = useWall(code, token, first);
  const [isCompact, setIsCompact] = useState(false);
  const [isClosing, setIsClosing] = useState(false);
  const call = (action, fields = {}) =>
    request(`/api/classes/${code}`, { do: action, token, ...fields }).catch((error) => {
      setProblem(error.message);
      return null;
    });
  const close = async () => {
    if (!(await call('close'))) return;
    leaveClass(code);
    location.replace('#/class');
  };
  const review = async (table, episode) => {
    const opened = await call('review', { table, episode });
    if (opened) location.hash = `#/review/${opened.review}/0`;
  };
  const counts = countTables(wall.tables);
  const isOver = wall.tables.some(({ view }) => view?.phase === 'over');
  const sample = wall.tables.find(({ view }) => view)?.view;
  const nameOfSeat = (seat) => t('seat', seat);
  const names =
    wall.welcome && sample
      ? makeNames(
          wall.welcome.deck,
          nameOfSeat,
          sample.seats.map((info) => info.side),
          null,
        )
      : null;
  return html`
    <section class="panel wall-head">
      <div>
        <h1>${t('classOf', localise(wall.title))}</h1>
        <p><code class="code">${code}</code></p>
        <p role="status">
          ${[
            t('numPupils', counts.pupils),
            t('numWaiting', counts.waiting),
            t('numEnded', counts.ended),
            counts.away ? t('numAway', counts.away) : '',
          ]
            .filter(Boolean)
            .join(t('comma'))}
        </p>
        <p class="buttons">
          <button type="button" aria-pressed=${isCompact} onClick=${() => setIsCompact(!isCompact)}>
            ${t(isCompact ? 'asPictures' : 'asLines')}
          </button>
          <button type="button" disabled=${!isOver} onClick=${() => call('again')}>${t('nextForAll')}</button>
          ${
            isClosing
              ? html`
                <button type="button" class="strong" onClick=${close}>${t('closeClassSure')}</button>
                <button type="button" onClick=${() => setIsClosing(false)}>${t('cancel')}</button>
              `
              : html`
                <button type="button" onClick=${() => setIsClosing(true)}>${t('closeClass')}</button>
              `
          }
        </p>
      </div>
      <${InviteLink} path=${`#/class/${code}`} label=${t('classLink')} />
    </section>
    ${
      problem &&
      html`
        <p class="problem" role="alert">${problem}</p>
      `
    }
    <section aria-labelledby="wall-heading">
      <h2 id="wall-heading">${t('allTables')}</h2>
      ${
        wall.tables.length
          ? html`
            <ul class=${isCompact ? 'wall lines' : 'wall'}>
              ${wall.tables.map(
                (table) => html`
                  <${WallTable}
                    key=${table.table}
                    entry=${table}
                    welcome=${wall.welcome}
                    isCompact=${isCompact}
                    seatName=${seatName}
                  />
                `,
              )}
            </ul>
          `
          : html`
            <p>${t('nobodyYet')}</p>
          `
      }
    </section>
    <${ResultTables} results=${wall.results} names=${names} onReview=${review} />
  `;
}
