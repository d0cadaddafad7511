//! The overview that the program prints without arguments.

/// The text of `warwolf`, `warwolf -h` and `warwolf --help`.
pub const TEXT: &str = "\
warwolf loads HTTP servers, accounts for every request, and reports whether its results are reliable.

  warwolf http://127.0.0.1:8080/         50 users for ten seconds, each waits for its response (closed loop)
  warwolf -c 200 -d 1m URL               200 users for a minute
  warwolf -r 500/s -d 1m URL             500 requests per second, independent of the server (open loop)
  warwolf -n 10k --slo 'p99<200ms' URL   10,000 requests; exit code 99 if the SLO is not met

Load         -c, --connections N    users; with -r, maximum number of connections
             -n, --requests N       stop after N requests
             -d, --duration TIME    stop after TIME (10s)
             -r, --rate RATE        open loop, total rate: 500/s, 30/m; --arrivals, --ramp, --steps
                 --think TIME       pause between the requests of a user
Request      -m, --method   -H, --header   -b, --body TEXT|@FILE   -T, --content-type   -a, --auth
             --urls FILE    --order sequential|random    --follow N    --cookies
Connection   --timeout   --connect-timeout   --disable-keepalive   --pipeline N   -x, --proxy   -k, --insecure
Result       -o, --output FILE.wwr|html|json|csv|md|xml   --format   --slo 'errors<0.1%'   --strict   --quiet

Commands
  run URL…           load a server; the default command
  explain URL…       print the plan of a command line without running it
  report FILE.wwr    print the report of a run file in any format
  compare A B        compare two servers: is B slower, by how much, is the difference significant
  sweep --vary …     run a load for every combination of settings; prints a table and plots
  capacity URL       find the highest rate that meets all SLOs
  replay LOG         replay an access log, at the original times or others
  import FILE        make a plan of curl commands, a HAR, OpenAPI, Postman, .http or vegeta targets
  history            manage runs saved with --keep NAME: list, trend, compare, tag, prune
  merge FILES -o F   merge the run files of several machines
  torture URL        fuzz a server: find requests that make it fail
  crawl URL          crawl a site: a list of URLs, and a click model for run --clicks
  siege, httperf, http_load, torture.pl    classic load testers, each with its own options, files and report
  target             start the built-in test server with configurable delays and faults
  completions SHELL  print the completion script of a shell; man: print the manual page

`warwolf run -h` lists all options, `warwolf run --help` describes them. Environment variables work, too:
WARWOLF_RATE=500/s. Ctrl-C stops the run and prints the report; a second Ctrl-C exits at once.
";
