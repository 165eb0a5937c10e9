// Words of coach and advice.
import { addWords } from '../words.js';

addWords({
  coachThinks: ['playing it out …', '正在推演……'],
  light_good: ['Good', '好'],
  light_fair: ['Fair', '稍亏'],
  light_bad: ['Costly', '亏'],
  coachBest: ['No better play was found.', '没有找到更好的出法。'],
  coachEqual: ['As good as the best, within chance.', '与最好的出法相当，差别在误差之内。'],
  coachLoss: ['{} is worth {} ± {} points more.', '{}约多{}±{}分。'],
  coachForced: ['Nothing else was possible.', '只能这样出。'],
  coachFirst: ['Best: {}.', '首选：{}。'],
  coachFirstOf: ['Best: {}; as good within chance: {} more.', '首选：{}；另有{}种相当，差别在误差之内。'],
  comparedMoves: ['The best plays compared', '几种出法的比较'],
  scale: [
    'Points of {} sampled deals, played on by the rule player; the line is the 95 % interval.',
    '按{}副抽样的牌由规则手打到底的得分，横线是九成五的区间。',
  ],
  made: ['made', '已出'],
  compare: ['Compare by playing on', '推演比较'],
  speaksFor: ['For', '支持'],
  speaksAgainst: ['Against', '反对'],
  numbers: ['Numbers', '数字'],
  agentNumbers: ['Numbers of the agent', '智能体的数字'],
  betterBecause: ['Your play against the best', '你的出法与首选相比'],
  theirReasons: ['Why {} played {}', '{}为什么出{}'],
  asAgent: ['It is also the first choice of the agent ({}).', '这也是智能体（{}）的首选。'],
  agentInstead: ['First choice of the agent ({}):', '智能体（{}）的首选：'],
  fromOwnCards: ['Only what this seat could know counts.', '只依据这个座位能知道的信息。'],
});
