"""Reading a description: a folder of rule files as facts, circuits, and arrays for kernels."""
