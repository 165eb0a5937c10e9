// Component WeightsCell: a slider for each preference, the choices in the positions, and the matches tried so far.
import { html, useEffect, useRef, useState } from '../html.js';
import { t } from '../words.js';
import { ChoiceList } from './choice_list.js';
import { isRunning } from './notebook.js';
import { TryTable } from './try_table.js';
import { WeightSliders } from './weight_sliders.js';

const SLIDER_PAUSE = 120;

export function WeightsCell({ cell, result, lab, state, language, isStatic }) {
  const { factors } = cell.options;
  const [preferences, setPreferences] = useState(null);
  const [decisions, setDecisions] = useState([]);
  const timer = useRef(0);
  const { version } = state;
  const setFactors = (changed) => lab.setCell(cell.id, { options: { ...cell.options, factors: changed } });
  useEffect(() => {
    if (isStatic) return;
    lab.call('weights').then((answer) => setPreferences(answer.preferences), lab.showError);
  }, [version]);
  const states = isStatic ? [] : lab.positionStates();
  useEffect(() => {
    if (isStatic) return undefined;
    timer.current = setTimeout(
      () => lab.call('weigh', { factors, states }).then((answer) => setDecisions(answer.decisions), lab.showError),
      SLIDER_PAUSE,
    );
    return () => clearTimeout(timer.current);
  }, [JSON.stringify(factors), JSON.stringify(states), version]);
  const hasFactors = Object.keys(factors).length > 0;
  return html`
    ${
      !isStatic &&
      html`
        <${WeightSliders} preferences=${preferences} factors=${factors} language=${language} change=${setFactors} />
        <p class="buttons">
          <button type="button" class="strong" disabled=${isRunning(cell)} onClick=${() => lab.run(cell.id)}>
            ${t('matchOf')}
          </button>
          <button type="button" disabled=${!hasFactors} onClick=${() => setFactors({})}>
            ${t('weightsBack')}
          </button>
          <button
            type="button"
            disabled=${!hasFactors}
            onClick=${() => lab.do(() => lab.keepWeights(factors).then(() => setFactors({})))}
          >
            ${t('weightsKeep')}
          </button>
        </p>
        ${state.deck && html`<${ChoiceList} decisions=${decisions} deck=${state.deck} />`}
      `
    }
    ${result && html`<${TryTable} tries=${result.tries} choose=${isStatic ? null : setFactors} />`}
  `;
}
