// Component GamePage: how a game is played, its lessons, and a first guided deal.
import { html, useEffect } from '../html.js';
import { setTitle } from '../page_title.js';
import { localise, useSettings } from '../settings.js';
import { t } from '../words.js';
import { DropLesson } from './drop_lesson.js';
import { HowTo } from './how_to.js';
import { LessonList } from './lesson_list.js';
import { StartDeal } from './start_deal.js';
import { useRequest } from './use_request.js';

export function GamePage({ game }) {
  const { language } = useSettings();
  const { value, problem } = useRequest(`/api/how-to?${new URLSearchParams({ name: game })}`);
  const title = localise(value?.title);
  useEffect(() => {
    if (title) setTitle({ section: `${t('howToPlay')}: ${title}` });
  }, [title, language]);
  return html`
    <article class="learn">
      <p><a href="#/learn">${t('learnAll')}</a></p>
      <h1>${title ? `${title} · ${t('howToPlay')}` : t('howToPlay')}</h1>
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
      ${!value && !problem && html`<p class="wait" role="status">${t('learnWait')}</p>`}
      ${
        value &&
        html`
          <${LessonList} game=${game} lessons=${value.lessons ?? []} />
          <${HowTo} facts=${value} />
          <section>
            <h2>${t('learnTry')}</h2>
            <p>${t('learnTryText')}</p>
            <${StartDeal} options=${{ game, profile: value.profile ?? '' }} label=${t('learnStart')} />
          </section>
          <${DropLesson} game=${game} />
          <p class="small">${t('learnSaid')}</p>
        `
      }
    </article>
  `;
}
