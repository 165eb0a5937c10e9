// Component CopyLink: a link in a field, with a button that copies it.
import { html, useState } from '../html.js';
import { t } from '../words.js';

export function CopyLink({ label, value }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setDone(true);
    } catch {
      setDone(false);
    }
  };
  return html`
    <p class="copy">
      <label>
        ${label} <input readonly value=${value} onFocus=${(event) => event.target.select()} />
      </label>${' '}
      <button type="button" onClick=${copy}>
        ${done ? t('copied') : t('copy')}
      </button>
    </p>
  `;
}
