// Hook useDrop: a file dropped anywhere on the page; returns whether one is dragged over it.
import { useEffect, useState } from '../html.js';
import { readText } from '../read_text.js';

export function useDrop(onText) {
  const [isDragging, setIsDragging] = useState(false);
  useEffect(() => {
    const over = (event) => {
      if (![...(event.dataTransfer?.types ?? [])].includes('Files')) return;
      event.preventDefault();
      setIsDragging(true);
    };
    const leave = (event) => event.relatedTarget == null && setIsDragging(false);
    const drop = async (event) => {
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      setIsDragging(false);
      onText(await readText(file));
    };
    const handlers = { dragover: over, dragleave: leave, drop };
    for (const [name, handler] of Object.entries(handlers)) addEventListener(name, handler);
    return () => {
      for (const [name, handler] of Object.entries(handlers)) removeEventListener(name, handler);
    };
  });
  return isDragging;
}
