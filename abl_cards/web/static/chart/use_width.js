// Hook useWidth: width of an element, and again when it changes; its height may follow from it.
import { useLayoutEffect, useRef, useState } from '../html.js';

export function useWidth() {
  const ref = useRef(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const measure = () => ref.current && setWidth(ref.current.clientWidth);
    measure();
    const observer = new ResizeObserver(() => requestAnimationFrame(measure));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
