// Positions of the notebook as one line of text.
const valueText = (value) =>
  value === null ? '–' : Array.isArray(value) ? value.flat(3).join(' ') : JSON.stringify(value);

export const stateText = (state) =>
  Object.entries(state)
    .map(([name, value]) => (name === 'hand' ? valueText(value) : `${name}: ${valueText(value)}`))
    .join(' · ');
