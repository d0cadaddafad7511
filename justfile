ci:
    cargo xtask ci
tidy:
    cargo xtask tidy
docs:
    cargo xtask docs
bench:
    cargo xtask bench
demo:
    cargo xtask demo
