// Hook useWork: the search for mistakes of a review, its agents, and what it has found.
import { useEffect, useMemo, useState } from '../html.js';
import { request } from '../link.js';
import { useSettings } from '../settings.js';
import { glyphOf, stakeOf } from './glyphs.js';

const POLL_MS = 700;

export function useWork(review) {
  const { language, threshold } = useSettings();
  const { state, done, total, result } = review;
  const [work, setWork] = useState({ state, done, total, result });
  const [problem, setProblem] = useState('');
  const [offered, setOffered] = useState(['kb']);
  const [choice, setChoice] = useState({ agent: 'kb', onward: 'kb', deals: 100, seed: 0 });
  useEffect(() => {
    request('/api/games')
      .then(({ games }) => setOffered(games.find((game) => game.name === review.game)?.agents ?? ['kb']))
      .catch(() => {});
  }, []);
  useEffect(() => {
    if (work.state !== 'working') return undefined;
    const timer = setInterval(
      () =>
        request(`/api/reviews/${review.review}/progress`).then(setWork, (error) => {
          setProblem(error.message);
          setWork((known) => ({ ...known, state: 'idle' }));
        }),
      POLL_MS,
    );
    return () => clearInterval(timer);
  }, [work.state]);
  const method = work.result?.method ?? null;
  const body = (agents) => ({
    review: review.review,
    agent: agents.agent,
    onward: agents.onward ?? agents.rollout_agent,
    deals: Number(agents.deals),
    seed: agents.seed,
    lang: language,
  });
  const start = () => {
    setProblem('');
    request('/api/reviews/work', body(choice)).then(setWork, (error) => setProblem(error.message));
  };
  const grade = (place, value) => request('/api/reviews/grade', { ...body(method ?? choice), place, value });
  const decisions = work.result?.decisions ?? [];
  const found = useMemo(() => {
    const stake = stakeOf(decisions);
    const glyphs = new Map();
    for (const decision of decisions) {
      const glyph = glyphOf(decision, threshold, stake);
      if (glyph) glyphs.set(decision.place, glyph);
    }
    return { stake, glyphs, decisionAt: new Map(decisions.map((decision) => [decision.place, decision])) };
  }, [decisions, threshold]);
  return {
    ...found,
    state: work.state,
    done: work.done,
    total: work.total,
    result: work.result,
    problem: problem || work.result?.problem || '',
    decisions,
    method,
    choice,
    setChoice: (changes) => setChoice({ ...choice, ...changes }),
    allAgents: offered,
    explaining: offered.filter((agent) => /^(kb|abl)/.test(agent)),
    start,
    grade,
  };
}
