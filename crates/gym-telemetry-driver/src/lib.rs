//! Admission, residency, timed input and output for rollout drivers.
