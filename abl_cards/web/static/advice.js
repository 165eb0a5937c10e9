// Advice: what an agent would do, and why; why not what somebody has picked.
import { html, useState, useEffect } from './html.js';
import { t } from './words.js';
import { say, settings } from './settings.js';
import { Cards } from './cards.js';
import { announce } from './announce.js';
import { HeatMap } from './heat.js';

export function useAdvice(seen, link, welcome) {
  const [told, setTold] = useState(null);
  const [busy, setBusy] = useState('');
  const advisor = () =>
    welcome.agents.includes(settings().advisor)
      ? settings().advisor
      : welcome.agents.includes('abl') && settings().advisor !== 'kb'
        ? 'abl'
        : 'kb';
  useEffect(() => {
    setTold(null);
    setBusy('');
  }, [seen.at]);
  const ask = async (what, more = {}) => {
    if (!seen.asked) return;
    setBusy(what);
    let answer = await link.ask({ do: what, at: seen.at, lang: settings().language, agent: advisor(), ...more });
    if (answer.type === 'error' && advisor() !== 'kb')
      answer = await link.ask({ do: what, at: seen.at, lang: settings().language, agent: 'kb', ...more });
    setBusy('');
    setTold(answer);
    if (answer.type === 'hint')
      announce(
        `${t('best')}: ${answer.best.text}. ${answer.best.reasons
          .slice(0, 2)
          .map((each) => each.words)
          .join(' ')}`,
      );
    if (answer.type === 'why')
      announce(answer.readings.map((each) => (each.legal ? t('legal') : t('illegal'))).join(', '));
    if (answer.type === 'error') announce(answer.text);
    return answer;
  };
  return {
    told,
    busy,
    hint: () => ask('hint'),
    why: (value) => ask('why', { value }),
    close: () => setTold(null),
  };
}

const signed = (number) => (number > 0 ? `+${number}` : String(number));
const percent = (share) => (share == null ? '' : `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}%`);
const points = (number) => (number == null ? '' : `${number > 0 ? '+' : ''}${number.toFixed(2)}`);

export function Reasons({ reasons }) {
  if (!reasons.length) return html`<p class="small">${t('noReasons')}</p>`;
  return html`
    <ul class="reasons">
      ${reasons.map(
        (each) => html`
          <li key=${each.name} class=${each.weight > 0 ? 'against' : 'for'}>
            <b>${signed(each.weight)}</b> ${each.words}
          </li>
        `,
      )}
    </ul>
  `;
}

export function Verdict({ heading, verdict, deck, take, moves }) {
  return html`
    <section class="verdict">
      <h3>
        ${heading}: ${verdict.text}
      </h3>
      ${verdict.cards.length > 0 && html`<${Cards} deck=${deck} cards=${verdict.cards} small />`}
      <p class="small">
        ${t('cost', verdict.cost)}
        ${moves ? ` · ${t('placed', verdict.place, moves)}` : ''}
        ${verdict.probability != null ? ` · ${t('probability')} ${percent(verdict.probability)}` : ''}
        ${verdict.points != null ? ` · ${t('ahead')} ${points(verdict.points)}` : ''}
        ${
          take &&
          html`
            ${' '}
            <button type="button" class="quiet take" onClick=${() => take(verdict)}>
              ${t('pickThese')}
            </button>
          `
        }
      </p>
      ${
        verdict.steps?.length
          ? html`
            <${Steps} steps=${verdict.steps} deck=${deck} />
          `
          : html`
            <${Reasons} reasons=${verdict.reasons} />
          `
      }
    </section>
  `;
}

// A play that is laid card by card: each step with its own reasons.
function Steps({ steps, deck }) {
  return html`
    <ol class="steps" aria-label=${t('steps')}>
      ${steps.map(
        (each, place) => html`
          <li key=${place}>
            <b>${each.text}</b> <span class="small">${t('cost', each.cost)}</span>
            ${each.cards.length > 0 && html`<${Cards} deck=${deck} cards=${each.cards} small />`}
            <${Reasons} reasons=${each.reasons} />
          </li>
        `,
      )}
    </ol>
  `;
}

// Some of the deals that the agent has looked ahead on: what the others hold there.
export function Imagined({ deals, deck, names }) {
  return html`
    <details class="imagined">
      <summary>${t('imaginedDeals')}</summary>
      <ol>
        ${deals.map(
          (hands, number) => html`
            <li key=${number}>
              ${hands.map(
                (cards, place) => html`
                  <p key=${place}>
                    <span class="small">${names[place]}</span>${' '}
                    <${Cards} deck=${deck} cards=${cards} small label=${names[place]} />
                  </p>
                `,
              )}
            </li>
          `,
        )}
      </ol>
    </details>
  `;
}

