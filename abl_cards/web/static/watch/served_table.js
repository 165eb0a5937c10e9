// Component ServedTable: a table of `abl-cards serve`, as a series of snapshots.
import { html, useEffect, useState } from '../html.js';
import { NOBODY, ask } from '../link.js';
import { Table } from '../table/table.js';
import { t } from '../words.js';
import { secondsSince } from './age.js';

const STALE_SECONDS = 10;

export function ServedTable({ name }) {
  const [told, setTold] = useState(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let gone = false,
      timer = 0;
    const look = () =>
      ask(`/api/served?name=${encodeURIComponent(name)}`)
        .then(
          (found) => {
            if (!gone) {
              setTold(found);
              setProblem('');
            }
          },
          (error) => gone || setProblem(error.message),
        )
        .finally(() => {
          if (!gone) timer = setTimeout(look, 500);
        });
    look();
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [name]);
  const still = told && told.seen.phase !== 'over' && secondsSince(told.written) > STALE_SECONDS;
  return html`
    <p class="middle">
      <a href="#/watch">${t('servedAll')}</a>
    </p>
    ${
      problem &&
      html`
        <p class="problem" role="alert">
          ${problem}
        </p>
      `
    }
    ${
      told
        ? html`
          <${Table}
            seen=${told.seen}
            welcome=${told.welcome}
            link=${NOBODY}
            lost=${still ? t('servedAgo', secondsSince(told.written)) : ''}
            trouble=${setProblem}
          />
        `
        : html`
          <p class="wait">${problem ? '' : t('connecting')}</p>
        `
    }
  `;
}
