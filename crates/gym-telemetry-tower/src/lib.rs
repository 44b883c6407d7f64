//! A tower layer that counts every request exactly once, however it ends.
