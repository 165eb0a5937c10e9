"""Networks small enough for tests."""

from dataclasses import replace

from learners.presets import PPO, PRESETS, EncoderShape

TINY = replace(
    PRESETS["small"],
    name="tiny",
    encoder=EncoderShape(
        state_layers=1, state_width=16, state_out=16, history_layers=1, history_width=8, history_heads=2, history_out=8
    ),
    abln_hidden=(16,),
    decision_width=16,
    decision_blocks=1,
    critic_width=16,
    ppo=PPO(learning_rate=1e-3, batch=64, rows=128, epochs=1),
)
