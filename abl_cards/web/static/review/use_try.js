// Hook useTry: play on from a position; an agent answers, and the variation is kept with the record.
import { useState } from '../html.js';
import { request } from '../link.js';

export function useTry({ review, line, index, agent, seed, onBranches }) {
  const [isOn, setIsOn] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const send = async (path, body) => {
    setIsBusy(true);
    setProblem('');
    try {
      return await request(path, { review: review.review, ...body });
    } catch (error) {
      setProblem(error.message);
      return null;
    } finally {
      setIsBusy(false);
    }
  };
  const playOn = async (decision, end = false) => {
    const answer = await send('/api/reviews/branch', { line, place: index, agent, seed, end, ...decision });
    if (answer) onBranches(answer.branches, answer.played);
  };
  const remove = async (number) => {
    const answer = await send('/api/reviews/remove-branch', { line: number });
    if (answer) onBranches(answer.branches, null);
  };
  return {
    isOn,
    isBusy,
    problem,
    toggle: () => setIsOn(!isOn),
    stop: () => setIsOn(false),
    decide: (decision) => playOn(decision),
    letAgent: () => playOn({}),
    toEnd: () => playOn({}, true),
    remove,
  };
}
