//! Sessions of five steps with JSON captures, rows of a CSV file and checks: beside the same requests as a plain list, and beside k6.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::once::Measured;
use crate::server::Server;
use crate::spent;

/// Concurrent sessions.
const USERS: u32 = 64;
/// Rows of the data file.
const ROWS: u32 = 1_000;
/// The compared version of k6.
const K6: &str = "go.k6.io/k6@v1.8.1";

/// Measures CPU time per request of sessions, of the same requests as a list, and of k6.
pub(crate) fn measure(program: &Path, server: &Server, rounds: usize, seconds: u32) -> Result<Vec<Measured>> {
    let folder = tempfile::tempdir()?;
    let file = |name: &str, text: String| -> Result<String> {
        let path = folder.path().join(name);
        std::fs::write(&path, text)?;
        Ok(path.to_str().context("a path that is text")?.to_owned())
    };
    let rows: String = (0..ROWS).map(|row| format!("user{row},{row}\n")).collect();
    let data = file("users.csv", format!("name,number\n{rows}"))?;
    let url = server.url("/steps");
    let plan = file("steps.toml", plan(&url, &data, seconds))?;
    let script = file("steps.js", script(&url, seconds))?;
    let k6 = k6().inspect_err(|error| eprintln!("bench: k6 is left out: {error:#}")).ok();

    let program = program.to_str().context("a path that is text")?;
    let ours = ["run", "--quiet", "--format", "json"];
    let (mut cost, mut of_list, mut of_k6) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let words = [&[program], &ours[..], &["--plan", &plan]].concat();
        let steps = per_request(&words, "/accounting/completed", "/accounting/check_failed")?;
        let list = list(&url);
        let (users, time) = (USERS.to_string(), format!("{seconds}s"));
        let load = ["--threads", "1", "--driver", "uring", "-c", &users, "-d", &time];
        let field = ["-H", "Authorization: Bearer 0123456789abcdef"];
        let urls: Vec<&str> = list.iter().map(String::as_str).collect();
        let words = [&[program], &ours[..], &load, &field, &urls].concat();
        let list = per_request(&words, "/accounting/completed", "/accounting/failed")?;
        cost.push(steps);
        of_list.push(steps / list);
        if let Some(k6) = k6.as_deref().and_then(Path::to_str) {
            let words = [k6, "run", "--quiet", "--no-usage-report", &script];
            of_k6.push(steps / per_request(&words, "/requests", "/failed")?);
        }
    }
    let mut results = vec![
        Measured::new("CPU per request", &cost, "us", 20.0),
        Measured::new("CPU per request, of the same requests as a list", &of_list, "x", 1.25),
    ];
    if !of_k6.is_empty() {
        results.push(Measured::new("CPU per request, of k6's", &of_k6, "x", 0.1));
    }
    Ok(results)
}

/// Microseconds of CPU time per completed request; no check may have failed.
fn per_request(words: &[&str], completed: &str, failed: &str) -> Result<f64> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let spent = spent::run(&words)?;
    let report: Value = serde_json::from_str(&spent.stdout)
        .with_context(|| format!("the report of `{}` is not JSON", words.join(" ")))?;
    let number = |pointer: &str| report.pointer(pointer).and_then(Value::as_f64);
    if number(failed).is_some_and(|failed| failed > 0.0) {
        bail!("requests or checks of `{}` failed: {}", words.join(" "), spent.stdout);
    }
    let completed = number(completed).filter(|count| *count > 0.0);
    Ok(spent.cpu.as_secs_f64() * 1e6 / completed.with_context(|| format!("no `{completed:?}`"))?)
}

/// The sessions as a plan.
fn plan(url: &str, data: &str, seconds: u32) -> String {
    format!(
        r#"[load]
users = {USERS}
duration = "{seconds}s"
threads = 1
driver = "uring"

[[data]]
name = "user"
file = "{data}"
take = "in_order"

[[step]]
name = "login"
request = "GET {url}/login?user={{{{user.name}}}}&number={{{{user.number}}}}"
capture = {{ token = "json $.token" }}
check = ["status == 200", "json $.ok == true"]

[[step]]
name = "items"
request = "GET {url}/items"
headers = {{ Authorization = "Bearer {{{{token}}}}" }}
capture = {{ item = "json $.items[1].id" }}
check = ["status == 200", "json $.items | count == 3"]

[[step]]
name = "item"
request = "GET {url}/items/{{{{item}}}}"
headers = {{ Authorization = "Bearer {{{{token}}}}" }}
check = ["status == 200", "json $.user.name == \"Ann\""]

[[step]]
name = "cart"
request = "GET {url}/cart?item={{{{item}}}}"
headers = {{ Authorization = "Bearer {{{{token}}}}" }}
check = ["status == 200", "body contains \"next\""]

[[step]]
name = "logout"
request = "GET {url}/logout"
headers = {{ Authorization = "Bearer {{{{token}}}}" }}
check = ["status == 200"]
"#
    )
}

/// Requests like those of the sessions.
fn list(url: &str) -> [String; 5] {
    ["login?user=user500&number=500", "items", "items/8", "cart?item=8", "logout"]
        .map(|path| format!("{url}/{path}"))
}

/// The sessions as k6 users write them.
fn script(url: &str, seconds: u32) -> String {
    format!(
        r#"import http from 'k6/http';
import {{ check }} from 'k6';
import {{ SharedArray }} from 'k6/data';
import exec from 'k6/execution';

const users = new SharedArray('users', () =>
  open('users.csv').trim().split('\n').slice(1).map((line) => line.split(',')));
export const options = {{ vus: {USERS}, duration: '{seconds}s' }};

export default function () {{
  const [name, number] = users[exec.scenario.iterationInTest % users.length];
  let reply = http.get(`{url}/login?user=${{name}}&number=${{number}}`);
  check(reply, {{ status: (r) => r.status === 200, ok: (r) => r.json('ok') === true }});
  const headers = {{ Authorization: `Bearer ${{reply.json('token')}}` }};
  reply = http.get('{url}/items', {{ headers }});
  check(reply, {{ status: (r) => r.status === 200, count: (r) => r.json('items').length === 3 }});
  const item = reply.json('items.1.id');
  reply = http.get(`{url}/items/${{item}}`, {{ headers, tags: {{ name: 'item' }} }});
  check(reply, {{ status: (r) => r.status === 200, name: (r) => r.json('user.name') === 'Ann' }});
  reply = http.get(`{url}/cart?item=${{item}}`, {{ headers, tags: {{ name: 'cart' }} }});
  check(reply, {{ status: (r) => r.status === 200, next: (r) => r.body.includes('next') }});
  reply = http.get('{url}/logout', {{ headers }});
  check(reply, {{ status: (r) => r.status === 200 }});
}}

export function handleSummary(data) {{
  const failed = data.metrics.checks.values.fails;
  return {{ stdout: JSON.stringify({{ requests: data.metrics.http_reqs.values.count, failed }}) }};
}}
"#
    )
}

/// The program k6, built by Go if it is not there yet.
fn k6() -> Result<PathBuf> {
    let folder = PathBuf::from("target/tools").canonicalize().or_else(|_| {
        std::fs::create_dir_all("target/tools")?;
        PathBuf::from("target/tools").canonicalize()
    })?;
    let program = folder.join("k6");
    if !program.exists() {
        eprintln!("bench: building {K6}, which takes some minutes");
        let mut go = Command::new("go");
        go.args(["install", K6]).env("GOBIN", &folder).stdin(Stdio::null());
        let output = go.output().context("cannot run go")?;
        if !output.status.success() {
            bail!("go: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
    }
    Ok(program)
}
