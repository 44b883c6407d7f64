use crate::{
    history::{MetricInfo, Select},
    page::{
        ask::{Asked, Question, Scene},
        panel::{Cell, Chart, Column, Content, Panel, Row, Table},
        text::shown,
    },
};

/// One metric as the question says; all metrics when it names none.
pub(super) fn panels(scene: &Scene<'_>, question: Question) -> Vec<Panel> {
    if question.metric.is_empty() {
        return vec![directory(scene)];
    }
    let units = scene.units_of(&question.metric);
    if question.unit.is_none() && units.len() > 1 {
        // Each by itself: what has different units cannot be added up.
        let each = units.into_iter().map(|unit| Question { unit: Some(unit.to_owned()), ..question.clone() });
        return each.flat_map(|question| one(scene, question)).collect();
    }
    one(scene, question)
}

/// One metric of one unit.
fn one(scene: &Scene<'_>, question: Question) -> Vec<Panel> {
    let infos = scene.history.metrics();
    let asked_for = |info: &&MetricInfo| {
        *info.name == *question.metric && question.unit.as_ref().is_none_or(|unit| **unit == *info.unit)
    };
    let info = infos.iter().filter(asked_for).max_by_key(|info| info.series);
    let help = info.map(|info| shown(&info.description)).unwrap_or_default();
    let unit = match (question.select, info.map_or("", |info| &info.unit)) {
        (Select::Rate, unit) => format!("{unit}/s"),
        (Select::Count | Select::Buckets, _) => "1".to_owned(),
        (_, unit) => unit.to_owned(),
    };
    let title = shown(&question.metric);
    let title = match question.unit.as_deref() {
        Some("") => format!("{title}, without a unit"),
        Some(unit) => format!("{title}, in {}", shown(unit)),
        None => title,
    };
    if let Err(error) = scene.history.query(&question.query()) {
        let nothing = Chart { unit, times: Vec::new(), series: Vec::new(), limits: Vec::new(), more: 0 };
        return vec![Panel::new(title, shown(&error.to_string()), Content::Lines(nothing)).wide()];
    }
    let buckets = question.select == Select::Buckets;
    let asked = Asked::new(scene, question, &unit);
    if buckets {
        return vec![Panel::new(title, help, Content::Heat(asked.heat(Vec::new()))).wide()];
    }
    let chart = asked.chart();
    let latest = latest(&chart);
    vec![Panel::new(title, help, Content::Lines(chart)).wide(), latest]
}

/// The latest value of each line.
fn latest(chart: &Chart) -> Panel {
    let row = |series: &crate::page::panel::Series| {
        let number = Cell::number(series.latest(), series.query.clone());
        Row { gone: series.latest().is_none(), cells: vec![Cell::text(&*series.label), number] }
    };
    let columns = vec![Column::new("series", ""), Column::new("latest", &*chart.unit)];
    let table = Table { columns, rows: chart.series.iter().map(row).collect() };
    Panel::new("Latest", "Each line at its latest export.", Content::Table(table)).wide()
}

/// Every metric that there is.
fn directory(scene: &Scene<'_>) -> Panel {
    let row = |info: &MetricInfo| {
        let name = Cell { query: Question::new(&*info.name, scene.since).link(), ..Cell::text(shown(&info.name)) };
        let series = f64::from(u32::try_from(info.series).unwrap_or(u32::MAX));
        let series = Cell::number(Some(series), String::new());
        let words = [&info.unit, &info.description].map(|text| Cell::text(shown(text)));
        Row { gone: false, cells: [name, series].into_iter().chain(words).collect() }
    };
    let columns = ["metric", "series", "unit", "what it is"].map(|label| Column::new(label, "")).into();
    let table = Table { columns, rows: scene.history.metrics().iter().map(row).collect() };
    Panel::new("Metrics", "Everything that has been reported.", Content::Table(table)).wide()
}
