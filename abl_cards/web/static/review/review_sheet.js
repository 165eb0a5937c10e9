// Component ReviewSheet: positions of a record, its mistakes, and the advice at each decision.
import { announce } from '../announce.js';
import { CopyLink } from '../dialogs/copy_link.js';
import { fixedText } from '../format.js';
import { Graph } from '../graph.js';
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from '../html.js';
import { onKeys } from '../keys.js';
import { request } from '../link.js';
import { localise, updateSettings, useSettings } from '../settings.js';
import { eventText } from '../table/event_text.js';
import { positionOfFrame } from '../table/position.js';
import { Table } from '../table/table.js';
import { useSize } from '../table/use_size.js';
import { agentName } from '../text/agent_name.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { DecisionPanel } from './decision_panel.js';
import { saveFile } from './save_file.js';
import { isMistake, reviewCommand, summariseSeats } from './summaries.js';

const GRAPH_STYLE = [
  'text{font:11px sans-serif;fill:#222}',
  '.ground{fill:#fff}',
  '.axis{stroke:#999}',
  '.line{fill:none;stroke-width:2}',
  '.line0{stroke:#0b5f8a}',
  '.line1{stroke:#b3261e}',
  '.line2{stroke:#11702f}',
  '.line3{stroke:#8a5a00}',
  'text.name{stroke:none}',
  '.mark{fill:#b3261e}',
  '.now{stroke:#555}',
].join('');

