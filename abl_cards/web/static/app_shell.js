// Component AppShell: bar with sections, the section that the address names, and the dialogs.
import { KeysDialog } from './dialogs/keys_dialog.js';
import { openDialog } from './dialogs/open_dialog.js';
import { SettingsDialog } from './dialogs/settings_dialog.js';
import { html, later, useEffect, useLayoutEffect, useState } from './html.js';
import { onKeys } from './keys.js';
import { Play } from './play/play.js';
import { set, useSettings } from './settings.js';
import { t } from './words.js';

// A section is a module that gives a component of this name; another one is added here, and nowhere else.
const SECTIONS = { play: null, review: 'review/section', rules: 'lab/section', watch: 'watch/section' };

function readAddress() {
  const [, section = '', ...rest] = location.hash.split('/');
  return section in SECTIONS ? { section, rest } : { section: 'play', rest: [] };
}

export function AppShell() {
  const { language } = useSettings();
  const [at, setAt] = useState(readAddress());
  const [more, setMore] = useState({});
  useEffect(() => {
    const moved = () => setAt(readAddress());
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
    <${SettingsDialog} />
    <${KeysDialog} />
  `;
}
