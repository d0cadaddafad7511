use super::super::echo::echo;
use super::*;

fn read(line: &str) -> Result<Options, Usage> {
    let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    Options::read(&words)
}

fn options(line: &str) -> Options {
    read(line).unwrap_or_else(|usage| panic!("{line}: {usage:?}"))
}

fn refusal(line: &str) -> (String, u8) {
    let usage = read(line).unwrap_err();
    assert_eq!(usage.stdout, "");
    (usage.stderr, usage.code)
}

#[test]
fn defaults_are_the_originals() {
    assert_eq!(
        echo(&options("/usr/bin/httperf")),
        "httperf --client=0/1 --server=localhost --port=80 --uri=/ --send-buffer=4096 --recv-buffer=16384 \
         --num-conns=1 --num-calls=1\n"
    );
}

#[test]
fn options_are_echoed_in_the_originals_order() {
    let rows = [
        ("--hog --rate=0x10", "--hog --client=0/1 --server=localhost --port=80 --uri=/ --rate=16 S R N C"),
        (
            "--rate=5 --period=e0.01",
            "--client=0/1 --server=localhost --port=80 --uri=/ --period=e0.01 S R N C",
        ),
        ("--period=e0.01 --rate=5", "--client=0/1 --server=localhost --port=80 --uri=/ --rate=5 S R N C"),
        (
            "--rate=nan --timeout=inf",
            "--timeout=inf --client=0/1 --server=localhost --port=80 --uri=/ S R N C",
        ),
        ("--timeout=-1 --think=-1", "--client=0/1 --server=localhost --port=80 --uri=/ S R N C"),
        ("--ssl", "--client=0/1 --server=localhost --port=443 --uri=/ S R --ssl N C"),
        ("--ssl --port 80", "--client=0/1 --server=localhost --port=80 --uri=/ S R --ssl N C"),
        ("--port 0", "--client=0/1 --server=localhost --uri=/ S R N C"),
        ("--num-conns=-1", "--client=0/1 --server=localhost --port=80 --uri=/ S R --num-conns=-1 C"),
        ("--num-conns=0 --num-calls=0", "--client=0/1 --server=localhost --port=80 --uri=/ S R"),
        ("--num-conns=4294967297", "--client=0/1 --server=localhost --port=80 --uri=/ S R N C"),
        (
            "--send-buffer=-1 --recv=5",
            "--client=0/1 --server=localhost --port=80 --uri=/ --send-buffer=-1 --recv-buffer=5 N C",
        ),
        ("--client=0x1/010x", "--client=1/8 --server=localhost --port=80 --uri=/ S R N C"),
        ("--http=1.0x", "--client=0/1 --server=localhost --port=80 --uri=/ --http-version=1.0 S R N C"),
        ("--method=", "--client=0/1 --server=localhost --port=80 --uri=/ S R --method= N C"),
        ("--print-reply=Hx --print-req=BODY", "--print-reply=header --print-request=body D S R N C"),
        ("--print-reply=x", "--print-reply D S R N C"),
        ("--wset=0,1", "D S R N C"),
        ("--wset=0x10,1 --burst=2", "D S R N C --burst-length=2 --wset=16,1.000"),
        ("--wsess=0x2,1,0 --burst-length=3", "D S R --wsess=2,1,0.000 --burst-length=3"),
        ("--wsess=1,1,inf", "D S R --wsess=1,1,inf"),
        ("--wsesspage=2,1,.5 --burst-length=3", "D S R --wsesspage=2,1,0.500"),
        ("--wsesslog=2,.5,a/b, --wset=3,1", "D S R --wsesslog=2,0.500,a/b"),
        ("--no-host --wlog=y,f --debug=9 --idle=spin", "D S R N C"),
        (
            "--server-name a --method X --retry --close --think 1.5 --timeout 0.001 --failure 7 --max-c 3 --max-p 2 -v \
             --ssl-c=abc --ssl-n --add=x --session-cookie --wsess=1,2,3",
            "--verbose --close-with-reset --think-timeout=1.5 --timeout=0.001 --client=0/1 --server=localhost \
             --server_name=a --port=80 --uri=/ --failure-status=7 --max-connections=3 --max-piped-calls=2 \
             --send-buffer=4096 --retry-on-failure --recv-buffer=16384 --session-cookies --ssl-ciphers=abc \
             --ssl-no-reuse --add-header='x' --method=X --wsess=1,2,3.000",
        ),
        (
            "--runtime=2.5 --servers=f --ssl-proto=tls_v1.2x",
            "--runtime=2.5 --client=0/1 --servers=f --port=80 --uri=/ S R N C",
        ),
    ];
    for (given, expected) in &rows[..rows.len() - 1] {
        let expected = expected
            .replace("D S", "--client=0/1 --server=localhost --port=80 --uri=/ S")
            .replace(" S R", " --send-buffer=4096 --recv-buffer=16384")
            .replace(" N C", " --num-conns=1 --num-calls=1")
            .replace("-1 C", "-1 --num-calls=1");
        let expected = expected.replace("recv-buffer=5 N C", "recv-buffer=5 --num-conns=1 --num-calls=1");
        assert_eq!(echo(&options(&format!("httperf {given}"))), format!("httperf {expected}\n"), "{given}");
    }
    assert_eq!(
        refusal(&format!("httperf {}", rows[rows.len() - 1].0)).0,
        "httperf: illegal SSL protocol tls_v1.2x\n"
    );
}

