// Component DropLesson: read a lesson from a file of this computer.
import { html, useState } from '../html.js';
import { request } from '../link.js';
import { settings } from '../settings.js';
import { t } from '../words.js';
import { LessonText } from './lesson_text.js';

export function DropLesson({ game }) {
  const [text, setText] = useState('');
  const [lesson, setLesson] = useState(null);
  const [problem, setProblem] = useState('');
  const send = (body) => request('/api/lesson/preview', { game, language: settings().language, ...body });
  const read = async (file) => {
    if (!file) return;
    setProblem('');
    setLesson(null);
    try {
      const content = await file.text();
      const answer = await send({ text: content });
      setText(content);
      setLesson(answer);
    } catch (error) {
      setProblem(error.message);
    }
  };
  const drop = (event) => {
    event.preventDefault();
    read(event.dataTransfer.files[0]);
  };
  return html`
    <section class="drop" onDragOver=${(event) => event.preventDefault()} onDrop=${drop}>
      <h2>${t('learnOwn')}</h2>
      <label>
        ${t('learnOwnText')}${' '}
        <input id="lesson-file" type="file" accept=".md" onChange=${(event) => read(event.target.files[0])} />
      </label>
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
      ${
        lesson &&
        html`
          <div class="lesson dropped">
            <${LessonText}
              key=${text}
              game=${game}
              lesson=${lesson}
              grade=${(block, answer) => send({ text, block, answer })}
            />
          </div>
        `
      }
    </section>
  `;
}
