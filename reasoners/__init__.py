"""Reasoners: what turns a pseudo-label into the legal answer that agrees best with the knowledge base."""
