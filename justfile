ci:
    cargo xtask ci
tidy:
    cargo xtask tidy
demo:
    cargo xtask demo
