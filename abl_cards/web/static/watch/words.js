// Texts of the section Watch, in English and Chinese.
import { addWords } from '../words.js';

addWords({
  tablesHere: ['Tables of this page', '本页的牌桌'],
  noTables: ['Nobody is at a table.', '没有人在打牌。'],
  idleTables: ['{} tables that nobody uses now', '{}张暂时没人的牌桌'],
  tableRuns: ['being played', '进行中'],
  tableRests: ['resting', '休息中'],
  dealOver: ['the deal is over', '这一副已结束'],
  dealColumn: ['Deal', '第几副'],
  stateColumn: ['State', '状态'],
  lookingColumn: ['People', '在场'],
  lookers: ['{} here', '{}人'],
  lookOn: ['look on', '观战'],
  runsHere: ['Runs', '训练'],
  noRuns: ['No runs: start the page with --watch and a folder.', '没有训练：启动时用 --watch 指定文件夹。'],
  rowsOf: ['{} lines', '{}行'],
  matchesHere: ['Matches', '对局结果'],
  rowWins: ['share of the games that the agent of the row wins, with its 95 % interval', '行中智能体的胜率及95%区间'],
});

addWords({
  servedHere: ['Tables that are served', '服务中的牌桌'],
  servedAgo: ['last change {} s ago', '最近变化在{}秒前'],
  servedOver: ['over', '已结束'],
  servedAll: ['All tables', '全部牌桌'],
  reportsHere: ['Reports of experiments', '实验报告'],
  reportPart: ['A part; not measured yet: {}', '尚不完整，还没有测量：{}'],
  reportCommand: ['measured by', '测量命令'],
});
