//! Renders charts as SVG, from numbers only.
//!
//! Colours are classes, so that the same chart works on light pages, dark pages and paper. Each series also has its own dash
//! or mark, because colour alone never carries meaning. A chart is 480 units wide, so that its text stays legible on a
//! phone.

mod axis;
mod draw;

pub(crate) use axis::{Axis, Scale, Unit};
use std::fmt::Write;

/// A chart that can be drawn.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Short name, for files and the command line.
    pub name: &'static str,
    /// What it shows.
    pub title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) layers: Vec<Layer>,
    /// Text below the chart.
    pub(crate) note: String,
}

/// A layer of a chart; layers are drawn from the back to the front.
#[derive(Clone, Debug)]
pub(crate) enum Layer {
    /// Points joined by a line; a gap where a value is missing.
    Line(Series),
    /// Points that are not joined.
    Marks(Series),
    /// Columns with a common name; several layers of them can be stacked.
    Columns(Columns),
    /// A bar for each point, from the lower edge; the bars of several series stand side by side.
    Bars(Series),
    /// Rectangles (x from, x to, y from, y to) with an intensity of 0 to 1.
    Heat { cells: Vec<([f64; 4], f64)> },
    /// A horizontal line with its name.
    Level { name: String, y: f64 },
    /// A vertical line with its name.
    Upright { name: String, x: f64 },
    /// A time that is excluded from the figures: from x, to x.
    Shade { from: f64, to: f64 },
}

/// Columns with a common name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    pub(crate) name: String,
    /// Index of the colour.
    pub(crate) look: usize,
    pub(crate) columns: Vec<Column>,
}

/// A column: `from` and `to` are positions on the horizontal axis, `low` and `high` on the vertical one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Column {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// Points with a common name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series {
    pub(crate) name: String,
    /// Index of the colour, dash and mark.
    pub(crate) look: usize,
    pub(crate) points: Vec<Dot>,
    /// Whether each point has a mark.
    pub(crate) marked: bool,
}

/// A point of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dot {
    pub(crate) x: f64,
    pub(crate) y: f64,
    /// The range in which the value varied.
    pub(crate) range: Option<(f64, f64)>,
    /// Whether the numbers are unreliable; such a point is drawn hollow.
    pub(crate) doubtful: bool,
}

impl Dot {
    pub(crate) const fn new(x: f64, y: f64) -> Self {
        Self { x, y, range: None, doubtful: false }
    }
}

impl Chart {
    /// Returns the chart as a file of its own, for light and dark mode.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let body = draw::svg(self, true);
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{body}")
    }

    /// Returns the chart as part of a page that has [`STYLE`].
    pub(crate) fn inline(&self) -> String {
        let mut out = String::new();
        let _ = write!(out, "<figure id=\"chart-{}\">", self.name);
        let _ = write!(out, "<figcaption>{}</figcaption>", escape(&self.title));
        out.push_str(&draw::svg(self, false));
        if !self.note.is_empty() {
            let _ = write!(out, "<p class=\"note\">{}</p>", escape(&self.note));
        }
        out.push_str("</figure>\n");
        out
    }
}

/// Colours and strokes of charts. Most colour-blind people can distinguish the colours (Okabe and Ito, "Color universal
/// design", 2008). They are a little darker on white and lighter on black.
pub(crate) const STYLE: &str = "
:root{--paper:#fff;--ink:#1b1f24;--soft:#59636e;--rule:#d7dce1;--shadow:#8a94a0;--c0:#0072b2;--c1:#d55e00;--c2:#00795a;--c3:#a3417a;--c4:#7a6400;--c5:#3f6fd1;--heat:#0072b2}
@media (prefers-color-scheme:dark){:root{--paper:#14181d;--ink:#e6e9ed;--soft:#9aa5b1;--rule:#343c46;--shadow:#6b7683;--c0:#56b4e9;--c1:#f08a4b;--c2:#3cc79f;--c3:#e08abf;--c4:#e0c341;--c5:#8fb0ff;--heat:#56b4e9}}
@media print{:root{--paper:#fff;--ink:#000;--soft:#444;--rule:#bbb;--c0:#0072b2;--c1:#d55e00;--c2:#00795a;--c3:#a3417a;--c4:#7a6400;--c5:#3f6fd1;--heat:#0072b2}}
svg.chart{width:100%;height:auto;display:block;font:11px system-ui,sans-serif}
@media(max-width:40rem){svg.chart{font-size:14px}}
svg.chart text{fill:var(--soft)}svg.chart text.name{fill:var(--ink)}
svg.chart .grid{stroke:var(--rule);stroke-width:1;fill:none}svg.chart .frame{stroke:var(--soft);stroke-width:1;fill:none}
svg.chart .line{fill:none;stroke-width:2;stroke-linejoin:round}svg.chart .range{stroke-width:1.2;fill:none}
svg.chart .level{stroke:var(--ink);stroke-width:1;stroke-dasharray:2 3;fill:none}
svg.chart .shade{fill:var(--rule);opacity:.55}svg.chart .heat{fill:var(--heat)}
svg.chart .spot{fill:transparent}svg.chart .hollow{fill:var(--paper)}
svg.chart .s0{stroke:var(--c0)}svg.chart .s1{stroke:var(--c1);stroke-dasharray:7 3}svg.chart .s2{stroke:var(--c2);stroke-dasharray:2 2}
svg.chart .s3{stroke:var(--c3);stroke-dasharray:9 2 2 2}svg.chart .s4{stroke:var(--c4);stroke-dasharray:4 2}svg.chart .s5{stroke:var(--c5);stroke-dasharray:1 2}
svg.chart .f0{fill:var(--c0)}svg.chart .f1{fill:var(--c1)}svg.chart .f2{fill:var(--c2)}svg.chart .f3{fill:var(--c3)}svg.chart .f4{fill:var(--c4)}svg.chart .f5{fill:var(--c5)}
svg.chart .bar{stroke-dasharray:none;stroke-width:1.5}svg.chart .over{stroke:var(--ink);stroke-width:1.2;fill:none}
svg.chart .mark{stroke-dasharray:none;stroke-width:1.5}
";

/// Number of different looks; further series start again with the first.
pub(crate) const LOOKS: usize = 6;

/// Escapes text for XML and HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            c if crate::layout::is_unprintable(c) => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
