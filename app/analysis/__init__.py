"""Which statistics a study gets: frames in, a Report of figures out. No input or output."""
