// A table: who sits there, what lies there, the hand, and what may be done.
import { html, useState, useEffect, useLayoutEffect, useRef, Fragment } from './html.js';
import { t, count } from './words.js';
import { say, set, useSettings } from './settings.js';
import { Back, Cards, HandCard, face, nameOf, shown } from './cards.js';
import { usePicking } from './hand.js';
import { Advice, useAdvice } from './advice.js';
import { announce } from './announce.js';
import { onKeys } from './keys.js';
import { Invite, openDialog } from './dialogs.js';

export function seatName(seen, seat) {
  const chair = seen.seats[seat];
  if (seat === seen.me) return t('you');
  return chair.name || (chair.kind === 'person' ? t('openSeat') : t('seat', seat));
}

// All seats in the order of play, from one on.
export function roundFrom(seat, after) {
  const found = [seat];
  while (found.length < after.length) found.push(after[found.at(-1)]);
  return found;
}

// Where the others sit, from the seat after mine round to the seat before it.
const PLACES = { 1: ['top'], 2: ['right', 'left'], 3: ['right', 'top', 'left'] };
const AROUND = ['right', 'top', 'left', 'bottom'];

function placesOf(seen) {
  const round = roundFrom(seen.me ?? 0, seen.after);
  const others = seen.me == null ? round : round.slice(1);
  const places =
    PLACES[others.length] || others.map((_, step) => AROUND[Math.floor((step * AROUND.length) / others.length)]);
  return others.map((seat, step) => ({ seat, place: places[step] }));
}

function Seat({ seen, welcome, seat, place }) {
  const chair = seen.seats[seat];
  const acts = seen.turn === seat;
  const said = chair.said;
  const role = say(chair.role);
  return html`
    <section class=${`seat ${place} side${chair.side} ${acts ? 'acts' : ''}`} aria-label=${seatName(seen, seat)}>
      <h2 class="who">
        <span class="name">${seatName(seen, seat)}</span>
        ${
          role &&
          html`
            ${' '}
            <span class="role">${role}</span>
          `
        }
        ${
          chair.kind === 'person' &&
          seat !== seen.me &&
          !chair.here &&
          html`
            ${' '}
            <span class="away">${t('offline')}</span>
          `
        }
      </h2>
      <p class="held">
        ${chair.face ? null : html`<${Back} small />`}
        <span class="count">${chair.place ? t('place', chair.place) : count(chair.cards)}</span>
        ${
          acts &&
          html`
            <span class="thinks">
              ${t('thinking')}
              <${Clock} since=${seen.since} />
            </span>
          `
        }
      </p>
      ${chair.face && html`<${Cards} deck=${welcome.deck} cards=${chair.face} small />`}
      ${
        seat !== seen.me &&
        said &&
        said.kind === 'choice' &&
        html`
          <p class="said">
            ${say(said.stage)}: ${say(said.text)}
          </p>
        `
      }
    </section>
  `;
}

function Clock({ since }) {
  const [, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.floor(Date.now() / 1000 - since));
  return seconds > 2
    ? html`
      ${' '}
      <span class="clock" aria-hidden="true">
        ${t('seconds', seconds)}
      </span>
    `
    : null;
}

function Lying({ seen, welcome, trick, faded }) {
  const where = Object.fromEntries(placesOf(seen).map(({ seat, place }) => [seat, place]));
  const last = {};
  for (const act of trick) last[act.seat] = act;
  const leads = (act) => act.seat === seen.owned && !act.passed;
  return html`
    <${Fragment}>
      ${[...AROUND, 'mine'].map(
        (place) => html`
          <div key=${place} class=${`heap ${place}`}>
            ${Object.values(last)
              .filter((act) => (where[act.seat] ?? 'mine') === place)
              .map(
                (act) => html`
                  <div
                    key=${act.number}
                    class=${`lies ${place} ${faded ? 'faded' : ''} ${leads(act) ? 'leads' : ''}`}
                  >
                    ${
                      act.cards.length
                        ? html`
                          <${Cards}
                            deck=${welcome.deck}
                            cards=${act.cards}
                            wild=${seen.orders.wild}
                            label=${seatName(seen, act.seat)}
                          />
                        `
                        : null
                    }
                    <span class="what">${say(act.text)}</span>
                  </div>
                `,
              )}
          </div>
        `,
      )}
    </${Fragment}>
  `;
}

