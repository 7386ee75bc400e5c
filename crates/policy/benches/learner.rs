//! Speed of learning and of driving with the shallow network.
//!
//! `cargo bench -p deepracer-policy --bench learner` prints samples per second of wall-clock time and per second of
//! processor time, medians, for 1 and 2 threads. `compare_torch.py` in this folder runs it together with `PyTorch`.

use std::time::Instant;

use deepracer_policy::{
    ActionSpec, Choice, ClippedPpo, InputShape, InputSpec, PolicySpec, PpoHyperparameters, RandomStream, Rollout,
    Topology,
};

const BATCH: usize = 64;
/// Minibatches in the rollout of one timed training phase.
const BATCHES: usize = 4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seconds = std::env::var("BENCH_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(5.0);
    let spec = PolicySpec {
        inputs: vec![InputSpec {
            name: "FRONT_FACING_CAMERA".into(),
            shape: InputShape::Image { height: 120, width: 160, channels: 1 },
        }],
        topology: Topology::Shallow,
        actions: ActionSpec::Discrete { num_actions: 5 },
    };
    let mut random = RandomStream::new(1, "bench");
    let observations: Vec<u8> = (0..BATCH * BATCHES * spec.observation_bytes()).map(|_| random.bits() as u8).collect();
    let mut rollout = Rollout::new(&spec);
    for (step, observation) in observations.chunks_exact(spec.observation_bytes()).enumerate() {
        rollout.push(observation, Choice::Index(step % 5), &[0.2; 5], (step % 7) as f32 - 3.0);
    }
    rollout.end_episode();
    let hyperparameters = PpoHyperparameters { num_epochs: 1, ..PpoHyperparameters::default() };
    let mut policy = ClippedPpo::new(spec.clone(), hyperparameters, 1)?;
    let mut outputs = vec![];

    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        pool.install(|| {
            let valuing = measure("values of the critic", threads, BATCH * BATCHES, seconds / 4.0, || {
                std::hint::black_box(policy.values(&observations, BATCH * BATCHES));
            });
            // A phase values every state once before it trains; the rate of training alone is what remains.
            let phase = measure("training phase", threads, BATCH * BATCHES, seconds, || {
                std::hint::black_box(policy.train(&rollout).is_ok());
            });
            println!("{:<28} {threads} thread(s) {:>8.0} samples/s", "training", 1.0 / (1.0 / phase - 1.0 / valuing));
            for count in [1, BATCH] {
                let observations = &observations[..count * spec.observation_bytes()];
                measure(&format!("inference, batch {count}"), threads, count, seconds / 4.0, || {
                    policy.forward(observations, count, &mut outputs);
                });
            }
        });
    }
    Ok(())
}

/// Runs `work`, which treats `samples`, for so many seconds; prints and returns the median rate per second.
fn measure(name: &str, threads: usize, samples: usize, seconds: f64, mut work: impl FnMut()) -> f64 {
    work();
    let start = Instant::now();
    let processor_start = processor_seconds();
    let mut durations = vec![];
    while durations.len() < 3 || start.elapsed().as_secs_f64() < seconds {
        let begin = Instant::now();
        work();
        durations.push(begin.elapsed().as_secs_f64());
    }
    let processor = processor_seconds().zip(processor_start).map(|(end, start)| (end - start) / durations.len() as f64);
    durations.sort_by(f64::total_cmp);
    let rate = samples as f64 / durations[durations.len() / 2];
    let per_processor = processor.map_or("?".into(), |seconds| format!("{:.0}", samples as f64 / seconds));
    println!("{name:<28} {threads} thread(s) {rate:>8.0} samples/s, {per_processor:>6} per processor second");
    rate
}

/// Processor time of this process so far, where the system tells it in the manner of Linux (in hundredths of a second).
fn processor_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit(')').next()?.split_whitespace().skip(11);
    let ticks: f64 = fields.next()?.parse::<f64>().ok()? + fields.next()?.parse::<f64>().ok()?;
    Some(ticks / 100.0)
}
