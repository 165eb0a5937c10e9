"""Use the public API from rules to a trained network: about a minute on two cores."""

import numpy as np
import torch

import abl_cards as abl


class TwoLayerPolicy(torch.nn.Module):
    """Choose labels and estimate returns from observations by one hidden layer."""

    def __init__(self, num_features: int, num_actions: int) -> None:
        super().__init__()
        self.hidden = torch.nn.Linear(num_features, 64)
        self.logits, self.value = torch.nn.Linear(64, num_actions), torch.nn.Linear(64, 1)

    def forward(self, batch: abl.Batch) -> abl.PolicyOutput:
        hidden = torch.relu(self.hidden(batch.observation))
        return abl.PolicyOutput(self.logits(hidden), self.value(hidden).squeeze(1))


def main() -> None:
    game = abl.load("president")
    state = {"hand": ["S5", "H5", "C9"], "to_beat": ["D4", "H4"]}
    moves = game.legal_moves(state)
    print(moves, game.explain(state, moves[-1]), sep="\n")  # reasons with weights and sentences
    print(abl.verify(game, states=200).summary())  # circuit against clingo

    env = abl.VectorEnv(game, num_envs=64, seed=0)
    step, random = env.reset(), np.random.default_rng(0)
    while env.episodes < 100:  # a random policy
        step = env.step((random.random(step.action_mask.shape) * step.action_mask).argmax(axis=1))

    minimiser = abl.Minimiser(game, preferences=game.directory / "preferences.lp")
    decisions = game.engine().sample_decisions(10, seed=0)
    chosen = minimiser.realise(decisions, random.random(decisions.legal_mask.shape[::-1]))  # the abduction step alone
    print([str(game.engine().notate_move(form, cards)) for form, cards in zip(chosen.form, chosen.cards, strict=True)])

    model = TwoLayerPolicy(env.num_features, env.num_actions)
    config = abl.TrainConfig(num_envs=64, rollout_size=2048, minibatch_size=512, gamma=0.996)
    trainer = abl.Trainer(game, model=model, reasoner=minimiser, config=config)
    trainer.fit(minutes=0.1)
    print(abl.play_match(game, [trainer.agent(), "kb"], games=8, seed=1).summary())
    print(abl.ablate(game, agent="kb", parts=["kb:leading", "kb:structure"], games=12))  # a table with intervals


if __name__ == "__main__":
    main()
