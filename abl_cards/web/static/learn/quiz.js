// Component Quiz: a question about a position, whose answer the server's engine grades.
import { html, useState } from '../html.js';
import { t } from '../words.js';
import { ChoosePlays } from './choose_plays.js';
import { LessonTable } from './lesson_table.js';
import { PickCards } from './pick_cards.js';
import { QuizResult } from './quiz_result.js';

const QUESTIONS = { beat: 'learnAskBeat', legal: 'learnAskLegal', best: 'learnAskBest' };

export function Quiz({ block, index, context }) {
  const [answer, setAnswer] = useState([]);
  const [graded, setGraded] = useState(null);
  const [problem, setProblem] = useState('');
  const change = (next) => {
    setAnswer(next);
    setGraded(null);
  };
  const ask = (value) => {
    setProblem('');
    context.grade(index, value).then(
      (result) => setGraded({ ...result, answer: value }),
      (error) => setProblem(error.message),
    );
  };
  const isBeat = block.task === 'beat';
  return html`
    <section class="block quiz" aria-label=${t('learnQuiz')}>
      <p class="question">${block.question || block.caption || t(QUESTIONS[block.task])}</p>
      <${LessonTable} block=${block} context=${context} hidesHand />
      ${
        isBeat
          ? html`
            <${ChoosePlays}
              plays=${block.plays}
              deck=${context.deck}
              wild=${block.drawn.wild}
              chosen=${answer}
              results=${graded?.plays}
              onChange=${change}
            />
          `
          : html`<${PickCards}
              cards=${block.drawn.hand}
              deck=${context.deck}
              wild=${block.drawn.wild}
              onChange=${change}
            />`
      }
      <p class="buttons">
        <button type="button" class="strong" disabled=${!isBeat && !answer.length} onClick=${() => ask(answer)}>
          ${t('learnCheck')}
        </button>
        ${block.task === 'best' && html`<button type="button" onClick=${() => ask([])}>${t('pass')}</button>`}
      </p>
      <div class="result" role="status">
        ${problem && html`<p class="problem">${problem}</p>`}
        ${graded && html`<${QuizResult} task=${block.task} graded=${graded} deck=${context.deck} />`}
      </div>
    </section>
  `;
}
