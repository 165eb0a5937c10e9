// Component JoinForm: a pupil enters a class by its code, with a name
import { NameForm } from '../home/name_form.js';
import { html, useState } from '../html.js';
import { request } from '../link.js';
import { settings, updateSettings } from '../settings.js';
import { t } from '../words.js';
import { enterClass } from './class_data.js';

export function JoinForm({ code }) {
  const [problem, setProblem] = useState('');
  const join = async (name) => {
    updateSettings({ name });
    try {
      const seat = await request(`/api/classes/${encodeURIComponent(code)}`, { do: 'join', name });
      enterClass({ code: seat.code, token: seat.token, role: 'pupil' });
      location.replace(`#/play/${seat.table}/${seat.seat}`);
    } catch (error) {
      setProblem(error.message);
    }
  };
  return html`
    <section class="panel entry">
      <h1>${t('class')} <code>${code}</code></h1>
      <p>${t('joinClassAbout')}</p>
      <${NameForm} name=${settings().name} button=${t('enterClass')} onName=${join} />
      ${
        problem &&
        html`
          <p class="problem" role="alert">${problem}</p>
        `
      }
    </section>
  `;
}
