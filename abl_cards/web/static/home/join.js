// Component Section: an invitation to a table; the guest gives a name and takes the next free seat.
import { html, loadStyle, useEffect, useState } from '../html.js';
import { request } from '../link.js';
import { ownTables } from '../own_tables.js';
import { settings, updateSettings } from '../settings.js';
import { t } from '../words.js';
import { NameForm } from './name_form.js';
import './words.js';

await loadStyle('home/home');

export function Section({ path }) {
  const [table, token] = path;
  const [problem, setProblem] = useState('');
  useEffect(() => {
    const own = ownTables().find((entry) => entry.table === table);
    if (own) location.replace(`#/play/${table}/${own.key}`);
  }, [table]);
  const take = async (name) => {
    updateSettings({ name });
    try {
      const seat = await request(`/api/tables/${encodeURIComponent(table)}/join`, { token, name });
      location.replace(`#/play/${seat.table}/${seat.token}`);
    } catch (error) {
      setProblem(error.message);
    }
  };
  return html`
    <div class="home">
      <section class="panel entry">
        <h1>${t('joinTable')}</h1>
        <${NameForm} name=${settings().name} button=${t('takeSeat')} onName=${take} />
        ${
          problem &&
          html`
            <p class="problem" role="alert">${problem}</p>
          `
        }
      </section>
    </div>
  `;
}
