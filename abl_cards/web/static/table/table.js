// Component Table: seats, trick, hand, actions, advice and log of a table.
import { AdvicePanel } from '../advice/advice_panel.js';
import { useAdvice } from '../advice/use_advice.js';
import { announce } from '../announce.js';
import { face } from '../cards/card_text.js';
import { Invite } from '../dialogs/invite.js';
import { openDialog } from '../dialogs/open_dialog.js';
import { RulesDialog } from '../dialogs/rules_dialog.js';
import { html, useEffect, useLayoutEffect, useRef, useState } from '../html.js';
import { onKeys } from '../keys.js';
import { localise, updateSettings, useSettings } from '../settings.js';
import { cardCount, t } from '../words.js';
import { EpisodeResult } from './episode_result.js';
import { eventText } from './event_text.js';
import { Hand } from './hand.js';
import { InfoList } from './info_list.js';
import { NamePrompt } from './name_prompt.js';
import { SeatPanel } from './seat_panel.js';
import { SIDES, seatName, seatPositions } from './seats.js';
import { TrickCards } from './trick_cards.js';
import { useCardSelection } from './use_card_selection.js';

export function Table({ view, welcome, link, lost, onError }) {
  const userSettings = useSettings();
  const selection = useCardSelection(view, link);
  const advice = useAdvice(view, link, welcome);
  const [showLast, setShowLast] = useState(false);
  const lastEvent = useRef(null);
  const decision = view.asked;
  const { matches, texts, reading } = selection;
  const currentReading = matches.readings[reading];
  const cardOptions = decision?.kind === 'choice' && decision.options.every((option) => option.card);
  const wrongCount = cardOptions && decision.count != null && texts.length !== decision.count;

  useEffect(() => {
    selection.clear();
    setShowLast(false);
  }, [view.at]);
  useEffect(() => {
    if (view.me != null && Math.round(view.pace * 1000) !== userSettings.pace)
      link.send({ do: 'pace', ms: userSettings.pace });
  }, [userSettings.pace, view.me, link]);
  useEffect(() => {
    if (view.me != null && userSettings.name && view.seats[view.me].name !== userSettings.name)
      link.send({ do: 'name', name: userSettings.name });
  }, [userSettings.name, view.me, link]);
  useEffect(() => {
    const newEvents = view.log.filter((event) => lastEvent.current != null && event.number > lastEvent.current);
    lastEvent.current = view.log.at(-1)?.number ?? 0;
    for (const event of newEvents) announce(eventText(view, welcome, event));
    if (decision)
      announce(decision.kind === 'choice' ? `${t('yourTurn')}: ${localise(decision.stage)}` : t('yourTurn'));
  }, [view.revision]);
  useEffect(() => {
    if (currentReading && matches.readings.length > 1) announce(`${t('ways')} ${localise(currentReading.text)}`);
    else if (currentReading) announce(localise(currentReading.text));
  }, [currentReading && localise(currentReading.text)]);

  const submit = (message) =>
    link
      .request({ ...message, at: view.at })
      .then((response) => response.type === 'error' && response.text && onError(response.text));
  const playCards = () => {
    if (!decision) return false;
    if (decision.kind === 'choice') {
      if (wrongCount) announce(t('exactly', decision.count, texts.length));
      else if (cardOptions && texts.length) submit({ do: 'choose', values: texts });
      return cardOptions;
    }
    if (currentReading) submit({ do: 'play', value: currentReading.value });
    else if (texts.length) announce(t('notLegal'));
    return true;
  };
  const pass = () => decision?.kind === 'play' && decision.passes && submit({ do: 'play', value: 'pass' });
  const explain = () => {
    if (!decision) return;
    if (decision.kind === 'choice') {
      if (texts.length) advice.why(texts[0]);
      return;
    }
    advice.why(currentReading ? currentReading.value : texts.length ? texts : 'pass');
  };
  const selectMove = (verdict) => {
    if (decision?.kind === 'choice') {
      if (cardOptions) selection.select(verdict.cards.length ? verdict.cards : [verdict.value]);
      else submit({ do: 'choose', values: [verdict.value] });
    } else selection.select(verdict.cards);
  };
  const selectBest = async () => {
    const answer = advice.answer?.type === 'hint' ? advice.answer : await advice.hint();
    if (answer?.type === 'hint' && answer.at === view.at) selectMove(answer.best);
  };
  const proceed = () =>
    view.phase === 'end'
      ? link.send({ do: 'go' })
      : view.phase === 'over' && view.owner
        ? link.send({ do: 'again' })
        : undefined;
  const status = () =>
    announce(
      [
        ...view.seats.map((info, seat) => `${seatName(view, seat)}: ${cardCount(info.cards)}`),
        ...view.told.filter((info) => info.plain).map((info) => `${localise(info.name)} ${info.value}`),
        ...view.trick.map((event) => eventText(view, welcome, event)),
      ].join('. '),
    );

  useLayoutEffect(() =>
    onKeys({
      Enter: (event) => (event.target.closest?.('button:not(.card), a, summary') ? false : playCards()),
      p: pass,
      b: selectBest,
      h: () => advice.hint(),
      w: explain,
      z: () => view.back && submit({ do: 'back' }),
      s: () => updateSettings({ order: userSettings.order === 'rank' ? 'suit' : 'rank' }),
      l: () => setShowLast(!showLast),
      r: () => selection.setReading((reading + 1) % Math.max(1, matches.readings.length)),
      g: proceed,
      i: status,
      Escape: () => {
        selection.clear();
        setShowLast(false);
        advice.close();
      },
      Backspace: () => selection.clear(),
      any: (event) => {
        if (decision?.kind === 'choice' && !cardOptions && /^[1-9]$/.test(event.key)) {
          const option = decision.options[Number(event.key) - 1];
          return option ? submit({ do: 'choose', values: [option.value] }) && true : false;
        }
        if (event.key.length !== 1 || event.key === ' ') return false;
        const key = event.key === '0' ? 'T' : event.key.toUpperCase();
        return view.me != null && selection.selectNext((text) => face(welcome.deck, text).rank.toUpperCase() === key);
      },
    }),
  );

  const others = seatPositions(view);
  const pickedText = decision?.count == null ? `×${texts.length}` : t('outOf', texts.length, decision.count);
  const chooseText = cardOptions && `${localise(decision.stage)} ${pickedText}`;
  const trick = showLast ? view.last : view.trick;
  const turnText =
    view.turn == null ? '' : view.turn === view.me ? t('yourTurn') : t('turnOf', seatName(view, view.turn));
  return html`
    <div class="room">
      ${welcome.watch && html`<${Invite} view=${view} welcome=${welcome} link=${link} />`}
      <${RulesDialog} welcome=${welcome} />
      <div
        class=${`felt seats${view.seats.length}`}
        aria-label=${localise(welcome.title)}
        data-turn=${view.turn}
        data-at=${view.at}
        data-phase=${view.phase}
        data-me=${view.me}
      >
        <div class="corner">
          <h1>${localise(welcome.title)}</h1>
          <${InfoList} view=${view} />
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
              </button>${' '}
              <button type="button" onClick=${() => openDialog('rules')}>
                ${t('howToPlay')}
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
                    <${SeatPanel} key=${seat} view=${view} welcome=${welcome} seat=${seat} position=${place} />
                  `,
                )}
            </div>
          `,
        )}
        <section class="trick" aria-label=${showLast ? t('lastTrick') : t('trick')}>
          ${
            showLast &&
            html`
              <p class="old">
                ${t('lastTrick')}
                ${view.last.length ? '' : `: ${t('noLast')}`}
              </p>
            `
          }
          <${TrickCards}
            view=${view}
            welcome=${welcome}
            trick=${trick}
            faded=${showLast || (view.closed && view.phase === 'play')}
          />
        </section>
        <p class="turn" data-mine=${view.turn === view.me && view.me != null}>
          ${lost || (decision?.kind === 'choice' ? `${turnText}: ${localise(decision.stage)}` : turnText)}
        </p>
        ${
          view.problem &&
          html`
            <p class="problem" role="alert">
              ${t('problem')} ${view.problem}
            </p>
          `
        }
        <${EpisodeResult} view=${view} welcome=${welcome} link=${link} />
      </div>
      ${
        view.me == null
          ? html`
            <p class="wait">${t('onlooker')}</p>
          `
          : html`
            <section class="mine" aria-label=${t('actions')}>
              <${NamePrompt} view=${view} />
              <p class="reads" role="status">
                ${
                  texts.length > 0 &&
                  decision?.kind === 'play' &&
                  (matches.readings.length > 1
                    ? html`
                      ${t('ways')}${' '}
                      <span role="radiogroup" aria-label=${t('ways')}>
                        ${matches.readings.map(
                          (item, index) => html`
                            <button
                              type="button"
                              key=${JSON.stringify(item.value)}
                              role="radio"
                              aria-checked=${index === reading}
                              class=${`way ${index === reading ? 'chosen' : ''}`}
                              onClick=${() => selection.setReading(index)}
                            >
                              ${localise(item.text)}
                            </button>
                          `,
                        )}
                      </span>
                    `
                    : currentReading
                      ? localise(currentReading.text)
                      : matches.waits
                        ? ''
                        : matches.plays
                          ? t('unfinished', matches.plays)
                          : t('notLegal'))
                }
                ${wrongCount && t('exactly', decision.count, texts.length)}
                ${decision?.kind === 'play' && !texts.length && decision.plays === 1 && decision.passes && t('only')}
              </p>
              <p class="buttons">
                ${
                  decision?.kind === 'choice' && !cardOptions
                    ? decision.options.map(
                        (option, index) => html`
                          <button
                            type="button"
                            class="strong"
                            key=${JSON.stringify(option.value)}
                            onClick=${() => submit({ do: 'choose', values: [option.value] })}
                          >
                            ${localise(option.text)} <kbd>${index + 1}</kbd>
                          </button>
                        `,
                      )
                    : html`
                      <button
                        type="button"
                        class="strong"
                        disabled=${!(decision && (cardOptions ? texts.length && !wrongCount : currentReading))}
                        onClick=${playCards}
                      >
                        ${cardOptions ? chooseText : t('lay')}
                      </button>
                      <button type="button" disabled=${!decision?.passes} onClick=${pass}>
                        ${t('pass')} <kbd>P</kbd>
                      </button>
                    `
                }
                <button
                  type="button"
                  disabled=${!decision}
                  aria-busy=${advice.busy === 'hint'}
                  onClick=${() => advice.hint()}
                >
                  ${t('hint')} <kbd>H</kbd>
                </button>
                <button
                  type="button"
                  disabled=${!decision || (decision.kind === 'choice' && !texts.length)}
                  aria-busy=${advice.busy === 'why'}
                  onClick=${explain}
                >
                  ${texts.length && !currentReading && decision?.kind === 'play' ? t('whyNot') : t('why')} <kbd>W</kbd>
                </button>
                <button type="button" disabled=${!texts.length} onClick=${() => selection.clear()}>
                  ${t('clear')}
                </button>
                ${
                  welcome.practice &&
                  html`
                    <button type="button" disabled=${!view.back} onClick=${() => submit({ do: 'back' })}>
                      ${t('back')} <kbd>Z</kbd>
                    </button>
                  `
                }
                <button type="button" aria-pressed=${showLast} onClick=${() => setShowLast(!showLast)}>
                  ${t('lastTrick')} <kbd>L</kbd>
                </button>
                <button
                  type="button"
                  onClick=${() => updateSettings({ order: userSettings.order === 'rank' ? 'suit' : 'rank' })}
                >
                  ${userSettings.order === 'rank' ? t('bySuit') : t('byRank')} <kbd>S</kbd>
                </button>
              </p>
              <${Hand} view=${view} welcome=${welcome} selection=${selection} />
            </section>
          `
      }
      <aside class="side">
        <${AdvicePanel} advice=${advice} welcome=${welcome} view=${view} take=${selectMove} />
        <details class="panel">
          <summary>${t('remembered')}</summary>
          <dl class="told all">
            ${view.told.map(
              (info) => html`
                <div key=${localise(info.name)}>
                  <dt>${localise(info.name)}</dt>
                  <dd>${info.value}</dd>
                </div>
              `,
            )}
          </dl>
        </details>
        <details class="panel">
          <summary>${t('log')}</summary>
          <ol class="log" reversed>
            ${[...view.log].reverse().map(
              (event) => html`
                <li key=${event.number}>${eventText(view, welcome, event)}</li>
              `,
            )}
          </ol>
        </details>
      </aside>
    </div>
  `;
}
