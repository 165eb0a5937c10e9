// Component LessonPage: a lesson of a folder, or one that was dropped into the page.
import { html, useEffect } from '../html.js';
import { request } from '../link.js';
import { setTitle } from '../page_title.js';
import { useSettings } from '../settings.js';
import { t } from '../words.js';
import { LessonText } from './lesson_text.js';
import { useRequest } from './use_request.js';

export function LessonPage({ game, lesson }) {
  const { language } = useSettings();
  const query = { name: game, lesson, lang: language };
  const { value, problem } = useRequest(`/api/lesson?${new URLSearchParams(query)}`);
  const title = value?.title ?? '';
  useEffect(() => {
    if (title) setTitle({ section: title });
  }, [title]);
  const grade = (block, answer) =>
    request(`/api/lesson/answer?${new URLSearchParams({ ...query, block, answer: JSON.stringify(answer) })}`);
  return html`
    <article class="learn lesson">
      <p><a href=${`#/learn/${encodeURIComponent(game)}`}>${t('learnBack')}</a></p>
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
      ${!value && !problem && html`<p class="wait" role="status">${t('learnWait')}</p>`}
      ${value && html`<${LessonText} key=${language} game=${game} lesson=${value} grade=${grade} />`}
    </article>
  `;
}
