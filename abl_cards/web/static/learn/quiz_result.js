// Component QuizResult: whether an answer is right, and what the engine says about it.
import { CardRow } from '../cards/card_row.js';
import { html } from '../html.js';
import { localise } from '../settings.js';
import { t } from '../words.js';
import { BestPlay } from './best_play.js';

export function QuizResult({ task, graded, deck }) {
  const name = graded.names?.map(localise).join(t('learnComma'));
  const nearest = graded.problem?.nearest;
  return html`
    <p class=${graded.right ? 'yes' : 'no'}><b>${graded.right ? `✓ ${t('learnRight')}` : `✗ ${t('learnWrong')}`}</b></p>
    ${task === 'legal' && graded.right && html`<p>${t('learnIsPlay', name)}</p>`}
    ${
      task !== 'beat' &&
      graded.problem &&
      html`
        <p>${t('learnIllegal')}</p>
        ${nearest && html`<p>${t('learnNearest')} <${CardRow} deck=${deck} cards=${nearest.cards} small /></p>`}
      `
    }
    ${task === 'best' && (graded.own || graded.right) && html`<${BestPlay} graded=${graded} deck=${deck} />`}
  `;
}
