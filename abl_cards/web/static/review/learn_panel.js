// Component LearnPanel: a mistake whose better move is hidden; a play on the table is graded.
import { html } from '../html.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { Evaluation } from './evaluation.js';
import { lossTexts } from './summaries.js';

export function LearnPanel({ learn, frame, decision, glyph, names, method, playerName }) {
  const { places, at, grade, isGrading, isSolved, problem } = learn;
  const isGood = grade && !grade.mistake;
  return html`
    <section class="panel coach learn" aria-label=${t('learnMistakes')} aria-live="polite">
      <h2>${t('learnMistakes')} ${at + 1}/${places.length}</h2>
      <p>
        ${t('learnTask', playerName(frame.seat))}${' '}
        <b><${Words} text=${frame.act.text} names=${names} /></b> ${glyph}
      </p>
      ${!grade && !isSolved && html`<p class="small">${t(isGrading ? 'grading' : 'learnHow')}</p>`}
      ${problem && html`<p class="problem" role="alert">${problem}</p>`}
      ${
        grade &&
        html`
          <p class=${isGood ? 'grade-good' : 'grade-bad'} data-grade=${isGood ? 'good' : 'bad'}>
            <b>
              ${isGood ? t('gradeGood') : t('gradeBad', ...lossTexts(grade))}
            </b>${' '}
            ${t('gradeWas', ...lossTexts(decision))}
          </p>
        `
      }
      <p class="buttons">
        ${grade && !isGood && html`<button type="button" onClick=${learn.again}>${t('tryAgain')}</button>`}
        ${!isSolved && html`<button type="button" onClick=${learn.solve}>${t('solution')}</button>`}
        <button type="button" class=${isGood || isSolved ? 'strong' : ''} onClick=${learn.next}>
          ${t('nextOne')} <kbd>Enter</kbd>
        </button>
        <button type="button" onClick=${learn.stop}>${t('leave')} <kbd>Esc</kbd></button>
      </p>
      ${
        (isGood || isSolved) &&
        html`
          <${Evaluation} evaluation=${grade ?? decision} names=${names} method=${method} actual=${madeRow(decision)} />
        `
      }
    </section>
  `;
}

const madeRow = (decision) => decision.tried.find((move) => move.made)?.row;
