// Hook useCardSelection: selected cards of the hand; the server computes the plays they form.
import { useEffect, useRef, useState } from '../html.js';
import { useSettings } from '../settings.js';
import { arrangeHand, orderOf, rankOf } from './hand_order.js';

const NO_MATCHES = { readings: [], more: [], plays: 0 };

export function useCardSelection(view, link, { deck, game }) {
  const { asked: decision, at } = view;
  const order = orderOf(useSettings(), game, view.orders);
  const [groups, setGroups] = useState(null);
  const hand = view.hand ?? [];
  const handText = [...hand].sort().join(' ');
  const { cards, gaps } = arrangeHand(hand, view.orders, order, groups?.hand === handText ? groups.groups : null);
  const [keys, setKeys] = useState([]);
  const [answer, setAnswer] = useState(null);
  const [reading, setReading] = useState(0);
  const requestId = useRef(0);
  const sweepText = useRef('');
  const keysInHand = new Set(cards.map((card) => card.key));
  const selected = keys.filter((key) => keysInHand.has(key));
  const texts = cards.filter((card) => selected.includes(card.key)).map((card) => card.text);
  const picked = [...texts].sort().join(' ');
  const signature = `${at}:${decision?.kind}:${picked}`;

  useEffect(() => {
    if (order !== 'groups' || !hand.length) return;
    link.request({ do: 'groups' }).then((response) => {
      if (response.type === 'groups') setGroups({ hand: handText, groups: response.groups });
    });
  }, [order, handText, link]);
  useEffect(() => {
    setReading(0);
    if (decision?.kind !== 'play' || !texts.length) {
      setAnswer(null);
      return;
    }
    const id = ++requestId.current;
    link.request({ do: 'pick', cards: texts, at }).then((response) => {
      if (id !== requestId.current) return;
      setAnswer(response.type === 'picked' ? { ...response, signature } : null);
      if (sweepText.current === picked && response.within) select(response.within);
      sweepText.current = '';
    });
  }, [signature, link]);

  const options = decision?.kind === 'choice' ? decision.options.filter((option) => option.card) : [];
  let matches = NO_MATCHES;
  if (decision?.kind === 'play')
    matches = texts.length
      ? answer?.signature === signature
        ? answer
        : { ...NO_MATCHES, more: answer?.more ?? decision.more, waits: true }
      : { readings: [], more: decision.more, plays: decision.plays };
  if (decision?.kind === 'choice')
    matches = { readings: [], more: options.map((option) => option.card), plays: options.length };

  const toggle = (key) =>
    setKeys(selected.includes(key) ? selected.filter((item) => item !== key) : [...selected, key]);
  const select = (cardTexts) => {
    const remaining = [...cardTexts];
    const selection = [];
    for (const card of cards) {
      const index = remaining.indexOf(card.text);
      if (index >= 0) {
        remaining.splice(index, 1);
        selection.push(card.key);
      }
    }
    setKeys(selection);
  };
  // Select or put back the cards from one place to another, starting from a former selection.
  const sweep = (from, to, before) => {
    const swept = cards.slice(Math.min(from, to), Math.max(from, to) + 1).map((card) => card.key);
    const isPutBack = before.includes(cards[from].key);
    const rest = before.filter((key) => !swept.includes(key));
    setKeys(isPutBack ? rest : [...rest, ...swept]);
  };
  // After a sweep, the server may narrow the cards to the play within them.
  const endSweep = () => {
    sweepText.current = picked;
    if (answer?.signature === signature && answer.within) select(answer.within);
  };
  const toggleAll = (group) => {
    const isPicked = group.every((key) => selected.includes(key));
    setKeys(isPicked ? selected.filter((key) => !group.includes(key)) : [...new Set([...selected, ...group])]);
  };
  const selectRank = (place) => {
    const rank = rankOf(deck, cards[place].text);
    const group = cards.filter((card) => rankOf(deck, card.text) === rank).map((card) => card.key);
    setKeys([...new Set([...selected, ...group])]);
  };
  const selectNext = (predicate) => {
    const free = cards.filter((card) => predicate(card.text) && !selected.includes(card.key));
    if (free.length) setKeys([...selected, free[0].key]);
    else setKeys(selected.filter((key) => !predicate(key.slice(0, key.lastIndexOf('#')))));
    return free.length > 0 || cards.some((card) => predicate(card.text));
  };
  return {
    cards,
    gaps,
    selected,
    texts,
    matches,
    reading: Math.min(reading, Math.max(0, matches.readings.length - 1)),
    setReading,
    toggle,
    toggleAll,
    select,
    selectRank,
    selectNext,
    sweep,
    endSweep,
    clear: () => setKeys([]),
  };
}
