// Hook usePoll: the answer to a request, asked again at intervals; null until the first one.
import { useEffect, useState } from '../html.js';
import { request } from '../link.js';

export function usePoll(path, seconds) {
  const [state, setState] = useState({ path: '', answer: null, problem: '' });
  useEffect(() => {
    let stopped = false,
      timer = 0;
    const ask = () =>
      request(path)
        .then(
          (answer) => stopped || setState({ path, answer, problem: '' }),
          (error) => stopped || setState((known) => ({ ...known, problem: error.message })),
        )
        .finally(() => {
          if (!stopped) timer = setTimeout(ask, 1000 * seconds);
        });
    ask();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [path]);
  return [state.path === path ? state.answer : null, state.problem];
}
