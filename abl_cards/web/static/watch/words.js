// Texts of the section Experiments, in English and Chinese.
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
  runsHere: ['Training runs', '训练'],
  runLive: ['running', '进行中'],
  runDecisions: ['{} of {} decisions', '{}次决策（共{}次）'],
  runProgress: ['Progress of {}', '{}的进度'],
  rowsOf: ['{} updates', '{}次更新'],
  matchesHere: ['Results of matches', '对局结果'],
  allExperiments: ['← All experiments', '← 全部实验'],
  noExperiments: [
    'No reports, runs or results: start the page with a folder of them.',
    '没有报告、训练和对局结果：启动时指定文件夹。',
  ],
  reportCounts: ['tables: {} · figures: {}', '{}张表，{}张图'],
  tablesBehind: ['The numbers behind the figures', '图中的数据'],
  laddersHere: ['Ratings', '等级分'],
  ladderOf: ['Ratings of the agents of {}', '{}各智能体的等级分'],
  ladderMeaning: [
    'All results in the watched folders, by their effective number of games. A lead of 400 is odds of 10 to 1.',
    '汇总所观察文件夹中该游戏的全部结果，按其信息量加权。领先400分即胜负比为10比1。',
  ],
  noLadder: ['There are no results of this game.', '没有这个游戏的对局结果。'],
  unknownGame: ['game not named', '未注明游戏'],
  pairColumns: ['agent|against|games|share won|from|to', '智能体|对手|局数|胜率|下限|上限'],
});

addWords({
  servedHere: ['Tables that are served', '服务中的牌桌'],
  servedAgo: ['last change {} s ago', '最近变化在{}秒前'],
  servedOver: ['over', '已结束'],
  servedAll: ['All tables', '全部牌桌'],
  reportsHere: ['Reports', '实验报告'],
  reportPart: ['A part; not measured yet: {}', '尚不完整，还没有测量：{}'],
  reportCommand: ['measured by', '测量命令'],
});
