use super::*;

#[test]
fn bars_of_several_series_stand_side_by_side() {
    let bar = |y| Dot { range: Some((y - 1.0, y + 1.0)), ..Dot::new(0.0, y) };
    let series = |look: usize, y| {
        Layer::Bars(Series { name: format!("n{look}"), look, points: vec![bar(y)], marked: true })
    };
    let x = Axis::named("target", vec!["tea".into()]);
    let svg = Chart { x, ..chart(vec![series(0, 2.0), series(1, 3.0)]) }.inline();
    // The slot is 384 wide; each bar has two fifths of it.
    for part in
        ["class=\"bar s0 f0\" x=\"123.4\"", "class=\"bar s1 f1\" x=\"277.0\"", "class=\"over\"", ">n1</text>"]
    {
        assert!(svg.contains(part), "{part}: {svg}");
    }
    assert!(svg.contains("<title>n0: 2 (1 to 3) at tea</title>") && svg.contains(">2</text>"), "{svg}");
}

fn chart(layers: Vec<Layer>) -> Chart {
    Chart {
        name: "test",
        title: "a <b> & c".into(),
        x: Axis::new("x", Scale::Linear, Unit::Time, [0.0, 10.0].into_iter()).over(0.0, 10.0),
        y: Axis::new("y", Scale::Linear, Unit::Count, [0.0, 4.0].into_iter()).over(0.0, 4.0),
        layers,
        note: String::new(),
    }
}

#[test]
fn what_users_wrote_is_no_markup() {
    let svg = chart(Vec::new()).to_svg();
    assert!(svg.contains("a &lt;b&gt; &amp; c") && !svg.contains("<b>"), "{svg}");
}

#[test]
fn a_line_goes_through_its_points_and_stops_at_gaps() {
    let points = [(0.0, 0.0), (5.0, 4.0), (6.0, f64::NAN), (10.0, 0.0)].map(|(x, y)| Dot::new(x, y)).to_vec();
    let svg = chart(vec![Layer::Line(Series { name: "n".into(), points, ..Series::default() })]).inline();
    // 84 to 468 across, 226 to 24 up.
    assert!(svg.contains("d=\"M84.0 226.0L276.0 24.0M468.0 226.0\""), "{svg}");
}

#[test]
fn a_doubtful_point_is_hollow_and_a_range_is_drawn() {
    let dot = Dot { range: Some((1.0, 3.0)), doubtful: true, ..Dot::new(5.0, 2.0) };
    let series = Series { name: "n".into(), points: vec![dot], marked: true, look: 0 };
    let svg = chart(vec![Layer::Line(series)]).inline();
    assert!(svg.contains("class=\"mark s0 hollow\"") && svg.contains("class=\"range mark s0\""), "{svg}");
}

#[test]
fn no_number_in_a_picture_is_infinite() {
    let cells = vec![([0.0, 1.0, f64::NAN, 2.0], f64::NAN)];
    let columns = vec![Column { from: 0.0, to: 1.0, low: 0.0, high: f64::INFINITY }];
    let bar = Dot { range: Some((f64::NAN, 1e300)), ..Dot::new(f64::NAN, 2.0) };
    let layers = vec![
        Layer::Heat { cells },
        Layer::Columns(Columns { columns, ..Columns::default() }),
        Layer::Bars(Series { points: vec![bar], ..Series::default() }),
        Layer::Level { name: "limit".into(), y: 1e300 },
    ];
    let svg = chart(layers).to_svg();
    assert!(!svg.contains("inf") && !svg.contains("NaN"), "{svg}");
}

#[test]
fn many_names_stand_in_rows_and_none_leaves_the_picture() {
    let series = |number: usize| {
        let name = format!("a long name, {number}");
        Layer::Line(Series { name, look: number, points: vec![Dot::new(1.0, 1.0)], marked: true })
    };
    let svg = chart((0..7).map(series).collect()).inline();
    let places: Vec<(f64, f64)> = svg
        .split("class=\"name\" x=\"")
        .skip(1)
        .map(|rest| {
            let mut numbers = rest.split('"');
            let x = numbers.next().unwrap().parse().unwrap();
            (x, numbers.nth(1).unwrap().parse().unwrap())
        })
        .collect();
    assert_eq!(places.len(), 7, "{svg}");
    assert!(places.iter().all(|(x, _)| *x >= 120.0), "{places:?}");
    // Two of these fit into a row; each row makes the chart taller.
    let rows: std::collections::BTreeSet<u64> = places.iter().map(|(_, y)| *y as u64).collect();
    assert_eq!(rows.len(), 4, "{places:?}");
    assert!(svg.contains("viewBox=\"0 0 480 321\"") && svg.contains("translate(0 51)"), "{svg}");
}

#[test]
fn labels_of_great_rates_fit_beside_the_axis() {
    let y = Axis::new("rate", Scale::Linear, Unit::Rate, [0.0, 900_000.0].into_iter());
    let svg = Chart { y, ..chart(Vec::new()) }.inline();
    let label = svg.split("<text x=\"").find(|text| text.contains("800,000/s")).unwrap();
    let right: f64 = label.split('"').next().unwrap().parse().unwrap();
    // The letters of narrow screens are 14 of 480 units high and 8.2 wide.
    assert!(right >= "800,000/s".len() as f64 * 8.2, "{label}");
}

#[test]
fn every_point_and_column_has_its_values() {
    let points = vec![Dot::new(2.5, 3.0), Dot { range: Some((1.0, 3.0)), ..Dot::new(5.0, 2.0) }];
    let series = Series { name: "p<99>".into(), points, ..Series::default() };
    let columns = vec![Column { from: 0.0, to: 1.0, low: 1.0, high: 4.0 }];
    let columns = Columns { columns, ..Columns::default() };
    let svg = chart(vec![Layer::Line(series), Layer::Columns(columns)]).inline();
    for title in ["p&lt;99&gt;: 3 at 2.5 s", "p&lt;99&gt;: 2 (1 to 3) at 5 s", "y: 3 from 0 s to 1 s"] {
        assert!(svg.contains(&format!("<title>{title}</title>")), "no `{title}` in {svg}");
    }
}
