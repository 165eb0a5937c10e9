"""Learn a card game by PPO in self-play: one network plays all seats, and is measured against random players."""

import sys

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from abl_cards.env import VectorEnv


def evaluate(net: nn.Module, observation: Tensor, mask: Tensor) -> tuple[Categorical, Tensor]:
    output = net(observation)
    return Categorical(logits=output[:, :-1].masked_fill(~mask, -1e9)), output[:, -1]


def points_against_random(net: nn.Module, game: str, deals: int) -> float:
    env, rows = VectorEnv(game, num_envs=250, seed=1000), np.arange(250)
    step, total, seats = env.reset(), 0.0, rows % env.num_players  # one seat of each table is the network's
    while env.episodes < deals:
        mask = torch.from_numpy(step.action_mask)
        best = evaluate(net, torch.from_numpy(step.observation), mask)[0].probs.argmax(1).numpy()
        step = env.step(np.where(step.current_player == seats, best, Categorical(mask.float()).sample().numpy()))
        total += float(step.reward[rows, seats].sum())
    return total / env.episodes


def train(game: str, updates: int, num_envs: int = 256, num_steps: int = 128, deals: int = 1000) -> None:
    env, rows = VectorEnv(game, num_envs, seed=1), np.arange(num_envs)
    net = nn.Sequential(nn.Linear(env.num_features, 256), nn.ReLU(), nn.Linear(256, env.num_actions + 1))
    optimiser, step = torch.optim.Adam(net.parameters(), lr=1e-3), env.reset()
    for update in range(updates + 1):
        steps, points = [], np.full((num_envs, env.num_players), np.nan, np.float32)
        with torch.no_grad():
            if update % 10 == 0:
                print(f"{update:4d} updates  {points_against_random(net, game, deals):+.2f} points a deal", flush=True)
            for _ in range(num_steps):
                inputs = torch.from_numpy(step.observation), torch.from_numpy(step.action_mask)
                policy, value = evaluate(net, *inputs)
                step, seats = env.step((action := policy.sample()).numpy()), step.current_player
                steps.append((*inputs, action, policy.log_prob(action), value, seats, step.terminated, step.reward))
        for index in reversed(range(num_steps)):  # each decision is worth what its seat gets at the end of the deal
            *tensors, seats, ended, reward = steps[index]
            points[ended] = reward[ended]
            steps[index] = (*tensors, torch.from_numpy(points[rows, seats]))
        observation, mask, action, old, value, target = (torch.cat(parts) for parts in zip(*steps, strict=True))
        gain, known = target - value, (~target.isnan()).nonzero()[:, 0]  # deals that ended within these steps
        for batch in torch.cat([known[torch.randperm(len(known))] for _ in range(2)]).split(4096):
            policy, value = evaluate(net, observation[batch], mask[batch])
            ratio, scaled = (policy.log_prob(action[batch]) - old[batch]).exp(), gain[batch] / gain[batch].std()
            loss = -torch.min(ratio * scaled, ratio.clamp(0.8, 1.2) * scaled) + 0.5 * (value - target[batch]).square()
            optimiser.zero_grad()
            (loss - 0.01 * policy.entropy()).mean().backward()
            optimiser.step()


if __name__ == "__main__":
    train(sys.argv[1], int(sys.argv[2]))
