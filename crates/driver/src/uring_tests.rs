use super::*;

fn driver() -> Uring {
    Uring::new(Monotonic::start_at(Duration::ZERO), Idle::Block, 1).unwrap()
}

/// A driver with a receive in flight, and its peer.
fn receiving() -> (Uring, std::net::TcpListener) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let to = Address::Ip(listener.local_addr().unwrap());
    let mut driver = driver();
    driver.connect(SocketId(0), &to, &SocketOptions::default());
    driver.wait(Timestamp::NEVER, &mut Vec::new()).unwrap();
    driver.receive(SocketId(0));
    driver.wait(Timestamp::ZERO, &mut Vec::new()).unwrap();
    (driver, listener)
}

#[test]
fn memory_in_use_is_not_freed_on_another_thread() {
    let (mut driver, _listener) = receiving();
    assert!(driver.settle());
    let (mut driver, _listener) = receiving();
    std::thread::spawn(move || assert!(!driver.settle())).join().unwrap();
}

#[test]
fn a_kernel_without_memory_for_submissions_fails_the_driver() {
    let mut driver = driver();
    driver.wait(Timestamp::ZERO, &mut Vec::new()).unwrap();
    let fill = |driver: &mut Uring| {
        for token in 0..=SUBMISSIONS_MIN as u64 {
            driver.push_cancel(token << OPERATION_BITS);
        }
    };
    driver.refusals = vec![libc::EINTR, libc::EAGAIN, libc::EINTR];
    fill(&mut driver);
    assert!(driver.failure.is_none(), "signals and a short lack of memory are survived");
    driver.refusals = vec![libc::EAGAIN; 1_000];
    fill(&mut driver);
    assert_eq!(driver.wait(Timestamp::ZERO, &mut Vec::new()).unwrap_err().raw_os_error(), Some(libc::EAGAIN));
    driver.refusals.clear();
}

#[test]
fn tokens_round_trip() {
    for operation in [Operation::Connect, Operation::Receive, Operation::Send, Operation::Wake] {
        let token = encode(SocketId(u32::MAX), GENERATION_MASK, operation);
        assert_eq!(decode(token), (SocketId(u32::MAX), GENERATION_MASK, operation));
    }
    assert_eq!(decode(0), (SocketId(0), 0, Operation::Quiet));
}
