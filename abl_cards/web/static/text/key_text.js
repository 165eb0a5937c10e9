// Component KeyText: a text whose parts between backquotes are keys.
import { Fragment, html } from '../html.js';

export const KeyText = ({ text }) => html`
  <${Fragment}>
    ${text.split('`').map((part, index) => (index % 2 ? html`<kbd key=${index}>${part}</kbd>` : part))}
  </${Fragment}>
`;
