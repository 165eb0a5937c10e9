# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Any program under ABLkit
#
# [ABLkit](https://github.com/AbductiveLearning/ABLkit) trains a model from results alone: its knowledge base
# finds labels that explain a result. Its own search tries revisions in Python, one by one.
# `ProgramKB` takes an answer-set program instead, compiles it to a circuit, and finds the labels there. It needs
# `abl-cards[learning]`.
#
# ## Write the program
#
# A program reads one label for each position, as `symbol(Position,Value)`, and derives `result(Value)`. The
# constant `length` is the number of positions.

# %%
import matplotlib.pyplot as plt
import numpy as np
import torch
from ablkit.data.structures import ListData
from ablkit.reasoning import Reasoner
from sklearn.datasets import load_digits

from abl_cards.reasoners import HandKB, ProbabilityReasoner, ProgramKB

# %%
program = """
sum(0,0).
sum(P+1,S+V) :- sum(P,S), symbol(P,V).
result(S)    :- sum(length,S).
"""
kb = ProgramKB(program, list(range(10)))
print(kb.logic_forward([3, 4]), kb.logic_forward([9, 9, 9]))

# %% [markdown]
# The second argument lists the pseudo-labels in the order of the model's classes. Instead of the text, a `Path` of
# a rule file can be passed. The program is ground once for each length.
#
# ## Revise labels
#
# ABLkit's reasoners call `abduce_candidates`. It changes as few labels as possible:

# %%
candidates, results = kb.abduce_candidates([3, 9], 7, None, max_revision_num=2, require_more_revision=0)
print(candidates)
print(kb.abduce_candidates([9, 9], 2, None, 2, 0)[0])

# %% [markdown]
# Candidates are those of ABLkit's `KBBase`, each once, in its order. With `y=None` any result is accepted, where
# `KBBase` returns nothing.
#
# ## Choose the most probable labels
#
# A model also gives probabilities of other labels. `abduce_batch` takes these probabilities and returns the most
# probable labels that lead to the result:

# %%
probabilities = np.full((2, 10), 0.01)
probabilities[0, [9, 3]] = 0.5, 0.3
probabilities[1, [9, 4]] = 0.6, 0.2
print(kb.abduce_batch([probabilities, probabilities], [7, 12]).tolist())
print(kb.abduce_batch([probabilities], [12], k=2).tolist())

# %% [markdown]
# The result has the shape `[examples, k, length]`; -1 fills what is missing. Lengths may differ.
#
# ## Train with it
#
# Every reasoner and bridge of ABLkit takes the knowledge base. `ProbabilityReasoner` calls `abduce_batch` for
# whole batches:

# %%
example = {"X": [["image", "image"]], "Y": [7], "pred_prob": [probabilities], "pred_pseudo_label": [[9, 9]]}
for reasoner in (Reasoner(kb), ProbabilityReasoner(kb)):
    print(reasoner.batch_abduce(ListData(**example)))

# %% [markdown]
# `abl-cards run digit_addition` trains a network on the sums of digits in this way, with plain ABLkit and
# supervised learning beside it.
#
# ## Results, context and constraints
#
# - **Several outputs**: `results=["digit/1", "carry/1"]` makes the result a tuple. `None` in a tuple y stands for
#   any value.
# - **Numbers that are computed**: `value=` converts the arguments of the output, as in `results="result/2",
#   value=lambda n, d: n / d`. `max_err` compares numbers.
# - **Context**: inputs that depend on the example are declared by `#external` and read by a function of X.
# - **Constraints**: labels that violate an integrity constraint have no result.

# %%
program = """
#external base(0..5).
result(B+V) :- base(B), symbol(0,V).
:- symbol(0,0).
"""
kb = ProgramKB(program, list(range(10)), context={"base/1": lambda x: [(x["base"],)]})
print(kb.logic_forward([3], {"base": 4}), kb.logic_forward([0], {"base": 4}))

# %% [markdown]
# Programs with choices, disjunctions or negative loops have no circuit, so clingo solves them. Labels are then
# consistent with a result if some answer set derives it.
#
# ## Cards
#
# `HandKB` has the same interface for pictures or texts of cards, by the rules of any game:

# %%
hands = HandKB("guandan", state={"level": "8"})
print(hands.logic_forward(["S3", "H3"]), hands.logic_forward(["S3", "D4"]))
print(len(hands.abduce_candidates(["S3", "D4"], "pair(4)", None, 2, 0)[0]))
beats = {"to_beat": ["Pair", "K", ["SK", "DK"]], "beats": True}
print(hands.abduce_candidates(["SA", "HQ"], beats, None, 1, 0)[0][:2])

# %% [markdown]
# Of a recorded play only the label counts: suits and order do not matter. `abl-cards run card_reading` teaches a
# network to read drawn cards from the plays alone.

# %% [markdown]
# ## Learn digits from their sums
#
# Pictures of two digits, and only their sum: abduction turns each sum into the most probable digits, from which the
# network learns.

# %%
digits = load_digits()
images, truth = torch.tensor(digits.data / 16, dtype=torch.float32), digits.target
kb = ProgramKB("result(S) :- S = #sum{ V,P : symbol(P,V) }.", list(range(10)))
rng = np.random.default_rng(0)
pairs = rng.integers(0, 1200, (2000, 2))
sums = truth[pairs].sum(axis=1).tolist()

torch.manual_seed(0)
network = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 10))
optimiser = torch.optim.Adam(network.parameters(), lr=1e-2)
accuracy = []
for _ in range(15):
    with torch.no_grad():
        predictions = network(images[pairs]).softmax(dim=2).double().numpy()
        accuracy.append((network(images[1200:]).argmax(dim=1).numpy() == truth[1200:]).mean())
    labels = torch.from_numpy(kb.abduce_batch(list(predictions), sums)[:, 0]).long()
    for part in torch.randperm(len(pairs)).split(100):
        loss = torch.nn.functional.cross_entropy(network(images[pairs[part]]).flatten(0, 1), labels[part].flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
print(f"digits read at the end: {accuracy[-1]:.1%}")

# %%
figure, axes = plt.subplots(figsize=(6, 3.2))
axes.plot(100 * np.array(accuracy))
axes.set(xlabel="loop", ylabel="new digits read, %")
figure.tight_layout()
