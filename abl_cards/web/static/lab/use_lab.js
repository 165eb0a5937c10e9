// Hook useLab: the state of a laboratory, and again whenever it changes.
import { useEffect, useState } from '../html.js';

export function useLab(lab) {
  const [state, setState] = useState(lab.state);
  useEffect(() => {
    setState(lab.state);
    return lab.subscribe(setState);
  }, [lab]);
  return state;
}
