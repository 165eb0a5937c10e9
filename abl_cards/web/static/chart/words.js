// Texts of charts, in English and Chinese.
import { addWords } from '../words.js';

addWords({
  wholeRange: ['Whole range', '全部范围'],
  saveAs: ['Save {} as {}', '把{}存为{}'],
  pointAtChart: ['Point at the figure for values; drag to zoom.', '指向图形可读数值；拖动可放大。'],
  pointAtValues: ['Point at the figure for values.', '指向图形可读数值。'],
});
