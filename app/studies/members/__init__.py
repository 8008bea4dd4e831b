"""The people of a study with their roles and invitations, and its tokens for programs."""
