use gym_telemetry_collector::Kind;

use crate::{
    history::{MetricInfo, Over, Select},
    page::{
        ask::{Asked, Question, Scene, words},
        panel::{Cell, Chart, Column, Content, Panel, Row, Table},
        text::shown,
    },
};

/// One metric as the question says; all metrics when it names none.
pub(super) fn panels(scene: &Scene<'_>, question: Question) -> Vec<Panel> {
    if question.metric.is_empty() {
        return vec![directory(scene)];
    }
    let is_meant = |(unit, kind): &(&str, Kind)| {
        question.unit.as_ref().is_none_or(|meant| meant == unit) && question.kind.is_none_or(|meant| meant == *kind)
    };
    let forms: Vec<_> = scene.forms_of(&question.metric).filter(is_meant).collect();
    if forms.len() > 1 {
        // Each by itself: different units and kinds cannot be added up.
        let each = forms.into_iter().map(|form| of_form(question.clone(), form));
        return each.flat_map(|question| one(scene, question)).collect();
    }
    one(scene, question)
}

/// The same question about the metric of this unit and this kind.
fn of_form(question: Question, (unit, kind): (&str, Kind)) -> Question {
    Question { unit: Some(unit.to_owned()), kind: Some(kind), ..question }
}

/// One metric of one unit and one kind.
fn one(scene: &Scene<'_>, question: Question) -> Vec<Panel> {
    let infos = scene.history.metrics();
    let asked_for = |info: &&MetricInfo| {
        *info.name == *question.metric
            && question.unit.as_ref().is_none_or(|unit| **unit == *info.unit)
            && question.kind.is_none_or(|kind| kind == info.kind)
    };
    let info = infos.iter().filter(asked_for).max_by_key(|info| info.series);
    let help = info.map(|info| shown(&info.description)).unwrap_or_default();
    let unit = match (question.select, info.map_or("", |info| &info.unit)) {
        (Select::Rate, unit) => format!("{unit}/s"),
        (Select::Count, _) => "1".to_owned(),
        (_, unit) => unit.to_owned(),
    };
    let form = words::of_form(question.kind, question.unit.as_deref());
    let title: Vec<_> = [shown(&question.metric), form].into_iter().filter(|part| !part.is_empty()).collect();
    let title = title.join(", ");
    if let Err(error) = scene.history.query(&question.query()) {
        let nothing = Chart { unit, times: Vec::new(), series: Vec::new(), limits: Vec::new(), more: 0 };
        return vec![Panel::new(title, shown(&error.to_string()), Content::Lines(nothing)).wide()];
    }
    let buckets = question.select == Select::Buckets;
    let spread = (info.is_some_and(|info| info.kind == Kind::Gauge) && question.over.is_none())
        .then(|| spread(scene, &question, &unit));
    let asked = Asked::new(scene, question, &unit);
    if buckets {
        return vec![Panel::new(title, help, Content::Heat(asked.heat(Vec::new()))).wide()];
    }
    let chart = asked.chart();
    let latest = latest(&chart);
    [Panel::new(title, help, Content::Lines(chart)).wide()].into_iter().chain(spread).chain([latest]).collect()
}

/// How far apart the series of a gauge are: they are not added up.
fn spread(scene: &Scene<'_>, question: &Question, unit: &str) -> Panel {
    let items = [("minimum", Over::Min), ("median", Over::Median), ("maximum", Over::Max)].map(|(label, over)| {
        let question = Question { by: Vec::new(), over: Some(over), ..question.clone() };
        Asked::new(scene, question, unit).number(label)
    });
    let help = "Of all series at their latest export.";
    Panel::new("Spread", help, Content::Numbers { items: items.into() }).wide()
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
        let question = Question::new(&*info.name, scene.since);
        let question = match scene.forms_of(&info.name).count() {
            1 => question,
            _ => of_form(question, (&info.unit, info.kind)),
        };
        let name = Cell { query: question.link(), ..Cell::text(shown(&info.name)) };
        let kind = Cell::text(words::of_kind(info.kind).replace('_', " "));
        let series = f64::from(u32::try_from(info.series).unwrap_or(u32::MAX));
        let series = Cell::number(Some(series), String::new());
        let words = [&info.unit, &info.description].map(|text| Cell::text(shown(text)));
        Row { gone: false, cells: [name, kind, series].into_iter().chain(words).collect() }
    };
    let columns = ["metric", "kind", "series", "unit", "what it is"].map(|label| Column::new(label, "")).into();
    let table = Table { columns, rows: scene.history.metrics().iter().map(row).collect() };
    Panel::new("Metrics", "Everything that has been reported.", Content::Table(table)).wide()
}
