// Component LessonList: links to the lessons of a game.
import { html } from '../html.js';
import { localise } from '../settings.js';
import { t } from '../words.js';

export function LessonList({ game, lessons }) {
  if (!lessons.length) return null;
  return html`
    <section>
      <h2>${t('learnLessons')}</h2>
      <ol class="lessons">
        ${lessons.map(
          (lesson) => html`
            <li key=${lesson.name}>
              <a href=${`#/learn/${encodeURIComponent(game)}/lesson/${encodeURIComponent(lesson.name)}`}>
                ${localise(lesson.title)}
              </a>
            </li>
          `,
        )}
      </ol>
    </section>
  `;
}
