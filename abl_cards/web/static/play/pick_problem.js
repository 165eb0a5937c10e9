// Component PickProblem: why the picked cards cannot be played, and the nearest play that can.
import { html } from '../html.js';
import { localise } from '../settings.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';

// Fill the texts of a problem into its sentence.
const sentence = (problem) => t(`pick_${problem.code}`, ...(problem.values ?? []).map(localise));

export function PickProblem({ problem, names, select }) {
  if (!problem) return t('notLegal');
  return html`
    <span class="pick-problem">
      <${Words} text=${sentence(problem)} names=${names} />
      ${
        problem.nearest &&
        html`
          ${' '}
          <button type="button" class="way" onClick=${() => select(problem.nearest.cards)}>
            ${t('tryThese')} <${Words} text=${problem.nearest.text} names=${names} />
          </button>
        `
      }
    </span>
  `;
}
