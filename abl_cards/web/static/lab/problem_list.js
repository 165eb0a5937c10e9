// Component ProblemList: errors and warnings of the rules with their places.
import { html } from '../html.js';
import { t } from '../words.js';
import { problemDetail, problemText } from './problem_text.js';

export function ProblemList({ problems, open }) {
  if (!problems.length) return html`<p class="small">${t('labNone')}</p>`;
  return html`
    <section class="problem-list" aria-label=${t('labProblems')}>
      <h2>${t('labProblems')} <span class="small">${problems.length}</span></h2>
      <ul class="problems">
        ${[...problems]
          .sort((first, second) => Number(second.error) - Number(first.error))
          .map(
            (problem, index) => html`
            <li key=${index} class=${problem.error ? 'problem' : 'small'}>
              <button
                type="button"
                class="quiet"
                disabled=${!problem.own}
                onClick=${() => open(problem.file, problem.line, problem.column)}
              >
                ${problem.file}:${problem.line}
              </button>${' '}
              <span title=${problemDetail(problem)}>${problemText(problem)}</span>
            </li>
          `,
          )}
      </ul>
    </section>
  `;
}
