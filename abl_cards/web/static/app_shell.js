// Component AppShell: bar with sections, the section that the address names, and the dialogs.
import { LazyDialog } from './dialogs/lazy_dialog.js';
import { openDialog } from './dialogs/open_dialog.js';
import { addressParts } from './early_requests.js';
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
// Sections that the bar does not list, or lists by the name of the product.
const OTHERS = { home: 'home/section', join: 'home/join', class: 'class/section' };

function readAddress() {
  const [section = '', ...path] = addressParts(location.hash);
  const isKnown = Object.hasOwn(SECTIONS, section) || Object.hasOwn(OTHERS, section);
  return isKnown ? { section, path } : { section: 'home', path: [] };
}

export function AppShell() {
  const { language } = useSettings();
  const [route, setRoute] = useState(readAddress());
  const [sections, setSections] = useState({});
  useEffect(() => {
    const onHashChange = () => {
      setIsMenuOpen(false);
      setRoute(readAddress());
    };
    addEventListener('hashchange', onHashChange);
    return () => removeEventListener('hashchange', onHashChange);
  }, []);
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  const [ClassBar, setClassBar] = useState(null);
  const file = SECTIONS[route.section] ?? OTHERS[route.section];
  useEffect(() => {
    if (file && !sections[file])
      loadModule(file).then(
        (module) => setSections((loaded) => ({ ...loaded, [file]: module.Section })),
        (problem) => {
          throw problem;
        },
      );
  }, [file]);
  useEffect(() => {
    const showClassBar = () =>
      sessionStorage.getItem('class') &&
      loadModule('class/class_bar').then((module) => setClassBar(() => module.ClassBar));
    showClassBar();
    addEventListener('class', showClassBar);
    return () => removeEventListener('class', showClassBar);
  }, []);
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
  const current = (name) => (route.section === name ? 'page' : undefined);
  const Section = file ? sections[file] : Play;
  return html`
    <header class="bar">
      <a class="home-link" href="#/" aria-current=${current('home')}>
        <img src="static/icon.svg" alt=${t('home')} width="22" height="22" /> <b>abl-cards</b>
      </a>
      <button
        type="button"
        class="quiet menu"
        aria-expanded=${isMenuOpen}
        aria-controls="sections"
        onClick=${() => setIsMenuOpen(!isMenuOpen)}
      >
        ☰ ${t(route.section)}
      </button>
      <nav id="sections" class=${isMenuOpen ? 'open' : ''} aria-label=${t('sections')}>
        ${Object.keys(SECTIONS).map(
          (name) => html`
            <a key=${name} href=${`#/${name}`} aria-current=${current(name)} onClick=${() => setIsMenuOpen(false)}>
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
        class="quiet keys-button"
        aria-label=${t('help')}
        title=${t('help')}
        onClick=${() => openDialog('help')}
      >
        ?
      </button>
    </header>
    ${ClassBar && html`<${ClassBar} />`}
    <main key=${route.section}>
      ${Section ? html`<${Section} path=${route.path} />` : html`<p class="wait">${t('connecting')}</p>`}
    </main>
    <${LazyDialog} name="settings" file="dialogs/settings_dialog" part="SettingsDialog" />
    <${LazyDialog} name="help" file="dialogs/keys_dialog" part="KeysDialog" />
  `;
}
