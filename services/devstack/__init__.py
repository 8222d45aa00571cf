"""The development stack: every part of Roundhouse as a real process on one machine (``make run``)."""