export function ReviewSheet({ review, index }) {
  const userSettings = useSettings();
  const [work, setWork] = useState({
    state: review.state,
    done: review.done,
    total: review.total,
    result: review.result,
  });
  const [agent, setAgent] = useState('kb');
  const [agents, setAgents] = useState(['kb']);
  const [onward, setOnward] = useState('kb');
  const [allAgents, setAllAgents] = useState(['kb']);
  const [deals, setDeals] = useState(100);
  const [decision, setDecision] = useState(null);
  const [hands, setHands] = useState(true);
  const [hints, setHints] = useState(true);
  const [seatBelow, setSeatBelow] = useState(0);
  const [space, size] = useSize();
  const [running, setRunning] = useState(false);
  const [speed, setSpeed] = useState(1);
  const [problem, setProblem] = useState('');
  const drawing = useRef(null);
  const frames = review.pictures;
  const frame = frames[index];
  const goTo = (target) =>
    location.replace(`#/review/${review.review}/${Math.min(frames.length - 1, Math.max(0, target))}`);
  const playerName = (seat) => (review.players[seat] ? `${seat} ${agentName(review.players[seat])}` : t('seat', seat));

  useEffect(() => {
    request('/api/games')
      .then((catalogue) => {
        const offered = catalogue.games.find((game) => game.name === review.game)?.agents ?? ['kb'];
        setAllAgents(offered);
        setAgents(offered.filter((agent) => /^(kb|abl)/.test(agent)));
      })
      .catch(() => {});
  }, []);
  useEffect(() => {
    setDecision(null);
    if (!hints) return undefined;
    let stopped = false;
    const timer = setTimeout(
      () =>
        request(
          `/api/reviews/${review.review}/${index}?agent=${encodeURIComponent(agent)}&lang=${userSettings.language}`,
        ).then(
          (response) => stopped || setDecision(response),
          (error) => stopped || setDecision({ problem: error.message }),
        ),
      running ? 0 : 60,
    );
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [index, agent, hints, userSettings.language]);
  useEffect(() => {
    if (work.state !== 'working') return undefined;
    const timer = setInterval(
      () =>
        request(`/api/reviews/${review.review}/progress`).then(setWork, (error) => {
          setProblem(error.message);
          setWork((state) => ({ ...state, state: 'idle' }));
        }),
      700,
    );
    return () => clearInterval(timer);
  }, [work.state]);
  useEffect(() => {
    if (!running) return undefined;
    const swings = decisions.find((decision) => decision.place === index)?.mistake;
    const timer = setTimeout(
      () => (index < frames.length - 1 ? goTo(index + 1) : setRunning(false)),
      (swings ? 3000 : 1000) / speed,
    );
    return () => clearTimeout(timer);
  }, [running, index, speed]);

  const decisions = work.result?.decisions ?? [];
  const threshold = userSettings.threshold;
  const method = work.result?.method;
  const mistakes = decisions.filter((decision) => isMistake(decision, threshold));
  const decisionAt = useMemo(() => new Map(decisions.map((decision) => [decision.place, decision])), [decisions]);
  const nextOf = (list) => {
    const next = list.find((decision) => decision.place > index) ?? list[0];
    if (next) goTo(next.place);
  };
  const swings = decisions.filter(
    (decision, index) => index && Math.abs(decision.best - decisions[index - 1].best) > Math.max(1, threshold),
  );
  useLayoutEffect(() =>
    onKeys({
      ArrowLeft: () => goTo(index - 1),
      ArrowRight: () => goTo(index + 1),
      Home: () => goTo(0),
      End: () => goTo(frames.length - 1),
      ' ': (event) => (event.target.closest?.('button, a, summary, input') ? false : setRunning(!running)),
      e: () => nextOf(mistakes),
      b: () => nextOf(swings),
      o: () => setHands(!hands),
      h: () => setHints(!hints),
    }),
  );
  useEffect(() => {
    announce(`${t('act', index + 1, frames.length)}. ${actText(frame.act)}`);
  }, [index]);

  const { names } = positionOfFrame(review, frame, seatBelow, hands, playerName);
  const actText = (act) => eventText(names, act);
  const start = () =>
    request('/api/reviews/work', {
      review: review.review,
      agent,
      onward,
      deals: Number(deals),
      lang: userSettings.language,
    }).then(setWork, (error) => setProblem(error.message));
  const evaluation = decisionAt.get(index);
  const lines = [...new Set(decisions.map((decision) => decision.seat))].slice(0, 4).map((seat) => ({
    name: playerName(seat),
    points: decisions
      .filter((decision) => decision.seat === seat && decision.best != null)
      .map((decision) => [decision.place, decision.best]),
  }));
  const errors = (work.result?.errors ?? []).map((value, index) => [index, value]).filter(([, value]) => value != null);
  const saveSvg = () => {
    const copy = drawing.current.cloneNode(true);
    const paint = document.createElementNS('http://www.w3.org/2000/svg', 'style');
    paint.textContent = GRAPH_STYLE;
    copy.prepend(paint);
    saveFile('review.svg', new XMLSerializer().serializeToString(copy), 'image/svg+xml');
  };
  return html`
    <div class="review" data-at=${index} data-state=${work.state}>
      <section class="panel pictures" aria-label=${localise(review.title)}>
        <h1>
          ${localise(review.title)}${' '}
          <span class="small">${review.lines > 1 ? t('lineOf', review.line, review.lines) : ''}</span>
        </h1>
        ${
          review.refused &&
          html`
            <p class="problem" role="status">
              ${t('oldRules')} ${review.refused}
            </p>
          `
        }
        ${review.problem && html`<p class="problem">${t('wrongFrom', review.problem)}</p>`}
        <p class="step">
          <b>${t('act', index + 1, frames.length)}</b> ${actText(frame.act)}
        </p>
        <div class="buttons">
          <button type="button" onClick=${() => goTo(0)} aria-label=${t('first')}>
            |◀
          </button>
          <button type="button" onClick=${() => goTo(index - 1)} aria-label=${t('previous')}>
            ◀
          </button>
          <button type="button" onClick=${() => setRunning(!running)} aria-pressed=${running}>
            ${running ? t('stop') : t('run')}
          </button>
          <button type="button" onClick=${() => goTo(index + 1)} aria-label=${t('following')}>
            ▶
          </button>
          <button type="button" onClick=${() => goTo(frames.length - 1)} aria-label=${t('lastStep')}>
            ▶|
          </button>
          <label class="small">
            ${t('speed')}${' '}
            <select value=${speed} onChange=${(event) => setSpeed(Number(event.target.value))}>
              ${[0.5, 1, 2, 4].map(
                (item) => html`
                  <option key=${item} value=${item}>
                    ×${item}
                  </option>
                `,
              )}
            </select>
          </label>
          <button type="button" disabled=${!mistakes.length} onClick=${() => nextOf(mistakes)}>
            ${t('nextMistake')} <kbd>E</kbd>
          </button>
          <button type="button" disabled=${!swings.length} onClick=${() => nextOf(swings)}>
            ${t('nextSwing')} <kbd>B</kbd>
          </button>
        </div>
        <input
          class="slide"
          type="range"
          min="0"
          max=${frames.length - 1}
          value=${index}
          aria-label=${t('act', index + 1, frames.length)}
          onInput=${(event) => goTo(Number(event.target.value))}
        />
        <p class="switches">
          <label>
            <input type="checkbox" checked=${hands} onChange=${() => setHands(!hands)} /> ${t('hiddenHands')}
          </label>${' '}
          <label>
            <input type="checkbox" checked=${hints} onChange=${() => setHints(!hints)} /> ${t('hints')}
          </label>${' '}
          <label>
            ${t('seenFrom')}${' '}
            <select
              id="review-seat"
              value=${seatBelow}
              onChange=${(event) => setSeatBelow(Number(event.target.value))}
            >
              ${frame.hands.map(
                (_, seat) => html`
                  <option key=${seat} value=${seat}>
                    ${playerName(seat)}
                  </option>
                `,
              )}
            </select>
          </label>
        </p>
        <div class="table-space" ref=${space}>
          ${
            size &&
            html`
              <${Table}
                position=${positionOfFrame(review, frame, seatBelow, hands, playerName)}
                size=${size}
                label=${localise(review.title)}
                trickLabel=${t('trick')}
                isOpen
              />
            `
          }
        </div>
        ${
          index === frames.length - 1 &&
          review.ended &&
          html`
            <p>
              <b>${t('ends')}</b>:${' '}
              ${review.ended.points
                .map((number, seat) => `${playerName(seat)} ${number > 0 ? '+' : ''}${number}`)
                .join(', ')}
            </p>
          `
        }
        <p class="small">${t('stepLink')}</p>
      </section>
      <section class="panel over" aria-label=${t('mistakes')}>
        <p class="buttons">
          <label>
            ${t('asker')}${' '}
            <select value=${agent} onChange=${(event) => setAgent(event.target.value)}>
              ${agents.map(
                (agent) => html`
                  <option key=${agent} value=${agent}>
                    ${agent}
                  </option>
                `,
              )}
            </select>
          </label>
          <label>
            ${t('onward')}${' '}
            <select id="review-onward" value=${onward} onChange=${(event) => setOnward(event.target.value)}>
              ${allAgents.map(
                (agent) => html`
                  <option key=${agent} value=${agent}>
                    ${agent}
                  </option>
                `,
              )}
            </select>
          </label>
          <label>
            ${t('deals')}${' '}
            <input
              type="number"
              min="4"
              max="1000"
              value=${deals}
              onInput=${(event) => setDeals(event.target.value)}
            />
          </label>
          <button type="button" class="strong" disabled=${work.state === 'working'} onClick=${start}>
            ${t('findMistakes')}
          </button>
          ${
            work.state === 'working' &&
            html`
              <span role="status">${t('finding', work.done, work.total || '…')}</span>
            `
          }
        </p>
        ${
          (problem || work.result?.problem) &&
          html`
            <p class="problem" role="alert">
              ${problem || work.result.problem}
            </p>
          `
        }
        ${
          method &&
          html`
            <p class="small method">
              ${t('method', method.agent, method.rollout_agent, method.deals, method.seed)}
            </p>
            <${CopyLink} label=${t('sameAs')} value=${reviewCommand(review, method, threshold)} />
          `
        }
        ${
          decisions.length > 0 &&
          html`
            <${Graph}
              label=${t('expected', method.rollout_agent)}
              length=${frames.length}
              lines=${lines}
              current=${index}
              onSelect=${goTo}
              svgRef=${drawing}
              marks=${mistakes.map((mistake) => ({
                place: mistake.place,
                value: mistake.best,
                text: `${playerName(mistake.seat)} −${fixedText(mistake.loss, 2)}`,
              }))}
            />
            ${
              errors.length > 0 &&
              html`
                <${Graph}
                  label=${t('estimateError')}
                  length=${frames.length}
                  zero=${false}
                  lines=${[{ name: t('estimateError'), points: errors }]}
                  current=${index}
                  onSelect=${goTo}
                />
              `
            }
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
            <h2>${t('mistakes')}</h2>
            ${
              mistakes.length
                ? html`
                  <ol class="list">
                    ${[...mistakes]
                      .sort((a, b) => b.loss - a.loss)
                      .map(
                        (mistake) => html`
                          <li key=${mistake.place}>
                            <a href=${`#/review/${review.review}/${mistake.place}`}>
                              ${t('act', mistake.place + 1, frames.length)}, ${playerName(mistake.seat)}
                            </a>
                            : ${t('gaveAway', fixedText(mistake.loss, 2), fixedText(2 * mistake.error, 2))};${' '}
                            <${Words} text=${t('instead', localise(mistake.better))} names=${names} />
                            ${mistake.agreed ? html` <b>${t('disagrees', method.rollout_agent, method.agent)}</b>` : ''}
                          </li>
                        `,
                      )}
                  </ol>
                `
                : html`
                  <p class="small">${t('noMistakes')}</p>
                `
            }
            <table class="grid">
              <caption>${t('bySeat', method.agent, method.rollout_agent)}</caption>
              <thead>
                <tr>
                  <th scope="col">${t('seats')}</th>
                  <th scope="col">${t('plays')}</th>
                  <th scope="col">${t('agreed')}</th>
                  <th scope="col">${t('mistakes')}</th>
                  <th scope="col">${t('lost')}</th>
                </tr>
              </thead>
              <tbody>
                ${summariseSeats(work.result.seats, decisions, threshold).map(
                  (seat) => html`
                    <tr key=${seat.seat}>
                      <th scope="row">${playerName(seat.seat)}</th>
                      <td>${seat.plays}</td>
                      <td>
                        ${seat.agreed} / ${seat.choices}
                      </td>
                      <td>${seat.mistakes}</td>
                      <td>${fixedText(seat.loss, 2)}</td>
                    </tr>
                  `,
                )}
              </tbody>
            </table>
            <p class="buttons">
              <button
                type="button"
                onClick=${() => saveFile('review.json', JSON.stringify(work.result), 'application/json')}
              >
                ${t('asJson')}
              </button>
              <button type="button" onClick=${saveSvg}>
                ${t('asSvg')}
              </button>
            </p>
          `
        }
      </section>
      ${
        hints &&
        html`
          <${DecisionPanel}
            review=${review}
            frame=${frame}
            names=${names}
            decision=${decision}
            evaluation=${evaluation}
            threshold=${threshold}
            showHands=${hands}
            playerName=${playerName}
            method=${method}
          />
        `
      }
    </div>
  `;
}
