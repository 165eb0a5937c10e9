// Component Table: seats, trick, hand, actions, advice and log of a table.
import { AdvicePanel } from '../advice/advice_panel.js';
import { useAdvice } from '../advice/use_advice.js';
import { announce } from '../announce.js';
import { face } from '../cards/card_text.js';
import { Invite } from '../dialogs/invite.js';
import { openDialog } from '../dialogs/open_dialog.js';
import { html, useEffect, useLayoutEffect, useRef, useState } from '../html.js';
import { onKeys } from '../keys.js';
import { say, set, useSettings } from '../settings.js';
import { count, t } from '../words.js';
import { EpisodeResult } from './episode_result.js';
import { eventText } from './event_text.js';
import { Hand } from './hand.js';
import { InfoList } from './info_list.js';
import { SeatPanel } from './seat_panel.js';
import { SIDES, seatName, seatPositions } from './seats.js';
import { TrickCards } from './trick_cards.js';
import { useCardSelection } from './use_card_selection.js';

export function Table({ seen, welcome, link, lost, trouble }) {
  const liked = useSettings();
  const picking = useCardSelection(seen, link);
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

  const others = seatPositions(seen);
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
          <${InfoList} seen=${seen} />
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
        ${SIDES.map(
          (side) => html`
            <div key=${side} class=${`place ${side}`}>
              ${others
                .filter(({ place }) => place === side)
                .map(
                  ({ seat, place }) => html`
                    <${SeatPanel} key=${seat} seen=${seen} welcome=${welcome} seat=${seat} place=${place} />
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
          <${TrickCards}
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
        <${EpisodeResult} seen=${seen} welcome=${welcome} link=${link} />
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
        <${AdvicePanel} advice=${advice} welcome=${welcome} seen=${seen} take=${take} />
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
