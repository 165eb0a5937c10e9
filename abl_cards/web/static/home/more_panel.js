// Component MorePanel: the ways to the laboratory of rules, the experiments and the tables of others.
import { html } from '../html.js';
import { t } from '../words.js';

const WAYS = [
  ['rules', 'changeRules', 'aboutRules'],
  ['watch', 'experiments', 'aboutExperiments'],
  ['class', 'openClass', 'aboutClass'],
];

export function MorePanel() {
  return html`
    <section class="panel" aria-labelledby="more-heading">
      <h2 id="more-heading">${t('goFurther')}</h2>
      <ul class="ways">
        ${WAYS.map(
          ([section, word, about]) => html`
            <li key=${section}>
              <a href=${`#/${section}`}>${t(word)}</a>
              <span class="small">${t(about)}</span>
            </li>
          `,
        )}
      </ul>
    </section>
  `;
}
