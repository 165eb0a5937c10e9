# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Ablate ABLN on your rules
#
# ABLN is the network that estimates the hidden hands. Twins are trained with and without it, over several seeds.
# They play against each other on duplicate deals. The trainings here take seconds, so the result is not decided;
# give them minutes. This notebook needs `pip install 'abl-cards[learning,plots]'`. The same with commands:
# `ablate-abln.md`.

# %%
import matplotlib.pyplot as plt

from abl_cards.ablation import TrainingPlan, ablate

# %% [markdown]
# ## Train twins
#
# The first training ends after the given minutes; every other one makes as many decisions. Finished trainings and games
# are kept in the folder, and the same call continues after a stop.

# %%
plan = TrainingPlan(minutes=0.1, seeds=3, settings={"num_envs": 64, "rollout_size": 512})
result = ablate("president", "abl:no-lookahead", ["abln"], games=96, training=plan, folder="runs/ablate-president")
print(result.title)
for line in result.notes:
    print(line)

# %% [markdown]
# ## Read the result
#
# `rate` is the share of games that the agent with ABLN won against its twin. The interval covers training seeds
# and deals together, so it is far wider than that of the deals of one seed.

# %%
row = result.row("abln")
low, high = row.interval
print(f"{row.rate:.1%} of {row.games} games, 95 % interval {low:.1%} to {high:.1%}, {row.verdict}")

# %%
figure, axes = plt.subplots(figsize=(6, 3.2))
seeds = range(len(row.seed_rates))
axes.plot(seeds, [100 * rate for rate in row.seed_rates], "o", label="a seed")
middle = 100 * row.rate
errors = [[middle - 100 * row.interval[0]], [100 * row.interval[1] - middle]]
axes.errorbar([len(row.seed_rates)], [middle], errors, fmt="s", capsize=4, label="all, 95 %")
axes.axhline(50, color="grey", linewidth=0.8)
axes.set(xlabel="training seed", ylabel="games won with ABLN, %", xticks=[*seeds])
axes.legend()
figure.tight_layout()