#[test]
fn what_came_later_is_echoed_where_its_program_does() {
    let line = "httperf --runtime=2.5 --servers=f --ssl-protocol=TLSv1_3 --tls-server-name n --ssl-certificate c --ssl-key k \
                --ssl-ca-file f --ssl-ca-path p --ssl-verify --add-header-file h --use-timer-cache -n";
    assert_eq!(
        echo(&options(line)),
        "httperf --runtime=2.5 --client=0/1 --servers=f --port=443 --uri=/ --send-buffer=4096 --recv-buffer=16384 --ssl \
         --tls-server-name=n --ssl-cert=c --ssl-key=k --ssl-ca-file=f --ssl-ca-path=p --ssl-verify \
         --add-header-file='h' --use-timer-cache --num-conns=1 --num-calls=1 --periodic-stats\n"
    );
}

#[test]
fn a_wrong_value_is_refused_in_the_originals_words() {
    let rows = [
        ("--num-conns=10x", "illegal number of connections 10x"),
        ("--num-conns=", "illegal number of connections "),
        ("--num-conns=99999999999999999999", "illegal number of connections 99999999999999999999"),
        ("--num-calls=x", "illegal number of calls x"),
        ("--port=70000", "illegal port number 70000"),
        ("--port=-1", "illegal port number -1"),
        ("--port=0x50", "illegal port number 0x50"),
        ("--burst-length=0", "illegal burst-length 0"),
        ("--burst-length=4294967296", "illegal burst-length 4294967296"),
        ("--failure-status=0", "illegal failure status 0"),
        ("--failure-status=-1", "illegal failure status -1"),
        ("--max-connections=x", "illegal max. # of connection x"),
        ("--max-piped-calls=x", "illegal max. # of piped calls x"),
        ("--rate=abc", "illegal request rate abc"),
        ("--rate=1e400", "illegal request rate 1e400"),
        ("--timeout=x", "illegal connect timeout x"),
        ("--timeout=1e-320", "illegal connect timeout 1e-320"),
        ("--think-timeout=x", "illegal think timeout value x"),
        ("--send-buffer=x", "illegal send buffer size x"),
        ("--recv-buffer=x", "illegal receive buffer size x"),
        ("--http-version=1", "illegal version number 1"),
        ("--http-version=1.", "illegal version number 1."),
        ("--runtime=0", "illegal runtime value 0"),
        ("--ssl-protocol=foo", "illegal SSL protocol foo"),
        ("--client=4/4", "bad number of clients (rest: `4')"),
        ("--client=4", "client id not followed by `/' (rest: `')"),
        ("--client=x", "bad client id (rest: `x')"),
        ("--client=1/x", "bad number of clients (rest: `x')"),
        ("--client=1/0", "bad number of clients (rest: `0')"),
    ];
    for (word, expected) in rows {
        assert_eq!(refusal(&format!("httperf {word}")), (format!("httperf: {expected}\n"), 1), "{word}");
    }
}

