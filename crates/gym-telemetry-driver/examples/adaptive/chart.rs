//! A chart of two curves, as SVG.

use std::fmt::Write as _;

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 48.0;
const BOTTOM: f64 = 40.0;
const TOP: f64 = 24.0;

/// The limit in front of the capacity and a fifth to either side of it, second by second.
pub(crate) fn svg(limits: &[u64], capacities: &[u64]) -> String {
    let scale = Scale { seconds: limits.len() as f64, most: 1.3 * peak(limits).max(peak(capacities)) };
    let mut svg = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' font-family='sans-serif' \
         font-size='12'>\n<title>The adaptive limit and what the server can do</title>\n\
         <rect width='{WIDTH}' height='{HEIGHT}' fill='white'/>\n"
    );
    let band = |factor: f64| capacities.iter().map(move |capacity| *capacity as f64 * factor);
    let (upper, lower) = (scale.steps(band(1.2)), scale.steps(band(0.8)));
    let backwards: Vec<_> = lower.iter().rev().copied().collect();
    let mut add = |line: String| svg.push_str(&(line + "\n"));
    add(format!("<polygon points='{}' fill='#dbe9f6'/>", points(&[upper, backwards].concat())));
    add(curve(&scale.steps(band(1.0)), "#4a7ebb", "5 3"));
    add(curve(&scale.steps(limits.iter().map(|limit| *limit as f64)), "#b3392b", "none"));
    for value in (0..=scale.most as u64).step_by(20) {
        let y = scale.y(value as f64);
        add(format!("<text x='{}' y='{}' text-anchor='end'>{value}</text>", LEFT - 8.0, y + 4.0));
        add(format!("<path d='M{LEFT} {y:.1}H{WIDTH}' stroke='#00000022'/>"));
    }
    for second in (0..limits.len()).step_by(300) {
        let x = scale.x(second as f64);
        add(format!("<text x='{x:.1}' y='{}' text-anchor='middle'>{second} s</text>", HEIGHT - BOTTOM + 18.0));
    }
    add(format!("<text x='{}' y='16' fill='#b3392b'>limit</text>", LEFT + 8.0));
    add(format!("<text x='{}' y='16' fill='#4a7ebb'>capacity, and a fifth around it</text>", LEFT + 48.0));
    svg + "</svg>\n"
}

fn peak(values: &[u64]) -> f64 {
    values.iter().max().map_or(1.0, |most| *most as f64)
}

fn curve(steps: &[(f64, f64)], colour: &str, dashes: &str) -> String {
    format!(
        "<polyline points='{}' fill='none' stroke='{colour}' stroke-width='1.5' stroke-dasharray='{dashes}'/>",
        points(steps)
    )
}

fn points(steps: &[(f64, f64)]) -> String {
    steps.iter().fold(String::new(), |mut text, (x, y)| {
        let space = if text.is_empty() { "" } else { " " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{space}{x:.1},{y:.1}");
        text
    })
}

struct Scale {
    seconds: f64,
    most: f64,
}

impl Scale {
    fn x(&self, second: f64) -> f64 {
        LEFT + second / self.seconds * (WIDTH - LEFT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - value / self.most * (HEIGHT - BOTTOM - TOP)
    }

    /// The corners of a curve that holds each value for a second.
    fn steps(&self, values: impl Iterator<Item = f64>) -> Vec<(f64, f64)> {
        let mut corners: Vec<(f64, f64)> = Vec::new();
        for (second, value) in values.enumerate() {
            let (x, y) = (self.x(second as f64), self.y(value));
            if corners.last().is_none_or(|(_, last)| *last != y) {
                corners.extend(corners.last().map(|(_, last)| (x, *last)));
                corners.push((x, y));
            }
        }
        corners.extend(corners.last().map(|(_, last)| (self.x(self.seconds), *last)));
        corners
    }
}
