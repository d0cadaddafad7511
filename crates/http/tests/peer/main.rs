//! The protocol against scripted, recorded, mutated and random peers.

mod bodies;
mod connection;
mod diary;
mod fuzzed;
mod mutated;
mod recorded;
mod reference;
mod requests;
