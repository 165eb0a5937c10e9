// Texts of the button that pins a position to the rules notebook, in English and Chinese.
import { addWords } from '../words.js';

addWords({
  pinThis: ['Pin to the notebook', '固定到规则笔记本'],
  pinDone: ['pinned to the rules notebook', '已固定到规则笔记本'],
  pinOpen: ['Pinned: open the notebook', '已固定，打开笔记本'],
});
