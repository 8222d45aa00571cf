"""Steps: the decision stages of a round (core 2). ``base`` says what a step is; a module each for a kind of step."""
