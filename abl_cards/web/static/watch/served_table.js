// Component ServedTable: a table of `abl-cards serve`, as a series of snapshots.
import { html, useEffect, useState } from '../html.js';
import { NO_LINK, request } from '../link.js';
import { PlayTable } from '../play/play_table.js';
import { t } from '../words.js';
import { secondsSince } from './age.js';

const STALE_SECONDS = 10;

export function ServedTable({ name }) {
  const [snapshot, setSnapshot] = useState(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    let stopped = false,
      timer = 0;
    const poll = () =>
      request(`/api/served?name=${encodeURIComponent(name)}`)
        .then(
          (response) => {
            if (!stopped) {
              setSnapshot(response);
              setProblem('');
            }
          },
          (error) => stopped || setProblem(error.message),
        )
        .finally(() => {
          if (!stopped) timer = setTimeout(poll, 500);
        });
    poll();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [name]);
  const stale = snapshot && snapshot.seen.phase !== 'over' && secondsSince(snapshot.written) > STALE_SECONDS;
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
      snapshot
        ? html`
          <${PlayTable}
            view=${snapshot.seen}
            welcome=${snapshot.welcome}
            link=${NO_LINK}
            lost=${stale ? t('servedAgo', secondsSince(snapshot.written)) : ''}
            onError=${setProblem}
          />
        `
        : html`
          <p class="wait">${problem ? '' : t('connecting')}</p>
        `
    }
  `;
}
