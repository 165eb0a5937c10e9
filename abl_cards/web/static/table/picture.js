// Pictures of states and records for `abl-cards picture`: a request of the server becomes a position, and an SVG text.
import { localise, updateSettings } from '../settings.js';
import { agentName } from '../text/agent_name.js';
import { t } from '../words.js';
import { positionOfFrame, positionOfState } from './position.js';
import { tableSvg } from './table_svg.js';

// Position of a request: of a state, or of an act of a record as a seat sees it.
function positionOf({ kind, seat, isOpen, agents, ...request }) {
  if (kind === 'state') {
    const { drawn, deck, title } = request;
    const position = positionOfState(drawn, deck);
    position.seats.forEach((info, number) => Object.assign(info, { cards: drawn.cards[number] }));
    return { ...position, title };
  }
  const { review, frame } = request;
  const nameOfSeat = (number) => (agents[number] ? agentName(agents[number]) : t('seat', number));
  const position = positionOfFrame(review, frame, seat, isOpen, nameOfSeat);
  position.seats.forEach((info, number) => Object.assign(info, { face: isOpen ? frame.hands[number] : null }));
  return { ...position, hand: frame.hands[seat] };
}

// Return the SVG text of a request, or its position if `asPosition`.
export function picture({ language, size, asPosition = false, ...request }) {
  updateSettings({ language });
  const drawn = positionOf(request);
  const position = { ...drawn, title: localise(drawn.title) };
  if (asPosition) return { ...position, names: undefined };
  return tableSvg(position, size, { isOpen: request.isOpen });
}
