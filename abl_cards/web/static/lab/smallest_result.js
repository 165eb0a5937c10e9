// Component SmallestResult: the smallest position found whose legal moves differ.
import { html } from '../html.js';
import { t } from '../words.js';
import { PositionView } from './position_view.js';

export function SmallestResult({ result, lab, state, isStatic }) {
  if (!result.state) return html`<p>${t('labNoDifference')}</p>`;
  if (!state.deck) return null;
  return html`
    <${PositionView} view=${result.view} deck=${state.deck} isStatic=${isStatic} listMoves=${() =>
      lab.call('moves', { state: result.state })} />
    ${
      !isStatic &&
      html`
        <button type="button" onClick=${() => lab.addPosition(result.state).catch(lab.showError)}>
          ${t('labPinIt')}
        </button>
      `
    }
  `;
}
