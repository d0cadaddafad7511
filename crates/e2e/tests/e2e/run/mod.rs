//! `warwolf run`: connections, replies, failures, TLS, and where results go.

mod failures;
mod history;
mod hurl;
mod import;
mod network;
mod pages;
mod requests;
mod servers;
mod servers_answer;
mod steps;
mod tls;