export function Labels({ labels }) {
  if (!labels.length) return null;
  const looked = labels.some((each) => each.points != null);
  return html`
    <table class="labels">
      <thead>
        <tr>
          <th scope="col">${t('label')}</th>
          <th scope="col">${t('probability')}</th>
          ${looked && html`<th scope="col">${t('ahead')}</th>`}
        </tr>
      </thead>
      <tbody>
        ${labels.map(
          (each) => html`
            <tr key=${each.text}>
              <th scope="row">${each.text}</th>
              <td>
                <meter min="0" max="1" value=${each.probability ?? 0} aria-hidden="true"></meter>${' '}
                ${percent(each.probability)}
              </td>
              ${looked && html`<td>${points(each.points)}</td>`}
            </tr>
          `,
        )}
      </tbody>
    </table>
  `;
}

// The rules behind a play, or behind its being none: a tree that opens where somebody looks.
export function Why({ why, depth = 0 }) {
  const mark = why.holds ? '' : t('not');
  const kind = { told: t('told'), fact: t('always'), 'no rule': t('noRule') }[why.kind];
  const head = html`
    <code>
      ${mark}
      ${why.atom}
    </code>
    ${
      kind &&
      html`
        ${' '}
        <span class="small">${kind}</span>
      `
    }
  `;
  if (!why.rule) return html`<div class="why">${head}</div>`;
  const place = why.place ? `${why.place.file.split(/[\\/]/).slice(-2).join('/')}:${why.place.line}` : '';
  return html`
    <details class="why" open=${depth < 2}>
      <summary>${head}</summary>
      <p class="rule">
        <span class="small">${why.holds ? t('because') : t('nearest')}</span> <code>${why.rule}</code>${' '}
        <span class="small">${place}</span>
      </p>
      ${why.because.map(
        (each, place_) => html`
          <${Why} key=${place_} why=${each} depth=${depth + 1} />
        `,
      )}
    </details>
  `;
}

export function Advice({ advice, welcome, seen, take }) {
  const { told, busy } = advice;
  const deck = welcome.deck;
  let inside = html`<p class="small">${busy ? t('thinking') + ' …' : t('noAdvice')}</p>`;
  if (told?.type === 'error') inside = html`<p class="problem">${told.text}</p>`;
  if (told?.type === 'hint') {
    inside = html`
      <p class="small">${t('asks', told.agent)}</p>
      <${Verdict} heading=${t('best')} verdict=${told.best} deck=${deck} take=${take} moves=${told.moves} />
      ${told.next.map(
        (each) => html`
          <${Verdict}
            key=${each.text}
            heading=${t('next')}
            verdict=${each}
            deck=${deck}
            take=${take}
            moves=${told.moves}
          />
        `,
      )}
      <${Labels} labels=${told.labels} />
      ${
        told.estimate &&
        html`
          <details>
            <summary>${t('estimated')}</summary>
            <${HeatMap} estimate=${told.estimate} deck=${deck} names=${othersOf(seen)} />
          </details>
        `
      }
      ${told.imagined && html`<${Imagined} deals=${told.imagined} deck=${deck} names=${othersOf(seen)} />`}
    `;
  }
  if (told?.type === 'why') {
    inside = html`
      ${told.readings.map(
        (each, place) => html`
          <div key=${place}>
            <h3>
              ${each.label ?? each.verdict?.text}: ${each.legal ? t('legal') : t('illegal')}
            </h3>
            ${each.steps && html`<${Steps} steps=${each.steps} deck=${deck} />`}
            ${each.verdict && html`<${Verdict} heading=${each.verdict.text} verdict=${each.verdict} deck=${deck} />`}
            ${
              each.difference?.length > 0 &&
              html`
                <h4>
                  ${t('difference')} (${told.best.text})
                </h4>
                <${Reasons} reasons=${each.difference} />
              `
            }
            ${each.why && html`<${Why} why=${each.why} />`}
          </div>
        `,
      )}
    `;
  }
  return html`
    <section class="panel advice" aria-label=${t('advice')} aria-busy=${Boolean(busy)}>
      <h2>${t('advice')}</h2>
      ${inside}
    </section>
  `;
}

export function othersOf(seen) {
  const found = [];
  for (let seat = seen.after[seen.me]; found.length < seen.seats.length - 1; seat = seen.after[seat])
    found.push(seen.seats[seat].name || t('seat', seat));
  return found;
}
