// Hook useJob: run one long task of the lab at a time, and poll its progress.
import { useEffect, useRef, useState } from '../html.js';

export const ACTIVE_STATES = ['waiting', 'working'];

const POLL_INTERVAL = 300;

export function useJob(callLab, onError) {
  const [job, setJob] = useState(null);
  const timer = useRef(0);
  const update = (response) => {
    setJob(response.job);
    clearTimeout(timer.current);
    if (response.job && ACTIVE_STATES.includes(response.job.state))
      timer.current = setTimeout(() => callLab('job').then(update, onError), POLL_INTERVAL);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    job,
    begin: (task, options = {}) =>
      callLab('begin', { what: task, ...options })
        .then(update)
        .catch(onError),
    stop: () => callLab('stop').then(update).catch(onError),
    forget: () => {
      clearTimeout(timer.current);
      setJob(null);
    },
  };
}
