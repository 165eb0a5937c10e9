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
# Change one line of Guandan from Python, and see legal moves, play and verification follow. The tutorial
# `edit-a-rule.md` follows the same path on the command line. This notebook needs matplotlib:
# `pip install 'abl-cards[plots]'`.

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
verification = abl.verify(mine, states=500)
print(verification.num_states, "states,", len(verification.mismatches), "mismatches")

# %% [markdown]
# ## Play thousands of tables by both rules
#
# `VectorEnv` steps many tables at once. A random policy draws a legal action in each. Where a seat leads, it may play
# any label that its hand has. The mean number of legal labels per lead shows where the rules differ.


# %%
def legal_labels_per_lead(game, num_steps=300):
    """Return the mean number of legal labels where a seat leads, by kind of label."""
    env = abl.VectorEnv(game, num_envs=512, seed=1)
    kinds = [name.partition("(")[0] for name in env.action_names]
    index = {kind: [column for column, name in enumerate(kinds) if name == kind] for kind in dict.fromkeys(kinds)}
    counts, num_leads = dict.fromkeys(index, 0), 0
    rng = np.random.default_rng(0)
    step = env.reset()
    for _ in range(num_steps):
        leads = step.action_mask[:, index["single"]].any(axis=1) & ~step.action_mask[:, index["pass"]].any(axis=1)
        num_leads += int(leads.sum())
        for kind, columns in index.items():
            counts[kind] += int(step.action_mask[leads][:, columns].sum())
        scores = rng.random(step.action_mask.shape) * step.action_mask
        step = env.step(scores.argmax(axis=1))
    return {kind: count / num_leads for kind, count in counts.items()}


means = {"guandan": legal_labels_per_lead(guandan), "my-rules": legal_labels_per_lead(mine)}
shown = ["pair", "triple", "full_house", "tube", "plate", "straight", "straight_flush", "bomb"]
places = np.arange(len(shown))
figure, axes = plt.subplots(figsize=(8, 3.2))
for offset, (name, mean) in enumerate(means.items()):
    axes.bar(places + 0.4 * offset, [mean[kind] for kind in shown], 0.38, label=name)
axes.set_xticks(places + 0.2, [kind.replace("_", " ") for kind in shown], rotation=20)
axes.set_ylabel("legal labels per lead")
axes.legend()
figure.tight_layout()
plt.show()

# %%
for name, mean in means.items():
    print(f"{name}: {mean['straight']:.2f} legal straights per lead")

# %% [markdown]
# ## Play a match by the new rules
#
# `kb` needs no training: its preferences apply to the edited rules at once.

# %%
print(abl.play_match(mine, ["kb", "greedy"], games=100, seed=1).summary())
