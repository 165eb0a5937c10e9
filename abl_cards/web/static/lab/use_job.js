// Hook useJob: run one long task of the lab at a time, and poll its progress.
import { useEffect, useRef, useState } from '../html.js';

export const ACTIVE_STATES = ['waiting', 'working'];

const POLL_INTERVAL = 300;

export function useJob(at, trouble) {
  const [job, setJob] = useState(null);
  const timer = useRef(0);
  const look = (found) => {
    setJob(found.job);
    clearTimeout(timer.current);
    if (found.job && ACTIVE_STATES.includes(found.job.state))
      timer.current = setTimeout(() => at('job').then(look, trouble), POLL_INTERVAL);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    job,
    begin: (what, asked = {}) =>
      at('begin', { what, ...asked })
        .then(look)
        .catch(trouble),
    stop: () => at('stop').then(look).catch(trouble),
    forget: () => {
      clearTimeout(timer.current);
      setJob(null);
    },
  };
}
