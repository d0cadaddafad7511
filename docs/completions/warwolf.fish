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
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "run" -d 'Load a server; a bare `warwolf URL…` means the same'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "explain" -d 'Print the plan that these words mean, and run nothing'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "report" -d 'Report a kept run again, in any format'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "merge" -d 'Add up the parts of a run that several machines made with --shard'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "compare" -d 'Say whether B is slower than A, by how much, and how sure that is'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "sweep" -d 'Run a load over a grid of settings, into one table and its plots'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "capacity" -d 'Search for the highest rate at which promises (--slo) hold'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "replay" -d 'Send the requests of an access log again, at the log\'s own times, at a rate, or by users'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "history" -d 'Runs that were kept with `run --keep NAME`: list, show, trend, compare, tag, prune'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "target" -d 'Serve HTTP, with known delays and faults: the built-in server under test'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "torture" -d 'Look for requests that make a server answer wrongly or fall over'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "crawl" -d 'Walk the links of a site: a list of its URLs, and which page leads to which'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "completions" -d 'Write the completion script of a shell to stdout'
complete -c warwolf -n "__fish_warwolf_needs_command" -f -a "man" -d 'Write the manual page to stdout, in roff'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l urls -d 'Read URLs from a file, one a line, as well ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l clicks -d 'Users who follow links, by a click model that `warwolf crawl --clicks` wrote ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l visit -d 'Pages of a visit: on average in a closed loop, exactly with --rate [default: 10]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l order -d 'Which URL comes next' -r -f -a "sequential\t'One after the other, over all users (the default)'
random\t'Drawn evenly'"
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l plan -d 'Run a plan written by `warwolf explain`, instead of flags ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s c -l connections -d 'Users in a closed loop, each with a connection [default: 50]; with --rate, connections at the most' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s n -l requests -d 'Stop after this many requests: 200, 10k, 1.5m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s d -l duration -d 'Stop after this time, warm-up included [default: 10s, unless something else ends the run]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s r -l rate -d 'Open loop: requests a second in all, whatever the server does: 500/s, 10/ms, 30/m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l arrivals -d 'How requests follow each other in an open loop: constant, poisson, uniform:A,B, trace:FILE [default: constant]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l ramp -d 'Change the rate evenly: FROM:TO:TIME; or TIME alone, over which the users of a closed loop start' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l steps -d 'Rates one after the other: 500x10s,1000x10s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l burst -d 'In an open loop, requests come in groups of this many at the same instant; the rate stays' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l think -d 'Pause between a user\'s requests: 1s, uniform:1s,3s, exponential:2s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l warmup -d 'Time at the start of the duration that is kept in the timeline but not in the figures' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l grace -d 'At the end, let requests in flight go on for this long before they are cut [default: 0s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l seed -d 'Number from which every random choice is made; without it one is chosen and printed' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s m -l method -d 'Method [default: GET, or POST with --body]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s H -l header -d 'Header field, such as \'Accept: text/html\'; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s b -l body -d 'Body, or @FILE for the content of a file' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s T -l content-type -d 'Content-Type of the body' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s A -l accept -d 'Accept header' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s a -l auth -d 'Name and password for basic authentication' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l follow -d 'Follow redirects, at most this many in a row; each is a request of its own [default: 0]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l timeout -d 'Time for a whole request, from when it has a connection to the last byte; 0 is no limit [default: 30s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l connect-timeout -d 'Time for TCP and TLS to connect; 0 is no limit [default: 10s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s p -l streams -d 'Streams at once on a connection, with HTTP/2 and HTTP/3 (not built yet)' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l pipeline -d 'Requests each user sends on its connection before it waits for the replies [default: 1]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s x -l proxy -d 'HTTP proxy: HOST:PORT or NAME:PASSWORD@HOST:PORT' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l resolve -d 'Use this address for a host and port: HOST:PORT:ADDRESS; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l unix-socket -d 'Connect to this Unix socket, whatever the URL\'s host says' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l bind -d 'Source addresses, taken in turn: more of them pass the limit of some 28,000 ports; commas between them' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l send-buffer -d 'Kernel send buffer of each connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l receive-buffer -d 'Kernel receive buffer of each connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l cacert -d 'Trust the certificates in this PEM file, instead of the system\'s' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l cert -d 'Our certificate chain, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l key -d 'The key of --cert, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l tls-min -d 'Lowest TLS version: 1.2 or 1.3 [default: 1.2]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l tls-max -d 'Highest TLS version: 1.2 or 1.3 [default: 1.3]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l ciphers -d 'Cipher suites to offer, by IANA or OpenSSL name; commas between them' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l server-name -d 'Name to send and to find in the certificate, instead of the URL\'s host' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l threads -d 'Worker threads [default: as suits the machine and the load]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l driver -d 'Kernel interface [default: uring where the kernel allows it, else epoll]' -r -f -a "uring\t'io_uring, or an error where it cannot be had'
epoll\t'epoll'"
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l idle -d 'What a thread does while nothing is due: block (sleep) or spin (a busy core, for lag in microseconds) [default: block]' -r -f -a "block\t'Sleep in the kernel'
spin\t'Poll without sleeping'"
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l slo -d 'A promise to hold: p99<200ms, errors<0.1%, rps>=4900; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s o -l output -d 'Keep the result in a file, as its extension says; can be given several times' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l format -d 'What goes to stdout [default: text]' -r -f -a "text\t'The report as text'
json\t'The report as JSON'
csv\t'The intervals as CSV'
html\t'The report as one HTML page, with charts'
markdown\t'The report as Markdown'
junit\t'The verdict and the SLOs as JUnit XML'"
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l keep -d 'Keep the run in the history under this name, for `warwolf history`' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l database -d 'The history\'s file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l shard -d 'Do only part I of N of the load; `warwolf merge` adds the parts up' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l cookies -d 'Keep cookies, each user or session its own'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l http1.0 -d 'Speak HTTP/1.0'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l http1 -d 'Speak HTTP/1.1 (the default)'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l http2 -d 'Speak HTTP/2 (not built yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l http3 -d 'Speak HTTP/3 (not built yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l disable-keepalive -d 'A new connection for every request'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s 4 -l ipv4 -d 'Use only IPv4 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s 6 -l ipv6 -d 'Use only IPv6 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l nagle -d 'Let the kernel hold back small packets (no TCP_NODELAY)'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l close-with-reset -d 'Close with a reset, which leaves no port in TIME_WAIT'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s k -l insecure -d 'Accept any certificate'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l no-resumption -d 'Make a full handshake every time'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l strict -d 'Exit with 96 when the verdict is not VALID'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l quiet -d 'Nothing on stderr but errors'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -l no-tui -d 'Plain lines of progress even on a terminal'
complete -c warwolf -n "__fish_warwolf_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l urls -d 'Read URLs from a file, one a line, as well ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l clicks -d 'Users who follow links, by a click model that `warwolf crawl --clicks` wrote ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l visit -d 'Pages of a visit: on average in a closed loop, exactly with --rate [default: 10]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l order -d 'Which URL comes next' -r -f -a "sequential\t'One after the other, over all users (the default)'
random\t'Drawn evenly'"
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l plan -d 'Run a plan written by `warwolf explain`, instead of flags ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s c -l connections -d 'Users in a closed loop, each with a connection [default: 50]; with --rate, connections at the most' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s n -l requests -d 'Stop after this many requests: 200, 10k, 1.5m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s d -l duration -d 'Stop after this time, warm-up included [default: 10s, unless something else ends the run]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s r -l rate -d 'Open loop: requests a second in all, whatever the server does: 500/s, 10/ms, 30/m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l arrivals -d 'How requests follow each other in an open loop: constant, poisson, uniform:A,B, trace:FILE [default: constant]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l ramp -d 'Change the rate evenly: FROM:TO:TIME; or TIME alone, over which the users of a closed loop start' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l steps -d 'Rates one after the other: 500x10s,1000x10s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l burst -d 'In an open loop, requests come in groups of this many at the same instant; the rate stays' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l think -d 'Pause between a user\'s requests: 1s, uniform:1s,3s, exponential:2s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l warmup -d 'Time at the start of the duration that is kept in the timeline but not in the figures' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l grace -d 'At the end, let requests in flight go on for this long before they are cut [default: 0s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l seed -d 'Number from which every random choice is made; without it one is chosen and printed' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s m -l method -d 'Method [default: GET, or POST with --body]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s H -l header -d 'Header field, such as \'Accept: text/html\'; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s b -l body -d 'Body, or @FILE for the content of a file' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s T -l content-type -d 'Content-Type of the body' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s A -l accept -d 'Accept header' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s a -l auth -d 'Name and password for basic authentication' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l follow -d 'Follow redirects, at most this many in a row; each is a request of its own [default: 0]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l timeout -d 'Time for a whole request, from when it has a connection to the last byte; 0 is no limit [default: 30s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l connect-timeout -d 'Time for TCP and TLS to connect; 0 is no limit [default: 10s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s p -l streams -d 'Streams at once on a connection, with HTTP/2 and HTTP/3 (not built yet)' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l pipeline -d 'Requests each user sends on its connection before it waits for the replies [default: 1]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s x -l proxy -d 'HTTP proxy: HOST:PORT or NAME:PASSWORD@HOST:PORT' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l resolve -d 'Use this address for a host and port: HOST:PORT:ADDRESS; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l unix-socket -d 'Connect to this Unix socket, whatever the URL\'s host says' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l bind -d 'Source addresses, taken in turn: more of them pass the limit of some 28,000 ports; commas between them' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l send-buffer -d 'Kernel send buffer of each connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l receive-buffer -d 'Kernel receive buffer of each connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l cacert -d 'Trust the certificates in this PEM file, instead of the system\'s' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l cert -d 'Our certificate chain, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l key -d 'The key of --cert, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l tls-min -d 'Lowest TLS version: 1.2 or 1.3 [default: 1.2]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l tls-max -d 'Highest TLS version: 1.2 or 1.3 [default: 1.3]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l ciphers -d 'Cipher suites to offer, by IANA or OpenSSL name; commas between them' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l server-name -d 'Name to send and to find in the certificate, instead of the URL\'s host' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l threads -d 'Worker threads [default: as suits the machine and the load]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l driver -d 'Kernel interface [default: uring where the kernel allows it, else epoll]' -r -f -a "uring\t'io_uring, or an error where it cannot be had'
epoll\t'epoll'"
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l idle -d 'What a thread does while nothing is due: block (sleep) or spin (a busy core, for lag in microseconds) [default: block]' -r -f -a "block\t'Sleep in the kernel'
spin\t'Poll without sleeping'"
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l slo -d 'A promise to hold: p99<200ms, errors<0.1%, rps>=4900; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l format -d 'How the plan is written' -r -f -a "toml\t'TOML'
json\t'JSON'"
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l cookies -d 'Keep cookies, each user or session its own'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l http1.0 -d 'Speak HTTP/1.0'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l http1 -d 'Speak HTTP/1.1 (the default)'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l http2 -d 'Speak HTTP/2 (not built yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l http3 -d 'Speak HTTP/3 (not built yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l disable-keepalive -d 'A new connection for every request'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s 4 -l ipv4 -d 'Use only IPv4 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s 6 -l ipv6 -d 'Use only IPv6 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l nagle -d 'Let the kernel hold back small packets (no TCP_NODELAY)'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l close-with-reset -d 'Close with a reset, which leaves no port in TIME_WAIT'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s k -l insecure -d 'Accept any certificate'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l no-resumption -d 'Make a full handshake every time'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -l quiet -d 'Leave out the description on stderr'
complete -c warwolf -n "__fish_warwolf_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand report" -s o -l output -d 'Keep the result in a file, as its extension says; can be given several times' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand report" -l format -d 'What goes to stdout [default: text]' -r -f -a "text\t'The report as text'
json\t'The report as JSON'
csv\t'The intervals as CSV'
html\t'The report as one HTML page, with charts'
markdown\t'The report as Markdown'
junit\t'The verdict and the SLOs as JUnit XML'"
complete -c warwolf -n "__fish_warwolf_using_subcommand report" -l chart -d 'One chart of the page, as SVG on stdout: percentiles, histogram, latency, rate, errors, phases, lag, in-flight' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand report" -l slo -d 'A promise to judge instead of the plan\'s: p99<200ms; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand report" -l strict -d 'Exit with 96 when the verdict is not VALID'
complete -c warwolf -n "__fish_warwolf_using_subcommand report" -l quiet -d 'Nothing on stderr but errors'
complete -c warwolf -n "__fish_warwolf_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand merge" -s o -l output -d 'Where their sum goes: a run file' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand merge" -s h -l help -d 'Print help'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l urls -d 'Read URLs from a file, one a line, as well ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l clicks -d 'Users who follow links, by a click model that `warwolf crawl --clicks` wrote ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l visit -d 'Pages of a visit: on average in a closed loop, exactly with --rate [default: 10]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l order -d 'Which URL comes next' -r -f -a "sequential\t'One after the other, over all users (the default)'
random\t'Drawn evenly'"
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l plan -d 'Run a plan written by `warwolf explain`, instead of flags ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s c -l connections -d 'Users in a closed loop, each with a connection [default: 50]; with --rate, connections at the most' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s n -l requests -d 'Stop after this many requests: 200, 10k, 1.5m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s d -l duration -d 'Stop after this time, warm-up included [default: 10s, unless something else ends the run]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s r -l rate -d 'Open loop: requests a second in all, whatever the server does: 500/s, 10/ms, 30/m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l arrivals -d 'How requests follow each other in an open loop: constant, poisson, uniform:A,B, trace:FILE [default: constant]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l ramp -d 'Change the rate evenly: FROM:TO:TIME; or TIME alone, over which the users of a closed loop start' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l steps -d 'Rates one after the other: 500x10s,1000x10s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l burst -d 'In an open loop, requests come in groups of this many at the same instant; the rate stays' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l think -d 'Pause between a user\'s requests: 1s, uniform:1s,3s, exponential:2s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l warmup -d 'Time at the start of the duration that is kept in the timeline but not in the figures' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l grace -d 'At the end, let requests in flight go on for this long before they are cut [default: 0s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l seed -d 'Number from which every random choice is made; without it one is chosen and printed' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s m -l method -d 'Method [default: GET, or POST with --body]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s H -l header -d 'Header field, such as \'Accept: text/html\'; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s b -l body -d 'Body, or @FILE for the content of a file' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s T -l content-type -d 'Content-Type of the body' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s A -l accept -d 'Accept header' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s a -l auth -d 'Name and password for basic authentication' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l follow -d 'Follow redirects, at most this many in a row; each is a request of its own [default: 0]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l timeout -d 'Time for a whole request, from when it has a connection to the last byte; 0 is no limit [default: 30s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l connect-timeout -d 'Time for TCP and TLS to connect; 0 is no limit [default: 10s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s p -l streams -d 'Streams at once on a connection, with HTTP/2 and HTTP/3 (not built yet)' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l pipeline -d 'Requests each user sends on its connection before it waits for the replies [default: 1]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s x -l proxy -d 'HTTP proxy: HOST:PORT or NAME:PASSWORD@HOST:PORT' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l resolve -d 'Use this address for a host and port: HOST:PORT:ADDRESS; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l unix-socket -d 'Connect to this Unix socket, whatever the URL\'s host says' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l bind -d 'Source addresses, taken in turn: more of them pass the limit of some 28,000 ports; commas between them' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l send-buffer -d 'Kernel send buffer of each connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l receive-buffer -d 'Kernel receive buffer of each connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l cacert -d 'Trust the certificates in this PEM file, instead of the system\'s' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l cert -d 'Our certificate chain, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l key -d 'The key of --cert, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l tls-min -d 'Lowest TLS version: 1.2 or 1.3 [default: 1.2]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l tls-max -d 'Highest TLS version: 1.2 or 1.3 [default: 1.3]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l ciphers -d 'Cipher suites to offer, by IANA or OpenSSL name; commas between them' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l server-name -d 'Name to send and to find in the certificate, instead of the URL\'s host' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l threads -d 'Worker threads [default: as suits the machine and the load]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l driver -d 'Kernel interface [default: uring where the kernel allows it, else epoll]' -r -f -a "uring\t'io_uring, or an error where it cannot be had'
epoll\t'epoll'"
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l idle -d 'What a thread does while nothing is due: block (sleep) or spin (a busy core, for lag in microseconds) [default: block]' -r -f -a "block\t'Sleep in the kernel'
spin\t'Poll without sleeping'"
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l slo -d 'A promise to hold: p99<200ms, errors<0.1%, rps>=4900; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l slice -d 'Length of a slice: A and B take turns A B B A [default: 1s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l allow -d 'How much worse B may be in rate and latency before the exit code is 97 [default: 5%]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l allow-errors -d 'How much greater the share of errors may be, in points: 0.1% is one call in a thousand [default: 0.1%]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s o -l output -d 'Keep the result in a file, as its extension says; can be given several times' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l format -d 'What goes to stdout [default: text]' -r -f -a "text\t'A table'
json\t'Everything, for programs'
csv\t'The table, for spreadsheets'
markdown\t'The table, for pull requests'
html\t'One page with charts'
svg\t'One chart'"
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l cookies -d 'Keep cookies, each user or session its own'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l http1.0 -d 'Speak HTTP/1.0'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l http1 -d 'Speak HTTP/1.1 (the default)'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l http2 -d 'Speak HTTP/2 (not built yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l http3 -d 'Speak HTTP/3 (not built yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l disable-keepalive -d 'A new connection for every request'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s 4 -l ipv4 -d 'Use only IPv4 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s 6 -l ipv6 -d 'Use only IPv6 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l nagle -d 'Let the kernel hold back small packets (no TCP_NODELAY)'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l close-with-reset -d 'Close with a reset, which leaves no port in TIME_WAIT'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s k -l insecure -d 'Accept any certificate'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l no-resumption -d 'Make a full handshake every time'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l different -d 'Compare run files all the same when their plans are different loads'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l strict -d 'Exit with 96 when nothing reliable can be said'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -l quiet -d 'Nothing on stderr but errors'
complete -c warwolf -n "__fish_warwolf_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l urls -d 'Read URLs from a file, one a line, as well ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l clicks -d 'Users who follow links, by a click model that `warwolf crawl --clicks` wrote ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l visit -d 'Pages of a visit: on average in a closed loop, exactly with --rate [default: 10]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l order -d 'Which URL comes next' -r -f -a "sequential\t'One after the other, over all users (the default)'
random\t'Drawn evenly'"
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l plan -d 'Run a plan written by `warwolf explain`, instead of flags ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s c -l connections -d 'Users in a closed loop, each with a connection [default: 50]; with --rate, connections at the most' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s n -l requests -d 'Stop after this many requests: 200, 10k, 1.5m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s d -l duration -d 'Stop after this time, warm-up included [default: 10s, unless something else ends the run]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s r -l rate -d 'Open loop: requests a second in all, whatever the server does: 500/s, 10/ms, 30/m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l arrivals -d 'How requests follow each other in an open loop: constant, poisson, uniform:A,B, trace:FILE [default: constant]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l ramp -d 'Change the rate evenly: FROM:TO:TIME; or TIME alone, over which the users of a closed loop start' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l steps -d 'Rates one after the other: 500x10s,1000x10s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l burst -d 'In an open loop, requests come in groups of this many at the same instant; the rate stays' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l think -d 'Pause between a user\'s requests: 1s, uniform:1s,3s, exponential:2s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l warmup -d 'Time at the start of the duration that is kept in the timeline but not in the figures' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l grace -d 'At the end, let requests in flight go on for this long before they are cut [default: 0s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l seed -d 'Number from which every random choice is made; without it one is chosen and printed' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s m -l method -d 'Method [default: GET, or POST with --body]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s H -l header -d 'Header field, such as \'Accept: text/html\'; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s b -l body -d 'Body, or @FILE for the content of a file' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s T -l content-type -d 'Content-Type of the body' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s A -l accept -d 'Accept header' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s a -l auth -d 'Name and password for basic authentication' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l follow -d 'Follow redirects, at most this many in a row; each is a request of its own [default: 0]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l timeout -d 'Time for a whole request, from when it has a connection to the last byte; 0 is no limit [default: 30s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l connect-timeout -d 'Time for TCP and TLS to connect; 0 is no limit [default: 10s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s p -l streams -d 'Streams at once on a connection, with HTTP/2 and HTTP/3 (not built yet)' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l pipeline -d 'Requests each user sends on its connection before it waits for the replies [default: 1]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s x -l proxy -d 'HTTP proxy: HOST:PORT or NAME:PASSWORD@HOST:PORT' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l resolve -d 'Use this address for a host and port: HOST:PORT:ADDRESS; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l unix-socket -d 'Connect to this Unix socket, whatever the URL\'s host says' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l bind -d 'Source addresses, taken in turn: more of them pass the limit of some 28,000 ports; commas between them' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l send-buffer -d 'Kernel send buffer of each connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l receive-buffer -d 'Kernel receive buffer of each connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l cacert -d 'Trust the certificates in this PEM file, instead of the system\'s' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l cert -d 'Our certificate chain, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l key -d 'The key of --cert, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l tls-min -d 'Lowest TLS version: 1.2 or 1.3 [default: 1.2]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l tls-max -d 'Highest TLS version: 1.2 or 1.3 [default: 1.3]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l ciphers -d 'Cipher suites to offer, by IANA or OpenSSL name; commas between them' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l server-name -d 'Name to send and to find in the certificate, instead of the URL\'s host' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l threads -d 'Worker threads [default: as suits the machine and the load]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l driver -d 'Kernel interface [default: uring where the kernel allows it, else epoll]' -r -f -a "uring\t'io_uring, or an error where it cannot be had'
epoll\t'epoll'"
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l idle -d 'What a thread does while nothing is due: block (sleep) or spin (a busy core, for lag in microseconds) [default: block]' -r -f -a "block\t'Sleep in the kernel'
spin\t'Poll without sleeping'"
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l slo -d 'A promise to hold: p99<200ms, errors<0.1%, rps>=4900; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l vary -d 'What is varied: connections=10,100 or target=old:http://a/,new:http://b/; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l repeats -d 'Run every point this often [default: 1]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l sequence -d 'In which order points are run [default: balanced]' -r -f -a "given\t'As given'
balanced\t'Every second repeat backwards, so that an even drift cancels out (the default)'
random\t'Each repeat in an order of its own'"
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l rest -d 'Wait this long before each run [default: 0s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l between -d 'Run this command before each run, with sh: restart the server, clear its cache' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l folder -d 'Keep every run in this folder, and go on from what is there' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l chart -d 'Which chart goes into a file that ends in .svg [default: response]' -r -f -a "response\t'Mean response time'
rate\t'Completed requests a second'
p99\t'99th percentile of latency'
errors\t'Share of errors'"
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s o -l output -d 'Keep the result in a file, as its extension says; can be given several times' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l format -d 'What goes to stdout [default: text]' -r -f -a "text\t'A table'
json\t'Everything, for programs'
csv\t'The table, for spreadsheets'
markdown\t'The table, for pull requests'
html\t'One page with charts'
svg\t'One chart'"
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l cookies -d 'Keep cookies, each user or session its own'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l http1.0 -d 'Speak HTTP/1.0'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l http1 -d 'Speak HTTP/1.1 (the default)'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l http2 -d 'Speak HTTP/2 (not built yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l http3 -d 'Speak HTTP/3 (not built yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l disable-keepalive -d 'A new connection for every request'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s 4 -l ipv4 -d 'Use only IPv4 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s 6 -l ipv6 -d 'Use only IPv6 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l nagle -d 'Let the kernel hold back small packets (no TCP_NODELAY)'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l close-with-reset -d 'Close with a reset, which leaves no port in TIME_WAIT'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s k -l insecure -d 'Accept any certificate'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l no-resumption -d 'Make a full handshake every time'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l strict -d 'Exit with 96 when nothing reliable can be said'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -l quiet -d 'Nothing on stderr but errors'
complete -c warwolf -n "__fish_warwolf_using_subcommand sweep" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l urls -d 'Read URLs from a file, one a line, as well ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l clicks -d 'Users who follow links, by a click model that `warwolf crawl --clicks` wrote ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l visit -d 'Pages of a visit: on average in a closed loop, exactly with --rate [default: 10]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l order -d 'Which URL comes next' -r -f -a "sequential\t'One after the other, over all users (the default)'
random\t'Drawn evenly'"
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l plan -d 'Run a plan written by `warwolf explain`, instead of flags ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s c -l connections -d 'Users in a closed loop, each with a connection [default: 50]; with --rate, connections at the most' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s n -l requests -d 'Stop after this many requests: 200, 10k, 1.5m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s d -l duration -d 'Stop after this time, warm-up included [default: 10s, unless something else ends the run]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s r -l rate -d 'Open loop: requests a second in all, whatever the server does: 500/s, 10/ms, 30/m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l arrivals -d 'How requests follow each other in an open loop: constant, poisson, uniform:A,B, trace:FILE [default: constant]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l ramp -d 'Change the rate evenly: FROM:TO:TIME; or TIME alone, over which the users of a closed loop start' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l steps -d 'Rates one after the other: 500x10s,1000x10s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l burst -d 'In an open loop, requests come in groups of this many at the same instant; the rate stays' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l think -d 'Pause between a user\'s requests: 1s, uniform:1s,3s, exponential:2s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l warmup -d 'Time at the start of the duration that is kept in the timeline but not in the figures' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l grace -d 'At the end, let requests in flight go on for this long before they are cut [default: 0s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l seed -d 'Number from which every random choice is made; without it one is chosen and printed' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s m -l method -d 'Method [default: GET, or POST with --body]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s H -l header -d 'Header field, such as \'Accept: text/html\'; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s b -l body -d 'Body, or @FILE for the content of a file' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s T -l content-type -d 'Content-Type of the body' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s A -l accept -d 'Accept header' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s a -l auth -d 'Name and password for basic authentication' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l follow -d 'Follow redirects, at most this many in a row; each is a request of its own [default: 0]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l timeout -d 'Time for a whole request, from when it has a connection to the last byte; 0 is no limit [default: 30s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l connect-timeout -d 'Time for TCP and TLS to connect; 0 is no limit [default: 10s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s p -l streams -d 'Streams at once on a connection, with HTTP/2 and HTTP/3 (not built yet)' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l pipeline -d 'Requests each user sends on its connection before it waits for the replies [default: 1]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s x -l proxy -d 'HTTP proxy: HOST:PORT or NAME:PASSWORD@HOST:PORT' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l resolve -d 'Use this address for a host and port: HOST:PORT:ADDRESS; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l unix-socket -d 'Connect to this Unix socket, whatever the URL\'s host says' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l bind -d 'Source addresses, taken in turn: more of them pass the limit of some 28,000 ports; commas between them' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l send-buffer -d 'Kernel send buffer of each connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l receive-buffer -d 'Kernel receive buffer of each connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l cacert -d 'Trust the certificates in this PEM file, instead of the system\'s' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l cert -d 'Our certificate chain, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l key -d 'The key of --cert, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l tls-min -d 'Lowest TLS version: 1.2 or 1.3 [default: 1.2]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l tls-max -d 'Highest TLS version: 1.2 or 1.3 [default: 1.3]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l ciphers -d 'Cipher suites to offer, by IANA or OpenSSL name; commas between them' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l server-name -d 'Name to send and to find in the certificate, instead of the URL\'s host' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l threads -d 'Worker threads [default: as suits the machine and the load]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l driver -d 'Kernel interface [default: uring where the kernel allows it, else epoll]' -r -f -a "uring\t'io_uring, or an error where it cannot be had'
epoll\t'epoll'"
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l idle -d 'What a thread does while nothing is due: block (sleep) or spin (a busy core, for lag in microseconds) [default: block]' -r -f -a "block\t'Sleep in the kernel'
spin\t'Poll without sleeping'"
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l slo -d 'A promise to hold: p99<200ms, errors<0.1%, rps>=4900; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l start -d 'The rate the search begins with [default: 50/s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l most -d 'No rate above this is tried [default: 1m/s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l precision -d 'How exactly the rate is found [default: 2%]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l retests -d 'How often a borderline rate is tried again, each time twice as long [default: 2]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l rest -d 'Let the server rest at least this long between rates [default: 500ms]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s o -l output -d 'Keep the result in a file, as its extension says; can be given several times' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l format -d 'What goes to stdout [default: text]' -r -f -a "text\t'A table'
json\t'Everything, for programs'
csv\t'The table, for spreadsheets'
markdown\t'The table, for pull requests'
html\t'One page with charts'
svg\t'One chart'"
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l cookies -d 'Keep cookies, each user or session its own'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l http1.0 -d 'Speak HTTP/1.0'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l http1 -d 'Speak HTTP/1.1 (the default)'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l http2 -d 'Speak HTTP/2 (not built yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l http3 -d 'Speak HTTP/3 (not built yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l disable-keepalive -d 'A new connection for every request'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s 4 -l ipv4 -d 'Use only IPv4 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s 6 -l ipv6 -d 'Use only IPv6 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l nagle -d 'Let the kernel hold back small packets (no TCP_NODELAY)'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l close-with-reset -d 'Close with a reset, which leaves no port in TIME_WAIT'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s k -l insecure -d 'Accept any certificate'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l no-resumption -d 'Make a full handshake every time'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l strict -d 'Exit with 96 when nothing reliable can be said'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -l quiet -d 'Nothing on stderr but errors'
complete -c warwolf -n "__fish_warwolf_using_subcommand capacity" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l urls -d 'Read URLs from a file, one a line, as well ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l clicks -d 'Users who follow links, by a click model that `warwolf crawl --clicks` wrote ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l visit -d 'Pages of a visit: on average in a closed loop, exactly with --rate [default: 10]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l order -d 'Which URL comes next' -r -f -a "sequential\t'One after the other, over all users (the default)'
random\t'Drawn evenly'"
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l plan -d 'Run a plan written by `warwolf explain`, instead of flags ("-" is stdin)' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s c -l connections -d 'Users in a closed loop, each with a connection [default: 50]; with --rate, connections at the most' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s n -l requests -d 'Stop after this many requests: 200, 10k, 1.5m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s d -l duration -d 'Stop after this time, warm-up included [default: 10s, unless something else ends the run]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s r -l rate -d 'Open loop: requests a second in all, whatever the server does: 500/s, 10/ms, 30/m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l arrivals -d 'How requests follow each other in an open loop: constant, poisson, uniform:A,B, trace:FILE [default: constant]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l ramp -d 'Change the rate evenly: FROM:TO:TIME; or TIME alone, over which the users of a closed loop start' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l steps -d 'Rates one after the other: 500x10s,1000x10s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l burst -d 'In an open loop, requests come in groups of this many at the same instant; the rate stays' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l think -d 'Pause between a user\'s requests: 1s, uniform:1s,3s, exponential:2s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l warmup -d 'Time at the start of the duration that is kept in the timeline but not in the figures' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l grace -d 'At the end, let requests in flight go on for this long before they are cut [default: 0s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l seed -d 'Number from which every random choice is made; without it one is chosen and printed' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s m -l method -d 'Method [default: GET, or POST with --body]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s H -l header -d 'Header field, such as \'Accept: text/html\'; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s b -l body -d 'Body, or @FILE for the content of a file' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s T -l content-type -d 'Content-Type of the body' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s A -l accept -d 'Accept header' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s a -l auth -d 'Name and password for basic authentication' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l follow -d 'Follow redirects, at most this many in a row; each is a request of its own [default: 0]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l timeout -d 'Time for a whole request, from when it has a connection to the last byte; 0 is no limit [default: 30s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l connect-timeout -d 'Time for TCP and TLS to connect; 0 is no limit [default: 10s]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s p -l streams -d 'Streams at once on a connection, with HTTP/2 and HTTP/3 (not built yet)' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l pipeline -d 'Requests each user sends on its connection before it waits for the replies [default: 1]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s x -l proxy -d 'HTTP proxy: HOST:PORT or NAME:PASSWORD@HOST:PORT' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l resolve -d 'Use this address for a host and port: HOST:PORT:ADDRESS; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l unix-socket -d 'Connect to this Unix socket, whatever the URL\'s host says' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l bind -d 'Source addresses, taken in turn: more of them pass the limit of some 28,000 ports; commas between them' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l send-buffer -d 'Kernel send buffer of each connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l receive-buffer -d 'Kernel receive buffer of each connection: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l cacert -d 'Trust the certificates in this PEM file, instead of the system\'s' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l cert -d 'Our certificate chain, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l key -d 'The key of --cert, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l tls-min -d 'Lowest TLS version: 1.2 or 1.3 [default: 1.2]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l tls-max -d 'Highest TLS version: 1.2 or 1.3 [default: 1.3]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l ciphers -d 'Cipher suites to offer, by IANA or OpenSSL name; commas between them' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l server-name -d 'Name to send and to find in the certificate, instead of the URL\'s host' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l threads -d 'Worker threads [default: as suits the machine and the load]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l driver -d 'Kernel interface [default: uring where the kernel allows it, else epoll]' -r -f -a "uring\t'io_uring, or an error where it cannot be had'
epoll\t'epoll'"
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l idle -d 'What a thread does while nothing is due: block (sleep) or spin (a busy core, for lag in microseconds) [default: block]' -r -f -a "block\t'Sleep in the kernel'
spin\t'Poll without sleeping'"
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l slo -d 'A promise to hold: p99<200ms, errors<0.1%, rps>=4900; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l to -d 'Send every request to this server: scheme, host and port of a URL' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l map -d 'Send requests for one host of the log to a server: a.test=http://127.0.0.1:81/; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l speed -d 'Faster or slower than the log: 2x, 0.5x [default: 1x]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l only-methods -d 'Which methods are sent; `all` for all, without their bodies, which logs do not have [default: GET,HEAD]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l only-status -d 'Send only what was answered so: 200, 3xx; commas between them' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l since -d 'Leave out what was before this time: 2026-11-21T10:00:00Z' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l until -d 'Leave out what was at this time and after' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l log-format -d 'How the log is written [default: as its first line looks]' -r -f -a "common\t'Apache\'s and nginx\'s common and combined formats'
squid\t'Squid\'s native format'
json\t'A JSON object on each line'
har\t'An HTTP archive'"
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s o -l output -d 'Keep the result in a file, as its extension says; can be given several times' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l format -d 'What goes to stdout [default: text]' -r -f -a "text\t'The report as text'
json\t'The report as JSON'
csv\t'The intervals as CSV'
html\t'The report as one HTML page, with charts'
markdown\t'The report as Markdown'
junit\t'The verdict and the SLOs as JUnit XML'"
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l cookies -d 'Keep cookies, each user or session its own'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l http1.0 -d 'Speak HTTP/1.0'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l http1 -d 'Speak HTTP/1.1 (the default)'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l http2 -d 'Speak HTTP/2 (not built yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l http3 -d 'Speak HTTP/3 (not built yet)'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l disable-keepalive -d 'A new connection for every request'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s 4 -l ipv4 -d 'Use only IPv4 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s 6 -l ipv6 -d 'Use only IPv6 addresses'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l nagle -d 'Let the kernel hold back small packets (no TCP_NODELAY)'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l close-with-reset -d 'Close with a reset, which leaves no port in TIME_WAIT'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s k -l insecure -d 'Accept any certificate'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l no-resumption -d 'Make a full handshake every time'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l closed -d 'Forget the times: users (-c) who send line after line, each waiting for its reply'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l strict -d 'Exit with 96 when the verdict is not VALID'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -l quiet -d 'Nothing on stderr but errors'
complete -c warwolf -n "__fish_warwolf_using_subcommand replay" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -s h -l help -d 'Print help'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -f -a "list" -d 'The runs that are kept'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -f -a "show" -d 'Report a run again, in any format; `-o FILE.wwr` exports it'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -f -a "trend" -d 'The runs of a name over time, as a table and charts'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -f -a "compare" -d 'Compare the latest run of a name, or any, with its baseline, or with the one before'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -f -a "tag" -d 'Put a tag on a run, such as a version; `baseline` is what others are compared with'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -f -a "untag" -d 'Take a tag off a run'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -f -a "import" -d 'Keep a run file in the history'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and not __fish_seen_subcommand_from list show trend compare tag untag import prune" -f -a "prune" -d 'Forget all but the latest runs of each name; tagged runs stay'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from list" -l tag -d 'Only runs with this tag' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from list" -l latest -d 'Only the latest, so many' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from list" -s o -l output -d 'Keep the result in a file, as its extension says; can be given several times' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from list" -l format -d 'What goes to stdout [default: text]' -r -f -a "text\t'A table'
json\t'Everything, for programs'
csv\t'The table, for spreadsheets'
markdown\t'The table, for pull requests'
html\t'One page with charts'
svg\t'One chart'"
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from list" -l database -d 'The history\'s file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from list" -l strict -d 'Exit with 96 when nothing reliable can be said'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from list" -l quiet -d 'Nothing on stderr but errors'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from show" -s o -l output -d 'Keep the result in a file, as its extension says; can be given several times' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from show" -l format -d 'What goes to stdout [default: text]' -r -f -a "text\t'The report as text'
json\t'The report as JSON'
csv\t'The intervals as CSV'
html\t'The report as one HTML page, with charts'
markdown\t'The report as Markdown'
junit\t'The verdict and the SLOs as JUnit XML'"
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from show" -l database -d 'The history\'s file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from show" -l strict -d 'Exit with 96 when the verdict is not VALID'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from show" -l quiet -d 'Nothing on stderr but errors'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from trend" -l tag -d 'Only runs with this tag' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from trend" -l latest -d 'Only the latest, so many' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from trend" -s o -l output -d 'Keep the result in a file, as its extension says; can be given several times' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from trend" -l format -d 'What goes to stdout [default: text]' -r -f -a "text\t'A table'
json\t'Everything, for programs'
csv\t'The table, for spreadsheets'
markdown\t'The table, for pull requests'
html\t'One page with charts'
svg\t'One chart'"
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from trend" -l database -d 'The history\'s file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from trend" -l strict -d 'Exit with 96 when nothing reliable can be said'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from trend" -l quiet -d 'Nothing on stderr but errors'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from trend" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l run -d 'The number of the run to compare [default: the latest of the name]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l with -d 'The number of the run to compare it with [default: the baseline, else the run before]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l allow -d 'How much worse rate and latency may be before the exit code is 97 [default: 5%]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l allow-errors -d 'How much greater the share of errors may be, in points [default: 0.1%]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -s o -l output -d 'Keep the result in a file, as its extension says; can be given several times' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l format -d 'What goes to stdout [default: text]' -r -f -a "text\t'A table'
json\t'Everything, for programs'
csv\t'The table, for spreadsheets'
markdown\t'The table, for pull requests'
html\t'One page with charts'
svg\t'One chart'"
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l database -d 'The history\'s file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l different -d 'Compare all the same when the plans are different loads'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l strict -d 'Exit with 96 when nothing reliable can be said'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -l quiet -d 'Nothing on stderr but errors'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from tag" -l database -d 'The history\'s file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from tag" -s h -l help -d 'Print help'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from untag" -l database -d 'The history\'s file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from untag" -s h -l help -d 'Print help'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from import" -l database -d 'The history\'s file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from import" -s h -l help -d 'Print help'
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from prune" -l keep -d 'How many runs of each name stay' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from prune" -l database -d 'The history\'s file [default: warwolf/history.db in $XDG_DATA_HOME or ~/.local/share]' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand history; and __fish_seen_subcommand_from prune" -s h -l help -d 'Print help'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l listen -d 'Where to listen: HOST:PORT (port 0 takes a free one) or unix:/path; can be given several times [default: 127.0.0.1:8080]' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l listen-tls -d 'Where to listen for TLS, with a certificate made at the start unless --cert and --key are given; as --listen' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l threads -d 'Threads that serve' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l delay -d 'Delay before each reply: 10ms, uniform:A,B, exponential:MEAN, lognormal:MEDIAN,SIGMA, bimodal:P,A,B (A with probability P)' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l body-delay -d 'Delay between the head of a reply and its body, written as for --delay' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l capacity -d 'Finish at most this many requests a second, each after an exponential service time; the others queue. 5000/s, 5/ms' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l workers -d 'Serve this many requests at a time, the others queue. The service time is --capacity\'s (which the workers share, 1 unless said here), else --delay' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l queue -d 'Places to wait for a worker; whoever finds none gets 503' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l stall -d 'Answer nothing from AT on for a while, counted from the first request: --stall 5s+1s; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l size -d 'Bytes of body: 512, 75k, 100m' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l status -d 'Status of the replies, or several with weights: 200:9,503:1' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l header -d 'A header for every reply, such as Cache-Control:no-store; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l chunked -d 'Send bodies chunked, in chunks of this size' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l interim -d 'Send this many 103 replies before each final one' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l slow -d 'Send so many bytes, rest so long, send the next: 1/s, 10/100ms, 64k/s' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l fault -d 'Go wrong, always or with a probability: --fault reset:0.01; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l max-requests -d 'Close every connection after this many requests' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l idle-timeout -d 'Close a connection that has been idle this long' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l continue -d 'What `Expect: 100-continue` gets: send, ignore, refuse' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l max-uri -d 'Refuse request targets longer than this with 414' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l max-head -d 'Refuse request heads longer than this with 431' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l plant -d 'Plant a bug: query-overflow:BYTES (answers 500), line-overflow:BYTES, nul-header, negative-length (these crash), bad-chunk (hangs)' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l cert -d 'Certificate chain, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l key -d 'Private key of --cert, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l cert-out -d 'Write the certificate to trust here as PEM, for a client\'s --cacert' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l client-ca -d 'Demand client certificates signed by one of these, PEM' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l tls-max -d 'Highest TLS version: 1.2 or 1.3' -r -f -a "1.2\t''
1.3\t''"
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l log -d 'Write a line per request to this file, CSV with times on CLOCK_MONOTONIC' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l seed -d 'Seed of all randomness' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l stall-from-start -d 'Count --stall from the start of the server, not from its first request'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l extensions -d 'Put an extension on every chunk'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l trailers -d 'Send trailers after a chunked body'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l until-close -d 'Tell the end of a body by closing the connection'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l no-keepalive -d 'Close after every reply'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l unannounced -d 'Close without saying so in the last reply'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l http10 -d 'Speak HTTP/1.0'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l early -d 'Reply to uploads before they have come'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l proxy -d 'Serve as a proxy too: CONNECT opens a tunnel to a loopback address, and to no other'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -l no-resumption -d 'Do not resume TLS sessions'
complete -c warwolf -n "__fish_warwolf_using_subcommand target" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -s n -l requests -d 'Requests in all' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -s r -l rate -d 'Requests a second' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -s c -l connections -d 'Requests at once, at the most' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l seed -d 'Number from which every request is made; without it one is chosen and printed' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l first -d 'Number of the first request' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l longest -d 'The longest thing put into a request, in bytes: 64k' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -s H -l header -d 'Header field for every request, such as \'Authorization: …\'; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l patience -d 'After so long without an answer, a request that is owed one hangs' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l recovery -d 'How long the server may take to come back after trouble' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l tries -d 'Requests to make one finding small, at the most' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l findings -d 'Stop after so many findings' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l replay -d 'Send one request alone: the spelling after `--replay` in a report, or FILE.json#2 for the second finding in a file' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l times -d 'How often --replay sends it' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l i-may-test -d 'Torture this host although its address is neither this machine\'s nor private; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l cacert -d 'Trust the certificates in this PEM file, instead of the system\'s' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l format -d 'What goes to stdout' -r -f -a "text\t'For people'
json\t'Everything, as JSON'
sarif\t'SARIF 2.1.0'
junit\t'JUnit XML'"
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -s o -l output -d 'Keep the result in a file, as its extension says: .json, .sarif, .xml (JUnit) or .txt; can be given several times' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -s k -l insecure -d 'Accept any certificate'
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -l quiet -d 'Nothing on stderr but errors'
complete -c warwolf -n "__fish_warwolf_using_subcommand torture" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -s n -l pages -d 'Pages at the most' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l depth -d 'Clicks away from the start at the most' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -s r -l rate -d 'Requests a second at the most; a longer Crawl-delay in robots.txt wins' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -s c -l connections -d 'Requests at once, at the most' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l under -d 'Only addresses whose path begins so: /docs/' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -s H -l header -d 'Header field for every request, such as \'Cookie: …\'; can be given several times' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l timeout -d 'For connecting, and for the next byte of a page' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l page-size -d 'So much of a page is read for links' -r
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l cacert -d 'Trust the certificates in this PEM file, instead of the system\'s' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -s o -l output -d 'Where the list of URLs goes, one a line, instead of stdout: for `warwolf run --urls`, siege, http_load' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l clicks -d 'Where the click model goes, for `warwolf run --clicks`' -r -F
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l ignore-robots -d 'Do not ask for robots.txt; for your own server'
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l resources -d 'List what pages load as well: images, scripts, style sheets'
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -s k -l insecure -d 'Accept any certificate'
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -l quiet -d 'Nothing on stderr but errors'
complete -c warwolf -n "__fish_warwolf_using_subcommand crawl" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c warwolf -n "__fish_warwolf_using_subcommand completions" -s h -l help -d 'Print help'
complete -c warwolf -n "__fish_warwolf_using_subcommand man" -s h -l help -d 'Print help'
