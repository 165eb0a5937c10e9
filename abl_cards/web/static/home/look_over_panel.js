// Component LookOverPanel: a record that is dropped anywhere, or chosen, is opened for review.
import { html, useEffect, useState } from '../html.js';
import { readText } from '../read_text.js';
import { t } from '../words.js';

export function LookOverPanel() {
  const [problem, setProblem] = useState('');
  const [isOver, setIsOver] = useState(false);
  const open = async (file) => {
    if (!file) return;
    try {
      sessionStorage.setItem('review', JSON.stringify({ text: (await readText(file)).trimEnd() }));
      location.hash = '#/review';
    } catch {
      setProblem(t('notRead'));
    }
  };
  useEffect(() => {
    const onDrag = (event) => {
      event.preventDefault();
      setIsOver(event.type === 'dragover');
    };
    const onDrop = (event) => {
      onDrag(event);
      open(event.dataTransfer?.files[0]);
    };
    const handlers = { dragover: onDrag, dragleave: onDrag, drop: onDrop };
    for (const [name, handler] of Object.entries(handlers)) addEventListener(name, handler);
    return () => {
      for (const [name, handler] of Object.entries(handlers)) removeEventListener(name, handler);
    };
  }, []);
  return html`
    <section class=${`panel drop ${isOver ? 'over-drop' : ''}`} aria-labelledby="look-heading">
      <h2 id="look-heading">${t('lookOver')}</h2>
      <p>${t('dropHere')}</p>
      <label class="button file">
        ${t('chooseFile')}
        <input
          class="unseen"
          type="file"
          accept=".jsonl,.json,.gz,.txt"
          onChange=${(event) => open(event.target.files[0])}
        />
      </label>
      ${
        problem &&
        html`
          <p class="problem" role="alert">${problem}</p>
        `
      }
      <p><a href="#/review/new">${t('samples')}</a></p>
    </section>
  `;
}