#[test]
fn a_wrong_parameter_is_refused_in_the_originals_words() {
    let count = |which: &str| format!("bad number of {which} in --");
    let rows = [
        ("wsess=x", count("sessions (1st param)"), "x"),
        ("wsess=", count("sessions (1st param)"), ""),
        ("wsess=1", count("calls per session (2nd param)"), ""),
        ("wsess=1,", count("calls per session (2nd param)"), ""),
        ("wsess=1x1x1", count("calls per session (2nd param)"), "x1x1"),
        ("wsess=1.5,1,1", count("calls per session (2nd param)"), ".5,1,1"),
        ("wsess=1,x,1", count("calls per session (2nd param)"), "x,1"),
        ("wsesspage=1,x,1", count("user requests per session (2nd param)"), "x,1"),
        ("wsess=1,1", "bad user think time (3rd param) in --".to_owned(), ""),
        ("wsess=1,10,x", "bad user think time (3rd param) in --".to_owned(), "x"),
        ("wsess=1,1,-1", "bad user think time (3rd param) in --".to_owned(), ""),
        ("wsess=1,1,1,1", "extraneous parameter in --".to_owned(), ",1"),
        ("wsess=1,5,1,", "extraneous parameter in --".to_owned(), ","),
        ("wsesslog=x,1,f", count("sessions (1st param)"), "x,1,f"),
        ("wsesslog=1,x,f", "bad user think time (2nd param) in --".to_owned(), "x,f"),
        ("wsesslog=1", "bad user think time (2nd param) in --".to_owned(), ""),
        ("wsesslog=1,0", "bad session filename (3rd param) in --".to_owned(), ""),
        ("wsesslog=1,1xf", "bad session filename (3rd param) in --".to_owned(), "xf"),
        ("wsesslog=1,0,wl1.txt,extra", "extraneous parameter in --".to_owned(), "extra"),
        ("wset=x,1", "bad working set size (1st parameter) in --".to_owned(), "x,1"),
        ("wset=10", "bad target miss rate (2nd parameter) in --".to_owned(), "10"),
        ("wset=10x", "bad target miss rate (2nd parameter) in --".to_owned(), "10x"),
        ("wset=10,x", "bad target miss rate (2nd parameter) in --".to_owned(), "x"),
        ("wset=10,1.5", "bad target miss rate (2nd parameter) in --".to_owned(), "1.5"),
        ("wset=10,1,3", "extraneous parameter in --".to_owned(), "1,3"),
        ("wset=10,0.5x", "extraneous parameter in --".to_owned(), "0.5x"),
    ];
    for (word, what, rest) in rows {
        let (option, _) = word.split_once('=').unwrap();
        let expected = format!("httperf: {what}{option} arg (rest: `{rest}')\n");
        assert_eq!(refusal(&format!("httperf --{word}")), (expected, 1), "{word}");
    }
    let (text, _) = refusal("httperf --wsess=99999999999999999999999,1,1");
    assert_eq!(
        text,
        "httperf: bad number of sessions (1st param) in --wsess arg (rest: `,1,1'): Numerical result out of range\n"
    );
}

#[test]
fn combinations_that_make_no_sense_end_as_in_the_original() {
    assert_eq!(
        refusal("httperf --session-cookie"),
        ("httperf: --session-cookie requires session-oriented workload (e.g., --wsess)\n".to_owned(), 255)
    );
    assert_eq!(
        refusal("git-httperf --servers servers.nul --server localhost"),
        ("git-httperf: --server S or --servers file\n".to_owned(), 255)
    );
    assert!(options("httperf --wsess=1,1,1 --wsesslog=1,1,f").sessions_clash);
    assert!(!options("httperf --wsess=1,1,1 --wsess=2,1,1").sessions_clash);
}

#[test]
fn help_and_version_go_to_stdout_and_end_well() {
    let usage = read("httperf -vV --bogus=1").unwrap_err();
    assert_eq!(usage.stderr, "httperf: unrecognized option '--bogus=1'\n");
    let usage = read("httperf -V").unwrap_err();
    assert_eq!((usage.stdout.lines().count(), usage.stderr.as_str(), usage.code), (1, "", 0));
    let usage = read("httperf --he").unwrap_err();
    assert!(
        usage.stdout.starts_with("Usage: httperf [-hdvV] [--add-header S]")
            && usage.stdout.ends_with("\t[--wset N,X]\n")
    );
}
