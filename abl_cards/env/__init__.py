"""Environments for reinforcement learning: PettingZoo."""
