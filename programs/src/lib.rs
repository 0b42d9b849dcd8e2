//! Kernels of CP2 and their generators.
