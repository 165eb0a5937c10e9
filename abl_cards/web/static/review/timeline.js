// Component Timeline: points of one side over the acts of a record, with their 95 % band; drag or click to go.
import { html, useRef, useState } from '../html.js';
import { useSize } from '../table/use_size.js';
import { TimelineCard } from './timeline_card.js';
import { TimelineDrawing } from './timeline_drawing.js';
import { makeScale, valueRange } from './timeline_scale.js';

export function Timeline(props) {
  const { length, series, current, onSelect, label, shortLabel, describe } = props;
  const [space, size] = useSize();
  const [hover, setHover] = useState(null);
  const isDragging = useRef(false);
  const [low, high] = valueRange(series);
  const scale = size && makeScale({ width: size.width, height: size.height, length, low, high });
  const indexOf = (event) => scale.indexAt(event.clientX - space.current.getBoundingClientRect().left);
  const handlers = {
    onPointerDown: (event) => {
      if (event.button > 0) return;
      isDragging.current = true;
      event.currentTarget.setPointerCapture(event.pointerId);
      onSelect(indexOf(event));
    },
    onPointerMove: (event) => {
      const index = indexOf(event);
      setHover(index);
      if (isDragging.current) onSelect(index);
    },
    onPointerUp: () => {
      isDragging.current = false;
    },
    onPointerCancel: () => {
      isDragging.current = false;
    },
    onPointerLeave: () => setHover(null),
  };
  return html`
    <div
      class="timeline"
      ref=${space}
      role="slider"
      tabindex="0"
      aria-label=${label}
      aria-valuemin="1"
      aria-valuemax=${length}
      aria-valuenow=${current + 1}
      aria-valuetext=${describe(current)}
      ...${handlers}
    >
      ${
        scale &&
        html`
          <${TimelineDrawing}
            ...${{ ...props, size, scale, low, high }}
            label=${size.width < 560 ? shortLabel : label}
          />
          ${hover != null && html`<${TimelineCard} x=${scale.x(hover)} width=${size.width} text=${describe(hover)} />`}
        `
      }
    </div>
  `;
}
