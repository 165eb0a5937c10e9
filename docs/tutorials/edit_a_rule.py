# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Edit a rule
#
# Change one line of Guandan from Python, and see legal moves, play and verification follow. The tutorial `edit-a-
# rule.md` walks the same path on the command line. This notebook needs matplotlib: `pip install 'abl-cards[plots]'`.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import abl_cards as abl

# %% [markdown]
# ## Write the variant
#
# A variant is a folder that names its parent and holds only the files that differ. In Guandan the heart of the current
# level is a wild card. Here it may no longer fill a gap in a straight: `wilds(F,2)` becomes `wilds(F,0)`.

# %%
guandan = abl.load("guandan")
labels = (guandan.directory / "labels.lp").read_text("utf-8")
old, new = "wilds(F,2) :- kind(F,straight).", "wilds(F,0) :- kind(F,straight)."
assert labels.count(old) == 1

folder = Path("my-rules")
folder.mkdir(exist_ok=True)
(folder / "variant.lp").write_text("parent(guandan).\nreplaces(labels).\n", "utf-8")
(folder / "labels.lp").write_text(labels.replace(old, new), "utf-8")
mine = abl.load("./my-rules")
print(mine.title)

# %% [markdown]
# ## Compare legal moves
#
# At level 8 the wild card is `H8`. It stands for a 5 in one straight.

# %%
state = {
    "level": "8",
    "hand": ["C3", "D4", "H8", "S6", "S7"],
    "to_beat": ["Straight", "2", ["C2", "D3", "S4", "H5", "C6"]],
}
for game in (guandan, mine):
    print(game.legal_moves(state))

# %% [markdown]
# ## Verify
#
# The circuit of the edited rules is compared with clingo on random states. There must be no mismatch.

# %%
print(abl.verify(mine, states=500))

# %% [markdown]
# ## Play thousands of tables by both rules
#
# `VectorEnv` steps many tables at once. A random policy draws a legal action in each. The share of decisions in which
# some label of a kind is legal shows where the rules differ: straights become rarer, and nothing else changes much.


# %%
def legal_shares(game, num_steps=300):
    """Return the share of decisions in which a label of each kind is legal, by kind."""
    env = abl.VectorEnv(game, num_envs=512, seed=1)
    kinds = [name.partition("(")[0] for name in env.action_names]
    index = {kind: [column for column, name in enumerate(kinds) if name == kind] for kind in dict.fromkeys(kinds)}
    counts = dict.fromkeys(index, 0)
    rng = np.random.default_rng(0)
    step = env.reset()
    for _ in range(num_steps):
        for kind, columns in index.items():
            counts[kind] += int(step.action_mask[:, columns].any(axis=1).sum())
        scores = rng.random(step.action_mask.shape) * step.action_mask
        step = env.step(scores.argmax(axis=1))
    return {kind: count / (num_steps * env.num_envs) for kind, count in counts.items()}


shares = {"guandan": legal_shares(guandan), "my-rules": legal_shares(mine)}
shown = ["single", "pair", "triple", "full_house", "tube", "plate", "straight", "straight_flush", "bomb"]
places = np.arange(len(shown))
figure, axes = plt.subplots(figsize=(8, 3.2))
for offset, (name, share) in enumerate(shares.items()):
    axes.bar(places + 0.4 * offset, [100 * share[kind] for kind in shown], 0.38, label=name)
axes.set_xticks(places + 0.2, [kind.replace("_", " ") for kind in shown], rotation=20)
axes.set_ylabel("decisions with a legal label, %")
axes.legend()
figure.tight_layout()
plt.show()

# %%
for name, share in shares.items():
    print(f"{name}: a straight is legal in {share['straight']:.1%} of decisions")

# %% [markdown]
# ## Play a match by the new rules
#
# `kb` needs no training: its preferences apply to the edited rules at once.

# %%
print(abl.play_match(mine, ["kb", "greedy"], games=100, seed=1).summary())
