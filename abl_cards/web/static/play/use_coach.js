// Hook useCoach: judgements of the moves of the player, after or before the move, or when they are asked for.
import { useEffect, useRef, useState } from '../html.js';
import { settings, useSettings } from '../settings.js';

export function useCoach(view, link, advisor) {
  const { coach: mode } = useSettings();
  const [judged, setJudged] = useState(null);
  const [isBusy, setIsBusy] = useState(false);
  const made = view.log.findLast((event) => event.kind === 'play' && event.seat === view.me && event.act != null);
  const known = useRef(made?.number);
  const judge = async (what) => {
    setIsBusy(true);
    const message = { do: 'coach', lang: settings().language, ...what };
    let answer = await link.request({ ...message, agent: advisor() });
    if (answer.type === 'error' && advisor() !== 'kb') answer = await link.request({ ...message, agent: 'kb' });
    setIsBusy(false);
    if (answer.type === 'coach') setJudged({ ...answer, at: what.at });
  };
  useEffect(() => {
    const isNew = made && made.number !== known.current;
    known.current = made?.number;
    if (isNew && mode === 'after') judge({ act: made.act });
  }, [made?.number]);
  const isAsked = view.asked?.kind === 'play';
  useEffect(() => {
    if (isAsked && mode === 'before') judge({ at: view.at });
  }, [mode, view.at, isAsked]);
  const isShown = judged && (judged.act != null ? mode === 'after' : isAsked && judged.at === view.at);
  return { mode, isBusy, judged: isShown ? judged : null, compare: () => judge({ at: view.at }) };
}
