//! `siege`, from 1.00 to 4.1 (Fulmer).
