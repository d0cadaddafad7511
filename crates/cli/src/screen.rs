//! The first thing a newcomer sees: one screen that teaches.

/// What `warwolf`, `warwolf -h` and `warwolf --help` print.
pub(crate) const TEXT: &str = "\
warwolf loads HTTP servers, accounts for every request, and says whether its own numbers can be believed.

  warwolf http://127.0.0.1:8080/         50 users for ten seconds, each waiting for replies (closed loop)
  warwolf -c 200 -d 1m URL               200 users for a minute
  warwolf -r 500/s -d 1m URL             500 requests a second, whatever the server does (open loop)
  warwolf -n 10k --slo 'p99<200ms' URL   10,000 requests; exit code 99 when the promise does not hold

Load         -c, --connections N    users; with -r, connections at the most
             -n, --requests N       stop after N requests
             -d, --duration TIME    stop after TIME (10s)
             -r, --rate RATE        open loop, in all: 500/s, 30/m; --arrivals, --ramp, --steps
                 --think TIME       pause between a user's requests
Request      -m, --method   -H, --header   -b, --body TEXT|@FILE   -T, --content-type   -a, --auth
             --urls FILE    --order sequential|random    --follow N    --cookies
Connection   --timeout   --connect-timeout   --disable-keepalive   --pipeline N   -x, --proxy   -k, --insecure
Result       -o, --output FILE.wwr|html|json|csv|md|xml   --format   --slo 'errors<0.1%'   --strict   --quiet

Commands
  run URL…           load a server; what a bare URL means
  explain URL…       print the plan that these words mean, and run nothing
  report FILE.wwr    report a kept run again, in any format
  compare A B        whether B is slower than A, by how much, and how sure that is
  sweep --vary …     a load over a grid of settings, into one table and its plots
  capacity URL       the highest rate at which the promises hold
  replay LOG         the requests of an access log, at its times or others
  history            runs kept with --keep NAME: list, trend, compare with the baseline, tag, prune
  merge FILES -o F   add up the parts of a run that several machines made
  torture URL        look for requests that make a server answer wrongly or fall over
  crawl URL          walk a site's links: a list of URLs, and a click model for run --clicks
  siege, httperf, http_load, torture.pl    the classics, each with its own options, files and report
  target             serve HTTP, with known delays and faults: the built-in server under test
  completions SHELL  completion script for a shell; man: manual page

`warwolf run -h` lists every option, `warwolf run --help` explains them. Each is also an environment variable:
WARWOLF_RATE=500/s. Ctrl-C stops and reports; twice, at once.
";
