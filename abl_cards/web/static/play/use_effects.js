// Hook useEffects: motion, sound and vibration at each change of a table, once the user has touched the page.
import { useEffect, useLayoutEffect, useRef, useState } from '../html.js';
import { settings } from '../settings.js';
import { useModule } from './use_module.js';

const GESTURES = ['pointerdown', 'keydown'];

export function useEffects(view, root) {
  const [isActive, setIsActive] = useState(false);
  const effects = useModule('effects/effects', isActive);
  const shown = useRef(null);
  const before = useRef(null);
  useEffect(() => {
    const activate = () => setIsActive(true);
    for (const gesture of GESTURES) addEventListener(gesture, activate, { once: true });
    return () => GESTURES.forEach((gesture) => removeEventListener(gesture, activate));
  }, []);
  // The cards are measured while the page still shows the former position.
  if (shown.current !== view && effects && root.current) before.current = effects.measure(root.current);
  useLayoutEffect(() => {
    if (effects && shown.current) effects.showChange(root.current, shown.current, view, before.current, settings());
    shown.current = view;
  }, [view]);
}
