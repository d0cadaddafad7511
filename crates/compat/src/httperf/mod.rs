//! `httperf` (Mosberger).
