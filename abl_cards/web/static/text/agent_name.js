// Names of agents for players; an agent with options, or of one's own, keeps the name that was typed.
import { settings } from '../settings.js';
import { t } from '../words.js';

const KNOWN = ['kb', 'abl', 'greedy', 'random'];

// Name and kind of an agent, for the choice of one: in English the name that commands take comes first.
export const agentTitle = (agent) =>
  KNOWN.includes(agent)
    ? settings().language === 'zh'
      ? t(`agent_${agent}`)
      : `${agent}: ${t(`agent_${agent}`)}`
    : agent;

// What an agent does and how strong it is; empty for one of the user's own.
export const agentWords = (agent) => (KNOWN.includes(agent) ? t(`about_${agent}`) : '');

export const agentName = (agent) =>
  settings().language === 'zh' && KNOWN.includes(agent) ? t(`agent_${agent}`) : agent;
