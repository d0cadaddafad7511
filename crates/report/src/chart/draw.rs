//! Draws a chart as SVG.

use super::{Chart, Columns, Dot, LOOKS, Layer, STYLE, Scale, Series, escape};
use std::fmt::Write;

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 270.0;
/// Space for `100,000/s` in the larger font of narrow screens.
const LEFT: f64 = 84.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 44.0;
/// Left limit of the legend. The label of the vertical axis is to the left of it.
const NAMES: f64 = 120.0;
/// Height of a row of the legend.
const ROW: f64 = 17.0;
/// Average width of a letter in the widest of the usual fonts, at the size of narrow screens; and of the sign before a name.
const LETTER: f64 = 8.4;
const SIGN: f64 = 34.0;

/// Average width of a letter or digit in the labels of ticks, at the size of narrow screens.
const TICK_LETTER: f64 = 7.4;

/// Maximum number of bars that show their values.
const LABELLED: usize = 12;

/// Approximate number of points of a line that show their values; more would make the page large.
const SPOTS: usize = 120;

/// Appends text; writing to a string cannot fail.
macro_rules! put {
    ($out:expr, $($word:tt)*) => {{ let _ = write!($out, $($word)*); }};
}

/// Draws the chart. With `alone`, it has its own style and background.
pub(super) fn svg(chart: &Chart, alone: bool) -> String {
    let mut out = String::new();
    let canvas = Canvas { chart };
    let names = canvas.names();
    let shift = names.len().saturating_sub(1) as f64 * ROW;
    let height = HEIGHT + shift;
    put!(
        out,
        "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">",
        escape(&chart.title)
    );
    if alone {
        put!(
            out,
            "<style>{STYLE}</style><rect width=\"{WIDTH}\" height=\"{height}\" style=\"fill:var(--paper)\"/>"
        );
        put!(out, "<title>{}</title>", escape(&chart.title));
    }
    names.iter().zip(0u8..).for_each(|(row, place)| legend(&mut out, row, f64::from(place) * ROW));
    put!(out, "<g transform=\"translate(0 {shift})\">");
    for layer in &chart.layers {
        if let Layer::Shade { from, to } = layer {
            let (left, right) = (canvas.x(*from), canvas.x(*to));
            put!(
                out,
                "<rect class=\"shade\" x=\"{left:.1}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{:.1}\"/>",
                right - left,
                HEIGHT - TOP - BOTTOM
            );
        }
    }
    canvas.axes(&mut out);
    for layer in &chart.layers {
        canvas.layer(&mut out, layer);
    }
    out.push_str("</g></svg>");
    out
}

struct Canvas<'c> {
    chart: &'c Chart,
}

