// Component PlayTable: a table of this server with the controls of a player, advice and log.
import { useAdvice } from '../advice/use_advice.js';
import { announce } from '../announce.js';
import { LazyDialog } from '../dialogs/lazy_dialog.js';
import { html, useEffect, useMemo, useState } from '../html.js';
import { localise, updateSettings, useSettings } from '../settings.js';
import { eventText } from '../table/event_text.js';
import { Hand } from '../table/hand.js';
import { nextOrder, nextOrders } from '../table/hand_order.js';
import { NamePrompt } from '../table/name_prompt.js';
import { placeStyle } from '../table/place_style.js';
import { positionOfView } from '../table/position.js';
import { seatName } from '../table/seats.js';
import { Table } from '../table/table.js';
import { useCardSelection } from '../table/use_card_selection.js';
import { useSize } from '../table/use_size.js';
import { errorText } from '../text/error_text.js';
import { Words } from '../text/words.js';
import { t } from '../words.js';
import { Actions } from './actions.js';
import { ChoiceBar } from './choice_bar.js';
import { MessageLine } from './message_line.js';
import { TableTools } from './table_tools.js';
import { useAnnouncements } from './use_announcements.js';
import { useCoach } from './use_coach.js';
import { useEffects } from './use_effects.js';
import { useModule } from './use_module.js';
import { useTableKeys } from './use_table_keys.js';

// While the connection is lost, nothing can be decided.
const withoutRequests = (view) => ({ ...view, asked: null, back: false, skip: false, may_open: false });

