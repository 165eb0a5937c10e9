// Moves and positions of the lab as text.
export const moveText = (move) =>
  Array.isArray(move)
    ? move.flat(2).join(' ')
    : move && typeof move === 'object'
      ? `${move.label}: ${moveText(move.cards)}`
      : String(move);

export const stateText = (state) =>
  Object.entries(state)
    .map(([name, value]) =>
      name === 'hand'
        ? moveText(value)
        : `${name}: ${value === null ? '–' : typeof value === 'object' ? JSON.stringify(value) : value}`,
    )
    .join(' · ');
