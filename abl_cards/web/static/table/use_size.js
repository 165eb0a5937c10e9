// Hook useSize: width and height of an element, and again whenever they change.
import { useLayoutEffect, useRef, useState } from '../html.js';

export function useSize() {
  const ref = useRef(null);
  const [size, setSize] = useState(null);
  useLayoutEffect(() => {
    const measure = () => {
      const { clientWidth: width, clientHeight: height } = ref.current;
      setSize((known) => (known?.width === width && known.height === height ? known : { width, height }));
    };
    measure();
    // In the next frame: a change of layout within the callback is reported as an error of the page.
    const observer = new ResizeObserver(() => requestAnimationFrame(() => ref.current && measure()));
    observer.observe(ref.current);
    return () => observer.disconnect();
  }, []);
  return [ref, size];
}
