// Table of all decisions as CSV.
import { csvText } from '../chart/table_data.js';

const COLUMNS = [
  'act', 'trick', 'seat', 'player', 'move', 'points', 'standard_error', 'best_move', 'best_points', 'loss',
  'loss_standard_error', 'mistake', 'glyph', 'agent_agrees', 'legal_moves', 'hidden_cards_misplaced',
]; // prettier-ignore

// Return CSV with a header; `rows` are those of `decisionRows`.
export const toCsv = (rows) => csvText([COLUMNS, ...rows.map((row) => COLUMNS.map((column) => row[column]))]);

// Rows of the table: numbers as they came, names as plain text.
export function decisionRows({ decisions, tricks, errors, glyphs, playerName, moveText }) {
  return decisions.map((decision) => ({
    act: decision.act,
    trick: tricks[decision.place],
    seat: decision.seat,
    player: playerName(decision.seat),
    move: moveText(decision.tried.find((move) => move.made)?.text),
    points: decision.made,
    standard_error: decision.madeError,
    best_move: moveText(decision.better),
    best_points: decision.best,
    loss: decision.loss,
    loss_standard_error: decision.error,
    mistake: decision.mistake,
    glyph: glyphs.get(decision.place) ?? '',
    agent_agrees: decision.agreed,
    legal_moves: decision.moves,
    hidden_cards_misplaced: errors[decision.place],
    place: decision.place,
  }));
}
