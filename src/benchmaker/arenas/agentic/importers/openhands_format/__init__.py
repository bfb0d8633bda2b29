"""What the two forms of OpenHands' logs have in common."""