impl Canvas<'_> {
    fn x(&self, value: f64) -> f64 {
        LEFT + self.chart.x.place(value) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.chart.y.place(value) * (HEIGHT - TOP - BOTTOM)
    }

    fn axes(&self, out: &mut String) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        for (value, text) in self.chart.y.ticks() {
            let y = self.y(value);
            put!(out, "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{right}\"/>");
            put!(
                out,
                "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 5.0,
                y + 4.0,
                escape(&text)
            );
        }
        let mut past = f64::NEG_INFINITY;
        let named = self.chart.x.scale == Scale::Names;
        for (value, text) in self.chart.x.ticks() {
            let x = self.x(value);
            // A label that would overlap its neighbour is left out; its line is drawn.
            let half = text.chars().count() as f64 * TICK_LETTER / 2.0;
            if !named {
                put!(out, "<path class=\"grid\" d=\"M{x:.1} {TOP}V{bottom}\"/>");
            }
            if x - half > past {
                let anchor = if x + half > WIDTH { "end" } else { "middle" };
                let at = if anchor == "end" { right } else { x };
                put!(
                    out,
                    "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
                    bottom + 14.0,
                    escape(&text)
                );
                past = x + half + 6.0;
            }
        }
        put!(out, "<path class=\"frame\" d=\"M{LEFT} {TOP}V{bottom}H{right}\"/>");
        put!(
            out,
            "<text x=\"{right}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            HEIGHT - 8.0,
            escape(&self.chart.x.label)
        );
        put!(out, "<text x=\"4\" y=\"13\">{}</text>", escape(&self.chart.y.label));
    }

    fn layer(&self, out: &mut String, layer: &Layer) {
        match layer {
            Layer::Shade { .. } => {}
            Layer::Line(series) => {
                self.line(out, series);
                self.marks(out, series);
            }
            Layer::Marks(series) => self.marks(out, series),
            Layer::Columns(columns) => self.columns(out, columns),
            Layer::Bars(series) => self.bars(out, series),
            Layer::Heat { cells } => {
                for ([from, to, low, high], share) in cells {
                    let (left, right, top, bottom) =
                        (self.x(*from), self.x(*to), self.y(*high), self.y(*low));
                    put!(
                        out,
                        "<rect class=\"heat\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\" opacity=\"{:.2}\"/>",
                        right - left + 0.2,
                        bottom - top + 0.2,
                        if share.is_finite() { share.clamp(0.04, 1.0) } else { 0.0 }
                    );
                }
            }
            Layer::Upright { name, x } => self.upright(out, name, *x),
            Layer::Level { name, y } => self.level(out, name, *y),
        }
    }

    fn columns(&self, out: &mut String, layer: &Columns) {
        let name = if layer.name.is_empty() { &self.chart.y.label } else { &layer.name };
        for column in layer.columns.iter().filter(|column| column.high > column.low) {
            let (left, right) = (self.x(column.from), self.x(column.to));
            let (top, bottom) = (self.y(column.high), self.y(column.low));
            let title = format!(
                "{name}: {} from {} to {}",
                self.chart.y.value(column.high - column.low),
                self.chart.x.value(column.from),
                self.chart.x.value(column.to)
            );
            put!(
                out,
                "<rect class=\"f{}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{}</title></rect>",
                layer.look % LOOKS,
                (right - left - 0.6).max(0.6),
                (bottom - top).max(0.8),
                escape(&title)
            );
        }
    }

    /// Draws the bars of a series beside those of the others. A few show their values.
    fn bars(&self, out: &mut String, series: &Series) {
        let groups: Vec<&Series> = self.chart.layers.iter().filter_map(bars_of).collect();
        let place = groups.iter().position(|other| std::ptr::eq(*other, series)).unwrap_or(0);
        let is_labelled = groups.iter().map(|group| group.points.len()).sum::<usize>() <= LABELLED;
        let look = series.look % LOOKS;
        let wide = 0.8 / groups.len().max(1) as f64;
        for dot in series.points.iter().filter(|dot| dot.y.is_finite()) {
            let from = dot.x - 0.4 + wide * place as f64;
            let (left, right, top) = (self.x(from), self.x(from + wide), self.y(dot.y));
            let fill = if dot.doubtful { "hollow".to_owned() } else { format!("f{look}") };
            let middle = f64::midpoint(left, right);
            put!(
                out,
                "<g>{}<rect class=\"bar s{look} {fill}\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
                self.title(series, dot),
                left + 1.0,
                (right - left - 2.0).max(1.0),
                (HEIGHT - BOTTOM - top).max(0.8)
            );
            let (low, high) = dot.range.map_or((top, top), |(low, high)| (self.y(low), self.y(high)));
            if dot.range.is_some() {
                put!(out, "<path class=\"over\" d=\"M{middle:.1} {low:.1}V{high:.1}\"/>");
            }
            if is_labelled {
                put!(
                    out,
                    "<text class=\"name\" x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                    high - 4.0,
                    escape(&self.chart.y.value(dot.y))
                );
            }
            out.push_str("</g>");
        }
    }

    /// Draws a vertical line with its name, on the side that has room for it.
    fn upright(&self, out: &mut String, name: &str, x: f64) {
        let x = self.x(x);
        put!(out, "<path class=\"level\" d=\"M{x:.1} {TOP}V{}\"/>", HEIGHT - BOTTOM);
        let (anchor, at) = if x > WIDTH / 2.0 { ("end", x - 3.0) } else { ("start", x + 3.0) };
        put!(
            out,
            "<text class=\"name\" x=\"{at:.1}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
            TOP + 12.0,
            escape(name)
        );
    }

    /// Draws a horizontal line with its name above it.
    fn level(&self, out: &mut String, name: &str, y: f64) {
        let y = self.y(y);
        put!(out, "<path class=\"level\" d=\"M{LEFT} {y:.1}H{}\"/>", WIDTH - RIGHT);
        put!(out, "<text class=\"name\" x=\"{}\" y=\"{:.1}\">{}</text>", LEFT + 4.0, y - 3.0, escape(name));
    }

    fn line(&self, out: &mut String, series: &Series) {
        let look = series.look % LOOKS;
        let mut path = String::new();
        let mut pen_is_down = false;
        for dot in &series.points {
            if !dot.y.is_finite() {
                pen_is_down = false;
                continue;
            }
            put!(path, "{}{:.1} {:.1}", if pen_is_down { 'L' } else { 'M' }, self.x(dot.x), self.y(dot.y));
            pen_is_down = true;
        }
        put!(out, "<path class=\"line s{look}\" d=\"{path}\"/>");
    }

    fn marks(&self, out: &mut String, series: &Series) {
        let look = series.look % LOOKS;
        let every = if series.marked { 1 } else { series.points.len().div_ceil(SPOTS).max(1) };
        for dot in series.points.iter().filter(|dot| dot.y.is_finite()).step_by(every) {
            let (x, y) = (self.x(dot.x), self.y(dot.y));
            put!(out, "<g>{}", self.title(series, dot));
            if let Some((low, high)) = dot.range {
                put!(
                    out,
                    "<path class=\"range mark s{look}\" d=\"M{x:.1} {:.1}V{:.1}\"/>",
                    self.y(low),
                    self.y(high)
                );
            }
            if series.marked || series.points.len() == 1 {
                mark(out, series, dot, x, y);
            } else {
                // An invisible circle, over which the pointer shows the values.
                put!(out, "<circle class=\"spot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>");
            }
            out.push_str("</g>");
        }
    }

    /// Returns the values of a point. Browsers show them below the pointer without a script.
    fn title(&self, series: &Series, dot: &Dot) -> String {
        let name = if series.name.is_empty() { &self.chart.y.label } else { &series.name };
        let range = dot
            .range
            .map(|(low, high)| format!(" ({} to {})", self.chart.y.value(low), self.chart.y.value(high)))
            .unwrap_or_default();
        let (x, y) = (self.chart.x.value(dot.x), self.chart.y.value(dot.y));
        format!("<title>{}</title>", escape(&format!("{name}: {y}{range} at {x}")))
    }

    /// Returns the layers with names in as many rows as they need.
    fn names(&self) -> Vec<Vec<Named<'_>>> {
        let mut rows: Vec<Vec<Named<'_>>> = Vec::new();
        let mut left = 0.0;
        for layer in &self.chart.layers {
            let (name, look, sign) = match layer {
                Layer::Line(series) => (&series.name, series.look, Sign::Line(series)),
                Layer::Marks(series) => (&series.name, series.look, Sign::Mark(series)),
                Layer::Bars(series) => (&series.name, series.look, Sign::Square),
                Layer::Columns(columns) => (&columns.name, columns.look, Sign::Square),
                _ => continue,
            };
            if name.is_empty() {
                continue;
            }
            let named = Named { name, look: look % LOOKS, sign };
            let width = named.width();
            match rows.last_mut() {
                Some(row) if width <= left => row.push(named),
                _ => {
                    rows.push(vec![named]);
                    left = WIDTH - RIGHT - NAMES;
                }
            }
            left -= width;
        }
        rows
    }
}

