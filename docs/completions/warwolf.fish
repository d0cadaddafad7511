# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_warwolf_global_optspecs
    string join \n h/help V/version
end

function __fish_warwolf_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_warwolf_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_warwolf_using_subcommand
    set -l cmd (__fish_warwolf_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c warwolf -n "__fish_warwolf_needs_command" -s h -l help -d 'Print help'
complete -c warwolf -n "__fish_warwolf_needs_command" -s V -l version -d 'Print version'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "run" -d 'Load a server; `warwolf URL…` means the same'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "explain" -d 'Print the plan of a command line without running it'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "check" -d 'Run each step of a plan once; print request, response, captures and checks'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "import" -d 'Make a plan of curl commands, a HAR, OpenAPI, Postman, an .http file or vegeta targets'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "report" -d 'Print the report of a run file in any format'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "merge" -d 'Merge the run files of several machines that used --shard'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "sweep" -d 'Run a load for every combination of settings; prints a table and plots'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "capacity" -d 'Search for the highest rate that meets all SLOs (--slo)'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "history" -d 'Manage runs saved with `run --keep NAME`: list, show, trend, compare, tag, prune'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "target" -d 'Start the built-in test server with configurable delays and faults'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "torture" -d 'Fuzz a server: find requests that it answers incorrectly or that make it fail'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "crawl" -d 'Crawl a site: list its URLs and the links between its pages'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "completions" -d 'Print the completion script of a shell'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "man" -d 'Print the manual page in roff format'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "replay" -d 'Replay the requests of an access log at the original times, at a rate, or by users'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "compare" -d 'Compare A and B: is B slower, by how much, and is the difference significant'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l variable -d 'Variable of Hurl files: NAME=VALUE; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l variables-file -d 'Also read variables of Hurl files from a file: NAME=VALUE, one per line' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l file-root -d 'Folder of the files that Hurl files name [default: that of each Hurl file]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l urls -d 'Also read URLs from a file, one per line ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l clicks -d 'Simulate users who follow links, with a click model written by `warwolf crawl --clicks` ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l visit -d 'Number of pages per visit: the average in a closed loop, the exact number with --rate [default: 10]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l data -d 'Fill {{column}} in URLs, header fields and the body with the rows of a CSV file or JSON lines: FILE or FILE:TAKE' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l label -d 'Count requests whose path matches in one row of this name: \'/item/*=item\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l order -d 'Order of the URLs' -r -f -a "sequential\t'In turn, across all users (the default)'
random\t'At random'"
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l plan -d 'Run a plan written by `warwolf explain`, instead of options ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s c -l connections -d 'Number of users in a closed loop, each with a connection [default: 50]; with --rate, maximum number of connections' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s n -l requests -d 'Stop after this number of requests: 200, 10k, 1.5m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s d -l duration -d 'Stop after this time, including warm-up [default: 10s, unless another option ends the run]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s r -l rate -d 'Open loop: total rate of requests, independent of the server: 500/s, 10/ms, 30/m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l arrivals -d 'Arrival process of an open loop: constant, poisson, uniform:A,B, trace:FILE [default: constant]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l ramp -d 'Change the rate linearly: FROM:TO:TIME; in a closed loop TIME alone: start the users over this time' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l steps -d 'Sequence of rates: 500x10s,1000x10s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l burst -d 'In an open loop, send this number of requests at the same instant; the total rate stays the same' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l think -d 'Pause between the requests of a user: 1s, uniform:1s,3s, exponential:2s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l warmup -d 'Time at the start that is excluded from the figures, but not from the timeline' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l grace -d 'At the end, wait this long for requests in flight [default: 0s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l seed -d 'Seed of all random choices; by default a seed is chosen and printed' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s m -l method -d 'Method [default: GET, or POST with --body]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s H -l header -d 'Header field, such as \'Accept: text/html\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s b -l body -d 'Body, or @FILE for the content of a file' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s T -l content-type -d 'Content-Type of the body' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s A -l accept -d 'Accept header' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s a -l auth -d 'Name and password for basic authentication' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l follow -d 'Follow at most this number of consecutive redirects; each counts as a request, besides those of -n [default: 0]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l timeout -d 'Timeout of a request, from its start to the last byte, connecting included; 0 means no limit [default: 30s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l connect-timeout -d 'Timeout of connecting, including TLS; 0 means no limit [default: 10s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l pipeline -d 'Number of pipelined requests per connection [default: 1]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s x -l proxy -d 'HTTP proxy: HOST:PORT or NAME:PASSWORD@HOST:PORT' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l resolve -d 'Use this address for a host and port: HOST:PORT:ADDRESS; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l unix-socket -d 'Connect to this Unix socket instead of the host of the URL' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l bind -d 'Source addresses, comma-separated, used in turn; each provides about 28,000 ports' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l send-buffer -d 'Size of the kernel\'s send buffer per connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l receive-buffer -d 'Size of the kernel\'s receive buffer per connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l cacert -d 'Trust the certificates in this PEM file instead of those of the system' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l cert -d 'Client certificate chain, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l key -d 'Private key of --cert, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l tls-min -d 'Lowest TLS version: 1.2 or 1.3 [default: 1.2]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l tls-max -d 'Highest TLS version: 1.2 or 1.3 [default: 1.3]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l ciphers -d 'Cipher suites to offer, comma-separated IANA or OpenSSL names' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l server-name -d 'Server name to send and to verify instead of the host of the URL' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l threads -d 'Number of worker threads [default: depends on the machine and the load]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l driver -d 'Kernel interface [default: uring if the kernel allows it, else epoll]' -r -f -a "uring\t'io_uring, or an error if it is not available'
epoll\t'epoll'"
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l idle -d 'How an idle thread waits: block (sleep) or spin (poll continuously, for a lag of microseconds) [default: block]' -r -f -a "block\t'Sleep in the kernel'
spin\t'Poll without sleeping'"
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l check -d 'Check each response: \'status == 200\', \'body contains "ok"\', \'json $.n >= 3\', \'header ETag exists\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l slo -d 'SLO: p99<200ms, errors<0.1%, rps>=4900; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s o -l output -d 'Write the result to a file; the extension selects the format; may be repeated' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l format -d 'Format of the report on stdout [default: text]' -r -f -a "text\t'The report as text'
json\t'The report as JSON'
csv\t'The intervals as CSV'
html\t'The report as one HTML page, with charts'
markdown\t'The report as Markdown'
junit\t'The verdict, the SLOs and the checks as JUnit XML'"
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l keep -d 'Save the run in the history under this name, for `warwolf history`' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l database -d 'Database file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l shard -d 'Generate only part I of N of the load; `warwolf merge` combines the parts' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l cookies -d 'Store cookies, separately for each user or session'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l http1.0 -d 'Use HTTP/1.0'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l http1 -d 'Use HTTP/1.1 (the default)'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l http2 -d 'Use HTTP/2 or HTTP/3 (not available yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l disable-keepalive -d 'Open a new connection for every request'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s 4 -l ipv4 -d 'Use only IPv4 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s 6 -l ipv6 -d 'Use only IPv6 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l nagle -d 'Let the kernel delay small packets (no TCP_NODELAY)'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l close-with-reset -d 'Close connections with a reset, so that no port stays in TIME_WAIT'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s k -l insecure -d 'Accept any certificate'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l no-resumption -d 'Never resume TLS sessions'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l strict -d 'Exit with 96 if the verdict is not VALID'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l quiet -d 'Print only errors on stderr'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l no-tui -d 'Print progress as plain lines, even on a terminal'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l variable -d 'Variable of Hurl files: NAME=VALUE; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l variables-file -d 'Also read variables of Hurl files from a file: NAME=VALUE, one per line' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l file-root -d 'Folder of the files that Hurl files name [default: that of each Hurl file]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l urls -d 'Also read URLs from a file, one per line ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l clicks -d 'Simulate users who follow links, with a click model written by `warwolf crawl --clicks` ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l visit -d 'Number of pages per visit: the average in a closed loop, the exact number with --rate [default: 10]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l data -d 'Fill {{column}} in URLs, header fields and the body with the rows of a CSV file or JSON lines: FILE or FILE:TAKE' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l label -d 'Count requests whose path matches in one row of this name: \'/item/*=item\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l order -d 'Order of the URLs' -r -f -a "sequential\t'In turn, across all users (the default)'
random\t'At random'"
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l plan -d 'Run a plan written by `warwolf explain`, instead of options ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s c -l connections -d 'Number of users in a closed loop, each with a connection [default: 50]; with --rate, maximum number of connections' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s n -l requests -d 'Stop after this number of requests: 200, 10k, 1.5m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s d -l duration -d 'Stop after this time, including warm-up [default: 10s, unless another option ends the run]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s r -l rate -d 'Open loop: total rate of requests, independent of the server: 500/s, 10/ms, 30/m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l arrivals -d 'Arrival process of an open loop: constant, poisson, uniform:A,B, trace:FILE [default: constant]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l ramp -d 'Change the rate linearly: FROM:TO:TIME; in a closed loop TIME alone: start the users over this time' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l steps -d 'Sequence of rates: 500x10s,1000x10s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l burst -d 'In an open loop, send this number of requests at the same instant; the total rate stays the same' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l think -d 'Pause between the requests of a user: 1s, uniform:1s,3s, exponential:2s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l warmup -d 'Time at the start that is excluded from the figures, but not from the timeline' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l grace -d 'At the end, wait this long for requests in flight [default: 0s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l seed -d 'Seed of all random choices; by default a seed is chosen and printed' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s m -l method -d 'Method [default: GET, or POST with --body]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s H -l header -d 'Header field, such as \'Accept: text/html\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s b -l body -d 'Body, or @FILE for the content of a file' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s T -l content-type -d 'Content-Type of the body' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s A -l accept -d 'Accept header' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s a -l auth -d 'Name and password for basic authentication' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l follow -d 'Follow at most this number of consecutive redirects; each counts as a request, besides those of -n [default: 0]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l timeout -d 'Timeout of a request, from its start to the last byte, connecting included; 0 means no limit [default: 30s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l connect-timeout -d 'Timeout of connecting, including TLS; 0 means no limit [default: 10s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l pipeline -d 'Number of pipelined requests per connection [default: 1]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s x -l proxy -d 'HTTP proxy: HOST:PORT or NAME:PASSWORD@HOST:PORT' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l resolve -d 'Use this address for a host and port: HOST:PORT:ADDRESS; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l unix-socket -d 'Connect to this Unix socket instead of the host of the URL' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l bind -d 'Source addresses, comma-separated, used in turn; each provides about 28,000 ports' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l send-buffer -d 'Size of the kernel\'s send buffer per connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l receive-buffer -d 'Size of the kernel\'s receive buffer per connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l cacert -d 'Trust the certificates in this PEM file instead of those of the system' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l cert -d 'Client certificate chain, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l key -d 'Private key of --cert, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l tls-min -d 'Lowest TLS version: 1.2 or 1.3 [default: 1.2]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l tls-max -d 'Highest TLS version: 1.2 or 1.3 [default: 1.3]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l ciphers -d 'Cipher suites to offer, comma-separated IANA or OpenSSL names' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l server-name -d 'Server name to send and to verify instead of the host of the URL' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l threads -d 'Number of worker threads [default: depends on the machine and the load]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l driver -d 'Kernel interface [default: uring if the kernel allows it, else epoll]' -r -f -a "uring\t'io_uring, or an error if it is not available'
epoll\t'epoll'"
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l idle -d 'How an idle thread waits: block (sleep) or spin (poll continuously, for a lag of microseconds) [default: block]' -r -f -a "block\t'Sleep in the kernel'
spin\t'Poll without sleeping'"
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l check -d 'Check each response: \'status == 200\', \'body contains "ok"\', \'json $.n >= 3\', \'header ETag exists\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l slo -d 'SLO: p99<200ms, errors<0.1%, rps>=4900; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l format -d 'Format of the plan' -r -f -a "toml\t'TOML'
json\t'JSON'"
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l cookies -d 'Store cookies, separately for each user or session'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l http1.0 -d 'Use HTTP/1.0'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l http1 -d 'Use HTTP/1.1 (the default)'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l http2 -d 'Use HTTP/2 or HTTP/3 (not available yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l disable-keepalive -d 'Open a new connection for every request'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s 4 -l ipv4 -d 'Use only IPv4 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s 6 -l ipv6 -d 'Use only IPv6 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l nagle -d 'Let the kernel delay small packets (no TCP_NODELAY)'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l close-with-reset -d 'Close connections with a reset, so that no port stays in TIME_WAIT'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s k -l insecure -d 'Accept any certificate'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l no-resumption -d 'Never resume TLS sessions'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l quiet -d 'Print no description on stderr'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l variable -d 'Variable of Hurl files: NAME=VALUE; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l variables-file -d 'Also read variables of Hurl files from a file: NAME=VALUE, one per line' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l file-root -d 'Folder of the files that Hurl files name [default: that of each Hurl file]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l urls -d 'Also read URLs from a file, one per line ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l clicks -d 'Simulate users who follow links, with a click model written by `warwolf crawl --clicks` ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l visit -d 'Number of pages per visit: the average in a closed loop, the exact number with --rate [default: 10]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l data -d 'Fill {{column}} in URLs, header fields and the body with the rows of a CSV file or JSON lines: FILE or FILE:TAKE' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l label -d 'Count requests whose path matches in one row of this name: \'/item/*=item\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l order -d 'Order of the URLs' -r -f -a "sequential\t'In turn, across all users (the default)'
random\t'At random'"
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l plan -d 'Run a plan written by `warwolf explain`, instead of options ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -s c -l connections -d 'Number of users in a closed loop, each with a connection [default: 50]; with --rate, maximum number of connections' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -s n -l requests -d 'Stop after this number of requests: 200, 10k, 1.5m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -s d -l duration -d 'Stop after this time, including warm-up [default: 10s, unless another option ends the run]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -s r -l rate -d 'Open loop: total rate of requests, independent of the server: 500/s, 10/ms, 30/m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l arrivals -d 'Arrival process of an open loop: constant, poisson, uniform:A,B, trace:FILE [default: constant]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l ramp -d 'Change the rate linearly: FROM:TO:TIME; in a closed loop TIME alone: start the users over this time' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l steps -d 'Sequence of rates: 500x10s,1000x10s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l burst -d 'In an open loop, send this number of requests at the same instant; the total rate stays the same' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l think -d 'Pause between the requests of a user: 1s, uniform:1s,3s, exponential:2s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l warmup -d 'Time at the start that is excluded from the figures, but not from the timeline' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l grace -d 'At the end, wait this long for requests in flight [default: 0s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l seed -d 'Seed of all random choices; by default a seed is chosen and printed' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -s m -l method -d 'Method [default: GET, or POST with --body]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -s H -l header -d 'Header field, such as \'Accept: text/html\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -s b -l body -d 'Body, or @FILE for the content of a file' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -s T -l content-type -d 'Content-Type of the body' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -s A -l accept -d 'Accept header' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -s a -l auth -d 'Name and password for basic authentication' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l follow -d 'Follow at most this number of consecutive redirects; each counts as a request, besides those of -n [default: 0]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l timeout -d 'Timeout of a request, from its start to the last byte, connecting included; 0 means no limit [default: 30s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l connect-timeout -d 'Timeout of connecting, including TLS; 0 means no limit [default: 10s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l pipeline -d 'Number of pipelined requests per connection [default: 1]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -s x -l proxy -d 'HTTP proxy: HOST:PORT or NAME:PASSWORD@HOST:PORT' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l resolve -d 'Use this address for a host and port: HOST:PORT:ADDRESS; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l unix-socket -d 'Connect to this Unix socket instead of the host of the URL' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l bind -d 'Source addresses, comma-separated, used in turn; each provides about 28,000 ports' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l send-buffer -d 'Size of the kernel\'s send buffer per connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l receive-buffer -d 'Size of the kernel\'s receive buffer per connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l cacert -d 'Trust the certificates in this PEM file instead of those of the system' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l cert -d 'Client certificate chain, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l key -d 'Private key of --cert, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l tls-min -d 'Lowest TLS version: 1.2 or 1.3 [default: 1.2]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l tls-max -d 'Highest TLS version: 1.2 or 1.3 [default: 1.3]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l ciphers -d 'Cipher suites to offer, comma-separated IANA or OpenSSL names' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l server-name -d 'Server name to send and to verify instead of the host of the URL' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l threads -d 'Number of worker threads [default: depends on the machine and the load]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l driver -d 'Kernel interface [default: uring if the kernel allows it, else epoll]' -r -f -a "uring\t'io_uring, or an error if it is not available'
epoll\t'epoll'"
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l idle -d 'How an idle thread waits: block (sleep) or spin (poll continuously, for a lag of microseconds) [default: block]' -r -f -a "block\t'Sleep in the kernel'
spin\t'Poll without sleeping'"
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l check -d 'Check each response: \'status == 200\', \'body contains "ok"\', \'json $.n >= 3\', \'header ETag exists\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l slo -d 'SLO: p99<200ms, errors<0.1%, rps>=4900; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l cookies -d 'Store cookies, separately for each user or session'
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l http1.0 -d 'Use HTTP/1.0'
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l http1 -d 'Use HTTP/1.1 (the default)'
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l http2 -d 'Use HTTP/2 or HTTP/3 (not available yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l disable-keepalive -d 'Open a new connection for every request'
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -s 4 -l ipv4 -d 'Use only IPv4 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -s 6 -l ipv6 -d 'Use only IPv6 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l nagle -d 'Let the kernel delay small packets (no TCP_NODELAY)'
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l close-with-reset -d 'Close connections with a reset, so that no port stays in TIME_WAIT'
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -s k -l insecure -d 'Accept any certificate'
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l no-resumption -d 'Never resume TLS sessions'
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -l quiet -d 'Print only captures and checks, not requests and responses'
complete -c warwolf -n "__fish_warwolf_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand import" -s o -l output -d 'Write the plan to this file instead of stdout' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand import" -l from -d 'Format of the file; by default it is detected' -r -f -a "curl\t''
har\t''
http\t''
openapi\t''
postman\t''
vegeta\t''"
complete -c warwolf -n "__fish_warwolf_using_subcommand import" -l var -d 'Value of a variable, which replaces that of the file; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand import" -l server -d 'URL that operations are below, instead of the server that the document names (OpenAPI)' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand import" -l third-parties -d 'Also import requests to other sites than that of the first request (HAR)'
complete -c warwolf -n "__fish_warwolf_using_subcommand import" -l quiet -d 'Print only errors on stderr'
complete -c warwolf -n "__fish_warwolf_using_subcommand import" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand report" -s o -l output -d 'Write the result to a file; the extension selects the format; may be repeated' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand report" -l format -d 'Format of the report on stdout [default: text]' -r -f -a "text\t'The report as text'
json\t'The report as JSON'
csv\t'The intervals as CSV'
html\t'The report as one HTML page, with charts'
markdown\t'The report as Markdown'
junit\t'The verdict, the SLOs and the checks as JUnit XML'"
complete -c warwolf -n "__fish_warwolf_using_subcommand report" -l chart -d 'Print one chart of the HTML report as SVG: percentiles, histogram, latency, rate, errors, phases, lag, in-flight' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand report" -l slo -d 'SLO to check instead of those of the plan: p99<200ms; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand report" -l strict -d 'Exit with 96 if the verdict is not VALID'
complete -c warwolf -n "__fish_warwolf_using_subcommand report" -l quiet -d 'Print only errors on stderr'
complete -c warwolf -n "__fish_warwolf_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand merge" -s o -l output -d 'Run file to write' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand merge" -s h -l help -d 'Print help'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l vary -d 'Setting to vary: connections=10,100 or target=old:http://a/,new:http://b/; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l repeats -d 'Number of runs per point [default: 1]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l sequence -d 'Order of the points [default: balanced]' -r -f -a "given\t'In the given order'
balanced\t'Every second repeat in reverse order, so that a linear drift cancels out (the default)'
random\t'A random order for each repeat'"
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l rest -d 'Wait this long before each run [default: 0s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l between -d 'Shell command to execute before each run, for example to restart the server' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l folder -d 'Save every run in this folder; skip runs that are already there' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l chart -d 'Chart for files that end with .svg [default: response]' -r -f -a "response\t'Mean response time'
rate\t'Completed requests per second'
p99\t'99th percentile of latency'
errors\t'Share of errors'"
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l variable -d 'Variable of Hurl files: NAME=VALUE; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l variables-file -d 'Also read variables of Hurl files from a file: NAME=VALUE, one per line' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l file-root -d 'Folder of the files that Hurl files name [default: that of each Hurl file]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l urls -d 'Also read URLs from a file, one per line ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l clicks -d 'Simulate users who follow links, with a click model written by `warwolf crawl --clicks` ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l visit -d 'Number of pages per visit: the average in a closed loop, the exact number with --rate [default: 10]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l data -d 'Fill {{column}} in URLs, header fields and the body with the rows of a CSV file or JSON lines: FILE or FILE:TAKE' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l label -d 'Count requests whose path matches in one row of this name: \'/item/*=item\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l order -d 'Order of the URLs' -r -f -a "sequential\t'In turn, across all users (the default)'
random\t'At random'"
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l plan -d 'Run a plan written by `warwolf explain`, instead of options ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s c -l connections -d 'Number of users in a closed loop, each with a connection [default: 50]; with --rate, maximum number of connections' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s n -l requests -d 'Stop after this number of requests: 200, 10k, 1.5m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s d -l duration -d 'Stop after this time, including warm-up [default: 10s, unless another option ends the run]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s r -l rate -d 'Open loop: total rate of requests, independent of the server: 500/s, 10/ms, 30/m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l arrivals -d 'Arrival process of an open loop: constant, poisson, uniform:A,B, trace:FILE [default: constant]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l ramp -d 'Change the rate linearly: FROM:TO:TIME; in a closed loop TIME alone: start the users over this time' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l steps -d 'Sequence of rates: 500x10s,1000x10s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l burst -d 'In an open loop, send this number of requests at the same instant; the total rate stays the same' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l think -d 'Pause between the requests of a user: 1s, uniform:1s,3s, exponential:2s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l warmup -d 'Time at the start that is excluded from the figures, but not from the timeline' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l grace -d 'At the end, wait this long for requests in flight [default: 0s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l seed -d 'Seed of all random choices; by default a seed is chosen and printed' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s m -l method -d 'Method [default: GET, or POST with --body]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s H -l header -d 'Header field, such as \'Accept: text/html\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s b -l body -d 'Body, or @FILE for the content of a file' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s T -l content-type -d 'Content-Type of the body' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s A -l accept -d 'Accept header' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s a -l auth -d 'Name and password for basic authentication' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l follow -d 'Follow at most this number of consecutive redirects; each counts as a request, besides those of -n [default: 0]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l timeout -d 'Timeout of a request, from its start to the last byte, connecting included; 0 means no limit [default: 30s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l connect-timeout -d 'Timeout of connecting, including TLS; 0 means no limit [default: 10s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l pipeline -d 'Number of pipelined requests per connection [default: 1]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s x -l proxy -d 'HTTP proxy: HOST:PORT or NAME:PASSWORD@HOST:PORT' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l resolve -d 'Use this address for a host and port: HOST:PORT:ADDRESS; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l unix-socket -d 'Connect to this Unix socket instead of the host of the URL' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l bind -d 'Source addresses, comma-separated, used in turn; each provides about 28,000 ports' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l send-buffer -d 'Size of the kernel\'s send buffer per connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l receive-buffer -d 'Size of the kernel\'s receive buffer per connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l cacert -d 'Trust the certificates in this PEM file instead of those of the system' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l cert -d 'Client certificate chain, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l key -d 'Private key of --cert, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l tls-min -d 'Lowest TLS version: 1.2 or 1.3 [default: 1.2]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l tls-max -d 'Highest TLS version: 1.2 or 1.3 [default: 1.3]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l ciphers -d 'Cipher suites to offer, comma-separated IANA or OpenSSL names' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l server-name -d 'Server name to send and to verify instead of the host of the URL' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l threads -d 'Number of worker threads [default: depends on the machine and the load]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l driver -d 'Kernel interface [default: uring if the kernel allows it, else epoll]' -r -f -a "uring\t'io_uring, or an error if it is not available'
epoll\t'epoll'"
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l idle -d 'How an idle thread waits: block (sleep) or spin (poll continuously, for a lag of microseconds) [default: block]' -r -f -a "block\t'Sleep in the kernel'
spin\t'Poll without sleeping'"
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l check -d 'Check each response: \'status == 200\', \'body contains "ok"\', \'json $.n >= 3\', \'header ETag exists\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l slo -d 'SLO: p99<200ms, errors<0.1%, rps>=4900; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s o -l output -d 'Write the result to a file; the extension selects the format; may be repeated' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l format -d 'Format of the result on stdout [default: text]' -r -f -a "text\t'A table'
json\t'All data, for programs'
csv\t'The table, for spreadsheets'
markdown\t'The table, for pull requests'
html\t'One page with charts'
svg\t'One chart'"
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l cookies -d 'Store cookies, separately for each user or session'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l http1.0 -d 'Use HTTP/1.0'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l http1 -d 'Use HTTP/1.1 (the default)'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l http2 -d 'Use HTTP/2 or HTTP/3 (not available yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l disable-keepalive -d 'Open a new connection for every request'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s 4 -l ipv4 -d 'Use only IPv4 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s 6 -l ipv6 -d 'Use only IPv6 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l nagle -d 'Let the kernel delay small packets (no TCP_NODELAY)'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l close-with-reset -d 'Close connections with a reset, so that no port stays in TIME_WAIT'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s k -l insecure -d 'Accept any certificate'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l no-resumption -d 'Never resume TLS sessions'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l strict -d 'Exit with 96 if the result is not reliable'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l quiet -d 'Print only errors on stderr'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l start -d 'Initial rate [default: 50/s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l most -d 'Maximum rate [default: 1m/s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l precision -d 'Precision of the result [default: 2%]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l retests -d 'Maximum repetitions of a borderline rate, each twice as long [default: 2]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l rest -d 'Minimum pause between rates [default: 500ms]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l variable -d 'Variable of Hurl files: NAME=VALUE; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l variables-file -d 'Also read variables of Hurl files from a file: NAME=VALUE, one per line' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l file-root -d 'Folder of the files that Hurl files name [default: that of each Hurl file]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l urls -d 'Also read URLs from a file, one per line ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l clicks -d 'Simulate users who follow links, with a click model written by `warwolf crawl --clicks` ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l visit -d 'Number of pages per visit: the average in a closed loop, the exact number with --rate [default: 10]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l data -d 'Fill {{column}} in URLs, header fields and the body with the rows of a CSV file or JSON lines: FILE or FILE:TAKE' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l label -d 'Count requests whose path matches in one row of this name: \'/item/*=item\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l order -d 'Order of the URLs' -r -f -a "sequential\t'In turn, across all users (the default)'
random\t'At random'"
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l plan -d 'Run a plan written by `warwolf explain`, instead of options ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s c -l connections -d 'Number of users in a closed loop, each with a connection [default: 50]; with --rate, maximum number of connections' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s n -l requests -d 'Stop after this number of requests: 200, 10k, 1.5m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s d -l duration -d 'Stop after this time, including warm-up [default: 10s, unless another option ends the run]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s r -l rate -d 'Open loop: total rate of requests, independent of the server: 500/s, 10/ms, 30/m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l arrivals -d 'Arrival process of an open loop: constant, poisson, uniform:A,B, trace:FILE [default: constant]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l ramp -d 'Change the rate linearly: FROM:TO:TIME; in a closed loop TIME alone: start the users over this time' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l steps -d 'Sequence of rates: 500x10s,1000x10s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l burst -d 'In an open loop, send this number of requests at the same instant; the total rate stays the same' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l think -d 'Pause between the requests of a user: 1s, uniform:1s,3s, exponential:2s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l warmup -d 'Time at the start that is excluded from the figures, but not from the timeline' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l grace -d 'At the end, wait this long for requests in flight [default: 0s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l seed -d 'Seed of all random choices; by default a seed is chosen and printed' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s m -l method -d 'Method [default: GET, or POST with --body]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s H -l header -d 'Header field, such as \'Accept: text/html\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s b -l body -d 'Body, or @FILE for the content of a file' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s T -l content-type -d 'Content-Type of the body' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s A -l accept -d 'Accept header' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s a -l auth -d 'Name and password for basic authentication' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l follow -d 'Follow at most this number of consecutive redirects; each counts as a request, besides those of -n [default: 0]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l timeout -d 'Timeout of a request, from its start to the last byte, connecting included; 0 means no limit [default: 30s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l connect-timeout -d 'Timeout of connecting, including TLS; 0 means no limit [default: 10s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l pipeline -d 'Number of pipelined requests per connection [default: 1]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s x -l proxy -d 'HTTP proxy: HOST:PORT or NAME:PASSWORD@HOST:PORT' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l resolve -d 'Use this address for a host and port: HOST:PORT:ADDRESS; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l unix-socket -d 'Connect to this Unix socket instead of the host of the URL' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l bind -d 'Source addresses, comma-separated, used in turn; each provides about 28,000 ports' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l send-buffer -d 'Size of the kernel\'s send buffer per connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l receive-buffer -d 'Size of the kernel\'s receive buffer per connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l cacert -d 'Trust the certificates in this PEM file instead of those of the system' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l cert -d 'Client certificate chain, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l key -d 'Private key of --cert, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l tls-min -d 'Lowest TLS version: 1.2 or 1.3 [default: 1.2]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l tls-max -d 'Highest TLS version: 1.2 or 1.3 [default: 1.3]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l ciphers -d 'Cipher suites to offer, comma-separated IANA or OpenSSL names' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l server-name -d 'Server name to send and to verify instead of the host of the URL' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l threads -d 'Number of worker threads [default: depends on the machine and the load]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l driver -d 'Kernel interface [default: uring if the kernel allows it, else epoll]' -r -f -a "uring\t'io_uring, or an error if it is not available'
epoll\t'epoll'"
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l idle -d 'How an idle thread waits: block (sleep) or spin (poll continuously, for a lag of microseconds) [default: block]' -r -f -a "block\t'Sleep in the kernel'
spin\t'Poll without sleeping'"
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l check -d 'Check each response: \'status == 200\', \'body contains "ok"\', \'json $.n >= 3\', \'header ETag exists\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l slo -d 'SLO: p99<200ms, errors<0.1%, rps>=4900; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s o -l output -d 'Write the result to a file; the extension selects the format; may be repeated' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l format -d 'Format of the result on stdout [default: text]' -r -f -a "text\t'A table'
json\t'All data, for programs'
csv\t'The table, for spreadsheets'
markdown\t'The table, for pull requests'
html\t'One page with charts'
svg\t'One chart'"
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l cookies -d 'Store cookies, separately for each user or session'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l http1.0 -d 'Use HTTP/1.0'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l http1 -d 'Use HTTP/1.1 (the default)'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l http2 -d 'Use HTTP/2 or HTTP/3 (not available yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l disable-keepalive -d 'Open a new connection for every request'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s 4 -l ipv4 -d 'Use only IPv4 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s 6 -l ipv6 -d 'Use only IPv6 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l nagle -d 'Let the kernel delay small packets (no TCP_NODELAY)'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l close-with-reset -d 'Close connections with a reset, so that no port stays in TIME_WAIT'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s k -l insecure -d 'Accept any certificate'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l no-resumption -d 'Never resume TLS sessions'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l strict -d 'Exit with 96 if the result is not reliable'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l quiet -d 'Print only errors on stderr'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -s h -l help -d 'Print help'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -f -a "list" -d 'List the saved runs'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -f -a "show" -d 'Print the report of a run in any format; `-o FILE.wwr` exports the run'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -f -a "trend" -d 'Show the runs of a name over time, as a table and charts'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -f -a "compare" -d 'Compare the latest or any other run of a name with the baseline or the previous run'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -f -a "tag" -d 'Tag a run, for example with a version; `baseline` marks the run for comparisons'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -f -a "untag" -d 'Remove a tag from a run'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -f -a "import" -d 'Add a run file to the history'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -f -a "prune" -d 'Delete all but the latest runs of each name, except tagged runs'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from list" -l tag -d 'Only runs with this tag' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from list" -l latest -d 'Only this number of latest runs' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from list" -s o -l output -d 'Write the result to a file; the extension selects the format; may be repeated' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from list" -l format -d 'Format of the result on stdout [default: text]' -r -f -a "text\t'A table'
json\t'All data, for programs'
csv\t'The table, for spreadsheets'
markdown\t'The table, for pull requests'
html\t'One page with charts'
svg\t'One chart'"
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from list" -l database -d 'Database file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from list" -l strict -d 'Exit with 96 if the result is not reliable'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from list" -l quiet -d 'Print only errors on stderr'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from show" -s o -l output -d 'Write the result to a file; the extension selects the format; may be repeated' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from show" -l format -d 'Format of the report on stdout [default: text]' -r -f -a "text\t'The report as text'
json\t'The report as JSON'
csv\t'The intervals as CSV'
html\t'The report as one HTML page, with charts'
markdown\t'The report as Markdown'
junit\t'The verdict, the SLOs and the checks as JUnit XML'"
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from show" -l database -d 'Database file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from show" -l strict -d 'Exit with 96 if the verdict is not VALID'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from show" -l quiet -d 'Print only errors on stderr'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from trend" -l tag -d 'Only runs with this tag' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from trend" -l latest -d 'Only this number of latest runs' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from trend" -s o -l output -d 'Write the result to a file; the extension selects the format; may be repeated' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from trend" -l format -d 'Format of the result on stdout [default: text]' -r -f -a "text\t'A table'
json\t'All data, for programs'
csv\t'The table, for spreadsheets'
markdown\t'The table, for pull requests'
html\t'One page with charts'
svg\t'One chart'"
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from trend" -l database -d 'Database file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from trend" -l strict -d 'Exit with 96 if the result is not reliable'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from trend" -l quiet -d 'Print only errors on stderr'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from trend" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l run -d 'Number of the run to compare [default: the latest of the name]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l with -d 'Number of the run to compare it with [default: the baseline, else the previous run]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l allow -d 'Allowed deterioration of rate and latency; beyond it the exit code is 97 [default: 5%]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l allow-errors -d 'Allowed increase of the error rate, in percentage points [default: 0.1%]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -s o -l output -d 'Write the result to a file; the extension selects the format; may be repeated' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l format -d 'Format of the result on stdout [default: text]' -r -f -a "text\t'A table'
json\t'All data, for programs'
csv\t'The table, for spreadsheets'
markdown\t'The table, for pull requests'
html\t'One page with charts'
svg\t'One chart'"
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l database -d 'Database file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l different -d 'Compare runs even if their loads differ'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l strict -d 'Exit with 96 if the result is not reliable'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l quiet -d 'Print only errors on stderr'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from tag" -l database -d 'Database file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from tag" -s h -l help -d 'Print help'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from untag" -l database -d 'Database file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from untag" -s h -l help -d 'Print help'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from import" -l database -d 'Database file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from import" -s h -l help -d 'Print help'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from prune" -l keep -d 'Number of runs to keep per name' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from prune" -l database -d 'Database file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from prune" -s h -l help -d 'Print help'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l listen -d 'Address to listen on: HOST:PORT (port 0 selects a free port) or unix:/path; may be repeated [default: 127.0.0.1:8080]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l listen-tls -d 'Address to listen on for TLS, written as for --listen; generates a certificate unless --cert and --key are given' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l threads -d 'Number of server threads' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l delay -d 'Delay before each response: 10ms, uniform:A,B, exponential:MEAN, lognormal:MEDIAN,SIGMA, bimodal:P,A,B (A with probability P)' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l body-delay -d 'Delay between the head and the body of a response, written as for --delay' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l capacity -d 'Simulate a server with this capacity: exponential service times, other requests wait in a queue. 5000/s, 5/ms' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l workers -d 'Number of workers behind the queue (1 with --capacity). The service time is derived from --capacity, else it is --delay' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l queue -d 'Length of the queue; requests that find it full get 503' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l stall -d 'Send no response for the time FOR, starting at AT after the first request: --stall 5s+1s; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l size -d 'Body size in bytes: 512, 75k, 100m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l status -d 'Status of the responses, or several with weights: 200:9,503:1' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l header -d 'Header of every response, such as Cache-Control:no-store; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l chunked -d 'Send bodies chunked, in chunks of this size' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l interim -d 'Send this many 103 responses before each final one' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l slow -d 'Send this many bytes per interval: 1/s, 10/100ms, 64k/s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l fault -d 'Inject a fault, always or with a probability: --fault reset:0.01; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l max-requests -d 'Close every connection after this many requests' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l idle-timeout -d 'Close a connection after this idle time' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l continue -d 'Response to `Expect: 100-continue`: send, ignore, refuse' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l max-uri -d 'Reject request targets longer than this with 414' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l max-head -d 'Reject request heads longer than this with 431' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l plant -d 'Simulate a bug: query-overflow:BYTES (returns 500), line-overflow:BYTES, nul-header, negative-length (crash), bad-chunk (hangs)' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l cert -d 'Certificate chain, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l key -d 'Private key of --cert, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l cert-out -d 'Write the root certificate to this PEM file, for a client\'s --cacert' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l client-ca -d 'Require client certificates signed by one of these authorities, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l tls-max -d 'Highest TLS version: 1.2 or 1.3' -r -f -a "1.2\t''
1.3\t''"
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l log -d 'Log every request to this CSV file, with times of CLOCK_MONOTONIC' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l seed -d 'Seed of all randomness' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l stall-from-start -d 'Measure --stall from the start of the server, not from its first request'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l extensions -d 'Put an extension on every chunk'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l trailers -d 'Send trailers after a chunked body'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l until-close -d 'End a body by closing the connection'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l no-keepalive -d 'Close the connection after every response'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l unannounced -d 'Do not announce the close in the last response'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l http10 -d 'Use HTTP/1.0'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l early -d 'Respond to uploads before they are complete'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l proxy -d 'Also act as a proxy: CONNECT opens a tunnel, to loopback addresses only'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l no-resumption -d 'Do not resume TLS sessions'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -s n -l requests -d 'Number of requests' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -s r -l rate -d 'Requests per second' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -s c -l connections -d 'Maximum number of concurrent requests' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l seed -d 'Seed of the generated requests; by default a seed is chosen and printed' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l first -d 'Number of the first request' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l longest -d 'Maximum length of a generated part of a request, in bytes: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -s H -l header -d 'Header field for every request, such as \'Authorization: …\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l patience -d 'Report a hang when a complete request gets no response byte for this long' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l recovery -d 'Maximum time that the server may need to recover after a failure' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l restart -d 'Command that restarts the server when it does not recover, run by `sh -c`; it must return, so start a server with &' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l tries -d 'Maximum requests spent shrinking one finding' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l findings -d 'Stop after this number of findings' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l replay -d 'Send one request alone: as printed after `--replay` in a report, or FILE.json#2 for the second finding in a file' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l times -d 'Number of times --replay sends the request' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l i-may-test -d 'Also test this host, whose address is neither local nor private; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l cacert -d 'Trust the certificates in this PEM file instead of those of the system' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l format -d 'Format of the result on stdout' -r -f -a "text\t'Plain text'
json\t'All data as JSON'
sarif\t'SARIF 2.1.0'
junit\t'JUnit XML'"
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -s o -l output -d 'Write the result to a file; the extension selects the format: .json, .sarif, .xml (JUnit) or .txt; may be repeated' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -s k -l insecure -d 'Accept any certificate'
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l quiet -d 'Print only errors on stderr'
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -s n -l pages -d 'Maximum number of pages' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l depth -d 'Maximum distance from the start in clicks' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -s r -l rate -d 'Maximum rate of requests; a longer Crawl-delay in robots.txt has precedence' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -s c -l connections -d 'Maximum number of concurrent requests' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l under -d 'Only URLs whose path starts with this prefix: /docs/' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -s H -l header -d 'Header field for every request, such as \'Cookie: …\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l timeout -d 'Timeout for connecting and for the next byte of a page' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l page-size -d 'Maximum bytes of a page that are searched for links' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l cacert -d 'Trust the certificates in this PEM file instead of those of the system' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -s o -l output -d 'Write the list of URLs to this file instead of stdout, one per line: for `warwolf run --urls`, siege, http_load' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l clicks -d 'Write the click model to this file, for `warwolf run --clicks`' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l broken -d 'Write the broken links to this file, one per line: status or failure, URL and referrer, separated by tabs' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l ignore-robots -d 'Ignore robots.txt; for your own server'
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l resources -d 'Also list the resources of pages: images, scripts, style sheets'
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -s k -l insecure -d 'Accept any certificate'
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l quiet -d 'Print only errors on stderr'
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand completions" -s h -l help -d 'Print help'
complete -c warwolf -n "__fish_warwolf_using_subcommand man" -s h -l help -d 'Print help'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l to -d 'Send every request to this server: scheme, host and port of a URL' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l map -d 'Send requests for one host of the log to this server: a.test=http://127.0.0.1:81/; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l speed -d 'Speed relative to the log: 2x, 0.5x [default: 1x]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l only-methods -d 'Methods to send; `all` sends every method. Bodies are sent from HAR files; logs do not contain them [default: GET,HEAD]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l only-status -d 'Send only requests with these statuses in the log, comma-separated: 200, 3xx' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l since -d 'Skip requests before this time: 2026-11-21T10:00:00Z' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l until -d 'Skip requests at or after this time' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l log-format -d 'Format of the log [default: detected from the first line]' -r -f -a "common\t'Apache\'s and nginx\'s common and combined formats'
squid\t'Squid\'s native format'
json\t'A JSON object on each line'
har\t'An HTTP archive'"
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l variable -d 'Variable of Hurl files: NAME=VALUE; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l variables-file -d 'Also read variables of Hurl files from a file: NAME=VALUE, one per line' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l file-root -d 'Folder of the files that Hurl files name [default: that of each Hurl file]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l data -d 'Fill {{column}} in URLs, header fields and the body with the rows of a CSV file or JSON lines: FILE or FILE:TAKE' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l label -d 'Count requests whose path matches in one row of this name: \'/item/*=item\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s c -l connections -d 'Number of users in a closed loop, each with a connection [default: 50]; with --rate, maximum number of connections' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s r -l rate -d 'Open loop: total rate of requests, independent of the server: 500/s, 10/ms, 30/m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l arrivals -d 'Arrival process of an open loop: constant, poisson, uniform:A,B, trace:FILE [default: constant]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l warmup -d 'Time at the start that is excluded from the figures, but not from the timeline' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l grace -d 'At the end, wait this long for requests in flight [default: 0s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l seed -d 'Seed of all random choices; by default a seed is chosen and printed' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s m -l method -d 'Method [default: GET, or POST with --body]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s H -l header -d 'Header field, such as \'Accept: text/html\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s b -l body -d 'Body, or @FILE for the content of a file' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s T -l content-type -d 'Content-Type of the body' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s A -l accept -d 'Accept header' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s a -l auth -d 'Name and password for basic authentication' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l follow -d 'Follow at most this number of consecutive redirects; each counts as a request, besides those of -n [default: 0]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l timeout -d 'Timeout of a request, from its start to the last byte, connecting included; 0 means no limit [default: 30s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l connect-timeout -d 'Timeout of connecting, including TLS; 0 means no limit [default: 10s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l pipeline -d 'Number of pipelined requests per connection [default: 1]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s x -l proxy -d 'HTTP proxy: HOST:PORT or NAME:PASSWORD@HOST:PORT' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l resolve -d 'Use this address for a host and port: HOST:PORT:ADDRESS; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l unix-socket -d 'Connect to this Unix socket instead of the host of the URL' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l bind -d 'Source addresses, comma-separated, used in turn; each provides about 28,000 ports' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l send-buffer -d 'Size of the kernel\'s send buffer per connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l receive-buffer -d 'Size of the kernel\'s receive buffer per connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l cacert -d 'Trust the certificates in this PEM file instead of those of the system' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l cert -d 'Client certificate chain, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l key -d 'Private key of --cert, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l tls-min -d 'Lowest TLS version: 1.2 or 1.3 [default: 1.2]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l tls-max -d 'Highest TLS version: 1.2 or 1.3 [default: 1.3]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l ciphers -d 'Cipher suites to offer, comma-separated IANA or OpenSSL names' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l server-name -d 'Server name to send and to verify instead of the host of the URL' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l threads -d 'Number of worker threads [default: depends on the machine and the load]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l driver -d 'Kernel interface [default: uring if the kernel allows it, else epoll]' -r -f -a "uring\t'io_uring, or an error if it is not available'
epoll\t'epoll'"
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l idle -d 'How an idle thread waits: block (sleep) or spin (poll continuously, for a lag of microseconds) [default: block]' -r -f -a "block\t'Sleep in the kernel'
spin\t'Poll without sleeping'"
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l check -d 'Check each response: \'status == 200\', \'body contains "ok"\', \'json $.n >= 3\', \'header ETag exists\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l slo -d 'SLO: p99<200ms, errors<0.1%, rps>=4900; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s o -l output -d 'Write the result to a file; the extension selects the format; may be repeated' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l format -d 'Format of the report on stdout [default: text]' -r -f -a "text\t'The report as text'
json\t'The report as JSON'
csv\t'The intervals as CSV'
html\t'The report as one HTML page, with charts'
markdown\t'The report as Markdown'
junit\t'The verdict, the SLOs and the checks as JUnit XML'"
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l urls -d 'Also read URLs from a file, one per line ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l clicks -d 'Simulate users who follow links, with a click model written by `warwolf crawl --clicks` ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l visit -d 'Number of pages per visit: the average in a closed loop, the exact number with --rate [default: 10]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l order -d 'Order of the URLs' -r -f -a "sequential\t'In turn, across all users (the default)'
random\t'At random'"
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l plan -d 'Run a plan written by `warwolf explain`, instead of options ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s n -l requests -d 'Stop after this number of requests: 200, 10k, 1.5m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s d -l duration -d 'Stop after this time, including warm-up [default: 10s, unless another option ends the run]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l ramp -d 'Change the rate linearly: FROM:TO:TIME; in a closed loop TIME alone: start the users over this time' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l steps -d 'Sequence of rates: 500x10s,1000x10s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l burst -d 'In an open loop, send this number of requests at the same instant; the total rate stays the same' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l think -d 'Pause between the requests of a user: 1s, uniform:1s,3s, exponential:2s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l closed -d 'Ignore the times: a closed loop of users (-c) sends the requests in order'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l keep-host -d 'Send the host that the log names as `Host`, whichever server receives the request'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l keep-agent -d 'Send User-Agent and Referer of the log; the requests of a HAR are always sent with their own header fields'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l cookies -d 'Store cookies, separately for each user or session'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l http1.0 -d 'Use HTTP/1.0'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l http1 -d 'Use HTTP/1.1 (the default)'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l http2 -d 'Use HTTP/2 or HTTP/3 (not available yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l disable-keepalive -d 'Open a new connection for every request'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s 4 -l ipv4 -d 'Use only IPv4 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s 6 -l ipv6 -d 'Use only IPv6 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l nagle -d 'Let the kernel delay small packets (no TCP_NODELAY)'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l close-with-reset -d 'Close connections with a reset, so that no port stays in TIME_WAIT'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s k -l insecure -d 'Accept any certificate'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l no-resumption -d 'Never resume TLS sessions'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l strict -d 'Exit with 96 if the verdict is not VALID'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l quiet -d 'Print only errors on stderr'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l no-tui -d 'Print progress as plain lines, even on a terminal'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l slice -d 'Length of a slice of the alternation A B B A [default: 1s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l allow -d 'Allowed deterioration of rate and latency; beyond it the exit code is 97 [default: 5%]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l allow-errors -d 'Allowed increase of the error rate, in percentage points: 0.1% is one request in a thousand [default: 0.1%]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l variable -d 'Variable of Hurl files: NAME=VALUE; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l variables-file -d 'Also read variables of Hurl files from a file: NAME=VALUE, one per line' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l file-root -d 'Folder of the files that Hurl files name [default: that of each Hurl file]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l urls -d 'Also read URLs from a file, one per line ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l clicks -d 'Simulate users who follow links, with a click model written by `warwolf crawl --clicks` ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l visit -d 'Number of pages per visit: the average in a closed loop, the exact number with --rate [default: 10]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l data -d 'Fill {{column}} in URLs, header fields and the body with the rows of a CSV file or JSON lines: FILE or FILE:TAKE' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l label -d 'Count requests whose path matches in one row of this name: \'/item/*=item\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l order -d 'Order of the URLs' -r -f -a "sequential\t'In turn, across all users (the default)'
random\t'At random'"
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l plan -d 'Run a plan written by `warwolf explain`, instead of options ("-" means stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s c -l connections -d 'Number of users in a closed loop, each with a connection [default: 50]; with --rate, maximum number of connections' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s n -l requests -d 'Stop after this number of requests: 200, 10k, 1.5m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s d -l duration -d 'Stop after this time, including warm-up [default: 10s, unless another option ends the run]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s r -l rate -d 'Open loop: total rate of requests, independent of the server: 500/s, 10/ms, 30/m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l arrivals -d 'Arrival process of an open loop: constant, poisson, uniform:A,B, trace:FILE [default: constant]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l ramp -d 'Change the rate linearly: FROM:TO:TIME; in a closed loop TIME alone: start the users over this time' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l steps -d 'Sequence of rates: 500x10s,1000x10s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l burst -d 'In an open loop, send this number of requests at the same instant; the total rate stays the same' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l think -d 'Pause between the requests of a user: 1s, uniform:1s,3s, exponential:2s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l warmup -d 'Time at the start that is excluded from the figures, but not from the timeline' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l grace -d 'At the end, wait this long for requests in flight [default: 0s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l seed -d 'Seed of all random choices; by default a seed is chosen and printed' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s m -l method -d 'Method [default: GET, or POST with --body]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s H -l header -d 'Header field, such as \'Accept: text/html\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s b -l body -d 'Body, or @FILE for the content of a file' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s T -l content-type -d 'Content-Type of the body' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s A -l accept -d 'Accept header' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s a -l auth -d 'Name and password for basic authentication' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l follow -d 'Follow at most this number of consecutive redirects; each counts as a request, besides those of -n [default: 0]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l timeout -d 'Timeout of a request, from its start to the last byte, connecting included; 0 means no limit [default: 30s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l connect-timeout -d 'Timeout of connecting, including TLS; 0 means no limit [default: 10s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l pipeline -d 'Number of pipelined requests per connection [default: 1]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s x -l proxy -d 'HTTP proxy: HOST:PORT or NAME:PASSWORD@HOST:PORT' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l resolve -d 'Use this address for a host and port: HOST:PORT:ADDRESS; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l unix-socket -d 'Connect to this Unix socket instead of the host of the URL' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l bind -d 'Source addresses, comma-separated, used in turn; each provides about 28,000 ports' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l send-buffer -d 'Size of the kernel\'s send buffer per connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l receive-buffer -d 'Size of the kernel\'s receive buffer per connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l cacert -d 'Trust the certificates in this PEM file instead of those of the system' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l cert -d 'Client certificate chain, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l key -d 'Private key of --cert, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l tls-min -d 'Lowest TLS version: 1.2 or 1.3 [default: 1.2]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l tls-max -d 'Highest TLS version: 1.2 or 1.3 [default: 1.3]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l ciphers -d 'Cipher suites to offer, comma-separated IANA or OpenSSL names' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l server-name -d 'Server name to send and to verify instead of the host of the URL' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l threads -d 'Number of worker threads [default: depends on the machine and the load]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l driver -d 'Kernel interface [default: uring if the kernel allows it, else epoll]' -r -f -a "uring\t'io_uring, or an error if it is not available'
epoll\t'epoll'"
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l idle -d 'How an idle thread waits: block (sleep) or spin (poll continuously, for a lag of microseconds) [default: block]' -r -f -a "block\t'Sleep in the kernel'
spin\t'Poll without sleeping'"
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l check -d 'Check each response: \'status == 200\', \'body contains "ok"\', \'json $.n >= 3\', \'header ETag exists\'; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l slo -d 'SLO: p99<200ms, errors<0.1%, rps>=4900; may be repeated' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s o -l output -d 'Write the result to a file; the extension selects the format; may be repeated' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l format -d 'Format of the result on stdout [default: text]' -r -f -a "text\t'A table'
json\t'All data, for programs'
csv\t'The table, for spreadsheets'
markdown\t'The table, for pull requests'
html\t'One page with charts'
svg\t'One chart'"
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l different -d 'Compare run files even if their loads differ'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l cookies -d 'Store cookies, separately for each user or session'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l http1.0 -d 'Use HTTP/1.0'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l http1 -d 'Use HTTP/1.1 (the default)'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l http2 -d 'Use HTTP/2 or HTTP/3 (not available yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l disable-keepalive -d 'Open a new connection for every request'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s 4 -l ipv4 -d 'Use only IPv4 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s 6 -l ipv6 -d 'Use only IPv6 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l nagle -d 'Let the kernel delay small packets (no TCP_NODELAY)'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l close-with-reset -d 'Close connections with a reset, so that no port stays in TIME_WAIT'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s k -l insecure -d 'Accept any certificate'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l no-resumption -d 'Never resume TLS sessions'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l strict -d 'Exit with 96 if the result is not reliable'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l quiet -d 'Print only errors on stderr'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
