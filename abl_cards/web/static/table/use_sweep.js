// Hook useSweep: select several cards by one stroke of finger or mouse over the hand.
import { useRef } from '../html.js';

function placeAt(event) {
  const card = document.elementFromPoint(event.clientX, event.clientY)?.closest?.('.hand [data-place]');
  return card ? Number(card.dataset.place) : null;
}

export function useSweep(selection) {
  const stroke = useRef(null);
  const start = (event) => {
    if (event.button > 0) return;
    const place = placeAt(event);
    stroke.current = place == null ? null : { from: place, at: place, before: selection.selected, isSweep: false };
    event.target.releasePointerCapture?.(event.pointerId);
  };
  const move = (event) => {
    const current = stroke.current;
    if (!current || event.buttons === 0) return;
    const place = placeAt(event);
    if (place == null || place === current.at) return;
    current.isSweep = true;
    current.at = place;
    selection.sweep(current.from, place, current.before);
  };
  const end = () => {
    if (stroke.current?.isSweep) selection.endSweep();
    else stroke.current = null;
  };
  // The click that ends a stroke is no click on a card.
  const swallowsClick = () => {
    const isSweep = Boolean(stroke.current?.isSweep);
    stroke.current = null;
    return isSweep;
  };
  const handlers = { onPointerDown: start, onPointerMove: move, onPointerUp: end, onPointerCancel: end };
  return { handlers, swallowsClick };
}
