# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Bring your own learner
#
# Train a PyTorch network of your own in the joint abduction loop, and play it. The game is President; any folder
# works. This notebook needs `pip install 'abl-cards[learning,plots]'`.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import torch

import abl_cards as abl
from abl_cards.learners import REGRET_UNIT, GameShape

# %% [markdown]
# ## A network
#
# `forward` takes a `Batch` of n decisions, and returns a `PolicyOutput`. This one has two layers. It reads the
# observation and the costs of the preferences, so that the knowledge base guides it from the first decision on.


# %%
class TwoLayers(torch.nn.Module):
    """Policy and value from the observation and the costs of the preferences."""

    def __init__(self, shape, width=128):
        super().__init__()
        self.hidden = torch.nn.Linear(shape.num_features + shape.num_actions, width)
        self.logits = torch.nn.Linear(width, shape.num_actions)
        self.value = torch.nn.Linear(width, 1)

    def forward(self, batch):
        """Return logits [n, actions] and values [n]."""
        costs = batch.regret / REGRET_UNIT
        hidden = torch.relu(self.hidden(torch.cat([batch.observation, costs], dim=1)))
        return abl.PolicyOutput(self.logits(hidden) - costs, self.value(hidden).squeeze(-1))


game = abl.load("president")
torch.manual_seed(0)
model = TwoLayers(GameShape.of(game.engine()))
print(sum(parameter.numel() for parameter in model.parameters()), "weights")

# %% [markdown]
# ## A reasoner
#
# The minimiser is the abduction step: it keeps what the rules allow, and realises a label by the card set of least
# cost. Another folder of preferences changes its choice (`abl.Minimiser(game, preferences="my-preferences")`).

# %%
minimiser = abl.Minimiser(game)

# %% [markdown]
# ## Train
#
# The trainer plays, abduces and learns by PPO. It saves the module, and a trainer for the same folder continues the
# run.

# %%
config = abl.TrainConfig(
    Path("runs/two-layers"), num_envs=128, rollout_size=4096, minibatch_size=512, learning_rate=1e-3, workers=1, seed=0
)
trainer = abl.Trainer(game, model=model, reasoner=minimiser, config=config)
trainer.fit(minutes=3)
print(f"{trainer.decisions:,} decisions in {trainer.num_updates} updates")

# %%
metrics = trainer.metrics
decisions = metrics["decisions"]
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2))
left.plot(decisions, metrics["entropy"])
left.set(xlabel="decisions", ylabel="entropy of the policy")
right.plot(decisions, metrics["wins against kb"])
right.axhline(0.5, color="grey", linewidth=0.8)
right.set(xlabel="decisions", ylabel="share of episodes won against kb")
figure.tight_layout()
plt.show()

# %% [markdown]
# ## Play
#
# The trained module is an agent like any other.

# %%
for opponent in ("random", "greedy", "kb"):
    print(abl.play_match(game, [trainer.agent(), opponent], games=400, seed=1).summary())

# %% [markdown]
# ## Replace one network alone
#
# `policy=`, `critic=` and `abln=` each replace one network of a preset; the other networks are those of the preset, and
# are trained too. A critic may see the hidden hands: its `CriticBatch` has the field `hands`.


# %%
class Critic(torch.nn.Module):
    """Value from the hidden hands, and the plays that would empty each."""

    def __init__(self, shape, width=64):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(shape.num_others * (shape.num_cards + 1) + 1, width),
            torch.nn.ReLU(),
            torch.nn.Linear(width, 1),
        )

    def forward(self, batch):
        """Return values [n]."""
        own = torch.where(batch.action_mask, batch.plays_left, 99.0).amin(dim=1, keepdim=True)
        return self.layers(torch.cat([batch.hands.flatten(1), batch.hidden_plays_left, own], dim=1)).squeeze(1)


config = abl.TrainConfig(
    Path("runs/critic"), preset="quick", num_envs=128, rollout_size=4096, minibatch_size=512, workers=1, seed=0
)
run = abl.Trainer(game, critic=Critic(GameShape.of(game.engine())), config=config)
run.fit(minutes=1)
losses = run.metrics["value_loss"]
print(f"squared error of the value: {losses[0]:.2f} at first, {losses[-1]:.2f} after {run.num_updates} updates")

# %% [markdown]
# The card beside the weights names the class of each network.

# %%
print(run.weights_path.with_suffix(".json").read_text())
