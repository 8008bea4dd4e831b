"""Questions, the answers that they allow, and the forms that ask them."""
