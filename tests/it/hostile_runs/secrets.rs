//! No secret is left behind: not in the store, nor in what the program prints, however a run
//! ends.
