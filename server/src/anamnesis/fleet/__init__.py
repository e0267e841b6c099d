"""A person's machines as one: what each says of itself, what came from the others, what is purged."""
