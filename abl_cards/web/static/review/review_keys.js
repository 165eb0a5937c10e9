// Keys of the section Review, for the list of keys.
import { addKeys } from '../dialogs/keys_dialog.js';

addKeys('review', [
  ['← →', 'k_step'],
  ['Home End', 'k_ends'],
  ['Space', 'k_run'],
  ['B', 'k_blunder'],
  ['M', 'k_mistake'],
  ['I', 'k_inaccuracy'],
  ['N', 'k_anyMistake'],
  ['R', 'k_learn'],
  ['X', 'k_try'],
  ['L', 'k_coach'],
  ['O', 'k_open'],
  ['E', 'k_estimates'],
  ['F', 'k_flip'],
  ['Enter', 'k_lay'],
  ['P', 'k_pass'],
  ['Esc', 'k_leave'],
]);
