// Entry point: render the shell, and show errors of scripts as an alert.
import { AppShell } from './app_shell.js';
import { html, render } from './html.js';
import { applySettings } from './settings.js';
import { preloadErrorWords } from './text/error_text.js';
import { t } from './words.js';

function showError(text) {
  document.getElementById('urgent').textContent = t('failed', String(text).slice(0, 300));
  document.getElementById('urgent').className = 'trouble';
}

addEventListener('error', (event) => showError(event.message));

addEventListener('unhandledrejection', (event) => showError(event.reason?.message ?? event.reason));

applySettings();

const page = document.getElementById('page');

page.replaceChildren();

render(html`<${AppShell} />`, page);

preloadErrorWords();
