"""The statistics, on plain arrays: numpy, scipy and quadprog, nothing else."""
