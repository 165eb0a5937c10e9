// What takes longer in the rules lab: cases, mutations, matches with other weights. The server does one thing a folder.
import { html, useState, useEffect, useRef } from './html.js';
import { add, t } from './words.js';

add({
  workStop: ['Stop', '停止'],
  workWaits: ['waiting …', '排队中……'],
  workStopped: ['stopped', '已停止'],
  casesHold: ['All {} cases hold.', '{}条用例全部成立。'],
  casesNone: ['There are no cases: write them in cases.jsonl.', '没有用例：写在 cases.jsonl 里。'],
  casesWrong: ['{} cases do not hold', '{}条用例不成立'],
  mutationsFound: [
    '{} of {} edits that change something are noticed ({} edits tried of {}, {} change nothing; {} cases)',
    '有影响的修改中发现了{}个，共{}个（试了{}个，可试{}个；{}个没有影响；{}条用例）',
  ],
  mutationsLeft: ['Not noticed by any case', '没有用例发现的修改'],
  mutationsAll: ['Every edit is noticed.', '所有修改都被发现。'],
  wouldNotice: ['this case would', '这条用例能发现'],
  weightsIn: ['Weights', '权重'],
  weightsBack: ['All as the rules say', '全部恢复'],
  weightsKeep: ['Write them into the rules', '写入规则'],
  weightsNone: ['No preference can fire here.', '这里没有可用的偏好。'],
  weightOf: ['{}: × {}', '{}：×{}'],
  choiceBefore: ['before', '原来'],
  choiceNow: ['now', '现在'],
  choiceSame: ['the same choice', '选择不变'],
  costBefore: ['cost before', '原代价'],
  costNow: ['cost now', '现代价'],
  matchOf: ['A match: kb with these weights against kb before', '对局：新权重的 kb 对原来的 kb'],
  matchWon: ['{} of {} games won by the new weights, 95 % interval {} to {}', '新权重胜率{}，共{}局，95%区间{}至{}'],
  matchGames: ['Games', '局数'],
  ablation: ['What is each preference worth?', '每条偏好值多少？'],
  ablationOf: [
    'kb without it against kb with all: the less it wins, the more the preference is worth',
    '去掉该偏好的 kb 对完整的 kb：胜率越低，该偏好越重要',
  ],
  ablationRate: ['won without it', '去掉后的胜率'],
  interval: ['95 % interval', '95%区间'],
});

const share = (value) => `${(100 * value).toFixed(1)} %`;
const GOES = ['waiting', 'working'];
const LOOK = 300;

// One thing at a time, and how far it has come.
export function useJob(at, trouble) {
  const [job, setJob] = useState(null);
  const timer = useRef(0);
  const look = (found) => {
    setJob(found.job);
    clearTimeout(timer.current);
    if (found.job && GOES.includes(found.job.state))
      timer.current = setTimeout(() => at('job').then(look, trouble), LOOK);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    job,
    begin: (what, asked = {}) =>
      at('begin', { what, ...asked })
        .then(look)
        .catch(trouble),
    stop: () => at('stop').then(look).catch(trouble),
    forget: () => {
      clearTimeout(timer.current);
      setJob(null);
    },
  };
}

export function Job({ work, open }) {
  const { job } = work;
  if (!job) return null;
  const goes = GOES.includes(job.state);
  return html`
    <div class="lab-more job" data-state=${job.state} aria-busy=${goes}>
      ${
        goes
          ? html`
            <p role="status">
              <progress max=${job.total || 1} value=${job.done}></progress>${' '}
              ${job.state === 'waiting' ? t('workWaits') : `${job.done} / ${job.total || '…'}`}${' '}
              <button type="button" onClick=${work.stop}>
                ${t('workStop')}
              </button>
            </p>
          `
          : html`
            <button type="button" class="quiet" aria-label=${t('close')} onClick=${work.forget}>
              ✕
            </button>
          `
      }
      ${job.state === 'stopped' && html`<p>${t('workStopped')}</p>`}
      ${
        job.problem &&
        html`
          <p class="problem" role="alert">
            ${job.problem}
          </p>
        `
      }
      ${job.what === 'cases' && job.result && html`<${Cases} result=${job.result} goes=${goes} open=${open} />`}
      ${job.what === 'mutations' && job.result && html`<${Mutations} result=${job.result} />`}
      ${
        job.what === 'match' &&
        job.result &&
        html`
          <p>
            ${t('matchWon', share(job.result.rate), job.result.games, share(job.result.low), share(job.result.high))}
          </p>
        `
      }
      ${job.what === 'ablation' && job.result && html`<${Ablation} rows=${job.result} />`}
    </div>
  `;
}

function Cases({ result, goes, open }) {
  const heading = result.wrong
    ? t('casesWrong', result.wrong)
    : goes
      ? ''
      : result.cases
        ? t('casesHold', result.cases)
        : t('casesNone');
  return html`
    <p role="status">
      <b>${heading}</b>
    </p>
    <ul class="problems">
      ${result.first.map(
        (each) => html`
          <li key=${each.line}>
            <button type="button" class="quiet" onClick=${() => open('cases.jsonl', each.line)}>
              cases.jsonl:${each.line}
            </button>${' '}
            ${each.said} <span class="small">${each.why}</span>
          </li>
        `,
      )}
    </ul>
  `;
}

function Mutations({ result }) {
  return html`
    <p role="status">
      ${t(
        'mutationsFound',
        result.noticed,
        result.edits - result.same,
        result.edits,
        result.of,
        result.same,
        result.cases,
      )}
    </p>
    <p>
      <b>${result.left.length ? t('mutationsLeft') : t('mutationsAll')}</b>
    </p>
    <ul class="problems">
      ${result.left.map(
        (each, place) => html`
          <li key=${place}>
            <code>${each.edit}</code> <span class="small">${each.said}</span>
            ${
              each.case &&
              html`
                <details>
                  <summary class="small">${t('wouldNotice')}</summary>
                  <code>${JSON.stringify(each.case)}</code>
                </details>
              `
            }
          </li>
        `,
      )}
    </ul>
  `;
}

function Ablation({ rows }) {
  return html`
    <p class="small">${t('ablationOf')}</p>
    <table class="labels">
      <thead>
        <tr>
          <th scope="col">${t('weightsIn')}</th>
          <th scope="col">${t('ablationRate')}</th>
          <th scope="col">${t('interval')}</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (each) => html`
            <tr key=${each.name}>
              <th scope="row">${each.name}</th>
              <td>${share(each.rate)}</td>
              <td>
                ${share(each.low)} – ${share(each.high)}
              </td>
            </tr>
          `,
        )}
      </tbody>
    </table>
  `;
}

const PAUSE = 120;

// Sliders: what is chosen in the pinned positions is told while they move.
export function Weights({ at, states, language, work, trouble, version, keep }) {
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
      PAUSE,
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
