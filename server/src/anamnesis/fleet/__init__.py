"""A person's machines together: what each reports, what came from the others, what is purged."""
