// Component PositionCell: a position as a table, the moves that the edits add or remove, and the reasons of one.
import { html } from '../html.js';
import { t } from '../words.js';
import { PositionView } from './position_view.js';

export function PositionCell({ cell, result, lab, state, isStatic }) {
  if (!result || !state.deck) return html`<p class="small">${t('cellNew')}</p>`;
  return html`
    <${PositionView}
      view=${result}
      deck=${state.deck}
      reasons=${result.reasons}
      explain=${isStatic ? null : (move) => lab.explain(cell.id, move).catch(lab.showError)}
      close=${() => lab.setCell(cell.id, { result: { ...result, reasons: null } })}
      open=${(...place) => lab.openFile(...place).catch(lab.showError)}
      listMoves=${isStatic ? null : () => lab.call('moves', { state: cell.options.state })}
      isStatic=${isStatic}
    />
  `;
}
