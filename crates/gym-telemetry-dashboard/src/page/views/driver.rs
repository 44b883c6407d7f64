use gym_telemetry_conventions::{Attribute, Instrument, attributes, metrics};

use crate::{
    history::Select,
    page::{
        ask::Scene,
        panel::{Content, Number, Panel, Series},
    },
};

pub(super) fn panels(scene: &Scene<'_>) -> Vec<Panel> {
    let heats = [
        ("Admission", "How long rollouts waited for the concurrency limit.", &metrics::DRIVER_ADMISSION_DURATION_MS),
        ("Rollout", "How long agents took for a rollout, failed ones too.", &metrics::ROLLOUT_DURATION_MS),
        ("Verify", "How long verifications took.", &metrics::VERIFY_DURATION_MS),
        ("Write", "How long it took to write one row.", &metrics::DRIVER_OUTPUT_WRITE_DURATION_MS),
    ];
    let heats = heats.map(|(title, help, metric)| heat(scene, title, help, metric));
    [now(scene), states(scene), offered(scene), outcomes(scene), rewards(scene)].into_iter().chain(heats).collect()
}

fn now(scene: &Scene<'_>) -> Panel {
    let resident = scene.ask(&metrics::DRIVER_ROLLOUTS_RESIDENT).number("resident");
    let active = scene.ask(&metrics::DRIVER_ROLLOUTS_ACTIVE).number("active");
    let waiting = resident.value.zip(active.value).map(|(resident, active)| resident - active);
    let waiting = Number { value: waiting, ..resident.clone().called("waiting") };
    let offered = scene.ask(&metrics::DRIVER_ROLLOUTS_OFFERED_TOTAL).number("offered so far");
    let completed = scene.ask(&metrics::ROLLOUT_COMPLETED_TOTAL);
    let rate = completed.clone().rate().number("completed");
    let items = vec![offered, resident, active, waiting, completed.number("completed so far"), rate];
    Panel::new("Now", "Rollouts of all drivers, at the latest export.", Content::Numbers { items }).wide()
}

fn states(scene: &Scene<'_>) -> Panel {
    let mut chart = scene.ask(&metrics::DRIVER_ROLLOUTS_ACTIVE).chart();
    let resident = scene.ask(&metrics::DRIVER_ROLLOUTS_RESIDENT);
    let all = resident.chart().series.pop();
    if let (Some(active), Some(all)) = (chart.series.last_mut(), all) {
        let waiting = all.values.iter().zip(&active.values).map(|(all, active)| Some((*all)? - (*active)?)).collect();
        "active".clone_into(&mut active.label);
        chart.series.push(Series { label: "waiting".to_owned(), values: waiting, query: resident.link() });
    }
    let help = "Rollouts that were admitted and run, and those that wait for the concurrency limit.";
    Panel::new("Resident rollouts", help, Content::Stack(chart))
}

fn offered(scene: &Scene<'_>) -> Panel {
    let mut chart = scene.ask(&metrics::DRIVER_ROLLOUTS_OFFERED_TOTAL).rate().chart();
    chart.series.iter_mut().for_each(|series| "offered".clone_into(&mut series.label));
    let completed = scene.ask(&metrics::ROLLOUT_COMPLETED_TOTAL).rate().chart().series;
    chart.series.extend(completed.into_iter().map(|series| Series { label: "completed".to_owned(), ..series }));
    Panel::new("Offered and completed", "Rollouts each second.", Content::Lines(chart))
}

fn outcomes(scene: &Scene<'_>) -> Panel {
    let help = "Completed rollouts each second, by where their result went.";
    stack(scene, "Outcomes", help, &metrics::ROLLOUT_COMPLETED_TOTAL, &attributes::ROLLOUT_OUTCOME)
}

fn rewards(scene: &Scene<'_>) -> Panel {
    let help = "Rewarded rollouts each second, by the range of their reward.";
    stack(scene, "Rewards", help, &metrics::ROLLOUT_REWARDED_TOTAL, &attributes::ROLLOUT_REWARD_RANGE)
}

fn stack(scene: &Scene<'_>, title: &str, help: &str, metric: &Instrument, by: &Attribute) -> Panel {
    Panel::new(title, help, Content::Stack(scene.ask(metric).by(by).rate().chart()))
}

/// A distribution over time, with its latest quantiles.
fn heat(scene: &Scene<'_>, title: &str, help: &str, metric: &Instrument) -> Panel {
    let asked = scene.ask(metric);
    let quantile = |label, quantile| {
        // Wide enough to have values, where they come one by one.
        asked.clone().select(Select::Quantile(quantile)).step(scene.since / 5).last_known(label)
    };
    let numbers = vec![quantile("p50", 0.5), quantile("p95", 0.95), quantile("p99", 0.99)];
    Panel::new(title, help, Content::Heat(asked.heat(numbers)))
}
