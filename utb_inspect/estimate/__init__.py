"""What a run will send, cost and take, before it is made: `utb estimate`."""
