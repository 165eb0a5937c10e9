# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Train and ablate
#
# Train an agent for President from nothing, measure it, and leave out parts of the knowledge base. The tutorial
# `train-and-ablate.md` follows the same path on the command line. This notebook needs
# `pip install 'abl-cards[learning,plots]'`.

# %%
from pathlib import Path

import matplotlib.pyplot as plt

import abl_cards as abl

game = abl.load("president")

# %% [markdown]
# ## Train for some minutes
#
# The preset `quick` learns from nothing but the rule folder: self-play, abduction by the rules and preferences, PPO.

# %%
config = abl.TrainConfig(Path("runs/president"), preset="quick", num_envs=256, workers=1, seed=0)
trainer = abl.Trainer(game, config=config)
trainer.fit(minutes=4)
print(f"{trainer.decisions:,} decisions in {trainer.num_updates} updates")

# %%
metrics = trainer.metrics
figure, axes = plt.subplots(figsize=(7, 3.2))
axes.plot(metrics["decisions"], metrics["wins against kb"])
axes.axhline(0.5, color="grey", linewidth=0.8)
axes.set(xlabel="decisions", ylabel="share of episodes won against kb")
figure.tight_layout()
plt.show()

# %% [markdown]
# ## Play against the shipped agents
#
# The policy alone, without look-ahead. Each deal is played in every seating, so luck with cards cancels out.

# %%
weights = trainer.weights_path
for opponent in ("random", "greedy", "kb"):
    result = abl.play_match(game, [f"abl:weights={weights},no-lookahead", opponent], games=400, seed=1)
    print(result.summary())

# %% [markdown]
# ## Leave out parts
#
# `ablate` plays the agent against itself without each part, on duplicate deals, and stops as soon as the interval
# excludes one half. Parts of `kb` are the groups of its preferences.

# %%
ablation = abl.ablate(game, agent="kb", games=2000)
print(ablation.table())

# %%
rows = ablation.sorted_rows()
shares = [row.rate for row in rows]
errors = [[row.rate - row.interval[0] for row in rows], [row.interval[1] - row.rate for row in rows]]
figure, axes = plt.subplots(figsize=(7, 0.35 * len(rows) + 1))
axes.errorbar(shares, range(len(rows)), xerr=errors, fmt="o", capsize=3)
axes.axvline(0.5, color="grey", linewidth=0.8)
axes.set_yticks(range(len(rows)), [row.part for row in rows])
axes.invert_yaxis()
axes.set_xlabel("share of the games won with the part")
figure.tight_layout()
plt.show()
