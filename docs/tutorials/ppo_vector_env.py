"""Learn a card game by PPO in self-play: one network plays all seats, and is measured against random players."""

import argparse
import time

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from abl_cards.env import VectorEnv


class ActorCritic(nn.Module):
    def __init__(self, features: int, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(features, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU())
        self.actor, self.critic = nn.Linear(256, actions), nn.Linear(256, 1)

    def forward(self, observation: torch.Tensor, mask: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        hidden = self.body(observation)
        return Categorical(logits=self.actor(hidden).masked_fill(~mask, -1e9)), self.critic(hidden)[:, 0]


def evaluate(net: ActorCritic, game: str, deals: int = 2000) -> float:
    env = VectorEnv(game, num_envs=500, seed=1000)
    step, total, seats = env.reset(), 0.0, np.arange(500) % env.num_players  # the network has one seat at each table
    while env.episodes < deals:
        mask = torch.from_numpy(step.action_mask)
        with torch.no_grad():
            actions = net(torch.from_numpy(step.observation), mask)[0].probs.argmax(1).numpy()
        actions = np.where(step.current_player == seats, actions, Categorical(mask.float()).sample().numpy())
        step = env.step(actions)
        total += float(step.reward[np.arange(500), seats].sum())
    return total / env.episodes


def train(game: str, minutes: float, num_envs: int = 256, num_steps: int = 128, deals: int = 2000) -> list[float]:
    env, rows, begin, curve = VectorEnv(game, num_envs, seed=1), np.arange(num_envs), time.monotonic(), list[float]()
    net, step, updates = ActorCritic(env.num_features, env.num_actions), env.reset(), 0
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3)
    while time.monotonic() - begin < 60 * minutes or not curve:
        if updates % 10 == 0:
            curve.append(evaluate(net, game, deals))
            print(f"{(time.monotonic() - begin) / 60:5.1f} min {updates:4d} updates {curve[-1]:+.3f} points a deal")
        steps, choices = list[tuple[torch.Tensor, ...]](), list[tuple[np.ndarray, ...]]()
        for _ in range(num_steps):
            inputs, player = (torch.from_numpy(step.observation), torch.from_numpy(step.action_mask)), step.current_player
            with torch.no_grad():
                policy, value = net(*inputs)
                action = policy.sample()
            step = env.step(action.numpy())
            steps.append((*inputs, action, policy.log_prob(action), value))
            choices.append((player, step.terminated, step.reward))
        returns, future = np.empty((num_steps, num_envs), np.float32), np.full((num_envs, env.num_players), np.nan)
        for index, (player, ended, reward) in reversed(list(enumerate(choices))):  # each seat gets what its deal came to
            future[ended] = reward[ended]
            returns[index] = future[rows, player]
        known = torch.from_numpy(~np.isnan(returns)).flatten()  # deals that ended within the rollout
        target = torch.from_numpy(returns).flatten()[known]
        observation, mask, action, old, value = (torch.stack(parts).flatten(0, 1)[known] for parts in zip(*steps))
        gain = (target - value) / (target - value).std()
        for batch in torch.cat([torch.randperm(len(gain)) for _ in range(2)]).split(4096):
            policy, value = net(observation[batch], mask[batch])
            ratio = (policy.log_prob(action[batch]) - old[batch]).exp()
            clipped = torch.min(ratio * gain[batch], ratio.clamp(0.8, 1.2) * gain[batch]).mean()
            loss = 0.5 * (value - target[batch]).square().mean() - clipped - 0.01 * policy.entropy().mean()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            optimiser.step()
        updates += 1
    return [*curve, evaluate(net, game, deals)]
