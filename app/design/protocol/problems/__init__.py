"""Problems between the parts of a protocol, each in a sentence."""
