// Component SeatTable: plays, agreement, mistakes and lost points of each seat, at the threshold.
import { fixedText } from '../format.js';
import { html } from '../html.js';
import { updateSettings, useSettings } from '../settings.js';
import { agentName } from '../text/agent_name.js';
import { t } from '../words.js';
import { glyphLimits } from './glyphs.js';
import { summariseSeats } from './summaries.js';

export function SeatTable({ work, playerName }) {
  const { threshold } = useSettings();
  const { decisions, method, result, stake } = work;
  const [blunder, mistake] = glyphLimits(stake).map((limit) => fixedText(limit, 2));
  return html`
    <section class="panel over" aria-label=${t('mistakes')}>
      <label>
        ${t('threshold')}${' '}
        <input
          type="range"
          min="0"
          max="5"
          step="0.1"
          value=${threshold}
          onInput=${(event) => updateSettings({ threshold: Number(event.target.value) })}
        />${' '}
        ${threshold.toFixed(1)}
      </label>
      <p class="small">${t('glyphRule', blunder, mistake)}</p>
      <table class="grid seats">
        <caption>${t('bySeat', agentName(method.agent), agentName(method.rollout_agent))}</caption>
        <thead>
          <tr>
            <th scope="col">${t('seats')}</th>
            <th scope="col">${t('plays')}</th>
            <th scope="col">${t('agreed')}</th>
            <th scope="col">${t('mistakes')}</th>
            <th scope="col">${t('givenAway')}</th>
          </tr>
        </thead>
        <tbody>
          ${summariseSeats(result.seats, decisions, threshold).map(
            (seat) => html`
              <tr key=${seat.seat}>
                <th scope="row">${playerName(seat.seat)}</th>
                <td>${seat.plays}</td>
                <td>${seat.agreed} / ${seat.choices}</td>
                <td>${seat.mistakes}</td>
                <td>${fixedText(seat.loss, 2)}</td>
              </tr>
            `,
          )}
        </tbody>
      </table>
    </section>
  `;
}
