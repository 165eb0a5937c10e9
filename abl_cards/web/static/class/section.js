// Component Section: open a class, join one by its code, its wall for the teacher, or the page of a pupil.
import { html, loadStyle, useEffect } from '../html.js';
import { useSettings } from '../settings.js';
import { ownClasses } from './class_data.js';
import { ClassPage } from './class_page.js';
import { JoinForm } from './join_form.js';
import { OpenForm } from './open_form.js';
import '../home/words.js';
import './words.js';

await Promise.all([loadStyle('home/home'), loadStyle('class/class')]);

export function Section({ path }) {
  useSettings();
  const code = (path[0] ?? '').toUpperCase();
  const token = path[1];
  const own = code && !token ? ownClasses().find((entry) => entry.code === code) : null;
  useEffect(() => {
    if (own) location.replace(`#/class/${own.code}/${own.token}`);
  }, [code]);
  if (own) return null;
  return html`
    <div class="home class-page">
      ${
        !code
          ? html`<${OpenForm} />`
          : token
            ? html`<${ClassPage} key=${token} code=${code} token=${token} />`
            : html`<${JoinForm} code=${code} />`
      }
    </div>
  `;
}