export function PlayTable({ view: given, welcome, link, lost, isCut, onError }) {
  const view = useMemo(() => (isCut ? withoutRequests(given) : given), [given, isCut]);
  const userSettings = useSettings();
  const [space, size] = useSize();
  const selection = useCardSelection(view, link, welcome);
  const [showLast, setShowLast] = useState(false);
  const [isSheetOpen, setIsSheetOpen] = useState(false);
  const [past, setPast] = useState(null);
  const panel = useModule('advice/advice_panel');
  const outcome = useModule('table/episode_result');
  const pin = useModule('lab/pin_button');
  const decision = view.asked;
  const { matches, texts, reading } = selection;
  const currentReading = matches.readings[reading];
  const hasCards = decision?.kind === 'choice' && decision.options.every((option) => option.card);
  const wrongCount = hasCards && decision.count != null && texts.length !== decision.count;
  const position = positionOfView(view, welcome, showLast);
  const { names } = position;
  const advice = useAdvice(view, link, welcome, names);
  const coach = useCoach(view, link, advice.advisor);
  useEffects(view, space);
  useEffect(() => {
    if (view.may_open && view.open !== userSettings.openHands) link.send({ do: 'open', open: userSettings.openHands });
  }, [view.may_open, view.open, userSettings.openHands, link]);
  useEffect(() => setPast(null), [view.at]);
  useEffect(() => setIsSheetOpen(false), [view.at, showLast]);
  // Why somebody played this: only where it shows nothing hidden.
  const askPast = async (event) => {
    const answer = await link.request({
      do: 'past',
      act: event.act,
      lang: userSettings.language,
      agent: advice.advisor(),
    });
    setPast({ ...answer, text: event.text });
    setIsSheetOpen(true);
  };
  if (view.may_open || view.phase === 'end' || view.phase === 'over') position.ask = askPast;

  useAnnouncements({ view, names, link, selection, closeLast: () => setShowLast(false) });

  const submit = (message) =>
    link
      .request({ ...message, at: view.at })
      .then((response) => response.type === 'error' && response.text && onError(errorText(response)));
  const playCards = () => {
    if (!decision) return false;
    if (decision.kind === 'choice') {
      if (wrongCount) announce(t('exactly', decision.count, texts.length));
      else if (hasCards && texts.length) submit({ do: 'choose', values: texts });
      return hasCards;
    }
    if (currentReading) submit({ do: 'play', value: currentReading.value });
    else if (texts.length) announce(t('notLegal'));
    return true;
  };
  const pass = () => decision?.kind === 'play' && decision.passes && submit({ do: 'play', value: 'pass' });
  const explain = () => {
    if (!decision) return;
    setPast(null);
    setIsSheetOpen(true);
    if (decision.kind === 'choice') {
      if (texts.length) advice.why(texts[0]);
      return;
    }
    advice.why(currentReading ? currentReading.value : texts.length ? texts : 'pass');
  };
  const raise = (verdict) => {
    if (decision?.kind === 'choice') {
      if (hasCards) selection.select(verdict.cards.length ? verdict.cards : [verdict.value]);
    } else selection.select(verdict.cards);
  };
  const selectMove = (verdict) =>
    decision?.kind === 'choice' && !hasCards ? submit({ do: 'choose', values: [verdict.value] }) : raise(verdict);
  const selectBest = async () => {
    const answer = advice.answer?.type === 'hint' ? advice.answer : await advice.hint();
    if (answer?.type === 'hint' && answer.at === view.at) selectMove(answer.best);
  };
  // The first press raises the best cards; each further one the next best.
  const cycleHints = async () => {
    const verdict = await advice.nextHint();
    if (verdict) raise(verdict);
  };
  const proceed = () =>
    view.phase === 'end'
      ? link.send({ do: 'go' })
      : view.phase === 'over' && view.owner
        ? link.send({ do: 'again' })
        : undefined;
  const changeOrder = () => updateSettings({ orders: nextOrders(userSettings, welcome.game, view.orders) });
  useTableKeys({
    view,
    names,
    welcome,
    selection,
    hasCards,
    playCards,
    pass,
    selectBest,
    cycleHints,
    explain,
    submit,
    changeOrder,
    proceed,
    showLast,
    setShowLast,
    closeAdvice: () => {
      advice.close();
      setPast(null);
      setIsSheetOpen(false);
    },
  });

  // The position of the decision as JSON, as the rules notebook pins it.
  const requestState = async () => {
    const answer = await link.request({ do: 'state', at: view.at });
    if (answer.type !== 'state') throw new Error(errorText(answer));
    return answer.state;
  };

  const pickedText = decision?.count == null ? `×${texts.length}` : t('outOf', texts.length, decision.count);
  const turnText =
    view.turn == null ? '' : view.turn === view.me ? t('yourTurn') : t('turnOf', seatName(view, view.turn));
  const stageText = decision?.kind === 'choice' ? `${turnText}${t('colon')}${localise(decision.stage)}` : turnText;
  const isPlay = decision?.kind === 'play';
  const orderItem = {
    name: 'order',
    text: t(`sort_${nextOrder(userSettings, welcome.game, view.orders)}`),
    icon: '⇅',
    key: 'S',
    isEnabled: true,
    act: changeOrder,
  };
  const lastItem = {
    name: 'last',
    text: t('lastTrick'),
    key: 'L',
    isEnabled: true,
    isPressed: showLast,
    act: () => setShowLast(!showLast),
  };
  const items = [
    { name: 'pass', text: t('pass'), key: 'P', isEnabled: decision?.passes, act: pass },
    {
      name: 'hint',
      text: t('hint'),
      icon: '★',
      key: 'H',
      isEnabled: decision,
      isBusy: advice.busy === 'hint',
      act: cycleHints,
    },
    { name: 'clear', text: t('clear'), icon: '✕', isEnabled: texts.length, act: () => selection.clear() },
    {
      name: 'take-back',
      text: t('back'),
      icon: '↶',
      key: 'Z',
      isEnabled: welcome.practice && view.back,
      act: () => submit({ do: 'back' }),
    },
    {
      name: 'ask',
      text: texts.length && !currentReading && isPlay ? t('whyNot') : t('why'),
      icon: '?',
      key: 'W',
      isEnabled: isPlay || texts.length,
      isBusy: advice.busy === 'why',
      act: explain,
    },
  ];
  const hasControls = view.me != null;
  const toggles = [
    view.may_open && {
      name: 'openHands',
      isPressed: view.open,
      act: () => updateSettings({ openHands: !userSettings.openHands }),
    },
    { name: 'sound', isPressed: userSettings.sound, act: () => updateSettings({ sound: !userSettings.sound }) },
  ].filter(Boolean);
  const main = view.skip
    ? { text: t('skip'), isEnabled: true, act: () => submit({ do: 'skip' }) }
    : {
        text: hasCards ? `${localise(decision.stage)} ${pickedText}` : t('lay'),
        isEnabled: decision && (hasCards ? texts.length && !wrongCount : currentReading),
        act: playCards,
      };
  const coachButton =
    panel &&
    html`
      <${panel.CoachButton}
        coach=${coach}
        advice=${advice}
        picked=${currentReading?.value}
        names=${names}
        isOpen=${isSheetOpen}
        toggle=${() => setIsSheetOpen(!isSheetOpen)}
      />
    `;
  const isWide = (layout) => layout.form === 'desktop';
  const ownParts = (layout) => html`
    <section class="mine" aria-label=${t('actions')}>
      <${NamePrompt} view=${view} />
      ${
        decision?.kind === 'choice' &&
        !hasCards &&
        html`
          <${ChoiceBar}
            layout=${layout}
            options=${decision.options}
            names=${names}
            choose=${(value) => submit({ do: 'choose', values: [value] })}
            advised=${advice.shown && JSON.stringify(advice.shown.move.value)}
          />
        `
      }
      <${MessageLine}
        view=${view}
        names=${names}
        selection=${selection}
        layout=${layout}
        turnText=${lost || stageText}
        wrongCount=${wrongCount}
        coach=${coachButton}
        hint=${!texts.length || isRaised(advice.shown, texts) ? advice.shown : null}
      />
      <${Actions}
        layout=${layout}
        main=${main}
        items=${isWide(layout) ? [...items, lastItem, orderItem] : [...items, { ...orderItem, key: null }]}
      />
      <${Hand} view=${view} welcome=${welcome} selection=${selection} layout=${layout} />
    </section>
  `;
  const onlookerParts = (layout) => html`
    <div class="message onlooker" style=${placeStyle(layout.message)}>
      <p class="turn">${[view.me == null && welcome.watch ? t('onlooker') : '', lost || turnText].join(' ')}</p>
    </div>
  `;
  const parts = {
    tools: welcome.watch
      ? (layout) => html`<${TableTools} layout=${layout} items=${hasControls ? [lastItem] : []} toggles=${toggles} />`
      : null,
    own: (layout) => html`
      ${hasControls ? ownParts(layout) : onlookerParts(layout)}
      ${
        view.problem &&
        html`
          <p class="problem stuck" role="alert">
            ${t('problem')} ${view.problem}
          </p>
        `
      }
    `,
    sheet: (layout) =>
      outcome &&
      html`
        <${outcome.EpisodeResult} view=${view} welcome=${welcome} link=${link} layout=${layout} />
      `,
  };
  return html`
    <div class="room">
      <${LazyDialog} name="invite" file="dialogs/invite" part="Invite" view=${view} welcome=${welcome} link=${link} />
      <${LazyDialog} name="rules" file="dialogs/rules_dialog" part="RulesDialog" welcome=${welcome} />
      <div class="table-space" ref=${space}>
        ${
          size &&
          html`
            <${Table}
              position=${position}
              size=${size}
              label=${localise(welcome.title)}
              trickLabel=${showLast ? t('lastTrick') : t('trick')}
              hasControls=${hasControls}
              isOpen=${view.seats.some((info) => info.face)}
              parts=${parts}
              facts=${{ 'data-turn': view.turn, 'data-at': view.at, 'data-phase': view.phase, 'data-me': view.me }}
            />
          `
        }
      </div>
      <aside class="side">
        ${
          panel
            ? html`
              <${panel.AdvicePanel}
                advice=${advice}
                coach=${coach}
                past=${past}
                picked=${currentReading?.value}
                welcome=${welcome}
                view=${view}
                names=${names}
                take=${selectMove}
                isOpen=${isSheetOpen}
                close=${() => setIsSheetOpen(false)}
              />
            `
            : html`<section class="panel advice" aria-label=${t('advice')} aria-busy="true"></section>`
        }
        ${
          pin &&
          decision &&
          html`
            <${pin.PinButton} getState=${requestState} game=${welcome.game} profile=${welcome.profile} at=${view.at} />
          `
        }
        <details class="panel" hidden=${!view.fluents.length}>
          <summary>${t('remembered')}</summary>
          <dl class="fluents all">
            ${view.fluents.map(
              (info) => html`
                <div key=${localise(info.name)}>
                  <dt>${localise(info.name)}</dt>
                  <dd><${Words} text=${info.value} names=${names} /></dd>
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
                <li key=${event.number}>${eventText(names, event)}</li>
              `,
            )}
          </ol>
        </details>
      </aside>
    </div>
  `;
}

// Whether exactly the cards of a hint are picked.
const isRaised = (shown, texts) => shown && [...shown.move.cards].sort().join(' ') === [...texts].sort().join(' ');
