// Component NamePrompt: asks for a name where several people sit at a table.
import { html, useState } from '../html.js';
import { updateSettings, useSettings } from '../settings.js';
import { t } from '../words.js';

export function NamePrompt({ view }) {
  const { name } = useSettings();
  const [typed, setTyped] = useState('');
  const people = view.seats.filter((info) => info.kind === 'person').length;
  if (view.me == null || name || people < 2) return null;
  return html`
    <form
      class="name-prompt"
      onSubmit=${(event) => {
        event.preventDefault();
        updateSettings({ name: typed.trim() });
      }}
    >
      <label>
        ${t('askName')}${' '}
        <input
          maxlength="24"
          autocomplete="nickname"
          value=${typed}
          onInput=${(event) => setTyped(event.target.value)}
        />
      </label>${' '}
      <button type="submit" class="strong" disabled=${!typed.trim()}>
        ${t('take')}
      </button>
    </form>
  `;
}
