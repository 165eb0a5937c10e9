// Component PupilPage: the way to the own table, and the results of deals that have ended there.
import { html, useEffect, useState } from '../html.js';
import { request } from '../link.js';
import { localise } from '../settings.js';
import { t } from '../words.js';
import { ResultTables } from './result_tables.js';

const POLL_MS = 5000;

export function PupilPage({ code, token, first }) {
  const [state, setState] = useState(first);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    const timer = setInterval(
      () =>
        request(`/api/classes/${code}`, { do: 'state', token }).then(
          (read) => {
            setState(read);
            setProblem('');
          },
          (error) => setProblem(error.message),
        ),
      POLL_MS,
    );
    return () => clearInterval(timer);
  }, [code, token]);
  return html`
    <section class="panel">
      <h1>${t('classOf', localise(state.title))}</h1>
      <p>${state.name}${t('comma')}${t('numPupils', state.people)}</p>
      <p class="buttons">
        <a class="button strong" href=${`#/play/${state.table}/${state.token}`}>${t('toTable')}</a>
        ${state.place && html`<a class="button" href=${`#/${state.place}`}>${t('toTeacher')}</a>`}
      </p>
      ${
        problem &&
        html`
          <p class="problem" role="alert">${problem}</p>
        `
      }
    </section>
    <${ResultTables} results=${state.results} me=${state.name} />
  `;
}
