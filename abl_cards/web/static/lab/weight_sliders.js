// Component WeightSliders: scale weights of preferences, and show the choices in the pinned positions.
import { html, useEffect, useRef, useState } from '../html.js';
import { t } from '../words.js';

const SLIDER_PAUSE = 120;

export function WeightSliders({ at, states, language, work, trouble, version, keep }) {
  const [known, setKnown] = useState([]);
  const [factors, setFactors] = useState({});
  const [decisions, setDecisions] = useState([]);
  const [games, setGames] = useState(400);
  const timer = useRef(0);
  const place = language === 'zh' ? 1 : 0;
  useEffect(() => {
    at('weights')
      .then((found) => {
        setKnown(found.preferences);
        setFactors((now) =>
          Object.fromEntries(
            Object.entries(now).filter(([name]) => found.preferences.some((each) => each.name === name)),
          ),
        );
      })
      .catch(trouble);
  }, [version]);
  useEffect(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () =>
        at('weigh', { factors, states, language })
          .then((found) => setDecisions(found.decisions))
          .catch(trouble),
      SLIDER_PAUSE,
    );
    return () => clearTimeout(timer.current);
  }, [factors, states, language, version]);
  const slide = (name, value) =>
    setFactors((now) => {
      const { [name]: _, ...others } = now;
      return value === 1 ? others : { ...others, [name]: value };
    });
  const told = (each) => each.weights.map((weight) => Math.round(weight * (factors[each.name] ?? 1))).join(', ');
  return html`
    <section class="weights">
      <h2>${t('weightsIn')}</h2>
      ${known.length === 0 && html`<p class="small">${t('weightsNone')}</p>`}
      <div class="sliders">
        ${known.map(
          (each) => html`
            <label key=${each.name}>
              <span>
                ${each.words[place]}${' '}
                <span class="small">
                  ${each.name} ${told(each)}
                </span>
              </span>
              <input
                type="range"
                min="-1"
                max="4"
                step="0.05"
                value=${factors[each.name] ?? 1}
                aria-valuetext=${t('weightOf', each.name, factors[each.name] ?? 1)}
                onInput=${(event) => slide(each.name, Number(event.target.value))}
              />
            </label>
          `,
        )}
      </div>
      <p class="buttons">
        <button type="button" disabled=${!Object.keys(factors).length} onClick=${() => setFactors({})}>
          ${t('weightsBack')}
        </button>
        <button
          type="button"
          disabled=${!Object.keys(factors).length}
          onClick=${() => keep(factors).then(() => setFactors({}), trouble)}
        >
          ${t('weightsKeep')}
        </button>
        <label>
          ${t('matchGames')}${' '}
          <input type="number" min="2" max="4000" value=${games} onInput=${(event) => setGames(event.target.value)} />
        </label>
        <button type="button" onClick=${() => work.begin('match', { factors, games: Number(games) })}>
          ${t('matchOf')}
        </button>
        <button type="button" onClick=${() => work.begin('ablation', { games: Number(games) })}>
          ${t('ablation')}
        </button>
      </p>
      <ol class="decided">
        ${decisions.map(
          (each, number) => html`
            <li key=${number} class=${each.changed ? 'changed' : ''}>
              ${
                each.problem
                  ? html`
                    <span class="small">${each.problem}</span>
                  `
                  : html`
                    ${
                      each.changed
                        ? html`
                          <s>${each.before}</s> → <b>${each.now}</b>
                        `
                        : html`
                          <b>${each.now}</b> <span class="small">${t('choiceSame')}</span>
                        `
                    }
                    <details>
                      <summary class="small">${t('costNow')}</summary>
                      <table class="labels">
                        <thead>
                          <tr>
                            <td></td>
                            <th scope="col">${t('costBefore')}</th>
                            <th scope="col">${t('costNow')}</th>
                          </tr>
                        </thead>
                        <tbody>
                          ${each.moves.map(
                            (move) => html`
                              <tr key=${move.text}>
                                <th scope="row">${move.text}</th>
                                <td>${move.before}</td>
                                <td>${move.now}</td>
                              </tr>
                            `,
                          )}
                        </tbody>
                      </table>
                    </details>
                  `
              }
            </li>
          `,
        )}
      </ol>
    </section>
  `;
}
