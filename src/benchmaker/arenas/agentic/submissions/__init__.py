"""Operations on stored submissions: review, moderation, repricing, deletion."""
