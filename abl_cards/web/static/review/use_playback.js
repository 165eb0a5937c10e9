// Hook usePlayback: play the acts one after the other; a mistake stays longer.
import { useEffect, useState } from '../html.js';

const STEP_MS = 1000;
const MISTAKE_MS = 3000;

export function usePlayback({ index, last, glyphs, goTo }) {
  const [isRunning, setIsRunning] = useState(false);
  const [speed, setSpeed] = useState(1);
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setTimeout(
      () => (index < last ? goTo(index + 1) : setIsRunning(false)),
      (glyphs.has(index) ? MISTAKE_MS : STEP_MS) / speed,
    );
    return () => clearTimeout(timer);
  }, [isRunning, index, speed, last]);
  return { isRunning, setRunning: setIsRunning, speed, setSpeed };
}
