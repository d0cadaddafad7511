//! The parts that all pages share: head, style and tables.

use crate::chart::{STYLE, escape};
use crate::layout::{command_line, printable};
use std::fmt::Write;
use warwolf_measure::Environment;

const PAGE_STYLE: &str = "
*{box-sizing:border-box}html{color-scheme:light dark}
body{margin:0 auto;padding:1rem;overflow-wrap:anywhere;max-width:76rem;background:var(--paper);color:var(--ink);font:15px/1.45 system-ui,sans-serif}
h1{font-size:1.35rem;margin:.2rem 0 .6rem}h2{font-size:1.08rem;margin:1.6rem 0 .5rem;border-bottom:1px solid var(--rule);padding-bottom:.2rem}
p{margin:.4rem 0}.soft,.note{color:var(--soft)}.note{font-size:.85rem;margin:.2rem 0}
.verdict{border:2px solid var(--ink);border-left-width:.6rem;padding:.6rem .9rem;margin:.6rem 0}
.verdict b{font-size:1.15rem}.valid{border-color:var(--c0)}.degraded{border-color:var(--c4)}.passed{border-color:var(--c2)}.invalid,.failed{border-color:var(--c1)}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr));gap:1rem;margin:1rem 0}
.charts figure:only-child{max-width:46rem}
figure{margin:0;border:1px solid var(--rule);padding:.6rem;break-inside:avoid;min-width:0}figcaption{font-weight:600;margin-bottom:.3rem}
.wide{overflow-x:auto;background:linear-gradient(to right,var(--paper) 30%,transparent) left/2.5rem calc(100% + 2px),linear-gradient(to left,var(--paper) 30%,transparent) right/2.5rem calc(100% + 2px),linear-gradient(to right,var(--shadow),transparent) left/.9rem 100%,linear-gradient(to left,var(--shadow),transparent) right/.9rem 100%;background-repeat:no-repeat;background-attachment:local,local,scroll,scroll}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.2rem .7rem .2rem 0;text-align:right;vertical-align:top;white-space:nowrap}th{color:var(--soft);font-weight:600}
th:first-child,td:first-child{text-align:left}td.text,th.text{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:6rem}
tr+tr td{border-top:1px solid var(--rule)}
.tiles{display:grid;grid-template-columns:repeat(6,1fr);gap:.6rem;margin:.8rem 0}
.tiles div{border:1px solid var(--rule);padding:.5rem .7rem}.tiles b{display:block;font-size:1.2rem}.tiles span{color:var(--soft);font-size:.85rem}
pre{background:transparent;border:1px solid var(--rule);padding:.6rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem}
details summary{cursor:pointer}.examples{margin:.6rem 0}code{overflow-wrap:anywhere}
@media(max-width:60rem){.tiles{grid-template-columns:repeat(3,1fr)}}
@media(max-width:40rem){body{padding:.5rem}figure{padding:.3rem}td.text:last-child{min-width:16rem}.tiles{grid-template-columns:1fr 1fr}}
@media print{html{font-size:11px}body{max-width:none;padding:0;font-size:1rem}h2,h3{break-after:avoid}tr,.tiles,.verdict{break-inside:avoid}thead{break-after:avoid;display:table-header-group}table{break-inside:auto}tbody tr:first-child{break-before:avoid}.tiles{grid-template-columns:repeat(6,1fr)}.charts{grid-template-columns:1fr 1fr}details>*{display:block}td.text,th.text{white-space:normal}.wide{overflow:visible;background:none}}
";

/// Returns a whole page around `body`.
pub(crate) fn page(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>{STYLE}{PAGE_STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(title)
    )
}

/// Writes the start of the run or experiment below the heading.
pub(crate) fn started(out: &mut String, moment: Option<String>) {
    if let Some(moment) = moment {
        let _ = writeln!(out, "<p class=\"soft\" id=\"started\">{}</p>", escape(&moment));
    }
}

/// Writes where numbers were measured, one column for each name.
pub(crate) fn environments(out: &mut String, of: &[(&str, &Environment)]) {
    let values = |of: &Environment| {
        let processor = format!("{} ({} cores)", of.cpu, of.cores);
        [&of.version, &of.host, &of.system, &processor].map(|value| printable(value))
    };
    let known: Vec<_> = of.iter().filter(|(_, environment)| !environment.version.is_empty()).collect();
    if known.is_empty() {
        return;
    }
    part(out, "environment", "Environment");
    let headings: Vec<String> =
        std::iter::once(String::new()).chain(known.iter().map(|(name, _)| format!("<{name}"))).collect();
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let columns: Vec<[String; 4]> = known.iter().map(|(_, environment)| values(environment)).collect();
    let cells = ["warwolf", "machine", "system", "processor"].into_iter().enumerate().map(|(row, name)| {
        std::iter::once(name.to_owned()).chain(columns.iter().map(|column| column[row].clone())).collect()
    });
    table::<String>(out, &headings, cells);
}

/// Writes the command that made the numbers of an experiment.
pub(crate) fn command(out: &mut String, environment: &Environment) {
    if !environment.command.is_empty() {
        part(out, "reproduce", "To do it again");
        let _ = writeln!(out, "<pre>{}</pre>", escape(&command_line(&environment.command)));
    }
}

/// Writes the heading of a part.
pub(crate) fn part(out: &mut String, id: &str, title: &str) {
    let _ = writeln!(out, "<h2 id=\"{id}\">{}</h2>", escape(title));
}

/// Writes a table. Columns whose heading begins with `<` hold text and are left-aligned.
pub(crate) fn table<S: AsRef<str>>(out: &mut String, headings: &[&str], rows: impl Iterator<Item = Vec<S>>) {
    let left = |heading: &&str| heading.starts_with('<');
    out.push_str("<div class=\"wide\"><table><thead><tr>");
    for heading in headings {
        let class = if left(heading) { " class=\"text\"" } else { "" };
        let _ = write!(out, "<th{class}>{}</th>", escape(heading.trim_start_matches('<')));
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for (cell, heading) in row.iter().zip(headings) {
            let class = if left(heading) { " class=\"text\"" } else { "" };
            let _ = write!(out, "<td{class}>{}</td>", escape(cell.as_ref()));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
}

/// Writes the most important figures as names and values.
pub(crate) fn tiles(out: &mut String, figures: &[(&str, String)]) {
    out.push_str("<div class=\"tiles\">");
    for (name, value) in figures {
        let _ = write!(out, "<div><b>{}</b><span>{}</span></div>", escape(value), escape(name));
    }
    out.push_str("</div>\n");
}
