// Component Section: open a class, join one by its code, its wall for the teacher, or the page of a pupil.
import { html, loadStyle, useEffect, useState } from '../html.js';
import { request } from '../link.js';
import { NameForm } from '../home/name_form.js';
import { settings, updateSettings, useSettings } from '../settings.js';
import { t } from '../words.js';
import '../home/words.js';
import { enterClass, leaveClass, ownClasses } from './class_data.js';
import { OpenForm } from './open_form.js';
import { PupilPage } from './pupil_page.js';
import { Wall } from './wall.js';
import './words.js';

await Promise.all([loadStyle('home/home'), loadStyle('class/class')]);

function JoinForm({ code }) {
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

function ClassPage({ code, token }) {
  const [first, setFirst] = useState(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    request(`/api/classes/${encodeURIComponent(code)}`, { do: 'state', token }).then(
      (state) => {
        enterClass({ code: state.code, token, role: state.role, title: state.title });
        setFirst(state);
      },
      (error) => {
        setProblem(error.message);
        leaveClass(code);
      },
    );
  }, [code, token]);
  if (problem)
    return html`
      <section class="panel entry">
        <p class="problem" role="alert">${problem}</p>
        <p><a href="#/class">${t('otherClass')}</a></p>
      </section>
    `;
  if (!first)
    return html`
      <p class="wait">${t('connecting')}</p>
    `;
  return first.role === 'teacher'
    ? html`<${Wall} code=${first.code} token=${token} first=${first} />`
    : html`<${PupilPage} code=${first.code} token=${token} first=${first} />`;
}

export function Section({ path }) {
  useSettings();
  const code = decodeURIComponent(path[0] ?? '').toUpperCase();
  const token = path[1];
  const own = code && !token ? ownClasses().find((entry) => entry.code === code) : null;
  useEffect(() => {
    if (own) location.replace(`#/class/${own.code}/${own.token}`);
  }, [code]);
  if (own) return null;
  return html`
    <div class="home class-page">
      ${
        !code
          ? html`<${OpenForm} />`
          : token
            ? html`<${ClassPage} key=${token} code=${code} token=${token} />`
            : html`<${JoinForm} code=${code} />`
      }
    </div>
  `;
}
