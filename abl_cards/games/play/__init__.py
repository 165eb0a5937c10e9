"""Playing a description: tables in arrays, and the kernels that lay down cards and pass the turn."""
