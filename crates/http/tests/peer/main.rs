//! The protocol against scripted, recorded, mutated and random peers.

mod bodies;
mod connection;
mod diary;
mod ftp;
mod fuzzed;
mod mutated;
mod recorded;
mod reference;
mod requests;