function Told({ seen }) {
  const plain = seen.told.filter((each) => each.plain);
  return html`
    <dl class="told">
      ${plain.map(
        (each) => html`
          <div key=${say(each.name)}>
            <dt>${say(each.name)}</dt>
            <dd>${shown(each.value)}</dd>
          </div>
        `,
      )}
      ${
        seen.aside > 0 &&
        !seen.stock &&
        html`
          <div>
            <dt>${t('kitty')}</dt>
            <dd>${seen.aside}</dd>
          </div>
        `
      }
      ${
        seen.stock > 0 &&
        html`
          <div>
            <dt>${t('stock')}</dt>
            <dd>${seen.stock}</dd>
          </div>
        `
      }
    </dl>
  `;
}

export function eventText(seen, welcome, event) {
  const who = event.seat == null ? '' : seatName(seen, event.seat);
  if (event.kind === 'deal') return t('dealt');
  if (event.kind === 'end') return t('result', event.episode + 1);
  const names = event.cards.map((text) => nameOf(welcome.deck, text)).join(', ');
  if (event.kind === 'choice') return t('chose', who, `${say(event.stage)} ${names || say(event.text)}`);
  return t('played', who, event.passed ? say(event.text) : `${say(event.text)}${names ? ` (${names})` : ''}`);
}

function Ended({ seen, welcome, link }) {
  const end = seen.ended;
  const button = useRef(null);
  useEffect(() => {
    button.current?.focus();
  }, [end?.number, end?.over]);
  if (!end) return null;
  const winners = end.winners.map((seat) => seatName(seen, seat)).join(', ');
  return html`
    <section class="ended" role="dialog" aria-label=${t('result', end.episode + 1)}>
      <h2>${end.over ? t('matchOver') : t('result', end.episode + 1)}</h2>
      ${end.over && html`<p class="big">${end.draw ? t('draw') : `${winners} ${t('won')}`}</p>`}
      <table>
        <thead>
          <tr>
            <th scope="col">${t('seats')}</th>
            <th scope="col">${t('points')}</th>
            <th scope="col">${t('total')}</th>
            <th scope="col">${t('left')}</th>
          </tr>
        </thead>
        <tbody>
          ${seen.seats.map(
            (_, seat) => html`
              <tr key=${seat}>
                <th scope="row">${seatName(seen, seat)}</th>
                <td>${signed(end.points[seat])}</td>
                <td>${signed(end.total[seat])}</td>
                <td>
                  <${Cards} deck=${welcome.deck} cards=${end.hands[seat]} small />
                </td>
              </tr>
            `,
          )}
        </tbody>
      </table>
      <p class="buttons">
        ${
          end.over
            ? seen.owner &&
              html`
                <button type="button" class="strong" ref=${button} onClick=${() => link.say({ do: 'again' })}>
                  ${t('again')} <kbd>G</kbd>
                </button>
              `
            : seen.me != null &&
              html`
                <button type="button" class="strong" ref=${button} onClick=${() => link.say({ do: 'go' })}>
                  ${t('goOn')} <kbd>G</kbd>
                </button>
              `
        }
        ${welcome.watch && html`<${RecordButtons} link=${link} welcome=${welcome} />`}
      </p>
    </section>
  `;
}

const signed = (number) => (number > 0 ? `+${number}` : String(number));

export function RecordButtons({ link, welcome }) {
  const [problem, setProblem] = useState('');
  const fetchRecords = async () => {
    const told = await link.ask({ do: 'record' });
    setProblem(told.type === 'record' && told.records.length ? '' : told.text || t('noRecord'));
    return told.records ?? [];
  };
  const download = async () => {
    const records = await fetchRecords();
    if (!records.length) return;
    const made = URL.createObjectURL(
      new Blob(
        records.map((each) => `${JSON.stringify(each)}\n`),
        { type: 'application/json' },
      ),
    );
    const anchor = Object.assign(document.createElement('a'), {
      href: made,
      download: `${welcome.game.replace(/[^\w-]/g, '_')}.jsonl`,
    });
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(made), 5000);
  };
  const review = async () => {
    const records = await fetchRecords();
    if (!records.length) return;
    sessionStorage.setItem(
      'review',
      JSON.stringify({
        game: welcome.game,
        profile: welcome.profile,
        text: records.map((each) => JSON.stringify(each)).join('\n'),
      }),
    );
    location.hash = '#/review';
  };
  return html`
    <button type="button" onClick=${review}>
      ${t('reviewThis')}
    </button>${' '}
    <button type="button" onClick=${download}>
      ${t('download')}
    </button>
    ${
      problem &&
      html`
        ${' '}
        <span role="status">${problem}</span>
      `
    }
  `;
}

