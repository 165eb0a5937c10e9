// Component Badges: roles and other facts of a seat, with their values.
import { html } from '../html.js';
import { localise } from '../settings.js';
import { Words } from '../text/words.js';

export function Badges({ badges, names }) {
  return badges.map(
    ({ name, text }) => html`
      <span key=${localise(name)} class="role">
        ${localise(name)}${' '}
        <${Words} text=${text} names=${names} />
      </span>
    `,
  );
}
