// The page's own words, in English and Chinese. Words of games come from their folders.
import { settings } from './settings.js';

const words = {
  play: ['Play', '打牌'], review: ['Review', '复盘'], watch: ['Watch', '观战'], rules: ['Rules', '规则'],
  sections: ['Sections', '栏目'], settings: ['Settings', '设置'], help: ['Keys', '快捷键'], close: ['Close', '关闭'],
  language: ['中文', 'English'], newTable: ['New table', '新牌桌'], invite: ['Invite', '邀请'],
  connecting: ['connecting …', '正在连接……'], lost: ['connection lost, trying again …', '连接断开，正在重连……'],
  oldRules: ['The rules as they are now have errors; this is by their last sound version:', '现在的规则有错，这里用的是最后一个正确的版本：'],
  gone: ['This table is no longer there.', '这张牌桌已经不在了。'], openAnother: ['Open another', '另开一桌'],
  opening: ['laying the table …', '正在摆桌……'], yourTurn: ['Your turn', '轮到你了'], turnOf: ['{} to act', '轮到{}'],
  you: ['you', '你'], seat: ['seat {}', '{}号位'], openSeat: ['free seat', '空位'], cards: ['{} cards', '{}张'], card1: ['1 card', '1张'],
  lay: ['Play', '出牌'], pass: ['Pass', '不要'], hint: ['Hint', '提示'], why: ['Why?', '为什么'], whyNot: ['Why not?', '为什么不行'],
  clear: ['Clear', '重选'], back: ['Take back', '悔棋'], give: ['Choose', '选定'], goOn: ['Go on', '继续'], again: ['Another match', '再来一局'],
  byRank: ['by rank', '按点数'], bySuit: ['by suit', '按花色'], order: ['Order', '排序'], lastTrick: ['Last trick', '上一轮'],
  noLast: ['There is none yet.', '还没有。'], ways: ['Two ways to read this:', '有几种读法：'], notLegal: ['not a legal play', '不能这样出'],
  unfinished: ['{} plays with these cards', '含这些牌的出法：{}种'], only: ['you can only pass', '只能不要'], thinking: ['thinking', '思考中'],
  place: ['finished {}', '第{}个出完'], episode: ['Deal {}', '第{}副'], result: ['Deal {} is over', '第{}副结束'], matchOver: ['The match is over', '比赛结束'],
  won: ['won', '获胜'], draw: ['a draw', '平局'], points: ['points', '得分'], total: ['total', '总分'], left: ['cards left', '剩牌'],
  remembered: ['On the table', '牌局信息'], log: ['What happened', '牌局记录'], advice: ['Advice', '建议'], kitty: ['face down', '底牌'], stock: ['to be drawn', '待摸'],
  best: ['Best', '首选'], next: ['Next best', '次选'], reasons: ['What speaks for and against it', '理由'], difference: ['Against the best', '与首选相比'],
  probability: ['probability', '概率'], ahead: ['points ahead', '前瞻得分'], label: ['play', '牌型'], cost: ['cost {}', '代价{}'], placed: ['place {} of {}', '第{}位（共{}）'],
  noReasons: ['No preference speaks.', '没有触发任何偏好。'], pickThese: ['Pick these', '选这些牌'], asks: ['asks {}', '由{}给出'],
  legal: ['legal', '可以出'], illegal: ['not legal', '不能出'], because: ['because', '因为'], nearest: ['nearest rule', '最接近的规则'], always: ['always', '总是'], told: ['as the cards lie', '由牌面'], noRule: ['no rule says so', '没有规则推出'], not: ['not ', '非 '],
  estimated: ['What it expects in the other hands', '对其他各家手牌的估计'], noAdvice: ['Ask for a hint, or why your own choice would be better or worse.', '可以要提示，也可以问自己的选择为什么好或不好。'],
  steps: ['Laid one after the other', '逐张打出'], imaginedDeals: ['Deals it looked ahead on', '前瞻所设想的牌局'],
  game: ['Game', '游戏'], profile: ['Rules', '规则版本'], seats: ['Seats', '座位'], me: ['me', '我'], person: ['somebody by link', '凭链接的人'], agentNamed: ['agent by name …', '按名称选智能体……'],
  practice: ['practice: plays can be taken back', '练习：可以悔棋'], seed: ['Seed (the same seed, the same cards)', '种子（相同种子发相同的牌）'], open: ['Open', '开桌'], cancel: ['Cancel', '取消'],
  usual: ['usual', '默认'], giveUp: ['Let an agent play for me', '让智能体代打'], sit: ['Sit down again', '回到座位'], copy: ['Copy the link', '复制链接'], copied: ['copied', '已复制'], linkFor: ['Link for {}', '{}的链接'], watchLink: ['Link to look on', '观战链接'],
  name: ['Your name', '你的名字'], theme: ['Colours of the page', '页面颜色'], system: ['as the system', '跟随系统'], light: ['light', '浅色'], dark: ['dark', '深色'], four: ['four colours of suits', '四色花色'], pace: ['Agents wait', '智能体停顿'], seconds: ['{} s', '{}秒'], advisor: ['Hints by', '提示来自'], announce: ['announce everything to screen readers', '向读屏软件播报'],
  download: ['Download the record', '下载记录'], reviewThis: ['Look it over', '复盘这一局'], noRecord: ['No deal has ended yet.', '还没有打完一副。'],
  played: ['{}: {}', '{}：{}'], chose: ['{} chose: {}', '{}选择：{}'], hidden: ['{} has chosen', '{}已选择'], dealt: ['The cards are dealt.', '发牌完毕。'], trickTo: ['trick', '本轮'],
  picked: ['{} picked', '已选{}'], unpicked: ['{} put back', '取消{}'], hand: ['Your hand', '你的手牌'], trick: ['On the table', '桌面'], actions: ['What you can do', '操作'],
  onlooker: ['You look on.', '你在观战。'], waitFor: ['waiting for {}', '等待{}'], problem: ['The table stands still:', '牌桌停住了：'],
  offline: ['away', '不在'], k_move: ['go from card to card', '在牌间移动'], k_pick: ['pick the card, or put it back', '选中或取消'], k_rank: ['pick the next card of this rank', '选中这个点数的下一张牌'], k_lay: ['play what is picked; choose', '出牌；选定'], k_pass: ['pass', '不要'], k_hint: ['hint', '提示'], k_best: ['pick the best', '选出首选的牌'], k_why: ['why (not) what is picked', '为什么（不）这样出'], k_clear: ['put all back; close', '全部取消；关闭'], k_back: ['take back', '悔棋'], k_order: ['order by rank or suit', '切换排序'], k_last: ['last trick', '上一轮'], k_read: ['next way to read the cards', '下一种读法'], k_new: ['new table', '新牌桌'], k_go: ['go on', '继续'], k_lang: ['language', '切换语言'], k_help: ['this list', '本列表'], k_option: ['the option of this number', '这个编号的选项'], k_hand: ['to the hand', '回到手牌'], k_status: ['say how things stand', '播报局面'], k_set: ['settings', '设置'],
  failed: ['The page has failed: {}', '页面出错：{}'],
};

export function t(key, ...values) {
  const pair = words[key];
  if (!pair) return key;
  let place = 0;
  return pair[settings().language === 'zh' ? 1 : 0].replaceAll('{}', () => String(values[place++] ?? ''));
}

export function count(number) {
  return number === 1 ? t('card1') : t('cards', number);
}

export const add = (more) => Object.assign(words, more);
