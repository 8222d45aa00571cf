"""The board: hexes and tiles, laying track, tokens, and the network of a corporation (core 4-8)."""
