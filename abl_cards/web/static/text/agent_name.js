// Names of agents for players; an agent with options, or of one's own, keeps the name that was typed.
import { settings } from '../settings.js';
import { t } from '../words.js';

const KNOWN = ['kb', 'abl', 'greedy', 'random'];

export const agentName = (agent) =>
  settings().language === 'zh' && KNOWN.includes(agent) ? t(`agent_${agent}`) : agent;