fn bars_of(layer: &Layer) -> Option<&Series> {
    if let Layer::Bars(series) = layer { Some(series) } else { None }
}

/// An entry of the legend.
struct Named<'c> {
    name: &'c str,
    look: usize,
    sign: Sign<'c>,
}

/// What stands before a name.
enum Sign<'c> {
    Line(&'c Series),
    Mark(&'c Series),
    Square,
}

impl Named<'_> {
    fn width(&self) -> f64 {
        self.name.chars().count() as f64 * LETTER + SIGN
    }
}

/// Draws a row of names with their signs, the last at the right.
fn legend(out: &mut String, row: &[Named<'_>], y: f64) {
    let mut x = WIDTH - RIGHT;
    for named in row.iter().rev() {
        let look = named.look;
        x -= named.width();
        let name = x + SIGN;
        put!(out, "<text class=\"name\" x=\"{name:.1}\" y=\"{}\">{}</text>", y + 13.0, escape(named.name));
        match named.sign {
            Sign::Line(series) => {
                let (from, to) = (name - 24.0, name - 5.0);
                put!(out, "<path class=\"line s{look}\" d=\"M{from:.1} {}H{to:.1}\"/>", y + 9.0);
                if series.marked {
                    mark(out, series, &Dot::new(0.0, 0.0), name - 14.5, y + 9.0);
                }
            }
            Sign::Mark(series) => mark(out, series, &Dot::new(0.0, 0.0), name - 14.5, y + 9.0),
            Sign::Square => {
                let (left, top) = (name - 16.0, y + 3.0);
                put!(out, "<rect class=\"f{look}\" x=\"{left:.1}\" y=\"{top}\" width=\"11\" height=\"11\"/>");
            }
        }
    }
}

/// Draws a mark in the shape of the series: filled, or hollow if the numbers are in doubt.
fn mark(out: &mut String, series: &Series, dot: &Dot, x: f64, y: f64) {
    let look = series.look % LOOKS;
    let fill = if dot.doubtful { "hollow".to_owned() } else { format!("f{look}") };
    let class = format!("mark s{look} {fill}");
    match series.look % 4 {
        0 => put!(out, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\"/>"),
        1 => put!(
            out,
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"6\" height=\"6\"/>",
            x - 3.0,
            y - 3.0
        ),
        2 => put!(out, "<path class=\"{class}\" d=\"M{x:.1} {:.1}l4 7h-8z\"/>", y - 4.2),
        _ => put!(out, "<path class=\"{class}\" d=\"M{x:.1} {:.1}l4 4-4 4-4-4z\"/>", y - 4.0),
    }
}
