// Component ReviewSheet: positions of a record, its mistakes, and the advice at each decision.
import { HeatMap } from '../advice/heat_map.js';
import { ImaginedDeals } from '../advice/imagined_deals.js';
import { LabelTable } from '../advice/label_table.js';
import { ReasonList } from '../advice/reason_list.js';
import { Verdict } from '../advice/verdict.js';
import { announce } from '../announce.js';
import { CardRow } from '../cards/card_row.js';
import { cardName } from '../cards/card_text.js';
import { signedPoints } from '../format.js';
import { Graph } from '../graph.js';
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from '../html.js';
import { onKeys } from '../keys.js';
import { ask } from '../link.js';
import { say, set, useSettings } from '../settings.js';
import { seatsFrom } from '../table/seats.js';
import { t } from '../words.js';
import { saveFile } from './save_file.js';

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

export function ReviewSheet({ sheet, at }) {
  const liked = useSettings();
  const [work, setWork] = useState({
    state: sheet.state,
    done: sheet.done,
    total: sheet.total,
    result: sheet.result,
  });
  const [agent, setAgent] = useState('kb');
  const [agents, setAgents] = useState(['kb']);
  const [deals, setDeals] = useState(40);
  const [decision, setDecision] = useState(null);
  const [hands, setHands] = useState(true);
  const [hints, setHints] = useState(true);
  const [running, setRunning] = useState(false);
  const [speed, setSpeed] = useState(1);
  const [problem, setProblem] = useState('');
  const drawing = useRef(null);
  const pictures = sheet.pictures;
  const picture = pictures[at];
  const go = (place) =>
    location.replace(`#/review/${sheet.review}/${Math.min(pictures.length - 1, Math.max(0, place))}`);
  const who = (seat) => (sheet.players[seat] ? `${seat} ${sheet.players[seat]}` : t('seat', seat));

  useEffect(() => {
    ask('/api/games')
      .then((told) =>
        setAgents(
          told.games.find((each) => each.name === sheet.game)?.agents.filter((each) => /^(kb|abl)/.test(each)) ?? [
            'kb',
          ],
        ),
      )
      .catch(() => {});
  }, []);
  useEffect(() => {
    setDecision(null);
    if (!hints) return undefined;
    let gone = false;
    const timer = setTimeout(
      () =>
        ask(`/api/reviews/${sheet.review}/${at}?agent=${encodeURIComponent(agent)}&lang=${liked.language}`).then(
          (told) => gone || setDecision(told),
          (error) => gone || setDecision({ problem: error.message }),
        ),
      running ? 0 : 60,
    );
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [at, agent, hints, liked.language]);
  useEffect(() => {
    if (work.state !== 'working') return undefined;
    const timer = setInterval(
      () =>
        ask(`/api/reviews/${sheet.review}/progress`).then(setWork, (error) => {
          setProblem(error.message);
          setWork((now) => ({ ...now, state: 'idle' }));
        }),
      700,
    );
    return () => clearInterval(timer);
  }, [work.state]);
  useEffect(() => {
    if (!running) return undefined;
    const swings = found.find((each) => each.place === at)?.mistake;
    const timer = setTimeout(
      () => (at < pictures.length - 1 ? go(at + 1) : setRunning(false)),
      (swings ? 3000 : 1000) / speed,
    );
    return () => clearTimeout(timer);
  }, [running, at, speed]);

  const found = work.result?.decisions ?? [];
  const threshold = liked.threshold;
  const mistakes = found.filter((each) => each.mistake && each.loss >= threshold);
  const byPlace = useMemo(() => new Map(found.map((each) => [each.place, each])), [found]);
  const nextOf = (list) => {
    const next = list.find((each) => each.place > at) ?? list[0];
    if (next) go(next.place);
  };
  const swings = found.filter(
    (each, number) => number && Math.abs(each.best - found[number - 1].best) > Math.max(1, threshold),
  );
  useLayoutEffect(() =>
    onKeys({
      ArrowLeft: () => go(at - 1),
      ArrowRight: () => go(at + 1),
      Home: () => go(0),
      End: () => go(pictures.length - 1),
      ' ': (event) => (event.target.closest?.('button, a, summary, input') ? false : setRunning(!running)),
      e: () => nextOf(mistakes),
      b: () => nextOf(swings),
      o: () => setHands(!hands),
      h: () => setHints(!hints),
    }),
  );
  useEffect(() => {
    announce(`${t('act', at + 1, pictures.length)}. ${textOfAct(picture.act)}`);
  }, [at]);

  const textOfAct = (each) =>
    t(
      'played',
      who(each.seat),
      [say(each.stage ?? ''), say(each.text), each.cards.map((text) => cardName(sheet.deck, text)).join(', ')]
        .filter(Boolean)
        .join(' '),
    );
  const start = () =>
    ask('/api/reviews/work', {
      review: sheet.review,
      agent,
      onward: 'greedy',
      deals: Number(deals),
      lang: liked.language,
    }).then(setWork, (error) => setProblem(error.message));
  const here = byPlace.get(at);
  const lines = [...new Set(found.map((each) => each.seat))].slice(0, 4).map((seat) => ({
    name: who(seat),
    points: found.filter((each) => each.seat === seat && each.best != null).map((each) => [each.place, each.best]),
  }));
  const errors = (work.result?.errors ?? []).map((value, place) => [place, value]).filter(([, value]) => value != null);
  const saveSvg = () => {
    const copy = drawing.current.cloneNode(true);
    const paint = document.createElementNS('http://www.w3.org/2000/svg', 'style');
    paint.textContent = GRAPH_STYLE;
    copy.prepend(paint);
    saveFile('review.svg', new XMLSerializer().serializeToString(copy), 'image/svg+xml');
  };
  return html`
    <div class="review" data-at=${at} data-state=${work.state}>
      <section class="panel pictures" aria-label=${say(sheet.title)}>
        <h1>
          ${say(sheet.title)}${' '}
          <span class="small">${sheet.lines > 1 ? t('lineOf', sheet.line, sheet.lines) : ''}</span>
        </h1>
        ${
          sheet.refused &&
          html`
            <p class="problem" role="status">
              ${t('oldRules')} ${sheet.refused}
            </p>
          `
        }
        ${sheet.problem && html`<p class="problem">${t('wrongFrom', sheet.problem)}</p>`}
        <p class="step">
          <b>${t('act', at + 1, pictures.length)}</b> ${textOfAct(picture.act)}${' '}
          ${picture.told
            .filter((each) => each.plain)
            .map(
              (each) => html`
                <span class="small">
                  ${say(each.name)} ${each.value}${' '}
                </span>
              `,
            )}
        </p>
        <div class="buttons">
          <button type="button" onClick=${() => go(0)} aria-label=${t('first')}>
            |◀
          </button>
          <button type="button" onClick=${() => go(at - 1)} aria-label=${t('previous')}>
            ◀
          </button>
          <button type="button" onClick=${() => setRunning(!running)} aria-pressed=${running}>
            ${running ? t('stop') : t('run')}
          </button>
          <button type="button" onClick=${() => go(at + 1)} aria-label=${t('following')}>
            ▶
          </button>
          <button type="button" onClick=${() => go(pictures.length - 1)} aria-label=${t('lastStep')}>
            ▶|
          </button>
          <label class="small">
            ${t('speed')}${' '}
            <select value=${speed} onChange=${(event) => setSpeed(Number(event.target.value))}>
              ${[0.5, 1, 2, 4].map(
                (each) => html`
                  <option key=${each} value=${each}>
                    ×${each}
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
          max=${pictures.length - 1}
          value=${at}
          aria-label=${t('act', at + 1, pictures.length)}
          onInput=${(event) => go(Number(event.target.value))}
        />
        <p class="switches">
          <label>
            <input type="checkbox" checked=${hands} onChange=${() => setHands(!hands)} /> ${t('hiddenHands')}
          </label>${' '}
          <label>
            <input type="checkbox" checked=${hints} onChange=${() => setHints(!hints)} /> ${t('hints')}
          </label>
        </p>
        <div class="hands">
          ${picture.hands.map(
            (hand, seat) => html`
              <div key=${seat} class=${`held-by ${seat === picture.seat ? 'acts' : ''}`}>
                <b>${who(seat)}</b> <span class="small">${hand.length}</span>
                ${
                  hands || seat === picture.seat
                    ? html`
                      <${CardRow} deck=${sheet.deck} cards=${hand} wild=${picture.wild} small label=${who(seat)} />
                    `
                    : ''
                }
              </div>
            `,
          )}
        </div>
        ${
          picture.trick.length > 0 &&
          html`
            <h2>${t('trick')}</h2>
            <div class="lain">
              ${picture.trick.slice(-sheet.seats).map(
                (each) => html`
                  <span key=${each.number}>
                    <span class="small">${who(each.seat)}</span>${' '}
                    ${
                      each.cards.length
                        ? html`
                          <${CardRow} deck=${sheet.deck} cards=${each.cards} small />
                        `
                        : say(each.text)
                    }
                  </span>
                `,
              )}
            </div>
          `
        }
        ${
          picture.act.cards.length > 0 &&
          html`
            <h2>
              ${t('made')}: ${who(picture.seat)} ${say(picture.act.text)}
            </h2>
            <${CardRow} deck=${sheet.deck} cards=${picture.act.cards} wild=${picture.wild} />
          `
        }
        ${
          at === pictures.length - 1 &&
          sheet.ended &&
          html`
            <p>
              <b>${t('ends')}</b>:${' '}
              ${sheet.ended.points.map((number, seat) => `${who(seat)} ${number > 0 ? '+' : ''}${number}`).join(', ')}
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
                (each) => html`
                  <option key=${each} value=${each}>
                    ${each}
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
          found.length > 0 &&
          html`
            <${Graph}
              label=${t('expected')}
              length=${pictures.length}
              lines=${lines}
              at=${at}
              go=${go}
              refer=${drawing}
              marks=${mistakes.map((each) => ({
                place: each.place,
                value: each.best,
                text: `${who(each.seat)} −${each.loss.toFixed(2)}`,
              }))}
            />
            ${
              errors.length > 0 &&
              html`
                <${Graph}
                  label=${t('estimateError')}
                  length=${pictures.length}
                  zero=${false}
                  lines=${[{ name: t('estimateError'), points: errors }]}
                  at=${at}
                  go=${go}
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
                onInput=${(event) => set({ threshold: Number(event.target.value) })}
              />${' '}
              ${threshold.toFixed(1)}
            </label>
            <h2>${t('mistakes')}</h2>
            ${
              mistakes.length
                ? html`
                  <ol class="list">
                    ${[...mistakes]
                      .sort((one, two) => two.loss - one.loss)
                      .map(
                        (each) => html`
                          <li key=${each.place}>
                            <a href=${`#/review/${sheet.review}/${each.place}`}>
                              ${t('act', each.place + 1, pictures.length)}, ${who(each.seat)}
                            </a>
                            : ${t('gaveAway', each.loss.toFixed(2), (2 * each.error).toFixed(2))};${' '}
                            ${t('instead', each.better)}
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
              <caption>${t('bySeat')}</caption>
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
                ${work.result.seats.map(
                  (each) => html`
                    <tr key=${each.seat}>
                      <th scope="row">${who(each.seat)}</th>
                      <td>${each.plays}</td>
                      <td>
                        ${each.agreed} / ${each.choices}
                      </td>
                      <td>${each.mistakes}</td>
                      <td>${each.loss.toFixed(2)}</td>
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
          <section class="panel thought" aria-label=${t('advice')} aria-busy=${!decision}>
            ${
              !decision
                ? html`
                  <p class="small">${t('searching')}</p>
                `
                : decision.problem
                  ? html`
                    <p class="small">${decision.problem}</p>
                  `
                  : html`
                    ${
                      here &&
                      html`
                        <p>
                          <b>
                            ${here.mistake && here.loss >= threshold ? '?? ' : ''}
                            ${t('gaveAway', here.loss.toFixed(2), (2 * here.error).toFixed(2))}
                          </b>
                          ${here.loss > 0 ? `; ${t('instead', here.better)}` : ''}
                        </p>
                        <table class="grid">
                          <thead>
                            <tr>
                              <th scope="col">${t('move')}</th>
                              <th scope="col">${t('expected')}</th>
                            </tr>
                          </thead>
                          <tbody>
                            ${here.tried.map(
                              (each) => html`
                                <tr key=${each.text} class=${each.made ? 'is-made' : ''}>
                                  <th scope="row">${each.text}</th>
                                  <td>${signedPoints(each.points)}</td>
                                </tr>
                              `,
                            )}
                          </tbody>
                        </table>
                      `
                    }
                    <${Verdict}
                      heading=${t('best')}
                      verdict=${decision.best}
                      deck=${sheet.deck}
                      moves=${decision.moves}
                    />
                    ${
                      decision.made &&
                      decision.made.place !== decision.best.place &&
                      html`
                        <${Verdict}
                          heading=${t('made')}
                          verdict=${decision.made}
                          deck=${sheet.deck}
                          moves=${decision.moves}
                        />
                        <h4>${t('difference')}</h4>
                        <${ReasonList} reasons=${decision.difference} />
                      `
                    }
                    <${LabelTable} labels=${decision.labels} />
                    ${
                      decision.estimate &&
                      html`
                        <h3>${t('estimated')}</h3>
                        <p class="small">
                          ${t('truth')}; ${t('errorHere', `${(100 * decision.estimate.error).toFixed(0)}%`)}
                        </p>
                        <${HeatMap}
                          estimate=${decision.estimate}
                          deck=${sheet.deck}
                          names=${seatsFrom(picture.seat, sheet.after).slice(1).map(who)}
                          truth=${hands ? decision.estimate.truth : null}
                        />
                      `
                    }
                    ${
                      decision.imagined &&
                      html`
                        <${ImaginedDeals}
                          deals=${decision.imagined}
                          deck=${sheet.deck}
                          names=${seatsFrom(picture.seat, sheet.after).slice(1).map(who)}
                        />
                      `
                    }
                    <details>
                      <summary>${t('ranking')}</summary>
                      <table class="grid">
                        <thead>
                          <tr>
                            <th scope="col">${t('move')}</th>
                            <th scope="col">${t('costs')}</th>
                            <th scope="col">${t('probability')}</th>
                            <th scope="col">${t('ahead')}</th>
                          </tr>
                        </thead>
                        <tbody>
                          ${decision.ranking.map(
                            (each) => html`
                              <tr key=${each.row} class=${each.made ? 'is-made' : ''}>
                                <th scope="row">${each.text}</th>
                                <td>${each.cost}</td>
                                <td>
                                  ${each.probability == null ? '' : `${(100 * each.probability).toFixed(1)}%`}
                                </td>
                                <td>${signedPoints(each.points)}</td>
                              </tr>
                            `,
                          )}
                        </tbody>
                      </table>
                    </details>
                  `
            }
          </section>
        `
      }
    </div>
  `;
}
