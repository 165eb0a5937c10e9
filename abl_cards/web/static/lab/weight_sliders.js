// Component WeightSliders: scale weights of preferences, and show the choices in the pinned positions.
import { html, useEffect, useRef, useState } from '../html.js';
import { t } from '../words.js';

const SLIDER_PAUSE = 120;

export function WeightSliders({ callLab, states, language, work, onError, version, keep }) {
  const [preferences, setPreferences] = useState([]);
  const [factors, setFactors] = useState({});
  const [decisions, setDecisions] = useState([]);
  const [games, setGames] = useState(400);
  const timer = useRef(0);
  const languageIndex = language === 'zh' ? 1 : 0;
  useEffect(() => {
    callLab('weights')
      .then((response) => {
        setPreferences(response.preferences);
        setFactors((current) =>
          Object.fromEntries(
            Object.entries(current).filter(([name]) =>
              response.preferences.some((preference) => preference.name === name),
            ),
          ),
        );
      })
      .catch(onError);
  }, [version]);
  useEffect(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () =>
        callLab('weigh', { factors, states, language })
          .then((response) => setDecisions(response.decisions))
          .catch(onError),
      SLIDER_PAUSE,
    );
    return () => clearTimeout(timer.current);
  }, [factors, states, language, version]);
  const setFactor = (name, value) =>
    setFactors((current) => {
      const { [name]: _, ...others } = current;
      return value === 1 ? others : { ...others, [name]: value };
    });
  const weightText = ({ name, weights }) =>
    weights.map((weight) => Math.round(weight * (factors[name] ?? 1))).join(', ');
  return html`
    <section class="weights">
      <h2>${t('weightsIn')}</h2>
      ${preferences.length === 0 && html`<p class="small">${t('weightsNone')}</p>`}
      <div class="sliders">
        ${preferences.map(
          (item) => html`
            <label key=${item.name}>
              <span>
                ${item.words[languageIndex]}${' '}
                <span class="small">
                  ${item.name} ${weightText(item)}
                </span>
              </span>
              <input
                type="range"
                min="-1"
                max="4"
                step="0.05"
                value=${factors[item.name] ?? 1}
                aria-valuetext=${t('weightOf', item.name, factors[item.name] ?? 1)}
                onInput=${(event) => setFactor(item.name, Number(event.target.value))}
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
          onClick=${() => keep(factors).then(() => setFactors({}), onError)}
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
          (decision, index) => html`
            <li key=${index} class=${decision.changed ? 'changed' : ''}>
              ${
                decision.problem
                  ? html`
                    <span class="small">${decision.problem}</span>
                  `
                  : html`
                    ${
                      decision.changed
                        ? html`
                          <s>${decision.before}</s> → <b>${decision.now}</b>
                        `
                        : html`
                          <b>${decision.now}</b> <span class="small">${t('choiceSame')}</span>
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
                          ${decision.moves.map(
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
