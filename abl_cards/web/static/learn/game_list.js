// Component GameList: links to the games that can be learnt.
import { html } from '../html.js';
import { localise, useSettings } from '../settings.js';
import { t } from '../words.js';
import { useRequest } from './use_request.js';

const lessonCount = (number) => t(number === 1 ? 'learnLesson1' : 'learnLessonCount', number);

export function GameList() {
  useSettings();
  const { value, problem } = useRequest('/api/games');
  return html`
    <article class="learn">
      <h1>${t('learnGame')}</h1>
      <p>${t('learnChoose')}</p>
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
      <ul class="tiles">
        ${(value?.games ?? []).map(
          (game) => html`
            <li key=${game.name}>
              <a href=${`#/learn/${encodeURIComponent(game.name)}`}>
                <b>${localise(game.title)}</b>
                ${game.lessons > 0 && html`<span class="small">${lessonCount(game.lessons)}</span>`}
              </a>
            </li>
          `,
        )}
      </ul>
    </article>
  `;
}
