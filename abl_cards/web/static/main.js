// The shell: which section is shown, by the address; what goes wrong is said, and never in silence.
import { html, render, useState, useEffect, useLayoutEffect, later } from './html.js';
import { apply, useSettings, set } from './settings.js';
import { t } from './words.js';
import { Play } from './play.js';
import { Settings, Help, openDialog } from './dialogs.js';
import { onKeys } from './keys.js';

// A section is a module that gives a component of this name; another one is added here, and nowhere else.
const SECTIONS = { play: null, review: 'review', rules: 'lab', watch: 'watch' };

function place() {
  const [, section = '', ...rest] = location.hash.split('/');
  return section in SECTIONS ? { section, rest } : { section: 'play', rest: [] };
}

function Shell() {
  const { language } = useSettings();
  const [at, setAt] = useState(place());
  const [more, setMore] = useState({});
  useEffect(() => {
    const moved = () => setAt(place());
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  const file = SECTIONS[at.section];
  useEffect(() => {
    if (file && !more[file])
      later(file).then(
        (made) => setMore((known) => ({ ...known, [file]: made.Section })),
        (problem) => {
          throw problem;
        },
      );
  }, [file]);
  useLayoutEffect(
    () =>
      onKeys({
        '?': () => openDialog('help'),
        y: () => set({ language: language === 'zh' ? 'en' : 'zh' }),
        ',': () => openDialog('settings'),
      }),
    [language],
  );
  useEffect(() => {
    document.title = `abl-cards · ${t(at.section)}`;
  });
  const Section = file ? more[file] : Play;
  return html`
    <header class="bar">
      <nav aria-label=${t('sections')}>
        ${Object.keys(SECTIONS).map(
          (name) => html`
            <a key=${name} href=${`#/${name}`} aria-current=${at.section === name ? 'page' : undefined}>
              ${t(name)}
            </a>
          `,
        )}
      </nav>
      <span class="grow"></span>
      <span id="table-tools"></span>
      <button
        type="button"
        class="quiet"
        lang=${language === 'zh' ? 'en' : 'zh-CN'}
        onClick=${() => set({ language: language === 'zh' ? 'en' : 'zh' })}
      >
        ${t('language')}
      </button>
      <button
        type="button"
        class="quiet"
        aria-label=${t('settings')}
        title=${t('settings')}
        onClick=${() => openDialog('settings')}
      >
        ⚙
      </button>
      <button
        type="button"
        class="quiet"
        aria-label=${t('help')}
        title=${t('help')}
        onClick=${() => openDialog('help')}
      >
        ?
      </button>
    </header>
    <main key=${at.section}>
      ${Section ? html`<${Section} rest=${at.rest} />` : html`<p class="wait">${t('connecting')}</p>`}
    </main>
    <${Settings} />
    <${Help} />
  `;
}

function trouble(text) {
  document.getElementById('urgent').textContent = t('failed', String(text).slice(0, 300));
  document.getElementById('urgent').className = 'trouble';
}

addEventListener('error', (event) => trouble(event.message));
addEventListener('unhandledrejection', (event) => trouble(event.reason?.message ?? event.reason));

apply();
const page = document.getElementById('page');
page.replaceChildren();
render(html`<${Shell} />`, page);
