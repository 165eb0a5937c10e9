// Component ClassPage: the wall of the teacher, or the page of a pupil
import { html, useEffect, useState } from '../html.js';
import { request } from '../link.js';
import { t } from '../words.js';
import { enterClass, leaveClass } from './class_data.js';
import { PupilPage } from './pupil_page.js';
import { Wall } from './wall.js';

export function ClassPage({ code, token }) {
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
