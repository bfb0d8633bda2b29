"""Series of agent trials: tasks × systems × attempts, planned, run, resumed and summed up."""
