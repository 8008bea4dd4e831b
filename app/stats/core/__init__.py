"""What all statistics share: results, arrays, clusters, crossed factors."""
