//! Speed of learning and of driving with the shallow network.
//!
//! `cargo bench -p deepracer-policy --bench learner` prints samples per second of wall-clock time (medians) and per second of
//! processor time, for 1 and 2 threads; `BENCH_SECONDS` sets the length of a measurement. `compare_torch.py` in this folder
//! runs it in turns with the same two networks in `PyTorch`.

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
            let samples = BATCH * BATCHES;
            let values = measure(samples, seconds / 4.0, || {
                std::hint::black_box(policy.values(&observations, samples));
            });
            let phase = measure(samples, seconds, || {
                std::hint::black_box(policy.train(&rollout).is_ok());
            });
            values.print("values by the critic", threads);
            phase.print("training phase of one epoch", threads);
            // A phase values every state once before it trains; what remains is forward, loss, backward and Adam.
            phase.without(&values).print("training", threads);
            for count in [1, BATCH] {
                let observations = &observations[..count * spec.observation_bytes()];
                let inference = measure(count, seconds / 4.0, || policy.forward(observations, count, &mut outputs));
                inference.print(&format!("inference, batch {count}"), threads);
            }
        });
    }

    let folder = tempfile::tempdir()?;
    let milliseconds = |name: &str, cost: &Cost| println!("{name:<28} {:>6.0} ms", 1e3 * cost.wall);
    let new = || ClippedPpo::new(spec.clone(), PpoHyperparameters::default(), 1);
    milliseconds("a new policy", &measure(1, 1.0, || drop(new())));
    let save = || policy.save(folder.path(), &serde_json::Value::Null);
    milliseconds("saving a checkpoint", &measure(1, 1.0, || drop(save())));
    milliseconds("loading a checkpoint", &measure(1, 1.0, || drop(ClippedPpo::load(folder.path()))));
    Ok(())
}

/// Seconds per sample.
struct Cost {
    wall: f64,
    processor: f64,
}

impl Cost {
    fn without(&self, part: &Self) -> Self {
        Self { wall: self.wall - part.wall, processor: self.processor - part.processor }
    }

    fn print(&self, name: &str, threads: usize) {
        let (wall, processor) = (1.0 / self.wall, 1.0 / self.processor);
        println!("{name:<28} {threads} thread(s) {wall:>6.0} samples/s {processor:>6.0} samples per processor second");
    }
}

/// Runs `work`, which treats `samples`, for so many seconds: the median of the wall-clock time, the mean of the processor
/// time.
fn measure(samples: usize, seconds: f64, mut work: impl FnMut()) -> Cost {
    work();
    let start = Instant::now();
    let processor_start = processor_seconds();
    let mut durations = vec![];
    while durations.len() < 3 || start.elapsed().as_secs_f64() < seconds {
        let begin = Instant::now();
        work();
        durations.push(begin.elapsed().as_secs_f64());
    }
    let processor = (processor_seconds() - processor_start) / durations.len() as f64;
    durations.sort_by(f64::total_cmp);
    Cost { wall: durations[durations.len() / 2] / samples as f64, processor: processor / samples as f64 }
}

/// Processor time of this process so far, from Linux's `/proc` (in hundredths of a second); not a number elsewhere.
fn processor_seconds() -> f64 {
    let ticks = || {
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        let mut fields = stat.rsplit(')').next()?.split_whitespace().skip(11);
        Some(fields.next()?.parse::<f64>().ok()? + fields.next()?.parse::<f64>().ok()?)
    };
    ticks().map_or(f64::NAN, |ticks| ticks / 100.0)
}
