// Component Problem: an error, as an alert.
import { html } from '../html.js';

export const Problem = ({ text }) =>
  text &&
  html`
    <p class="problem" role="alert">
      ${text}
    </p>
  `;
