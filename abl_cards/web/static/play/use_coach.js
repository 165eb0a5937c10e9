// Hook useCoach: judgements of the moves of the player, after or before the move, or when they are asked for.
import { useEffect, useRef, useState } from '../html.js';
import { settings, useSettings } from '../settings.js';

export function useCoach(view, link, advisor) {
  const { coach: mode } = useSettings();
  const [judged, setJudged] = useState(null);
  const [isBusy, setIsBusy] = useState(false);
  const made = view.log.findLast((event) => event.kind === 'play' && event.seat === view.me && event.act != null);
  const known = useRef(made?.number);
  const numPlays = useRef(null); // of the last decision about plays
  const waiting = useRef(null);
  const isPending = useRef(false);
  // One request at a time; of those that come meanwhile, the last one follows.
  const judge = async (what) => {
    waiting.current = what;
    if (isPending.current) return;
    isPending.current = true;
    setIsBusy(true);
    while (waiting.current) {
      const next = waiting.current;
      waiting.current = null;
      await request(next);
    }
    isPending.current = false;
    setIsBusy(false);
  };
  const request = async (what) => {
    const message = { do: 'coach', lang: settings().language, ...what };
    let answer = await link.request({ ...message, agent: advisor() });
    if (answer.type === 'error' && advisor() !== 'kb') answer = await link.request({ ...message, agent: 'kb' });
    if (answer.type === 'coach') setJudged({ ...answer, at: what.at });
  };
  useEffect(() => {
    const isNew = made && made.number !== known.current;
    known.current = made?.number;
    const hadChoice = numPlays.current !== 1;
    if (isNew && hadChoice && mode === 'after') judge({ act: made.act });
  }, [made?.number]);
  const isAsked = view.asked?.kind === 'play';
  useEffect(() => {
    if (isAsked) numPlays.current = view.asked.plays;
  }, [view.at, isAsked]);
  useEffect(() => {
    if (isAsked && mode === 'before') judge({ at: view.at });
  }, [mode, view.at, isAsked]);
  const isShown = judged && (judged.act != null ? mode === 'after' : isAsked && judged.at === view.at);
  return { mode, isBusy, judged: isShown ? judged : null, compare: () => judge({ at: view.at }) };
}
