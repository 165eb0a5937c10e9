// Hook useCardSelection: selected cards of the hand; the server computes the plays they form.
import { useEffect, useRef, useState } from '../html.js';
import { settings } from '../settings.js';

function sortHand(hand, orders, way) {
  const place = new Map((orders[way] || orders.rank).map((text, number) => [text, number]));
  return [...hand].sort((one, two) => place.get(one) - place.get(two));
}

// Cards of a hand by names of their own, since there may be two of a kind.
function withKeys(hand) {
  const counts = {};
  return hand.map((text) => ({ text, key: `${text}#${(counts[text] = (counts[text] || 0) + 1)}` }));
}

const NO_MATCHES = { readings: [], more: [], plays: 0 };

export function useCardSelection(seen, link) {
  const { asked, at, hand = [], orders } = seen;
  const order = settings().order;
  const cards = withKeys(sortHand(hand, orders, order));
  const [keys, setKeys] = useState([]);
  const [answer, setAnswer] = useState(null);
  const [reading, setReading] = useState(0);
  const number = useRef(0);
  const there = new Set(cards.map((card) => card.key));
  const picked = keys.filter((key) => there.has(key));
  const texts = cards.filter((card) => picked.includes(card.key)).map((card) => card.text);
  const signature = `${at}:${asked?.kind}:${[...texts].sort().join(' ')}`;

  useEffect(() => {
    setReading(0);
    if (asked?.kind !== 'play' || !texts.length) {
      setAnswer(null);
      return;
    }
    const mine = ++number.current;
    link.ask({ do: 'pick', cards: texts, at }).then((told) => {
      if (mine === number.current) setAnswer(told.type === 'picked' ? { ...told, signature } : null);
    });
  }, [signature, link]);

  const options = asked?.kind === 'choice' ? asked.options.filter((each) => each.card) : [];
  let now = NO_MATCHES;
  if (asked?.kind === 'play')
    now = texts.length
      ? answer?.signature === signature
        ? answer
        : { ...NO_MATCHES, more: answer?.more ?? asked.more, waits: true }
      : { readings: [], more: asked.more, plays: asked.plays };
  if (asked?.kind === 'choice') now = { readings: [], more: options.map((each) => each.card), plays: options.length };

  const toggle = (key) => setKeys(picked.includes(key) ? picked.filter((each) => each !== key) : [...picked, key]);
  const take = (wanted) => {
    const left = [...wanted];
    const found = [];
    for (const card of cards) {
      const place = left.indexOf(card.text);
      if (place >= 0) {
        left.splice(place, 1);
        found.push(card.key);
      }
    }
    setKeys(found);
  };
  const next = (match) => {
    const free = cards.filter((card) => match(card.text) && !picked.includes(card.key));
    if (free.length) setKeys([...picked, free[0].key]);
    else setKeys(picked.filter((key) => !match(key.slice(0, key.lastIndexOf('#')))));
    return free.length > 0 || cards.some((card) => match(card.text));
  };
  return {
    cards,
    picked,
    texts,
    now,
    reading: Math.min(reading, Math.max(0, now.readings.length - 1)),
    read: setReading,
    toggle,
    take,
    next,
    clear: () => setKeys([]),
  };
}
