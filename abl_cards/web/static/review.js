// The section Review: a record stepped through, each decision judged, its mistakes found.
import { html, useState, useEffect, useLayoutEffect, useRef, useMemo } from './html.js';
import { ask } from './link.js';
import { t, add } from './words.js';
import { say, set, settings, useSettings } from './settings.js';
import { Cards, nameOf } from './cards.js';
import { Imagined, Labels, Reasons, Verdict } from './advice.js';
import { HeatMap } from './heat.js';
import { Graph } from './graph.js';
import { roundFrom } from './table.js';
import { onKeys } from './keys.js';
import { announce } from './announce.js';

add({
  openRecord: ['Open a record', '打开记录'],
  recordsHere: [
    'A file of records (.jsonl, .jsonl.gz, .json), or paste them',
    '记录文件（.jsonl、.jsonl.gz、.json），或直接粘贴',
  ],
  lineOf: ['Record {} of {}', '第{}条，共{}条'],
  look: ['Look it over', '开始复盘'],
  first: ['first', '开头'],
  previous: ['back', '上一步'],
  following: ['next', '下一步'],
  lastStep: ['last', '结尾'],
  run: ['play', '播放'],
  stop: ['stop', '停止'],
  speed: ['speed', '速度'],
  nextMistake: ['next mistake', '下一个失误'],
  nextSwing: ['next swing', '下一次转折'],
  hiddenHands: ['show all hands', '显示所有手牌'],
  hints: ['show what the agent thinks', '显示智能体的看法'],
  asker: ['Agent', '智能体'],
  findMistakes: ['Find the mistakes', '找出失误'],
  finding: ['trying moves: {} of {}', '正在试走：{}／{}'],
  threshold: ['points a mistake costs at least', '失误至少损失的分数'],
  expected: ['expected points', '期望得分'],
  estimateError: ['share of hidden cards misplaced', '暗牌估错的比例'],
  act: ['Act {} of {}', '第{}步，共{}步'],
  made: ['Made', '实际'],
  gaveAway: ['gave away {} ± {} points', '损失{} ± {}分'],
  instead: ['better: {}', '更好：{}'],
  ranking: ['Every legal move, the best first', '全部合法出法，从好到差'],
  move: ['move', '出法'],
  costs: ['cost', '代价'],
  noMistakes: ['No mistakes at this threshold.', '按这个门槛没有失误。'],
  mistakes: ['Mistakes', '失误'],
  bySeat: ['By seat', '各家'],
  agreed: ['as the agent', '与智能体一致'],
  lost: ['given away', '损失'],
  plays: ['plays', '出牌'],
  asJson: ['Download as JSON', '下载JSON'],
  asSvg: ['Download the graph', '下载曲线图'],
  stepLink: ['This position has the address of the page.', '页面地址就是这一步的链接。'],
  truth: ['rings: what was really there', '圆圈：真实的牌'],
  errorHere: ['{} of the hidden cards misplaced', '估错{}的暗牌'],
  wrongFrom: ['The rules do not confirm this record: {}', '规则不认可这份记录：{}'],
  ends: ['what came of it', '结果'],
  deals: ['imagined deals a move', '每步设想的牌局数'],
  searching: ['thinking …', '思考中……'],
});

const signed = (number) => (number == null ? '' : `${number > 0 ? '+' : ''}${number.toFixed(2)}`);

async function textOf(file) {
  const stream = file.name.endsWith('.gz') ? file.stream().pipeThrough(new DecompressionStream('gzip')) : file.stream();
  return new Response(stream).text();
}

