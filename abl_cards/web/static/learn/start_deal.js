// Component StartDeal: opens a practice table with the coach on.
import { html, useState } from '../html.js';
import { requestTable } from '../request_table.js';
import { updateSettings } from '../settings.js';

export function StartDeal({ options, label }) {
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const start = () => {
    setIsBusy(true);
    updateSettings({ coach: 'before' });
    setProblem('');
    requestTable({ practice: true, ...options }).then(
      (opened) => {
        location.hash = `#/play/${opened.table}/${opened.token}`;
      },
      (error) => {
        setIsBusy(false);
        setProblem(error.message);
      },
    );
  };
  return html`
    <p>
      <button type="button" class="strong" disabled=${isBusy} onClick=${start}>${label}</button>
    </p>
    ${problem && html`<p class="problem" role="alert">${problem}</p>`}
  `;
}
