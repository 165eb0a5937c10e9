// Component NameForm: asks for the name by which the others at a table call a player.
import { html, useState } from '../html.js';
import { t } from '../words.js';

export function NameForm({ name, button, onName }) {
  const [typed, setTyped] = useState(name);
  return html`
    <form
      class="fields"
      onSubmit=${(event) => {
        event.preventDefault();
        if (typed.trim()) onName(typed.trim());
      }}
    >
      <label>
        <span>${t('askName')}</span>
        <input
          id="guest-name"
          required
          maxlength="24"
          autocomplete="nickname"
          value=${typed}
          onInput=${(event) => setTyped(event.target.value)}
        />
      </label>
      <p class="buttons">
        <button type="submit" class="strong" disabled=${!typed.trim()}>${button}</button>
      </p>
    </form>
  `;
}
