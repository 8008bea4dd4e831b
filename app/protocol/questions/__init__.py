"""Questions, the answers they accept, and the forms that ask them."""