function Hand({ seen, welcome, picking }) {
  const [focus, setFocus] = useState(0);
  const refs = useRef([]);
  const { cards, picked, now, toggle } = picking;
  const asked = seen.asked;
  const at = Math.min(focus, Math.max(0, cards.length - 1));
  const go = (place) => {
    setFocus(place);
    refs.current[place]?.focus();
  };
  const move = (event) => {
    const steps = { ArrowLeft: -1, ArrowRight: 1 };
    if (event.key in steps) go((at + steps[event.key] + cards.length) % cards.length);
    else if (event.key === 'Home') go(0);
    else if (event.key === 'End') go(cards.length - 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  useLayoutEffect(
    () =>
      onKeys({
        m: () => cards.length > 0 && go(at),
        ArrowLeft: () => cards.length > 0 && go(at),
        ArrowRight: () => cards.length > 0 && go(at),
      }),
    [cards.length, at],
  );
  return html`
    <div
      class="hand"
      role="group"
      aria-label=${`${t('hand')}, ${count(cards.length)}`}
      data-cards=${cards.length}
      onKeyDown=${move}
    >
      ${cards.map(
        (card, place) => html`
          <${HandCard}
            key=${card.key}
            deck=${welcome.deck}
            text=${card.text}
            place=${place}
            picked=${picked.includes(card.key)}
            wild=${seen.orders.wild.includes(card.text)}
            tab=${place === at}
            dim=${asked != null && !picked.includes(card.key) && !now.more.includes(card.text)}
            refer=${(element) => {
              refs.current[place] = element;
            }}
            focus=${() => setFocus(place)}
            toggle=${() => {
              announce(t(picked.includes(card.key) ? 'unpicked' : 'picked', nameOf(welcome.deck, card.text)));
              toggle(card.key);
            }}
          />
        `,
      )}
    </div>
  `;
}

export function Table({ seen, welcome, link, lost, trouble }) {
  const liked = useSettings();
  const picking = usePicking(seen, link);
  const advice = useAdvice(seen, link, welcome);
  const [old, setOld] = useState(false);
  const heard = useRef(null);
  const asked = seen.asked;
  const { now, texts, reading } = picking;
  const read = now.readings[reading];
  const cardOptions = asked?.kind === 'choice' && asked.options.every((each) => each.card);

  useEffect(() => {
    picking.clear();
    setOld(false);
  }, [seen.at]);
  useEffect(() => {
    if (seen.me != null && Math.round(seen.pace * 1000) !== liked.pace) link.say({ do: 'pace', ms: liked.pace });
  }, [liked.pace, seen.me, link]);
  useEffect(() => {
    if (seen.me != null && liked.name && seen.seats[seen.me].name !== liked.name)
      link.say({ do: 'name', name: liked.name });
  }, [liked.name, seen.me, link]);
  useEffect(() => {
    const fresh = seen.log.filter((event) => heard.current != null && event.number > heard.current);
    heard.current = seen.log.at(-1)?.number ?? 0;
    for (const event of fresh) announce(eventText(seen, welcome, event));
    if (asked) announce(asked.kind === 'choice' ? `${t('yourTurn')}: ${say(asked.stage)}` : t('yourTurn'));
  }, [seen.revision]);
  useEffect(() => {
    if (read && now.readings.length > 1) announce(`${t('ways')} ${say(read.text)}`);
    else if (read) announce(say(read.text));
  }, [read && say(read.text)]);

  const act = (message) =>
    link.ask({ ...message, at: seen.at }).then((told) => told.type === 'error' && told.text && trouble(told.text));
  const lay = () => {
    if (!asked) return false;
    if (asked.kind === 'choice') {
      if (cardOptions && texts.length) act({ do: 'choose', values: texts });
      return cardOptions;
    }
    if (read) act({ do: 'play', value: read.value });
    else if (texts.length) announce(t('notLegal'));
    return true;
  };
  const pass = () => asked?.kind === 'play' && asked.passes && act({ do: 'play', value: 'pass' });
  const why = () => {
    if (!asked) return;
    if (asked.kind === 'choice') {
      if (texts.length) advice.why(texts[0]);
      return;
    }
    advice.why(read ? read.value : texts.length ? texts : 'pass');
  };
  const take = (verdict) => {
    if (asked?.kind === 'choice') {
      if (cardOptions) picking.take([verdict.value]);
      else act({ do: 'choose', values: [verdict.value] });
    } else picking.take(verdict.cards);
  };
  const best = async () => {
    const answer = advice.told?.type === 'hint' ? advice.told : await advice.hint();
    if (answer?.type === 'hint' && answer.at === seen.at) take(answer.best);
  };
  const goOn = () =>
    seen.phase === 'end'
      ? link.say({ do: 'go' })
      : seen.phase === 'over' && seen.owner
        ? link.say({ do: 'again' })
        : undefined;
  const status = () =>
    announce(
      [
        ...seen.seats.map((chair, seat) => `${seatName(seen, seat)}: ${count(chair.cards)}`),
        ...seen.told.filter((each) => each.plain).map((each) => `${say(each.name)} ${each.value}`),
        ...seen.trick.map((event) => eventText(seen, welcome, event)),
      ].join('. '),
    );

  useLayoutEffect(() =>
    onKeys({
      Enter: (event) => (event.target.closest?.('button:not(.card), a, summary') ? false : lay()),
      p: pass,
      b: best,
      h: () => advice.hint(),
      w: why,
      z: () => seen.back && act({ do: 'back' }),
      s: () => set({ order: liked.order === 'rank' ? 'suit' : 'rank' }),
      l: () => setOld(!old),
      r: () => picking.read((reading + 1) % Math.max(1, now.readings.length)),
      g: goOn,
      i: status,
      Escape: () => {
        picking.clear();
        setOld(false);
        advice.close();
      },
      Backspace: () => picking.clear(),
      any: (event) => {
        if (asked?.kind === 'choice' && !cardOptions && /^[1-9]$/.test(event.key)) {
          const option = asked.options[Number(event.key) - 1];
          return option ? act({ do: 'choose', values: [option.value] }) && true : false;
        }
        if (event.key.length !== 1 || event.key === ' ') return false;
        const key = event.key === '0' ? 'T' : event.key.toUpperCase();
        return seen.me != null && picking.next((text) => face(welcome.deck, text).rank.toUpperCase() === key);
      },
    }),
  );

  const others = placesOf(seen);
  const trick = old ? seen.last : seen.trick;
  const turn = seen.turn == null ? '' : seen.turn === seen.me ? t('yourTurn') : t('turnOf', seatName(seen, seen.turn));
  return html`
    <div class="room">
      ${welcome.watch && html`<${Invite} seen=${seen} welcome=${welcome} link=${link} />`}
      <div
        class=${`felt seats${seen.seats.length}`}
        aria-label=${say(welcome.title)}
        data-turn=${seen.turn}
        data-at=${seen.at}
        data-phase=${seen.phase}
        data-me=${seen.me}
      >
        <div class="corner">
          <h1>${say(welcome.title)}</h1>
          <${Told} seen=${seen} />
        </div>
        ${
          welcome.watch &&
          html`
            <p class="tools">
              <button type="button" onClick=${() => openDialog('new')}>
                ${t('newTable')}
              </button>${' '}
              <button type="button" onClick=${() => openDialog('invite')}>
                ${t('seats')}
              </button>
            </p>
          `
        }
        ${AROUND.map(
          (side) => html`
            <div key=${side} class=${`place ${side}`}>
              ${others
                .filter(({ place }) => place === side)
                .map(
                  ({ seat, place }) => html`
                    <${Seat} key=${seat} seen=${seen} welcome=${welcome} seat=${seat} place=${place} />
                  `,
                )}
            </div>
          `,
        )}
        <section class="trick" aria-label=${old ? t('lastTrick') : t('trick')}>
          ${
            old &&
            html`
              <p class="old">
                ${t('lastTrick')}
                ${seen.last.length ? '' : `: ${t('noLast')}`}
              </p>
            `
          }
          <${Lying}
            seen=${seen}
            welcome=${welcome}
            trick=${trick}
            faded=${old || (seen.closed && seen.phase === 'play')}
          />
        </section>
        <p class="turn" data-mine=${seen.turn === seen.me && seen.me != null}>
          ${lost || (asked?.kind === 'choice' ? `${turn}: ${say(asked.stage)}` : turn)}
        </p>
        ${
          seen.problem &&
          html`
            <p class="problem" role="alert">
              ${t('problem')} ${seen.problem}
            </p>
          `
        }
        <${Ended} seen=${seen} welcome=${welcome} link=${link} />
      </div>
      ${
        seen.me == null
          ? html`
            <p class="wait">${t('onlooker')}</p>
          `
          : html`
            <section class="mine" aria-label=${t('actions')}>
              <p class="reads" role="status">
                ${
                  texts.length > 0 &&
                  asked?.kind === 'play' &&
                  (now.readings.length > 1
                    ? html`
                      ${t('ways')}${' '}
                      <span role="radiogroup" aria-label=${t('ways')}>
                        ${now.readings.map(
                          (each, place) => html`
                            <button
                              type="button"
                              key=${JSON.stringify(each.value)}
                              role="radio"
                              aria-checked=${place === reading}
                              class=${`way ${place === reading ? 'chosen' : ''}`}
                              onClick=${() => picking.read(place)}
                            >
                              ${say(each.text)}
                            </button>
                          `,
                        )}
                      </span>
                    `
                    : read
                      ? say(read.text)
                      : now.waits
                        ? ''
                        : now.plays
                          ? t('unfinished', now.plays)
                          : t('notLegal'))
                }
                ${asked?.kind === 'play' && !texts.length && asked.plays === 1 && asked.passes && t('only')}
              </p>
              <p class="buttons">
                ${
                  asked?.kind === 'choice' && !cardOptions
                    ? asked.options.map(
                        (each, place) => html`
                          <button
                            type="button"
                            class="strong"
                            key=${JSON.stringify(each.value)}
                            onClick=${() => act({ do: 'choose', values: [each.value] })}
                          >
                            ${say(each.text)} <kbd>${place + 1}</kbd>
                          </button>
                        `,
                      )
                    : html`
                      <button
                        type="button"
                        class="strong"
                        disabled=${!(asked && (cardOptions ? texts.length : read))}
                        onClick=${lay}
                      >
                        ${cardOptions ? `${say(asked.stage)}${texts.length > 1 ? ` ×${texts.length}` : ''}` : t('lay')}
                      </button>
                      <button type="button" disabled=${!asked?.passes} onClick=${pass}>
                        ${t('pass')} <kbd>P</kbd>
                      </button>
                    `
                }
                <button
                  type="button"
                  disabled=${!asked}
                  aria-busy=${advice.busy === 'hint'}
                  onClick=${() => advice.hint()}
                >
                  ${t('hint')} <kbd>H</kbd>
                </button>
                <button
                  type="button"
                  disabled=${!asked || (asked.kind === 'choice' && !texts.length)}
                  aria-busy=${advice.busy === 'why'}
                  onClick=${why}
                >
                  ${texts.length && !read && asked?.kind === 'play' ? t('whyNot') : t('why')} <kbd>W</kbd>
                </button>
                <button type="button" disabled=${!texts.length} onClick=${() => picking.clear()}>
                  ${t('clear')}
                </button>
                ${
                  welcome.practice &&
                  html`
                    <button type="button" disabled=${!seen.back} onClick=${() => act({ do: 'back' })}>
                      ${t('back')} <kbd>Z</kbd>
                    </button>
                  `
                }
                <button type="button" aria-pressed=${old} onClick=${() => setOld(!old)}>
                  ${t('lastTrick')} <kbd>L</kbd>
                </button>
                <button type="button" onClick=${() => set({ order: liked.order === 'rank' ? 'suit' : 'rank' })}>
                  ${liked.order === 'rank' ? t('bySuit') : t('byRank')} <kbd>S</kbd>
                </button>
              </p>
              <${Hand} seen=${seen} welcome=${welcome} picking=${picking} />
            </section>
          `
      }
      <aside class="side">
        <${Advice} advice=${advice} welcome=${welcome} seen=${seen} take=${take} />
        <details class="panel">
          <summary>${t('remembered')}</summary>
          <dl class="told all">
            ${seen.told.map(
              (each) => html`
                <div key=${say(each.name)}>
                  <dt>${say(each.name)}</dt>
                  <dd>${each.value}</dd>
                </div>
              `,
            )}
          </dl>
        </details>
        <details class="panel">
          <summary>${t('log')}</summary>
          <ol class="log" reversed>
            ${[...seen.log].reverse().map(
              (event) => html`
                <li key=${event.number}>${eventText(seen, welcome, event)}</li>
              `,
            )}
          </ol>
        </details>
      </aside>
    </div>
  `;
}
