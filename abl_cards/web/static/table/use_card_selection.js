// Hook useCardSelection: selected cards of the hand; the server computes the plays they form.
import { useEffect, useRef, useState } from '../html.js';
import { settings } from '../settings.js';

function sortHand(hand, orders, order) {
  const rank = new Map((orders[order] || orders.rank).map((text, index) => [text, index]));
  return [...hand].sort((a, b) => rank.get(a) - rank.get(b));
}

// Give each card of a hand a unique key, because decks may hold copies.
function withKeys(hand) {
  const counts = {};
  return hand.map((text) => ({ text, key: `${text}#${(counts[text] = (counts[text] || 0) + 1)}` }));
}

const NO_MATCHES = { readings: [], more: [], plays: 0 };

export function useCardSelection(view, link) {
  const { asked: decision, at, hand = [], orders } = view;
  const order = settings().order;
  const cards = withKeys(sortHand(hand, orders, order));
  const [keys, setKeys] = useState([]);
  const [answer, setAnswer] = useState(null);
  const [reading, setReading] = useState(0);
  const requestId = useRef(0);
  const keysInHand = new Set(cards.map((card) => card.key));
  const selected = keys.filter((key) => keysInHand.has(key));
  const texts = cards.filter((card) => selected.includes(card.key)).map((card) => card.text);
  const signature = `${at}:${decision?.kind}:${[...texts].sort().join(' ')}`;

  useEffect(() => {
    setReading(0);
    if (decision?.kind !== 'play' || !texts.length) {
      setAnswer(null);
      return;
    }
    const id = ++requestId.current;
    link.request({ do: 'pick', cards: texts, at }).then((response) => {
      if (id === requestId.current) setAnswer(response.type === 'picked' ? { ...response, signature } : null);
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
  const selectNext = (predicate) => {
    const free = cards.filter((card) => predicate(card.text) && !selected.includes(card.key));
    if (free.length) setKeys([...selected, free[0].key]);
    else setKeys(selected.filter((key) => !predicate(key.slice(0, key.lastIndexOf('#')))));
    return free.length > 0 || cards.some((card) => predicate(card.text));
  };
  return {
    cards,
    selected,
    texts,
    matches,
    reading: Math.min(reading, Math.max(0, matches.readings.length - 1)),
    setReading,
    toggle,
    select,
    selectNext,
    clear: () => setKeys([]),
  };
}