function Opener({ opened }) {
  const [games, setGames] = useState(null);
  const [wish, setWish] = useState({ game: '', profile: '', text: '', line: 1 });
  const [problem, setProblem] = useState('');
  const lines = wish.text.split('\n').filter((line) => line.trim()).length;
  const open = async (wanted) => {
    try {
      const made = await ask('/api/reviews', {
        game: wanted.game,
        text: wanted.text,
        line: Math.max(1, Number(wanted.line) || 1),
        ...(wanted.profile ? { profile: wanted.profile } : {}),
      });
      opened(made);
    } catch (error) {
      setProblem(error.message);
    }
  };
  useEffect(() => {
    ask('/api/games').then(
      (told) => {
        setGames(told);
        const kept = sessionStorage.getItem('review');
        sessionStorage.removeItem('review');
        const before = kept ? JSON.parse(kept) : {};
        const now = { game: told.first, profile: '', text: '', line: 1, ...before };
        setWish(now);
        if (kept) open({ ...now, line: now.text.split('\n').length });
      },
      (error) => setProblem(error.message),
    );
  }, []);
  if (!games) return html`<p class="wait">${problem || t('connecting')}</p>`;
  return html`
    <form
      class="panel opener"
      onSubmit=${(event) => {
        event.preventDefault();
        open(wish);
      }}
    >
      <h1>${t('openRecord')}</h1>
      ${
        problem &&
        html`
          <p class="problem" role="alert">
            ${problem}
          </p>
        `
      }
      <label>
        ${t('game')}${' '}
        <select value=${wish.game} onChange=${(event) => setWish({ ...wish, game: event.target.value })}>
          ${games.games.map(
            (each) => html`
              <option key=${each.name} value=${each.name}>
                ${say(each.title)}
              </option>
            `,
          )}
        </select>
      </label>
      <label>
        ${t('recordsHere')}${' '}
        <input
          type="file"
          accept=".jsonl,.json,.gz,.txt"
          onChange=${async (event) =>
            setWish({ ...wish, text: event.target.files[0] ? await textOf(event.target.files[0]) : '' })}
        />
      </label>
      <textarea
        aria-label=${t('recordsHere')}
        rows="6"
        value=${wish.text}
        onInput=${(event) => setWish({ ...wish, text: event.target.value })}
      ></textarea>
      ${
        lines > 1 &&
        html`
          <label>
            ${t('lineOf', '', lines)}${' '}
            <input
              type="number"
              min="1"
              max=${lines}
              value=${wish.line}
              onInput=${(event) => setWish({ ...wish, line: event.target.value })}
            />
          </label>
        `
      }
      <p class="buttons">
        <button type="submit" class="strong" disabled=${!lines}>
          ${t('look')}
        </button>
      </p>
    </form>
  `;
}

function save(name, text, type) {
  const made = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement('a'), { href: made, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(made), 5000);
}

const PAINT = [
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

export function Section({ rest }) {
  const [name, act] = rest;
  const [sheet, setSheet] = useState(null);
  const [problem, setProblem] = useState('');
  useEffect(() => {
    if (!name || sheet?.review === name) return;
    ask(`/api/reviews/${encodeURIComponent(name)}`).then(setSheet, (error) => {
      setProblem(error.message);
      location.replace('#/review');
    });
  }, [name]);
  const opened = (made) => {
    setProblem('');
    setSheet(made);
    location.hash = `#/review/${made.review}/0`;
  };
  if (!name || !sheet)
    return html`
      ${
        problem &&
        html`
          <p class="problem" role="alert">
            ${problem}
          </p>
        `
      }
      <${Opener} opened=${opened} />
    `;
  return html`
    <${Sheet}
      key=${sheet.review}
      sheet=${sheet}
      at=${Math.min(sheet.pictures.length - 1, Math.max(0, Number(act) || 0))}
    />
  `;
}

function Sheet({ sheet, at }) {
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
      [say(each.stage ?? ''), say(each.text), each.cards.map((text) => nameOf(sheet.deck, text)).join(', ')]
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
    paint.textContent = PAINT;
    copy.prepend(paint);
    save('review.svg', new XMLSerializer().serializeToString(copy), 'image/svg+xml');
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
                      <${Cards} deck=${sheet.deck} cards=${hand} wild=${picture.wild} small label=${who(seat)} />
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
                          <${Cards} deck=${sheet.deck} cards=${each.cards} small />
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
            <${Cards} deck=${sheet.deck} cards=${picture.act.cards} wild=${picture.wild} />
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
                onClick=${() => save('review.json', JSON.stringify(work.result), 'application/json')}
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
                                  <td>${signed(each.points)}</td>
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
                        <${Reasons} reasons=${decision.difference} />
                      `
                    }
                    <${Labels} labels=${decision.labels} />
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
                          names=${roundFrom(picture.seat, sheet.after).slice(1).map(who)}
                          truth=${hands ? decision.estimate.truth : null}
                        />
                      `
                    }
                    ${
                      decision.imagined &&
                      html`
                        <${Imagined}
                          deals=${decision.imagined}
                          deck=${sheet.deck}
                          names=${roundFrom(picture.seat, sheet.after).slice(1).map(who)}
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
                                <td>${signed(each.points)}</td>
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
