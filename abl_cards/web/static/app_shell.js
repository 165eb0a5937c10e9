// Component AppShell: bar with sections, the section that the address names, and the dialogs.
import { KeysDialog } from './dialogs/keys_dialog.js';
import { openDialog } from './dialogs/open_dialog.js';
import { SettingsDialog } from './dialogs/settings_dialog.js';
import { html, loadModule, useEffect, useLayoutEffect, useState } from './html.js';
import { onKeys } from './keys.js';
import { setTitle } from './page_title.js';
import { Play } from './play/play.js';
import { updateSettings, useSettings } from './settings.js';
import { t } from './words.js';

// Modules that export a component `Section`, by the name of the section in the address. Play is loaded at once.
const SECTIONS = {
  play: null,
  learn: 'learn/section',
  review: 'review/section',
  rules: 'lab/section',
  watch: 'watch/section',
};

function readAddress() {
  const [, section = '', ...path] = location.hash.split('/');
  return section in SECTIONS ? { section, path } : { section: 'play', path: [] };
}

export function AppShell() {
  const { language } = useSettings();
  const [route, setRoute] = useState(readAddress());
  const [sections, setSections] = useState({});
  useEffect(() => {
    const onHashChange = () => setRoute(readAddress());
    addEventListener('hashchange', onHashChange);
    return () => removeEventListener('hashchange', onHashChange);
  }, []);
  const file = SECTIONS[route.section];
  useEffect(() => {
    if (file && !sections[file])
      loadModule(file).then(
        (module) => setSections((loaded) => ({ ...loaded, [file]: module.Section })),
        (problem) => {
          throw problem;
        },
      );
  }, [file]);
  useLayoutEffect(
    () =>
      onKeys({
        '?': () => openDialog('help'),
        y: () => updateSettings({ language: language === 'zh' ? 'en' : 'zh' }),
        ',': () => openDialog('settings'),
      }),
    [language],
  );
  useEffect(() => {
    setTitle({ section: t(route.section) });
  });
  const Section = file ? sections[file] : Play;
  return html`
    <header class="bar">
      <nav aria-label=${t('sections')}>
        ${Object.keys(SECTIONS).map(
          (name) => html`
            <a key=${name} href=${`#/${name}`} aria-current=${route.section === name ? 'page' : undefined}>
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
        onClick=${() => updateSettings({ language: language === 'zh' ? 'en' : 'zh' })}
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
    <main key=${route.section}>
      ${Section ? html`<${Section} path=${route.path} />` : html`<p class="wait">${t('connecting')}</p>`}
    </main>
    <${SettingsDialog} />
    <${KeysDialog} />
  `;
}
