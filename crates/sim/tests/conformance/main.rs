//! The conformance suite on the simulator, on epoll and on io_uring.

mod kernel;
mod sim;

mod on_the_simulator {
    warwolf_sim::conformance!(super::sim::without_faults);
}

mod on_the_simulator_with_faults {
    warwolf_sim::conformance!(super::sim::with_faults);
}

mod on_epoll {
    warwolf_sim::conformance!(super::kernel::epoll);
}

mod on_uring {
    warwolf_sim::conformance!(super::kernel::uring);
}

mod on_uring_with_whole_buffers {
    warwolf_sim::conformance!(super::kernel::uring_whole);
}

mod on_epoll_over_unix_sockets {
    warwolf_sim::conformance!(super::kernel::epoll_unix);
}

mod on_uring_over_unix_sockets {
    warwolf_sim::conformance!(super::kernel::uring_unix);
}
