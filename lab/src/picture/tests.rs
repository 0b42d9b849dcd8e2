//! Random pictures: their texts lie inside and apart, and they are well-formed.

use super::sheet::text_width;
use super::*;
use proptest::prelude::*;

/// Returns the value of an attribute of an element.
fn attribute<'a>(element: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = element.split_once(&format!(" {name}=\""))?;
    rest.split('"').next()
}

/// Returns the texts of a picture that are not turned: left, top, right, bottom, and what they say.
fn texts(svg: &str) -> Vec<([f64; 4], String)> {
    let number =
        |element: &str, name: &str| attribute(element, name).unwrap().parse::<f64>().unwrap();
    let mut all = Vec::new();
    for element in svg.split("<text").skip(1).filter(|e| !e.contains("transform")) {
        let said = element.split_once('>').unwrap().1.split("</text>").next().unwrap();
        if said.contains("<tspan") {
            continue;
        }
        let (x, y) = (number(element, "x"), number(element, "y"));
        let size = attribute(element, "font-size").map_or(13.0, |size| size.parse().unwrap());
        let width = text_width(&said.replace("&amp;", "&"), size);
        let left = match attribute(element, "text-anchor") {
            Some("end") => x - width,
            Some("middle") => x - width / 2.0,
            _ => x,
        };
        all.push(([left, y - 0.7 * size, left + width, y + 0.2 * size], said.to_owned()));
    }
    all
}

fn check(svg: &str) {
    let all = texts(svg);
    for (k, (a, name)) in all.iter().enumerate() {
        assert!(a[0] >= -0.5 && a[2] <= 760.0 + 12.0, "{name} leaves the picture: {a:?}");
        for (b, other) in &all[..k] {
            let is_apart = a[0] >= b[2] || b[0] >= a[2] || a[1] >= b[3] || b[1] >= a[3];
            assert!(is_apart, "{name} {a:?} lies on {other} {b:?}");
        }
    }
}

fn name() -> impl Strategy<Value = String> {
    "[a-z]{1,14}(-[a-z]{3,9}){0,2}( & [a-z]{2,9}){0,3}"
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![-5.0..5.0, 0.99..1.01, Just(0.0), Just(1.0), -1e4..1e5]
}

proptest! {
    #[test]
    fn texts_of_bars_lie_apart(
        all in prop::collection::vec((name(), value(), value()), 1..12),
        base in prop_oneof![Just(0.0), Just(1.0)],
    ) {
        let bars = all.iter().map(|(name, a, b)| PictureBar {
            name: name.clone(),
            ends: [a.min(*b).min(base), a.max(*b).max(base)],
            texts: [a.min(*b).min(base), a.max(*b).max(base)].map(|end| format!("{end:+.2}")),
            title: name.clone(),
            shade: Shade::Series(0),
        });
        let keys = vec![(Shade::Series(0), "bars".to_owned())];
        let (title, label) = ("a picture of bars".to_owned(), "percent".to_owned());
        check(&Bars { title, label, base, keys, bars: bars.collect() }.svg().unwrap());
    }

    #[test]
    fn texts_of_charts_lie_apart(
        all in prop::collection::vec((name(), value(), value(), any::<bool>()), 1..30),
        is_log in any::<bool>(),
    ) {
        let axis = || PictureAxis { label: "an axis".to_owned(), is_log };
        let marks: Vec<Mark> = all
            .iter()
            .map(|(name, x, y, is_pale)| Mark {
                name: name.clone(),
                title: name.clone(),
                at: if is_log { (x.abs() + 1e-3, y.abs() + 1e-3) } else { (*x, *y) },
                shade: if *is_pale { Shade::Pale } else { Shade::Best },
            })
            .collect();
        let points = marks.iter().map(|mark| mark.at).collect();
        let (title, form) = ("a picture of points".to_owned(), CurveForm::Strong);
        let curves = vec![Curve { name: "curve".to_owned(), points, shade: Shade::Series(1), form }];
        check(&Chart { title, axes: [axis(), axis()], keys: Vec::new(), curves, marks }.svg().unwrap());
    }
}
