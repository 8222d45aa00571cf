"""Does a recorded game give the expected state after every action? (``roundhouse replay``)"""
