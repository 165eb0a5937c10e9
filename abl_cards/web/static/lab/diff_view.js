// Component DiffView: the lines that differ from the version that was opened, or from the parent of the game.
import { html, useEffect, useState } from '../html.js';
import { t } from '../words.js';
import { DiffTable } from './diff_table.js';

export function DiffView({ lab, state }) {
  const { session, version } = state;
  const [base, setBase] = useState('opened');
  const [diff, setDiff] = useState(null);
  useEffect(() => {
    let isCurrent = true;
    lab.call('diff', { base }).then((answer) => isCurrent && setDiff(answer), lab.showError);
    return () => {
      isCurrent = false;
    };
  }, [base, version]);
  return html`
    <section class="lab-diff" aria-label=${t('tabDiff')}>
      ${
        session.parent &&
        html`
          <p>
            <label>
              ${t('diffAgainst')}${' '}
              <select value=${base} onChange=${(event) => setBase(event.target.value)}>
                <option value="opened">${t('diffOpened')}</option>
                <option value="parent">${t('diffParent', session.parent)}</option>
              </select>
            </label>
          </p>
        `
      }
      ${diff && html`<${DiffTable} files=${diff.files} open=${(...place) => lab.openFile(...place)} />`}
    </section>
  `;
}
