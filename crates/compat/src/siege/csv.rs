//! Converts collected siege reports into a table, as `siege2csv` does.

use std::fmt::Write as _;

const HEADER: &str = ",Transactions,Elapsed Time,Data Transferred,Response Time,Transaction Rate,Throughput,Concurrency,\
                      Code 200\n";

/// The figures of one report, in column order.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    users: String,
    figures: [String; 8],
}

/// Labels of the columns after the first; the last column has one for each layout.
const LABELS: [(&str, usize); 9] = [
    ("Transactions:", 0),
    ("Elapsed time:", 1),
    ("Data transferred:", 2),
    ("Response time:", 3),
    ("Transaction rate:", 4),
    ("Throughput:", 5),
    ("Concurrency:", 6),
    ("Successful transactions:", 7),
    ("Status code 200:", 7),
];

/// Formats a table of all reports in `text`, and ignores everything between them. It has a header row and a row for each
/// complete report. Times in milliseconds, as 4.1.7 prints them, are converted to seconds.
#[must_use]
pub fn csv(text: &str) -> String {
    let mut out = HEADER.to_owned();
    let mut row = Row::default();
    for line in text.lines() {
        // The first line of old reports begins with a backspace.
        let line = line.trim_start_matches('\u{8}').trim();
        if let Some(rest) = line.strip_prefix("** Preparing ") {
            row = Row { users: rest.split(' ').next().unwrap_or_default().to_owned(), ..Row::default() };
        }
        let Some((label, column)) = LABELS.iter().find(|(label, _)| line.starts_with(label)) else {
            continue;
        };
        let mut words = line[label.len()..].split_whitespace();
        let figure = words.next().unwrap_or_default();
        row.figures[*column] = match (words.next(), figure.parse::<f64>()) {
            (Some("ms"), Ok(milliseconds)) => format!("{:.2}", milliseconds / 1_000.0),
            _ => figure.to_owned(),
        };
        if *column == 7 {
            let Row { users, figures } = std::mem::take(&mut row);
            let (last, others) = figures.split_last().unwrap_or((&users, &[]));
            // Writing to a String cannot fail.
            let _ = writeln!(out, " {users} , {}, {last}", others.join(" , "));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::csv;

    #[test]
    fn reports_become_rows() {
        let of_old = include_str!("../../tests/data/siege/180-siege2csv-input.txt");
        let expected = "\
            ,Transactions,Elapsed Time,Data Transferred,Response Time,Transaction Rate,Throughput,Concurrency,Code 200\n \
            2 , 6 , 0.00 , 0.00 , 0.00 , 0.00 , 0.00 , 0.00, 6\n \
            3 , 80 , 1.43 , 0.78 , 0.00 , 55.94 , 0.55 , 0.03, 80\n";
        assert_eq!(csv(of_old), expected);
    }

    #[test]
    fn every_layout_is_read() {
        let of_417 = "** Preparing 1 concurrent users for battle.\nThe server is now under siege...\n\
            Transactions:\t\t       69    hits\nResponse time:\t\t       52.61 ms\nSuccessful transactions:       69\n";
        assert!(csv(of_417).ends_with("\n 1 , 69 ,  ,  , 0.05 ,  ,  , , 69\n"), "{}", csv(of_417));
        let of_100 = "Transactions: 250 hits\nStatus code 200: 249\n";
        assert!(csv(of_100).ends_with("\n  , 250 ,  ,  ,  ,  ,  , , 249\n"), "{}", csv(of_100));
        let of_270 = "\u{8}Transactions:\t\t         114 hits\n";
        assert_eq!(csv(of_270).lines().count(), 1, "a report that was cut off is none");
    }
}
