//! Source addresses and ports, on the loopback interface.

use std::io::Read;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use warwolf_clock::Timestamp;
use warwolf_driver::{
    Address, Completion, Driver, Epoll, Idle, Monotonic, SocketError, SocketId, SocketOptions, Uring,
};

fn epoll() -> Epoll {
    Epoll::new(Monotonic::start_at(Duration::ZERO), Idle::Block, 2).unwrap()
}

fn uring() -> Uring {
    Uring::new(Monotonic::start_at(Duration::ZERO), Idle::Block, 2).unwrap()
}

/// Connects to `to` with `options` and returns the result.
fn connect(
    driver: &mut impl Driver,
    id: u32,
    to: SocketAddr,
    options: SocketOptions,
) -> Result<(), SocketError> {
    driver.connect(SocketId(id), &Address::Ip(to), &options);
    let mut found = Vec::new();
    driver.wait(Timestamp::NEVER, &mut found).unwrap();
    match found[..] {
        [Completion::Connected { result, .. }] => result,
        _ => panic!("{found:?}"),
    }
}

fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

fn a_source_address_is_used(mut driver: impl Driver) {
    let (listener, to) = listener();
    let bind = Some("127.0.0.9:0".parse().unwrap());
    let options = SocketOptions {
        bind,
        nodelay: true,
        send_buffer: Some(20_000),
        receive_buffer: Some(20_000),
        ..SocketOptions::default()
    };
    assert_eq!(connect(&mut driver, 0, to, options), Ok(()));
    let (mut peer, from) = listener.accept().unwrap();
    assert_eq!(from.ip().to_string(), "127.0.0.9");
    driver.close(SocketId(0));
    driver.wait(Timestamp::ZERO, &mut Vec::new()).unwrap();
    assert_eq!(peer.read(&mut [0; 1]).unwrap(), 0);
}

fn a_port_in_use_is_reported_as_no_ports(mut driver: impl Driver) {
    let (_listener, to) = listener();
    let (_other, taken) = listener();
    let options = SocketOptions { bind: Some(taken), ..SocketOptions::default() };
    assert_eq!(connect(&mut driver, 0, to, options), Err(SocketError::NoPorts));
    assert_eq!(connect(&mut driver, 0, to, SocketOptions::default()), Ok(()));
}

#[test]
fn epoll_uses_the_source_address() {
    a_source_address_is_used(epoll());
}

#[test]
fn uring_uses_the_source_address() {
    a_source_address_is_used(uring());
}

#[test]
fn epoll_reports_no_ports() {
    a_port_in_use_is_reported_as_no_ports(epoll());
}

#[test]
fn uring_reports_no_ports() {
    a_port_in_use_is_reported_as_no_ports(uring());
}
