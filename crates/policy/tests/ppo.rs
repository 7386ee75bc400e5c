//! Clipped PPO from outside: hand-computed numbers, tasks that learn in seconds, the same bytes however it is run.

use std::ops::ControlFlow;

use deepracer_policy::{
    ActionSpec, ActionVector, Choice, ClippedPpo, Exploration, InputShape, InputSpec, LearnError, Phase, PolicyError,
    PolicySpec, PpoHyperparameters, RandomStream, Rollout, Topology, ValueLoss,
};

/// Side of the smallest picture the shallow network takes.
const SIDE: usize = 36;

fn spec(actions: ActionSpec) -> PolicySpec {
    let shape = InputShape::Image { height: SIDE, width: SIDE, channels: 1 };
    PolicySpec {
        inputs: vec![InputSpec { name: "FRONT_FACING_CAMERA".into(), shape }],
        topology: Topology::Shallow,
        actions,
    }
}

fn discrete(num_actions: usize, hyperparameters: PpoHyperparameters, seed: u64) -> ClippedPpo {
    ClippedPpo::new(spec(ActionSpec::Discrete { num_actions }), hyperparameters, seed).expect("a possible policy")
}

/// A picture with a bright column at one of `count` places.
fn picture(place: usize, count: usize) -> Vec<u8> {
    let width = SIDE / count;
    (0..SIDE * SIDE).map(|pixel| if pixel % SIDE / width == place { 230 } else { 20 }).collect()
}

/// The variable of this name, without its scope.
fn values<'a>(policy: &'a ClippedPpo, name: &str) -> &'a [f32] {
    policy.variables().find(|variable| variable.name().ends_with(name)).expect("a variable").values()
}

fn set(policy: &mut ClippedPpo, name: &str, values: &[f32]) {
    let full =
        policy.variables().find(|variable| variable.name().ends_with(name)).expect("a variable").name().to_owned();
    policy.set_variable(&full, values).expect("its size");
}

/// How far the first step of Adam moves a value: −α·m / (√v + ε) with m = 0.1·g, v = 0.001·g², α = lr·√0.001 / 0.1.
fn first_adam_step(lr: f64, gradient: f64) -> f64 {
    -lr * 0.001_f64.sqrt() * gradient / (0.001_f64.sqrt() * gradient.abs() + 1e-5)
}

/// With the weights of the heads at zero, policy and values are known exactly and the first minibatch can be done by hand.
///
/// Logits are the bias (ln 3, 0), so π = (3/4, 1/4); values are the bias 1/2. An episode of rewards 1, 0, 2 and one of −1,
/// with γ = λ = 1/2: δ = 0.75, −0.25, 1.5 and −1.5; A = 0.75 + 0.125/4, −0.25 + 1.5/4, 1.5 and −1.5.
#[test]
fn the_first_minibatch_is_the_one_computed_by_hand() {
    const ADVANTAGES: [f64; 4] = [0.78125, 0.125, 1.5, -1.5];
    // (action, old probabilities, reward); ratios 15/14, 5/6, 3/2 (outside 0.8…1.2) and 5/6.
    const STEPS: [(usize, [f32; 2], f32); 4] =
        [(0, [0.7, 0.3], 1.0), (1, [0.7, 0.3], 0.0), (0, [0.5, 0.5], 2.0), (1, [0.7, 0.3], -1.0)];
    const RATIOS: [f64; 4] = [15.0 / 14.0, 5.0 / 6.0, 1.5, 5.0 / 6.0];
    let mean = |terms: [f64; 4]| terms.iter().sum::<f64>() / 4.0;

    // Errors of the values are −A: squares, or Huber's A²/2 below 1 and |A| − 1/2 above; and their slopes by the bias.
    for (loss, value_loss, value_slope) in [
        (ValueLoss::Mse, ADVANTAGES.map(|a| a * a), ADVANTAGES.map(|a| -2.0 * a)),
        (ValueLoss::Huber, [0.305_175_781_25, 0.007_812_5, 1.0, 1.0], [-0.78125, -0.125, -1.0, 1.0]),
    ] {
        let lr = 1e-3;
        let hyperparameters = PpoHyperparameters {
            num_epochs: 1,
            batch_size: 4,
            lr,
            beta_entropy: 0.1,
            discount_factor: 0.5,
            gae_lambda: 0.5,
            loss,
            ..PpoHyperparameters::default()
        };
        let mut policy = discrete(2, hyperparameters, 1);
        set(&mut policy, "policy_fc/kernel", &vec![0.0; 1024]);
        set(&mut policy, "policy_fc/bias", &[3.0_f32.ln(), 0.0]);
        set(&mut policy, "v_values_head_0/output/kernel", &vec![0.0; 512]);
        set(&mut policy, "v_values_head_0/output/bias", &[0.5]);
        let mut rollout = Rollout::new(policy.spec());
        for (step, (action, old, reward)) in STEPS.iter().enumerate() {
            rollout.push(&picture(step, 4), Choice::Index(*action), old, *reward);
            if step >= 2 {
                rollout.end_episode();
            }
        }
        let report = policy.train(&rollout).expect("training");
        assert_eq!((report.num_steps, report.batch_size, report.epochs.len()), (4, 4, 1));
        let epoch = report.epochs[0];

        let center = mean(ADVANTAGES);
        let spread = mean(ADVANTAGES.map(|a| (a - center).powi(2))).sqrt();
        let normalized = ADVANTAGES.map(|a| (a - center) / (spread + 1e-8));
        let clipped = [RATIOS[0], RATIOS[1], 1.2, RATIOS[3]];
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 2e-6, "{found} {expected}");
        close(epoch.surrogate_loss, -mean([0, 1, 2, 3].map(|step| clipped[step] * normalized[step])));
        close(epoch.value_loss, mean(value_loss));
        close(epoch.clip_fraction, 0.25);
        close(epoch.approximate_kl, mean(RATIOS.map(|r| r - 1.0 - r.ln())));
        let entropy = -(0.75 * 0.75_f64.ln() + 0.25 * 0.25_f64.ln());
        close(epoch.entropy, entropy);
        let divergence = |old: f64| old * (old / 0.75).ln() + (1.0 - old) * ((1.0 - old) / 0.25).ln();
        close(epoch.kl_divergence, (3.0 * divergence(0.7) + divergence(0.5)) / 4.0);
        // A constant critic explains nothing.
        close(report.explained_variance, 0.0);

        // By the first logit: −r·A·(taken − 3/4) where not clipped, and −0.1 times the slope of the entropy,
        // π₀·(−ln π₀ − H). The second logit's is the negative.
        let taken = [1.0, 0.0, 1.0, 0.0];
        let slopes = [0, 1, 2, 3]
            .map(|step| if step == 2 { 0.0 } else { -RATIOS[step] * normalized[step] * (taken[step] - 0.75) });
        let by_logit = mean(slopes) - 0.1 * 0.75 * (-(0.75_f64.ln()) - entropy);
        let bias = values(&policy, "policy_fc/bias");
        close(f64::from(bias[0]), 3.0_f64.ln() + first_adam_step(lr, by_logit));
        close(f64::from(bias[1]), first_adam_step(lr, -by_logit));
        close(
            f64::from(values(&policy, "v_values_head_0/output/bias")[0]),
            0.5 + first_adam_step(lr, mean(value_slope)),
        );
        assert_eq!((policy.optimizer_steps(), policy.training_phases()), (1, 1));
    }
}

/// The continuous twin: mean 0, log σ = (0, ln 2), one step with action (1, −1), A normalised to 0 of a single step would
/// hide the policy term, so two steps with advantages ±1 after normalisation.
#[test]
fn the_first_continuous_minibatch_is_the_one_computed_by_hand() {
    let lr = 1e-3;
    let hyperparameters = PpoHyperparameters {
        num_epochs: 1,
        batch_size: 2,
        lr,
        beta_entropy: 0.1,
        discount_factor: 0.0,
        ..PpoHyperparameters::default()
    };
    let mut policy =
        ClippedPpo::new(spec(ActionSpec::Continuous { num_dims: 2 }), hyperparameters, 1).expect("a possible policy");
    set(&mut policy, "policy_mean/kernel", &vec![0.0; 1024]);
    set(&mut policy, "policy_log_std", &[0.0, 2.0_f32.ln()]);
    set(&mut policy, "v_values_head_0/output/kernel", &vec![0.0; 512]);
    assert!(
        policy
            .std()
            .expect("a continuous policy")
            .iter()
            .zip([1.0, 2.0])
            .all(|(std, expected)| (std - expected).abs() < 1e-6)
    );
    let mut rollout = Rollout::new(policy.spec());
    // Beyond ±1: stored as sampled. Old means are 0 in the first dimension, 0.2 in the second.
    rollout.push(&picture(0, 2), Choice::Vector(ActionVector::new(&[1.5, -1.0])), &[0.0, 0.2], 3.0);
    rollout.push(&picture(1, 2), Choice::Vector(ActionVector::new(&[-0.5, 0.0])), &[0.0, 0.2], 1.0);
    rollout.end_episode();
    let epoch = policy.train(&rollout).expect("training").epochs[0];

    // log r = −½((a/2)² − ((a − 0.2)/2)²) in the second dimension: −½(0.25 − 0.36) = 0.055 and −½(0 − 0.01) = 0.005.
    let ratios = [0.055_f64.exp(), 0.005_f64.exp()];
    let close = |found: f64, expected: f64| assert!((found - expected).abs() < 2e-6, "{found} {expected}");
    close(epoch.surrogate_loss, -(ratios[0] - ratios[1]) / 2.0);
    close(epoch.approximate_kl, (ratios[0] - 1.0 - 0.055 + ratios[1] - 1.0 - 0.005) / 2.0);
    close(epoch.kl_divergence, 0.04 / (2.0 * 4.0));
    close(epoch.entropy, (std::f64::consts::TAU * std::f64::consts::E).ln() + 2.0_f64.ln());
    // Means: −r·A·a/σ²; log σ: −r·A·((a/σ)² − 1) − 0.1 per dimension (the entropy is Σ log σ + a constant).
    let expected_means = [-(ratios[0] * 1.5 - ratios[1] * -0.5) / 2.0, ratios[0] / 4.0 / 2.0];
    let expected_log_std = [
        -(ratios[0] * (2.25 - 1.0) - ratios[1] * (0.25 - 1.0)) / 2.0 - 0.1,
        -(ratios[0] * (0.25 - 1.0) - ratios[1] * (0.0 - 1.0)) / 2.0 - 0.1,
    ];
    for dimension in 0..2 {
        let bias = values(&policy, "policy_mean/bias")[dimension];
        close(f64::from(bias), first_adam_step(lr, expected_means[dimension]));
        let start = [0.0, 2.0_f64.ln()][dimension];
        let log_std = values(&policy, "policy_log_std")[dimension];
        close(f64::from(log_std), start + first_adam_step(lr, expected_log_std[dimension]));
    }
}

/// Training steps of a rollout: what each hyperparameter says about minibatches.
#[test]
fn minibatches_follow_the_rules() {
    for (steps, batch_size, partial, expected_batch, expected_updates) in [
        (10, 4, false, 4, 2),
        (10, 4, true, 4, 3),
        (8, 8, false, 8, 1),
        (7, 8, false, 4, 1),
        (7, 8, true, 4, 2),
        (1, 64, false, 1, 1),
    ] {
        let hyperparameters = PpoHyperparameters {
            num_epochs: 2,
            batch_size,
            include_last_partial_batch: partial,
            ..PpoHyperparameters::default()
        };
        let mut policy = discrete(2, hyperparameters, 1);
        let mut rollout = Rollout::new(policy.spec());
        for step in 0..steps {
            rollout.push(&picture(step % 4, 4), Choice::Index(step % 2), &[0.5, 0.5], step as f32);
        }
        rollout.end_episode();
        let report = policy.train(&rollout).expect("training");
        assert_eq!(
            (report.batch_size, policy.optimizer_steps()),
            (expected_batch, 2 * expected_updates),
            "{steps} {batch_size}"
        );
    }
}

/// Trains `iterations` times on `episodes` episodes of a task. An episode shows observations to the policy and returns the
/// rewards of its steps.
fn learn(
    policy: &mut ClippedPpo,
    iterations: usize,
    episodes: usize,
    mut episode: impl FnMut(&mut RandomStream, &mut dyn FnMut(&[u8]) -> Choice) -> Vec<f32>,
) {
    let mut world = RandomStream::new(policy.seed(), "world");
    let mut exploration = RandomStream::new(policy.seed(), "exploration");
    let mut rollout = Rollout::new(policy.spec());
    let mut output = vec![];
    for _ in 0..iterations {
        rollout.clear();
        for _ in 0..episodes {
            let mut steps = vec![];
            let rewards = episode(&mut world, &mut |observation| {
                policy.forward(observation, 1, &mut output);
                let choice = policy.choose(&output, Phase::Train, &mut exploration, 0);
                steps.push((observation.to_vec(), choice, output.clone()));
                choice
            });
            for ((observation, choice, output), reward) in steps.iter().zip(rewards) {
                rollout.push(observation, *choice, output, reward);
            }
            rollout.end_episode();
        }
        policy.train(&rollout).expect("training");
    }
}

fn index(choice: Choice) -> usize {
    match choice {
        Choice::Index(index) => index,
        Choice::Vector(_) => panic!("a discrete policy"),
    }
}

/// A contextual bandit: the bright column says which of three actions pays.
#[test]
fn a_bandit_on_pictures_is_learned() {
    let hyperparameters = PpoHyperparameters { lr: 1e-3, ..PpoHyperparameters::default() };
    let mut policy = discrete(3, hyperparameters, 3);
    learn(&mut policy, 6, 128, |world, act| {
        let place = world.index(3);
        vec![if index(act(&picture(place, 3))) == place { 1.0 } else { 0.0 }]
    });
    let pictures: Vec<u8> = (0..3).flat_map(|place| picture(place, 3)).collect();
    let mut output = vec![];
    policy.forward(&pictures, 3, &mut output);
    for place in 0..3 {
        assert!(output[place * 3 + place] > 0.8, "{output:?}");
    }
}

/// A corridor of six places, start in the third: only the right end pays, each step costs nothing, and the value of a place
/// must be carried back from the end by the advantage estimation.
#[test]
fn a_corridor_with_a_delayed_reward_is_learned() {
    const PLACES: usize = 6;
    let hyperparameters = PpoHyperparameters { lr: 1e-3, discount_factor: 0.9, ..PpoHyperparameters::default() };
    let mut policy = discrete(2, hyperparameters, 5);
    learn(&mut policy, 10, 24, |_, act| {
        let mut place = 2;
        let mut rewards = vec![];
        while rewards.len() < 12 && place + 1 < PLACES {
            let right = index(act(&picture(place, PLACES))) == 1;
            place = if right { place + 1 } else { place.saturating_sub(1) };
            rewards.push(if place + 1 == PLACES { 1.0 } else { 0.0 });
        }
        rewards
    });
    let pictures: Vec<u8> = (0..PLACES - 1).flat_map(|place| picture(place, PLACES)).collect();
    let mut output = vec![];
    policy.forward(&pictures, PLACES - 1, &mut output);
    assert!(output.chunks_exact(2).all(|row| row[1] > 0.7), "{output:?}");
    // The nearer the end, the larger the value.
    let values = policy.values(&pictures, PLACES - 1);
    assert!(values[2..].windows(2).all(|pair| pair[0] < pair[1]), "{values:?}");
}

/// A continuous target that depends on the picture; the deviation must shrink by itself.
#[test]
fn a_continuous_target_is_learned() {
    const TARGETS: [[f32; 2]; 2] = [[0.6, -0.4], [-0.5, 0.7]];
    let hyperparameters =
        PpoHyperparameters { lr: 1e-3, num_epochs: 10, beta_entropy: 0.0, ..PpoHyperparameters::default() };
    let mut policy =
        ClippedPpo::new(spec(ActionSpec::Continuous { num_dims: 2 }), hyperparameters, 7).expect("a possible policy");
    learn(&mut policy, 20, 128, |world, act| {
        let place = world.index(2);
        let Choice::Vector(vector) = act(&picture(place, 2)) else { panic!("a continuous policy") };
        vec![-vector.iter().zip(TARGETS[place]).map(|(value, target)| (value - target).powi(2)).sum::<f32>()]
    });
    let pictures: Vec<u8> = (0..2).flat_map(|place| picture(place, 2)).collect();
    let mut output = vec![];
    policy.forward(&pictures, 2, &mut output);
    for (found, target) in output.iter().zip(TARGETS.as_flattened()) {
        assert!((found - target).abs() < 0.25, "{output:?}");
    }
    assert!(policy.std().expect("a continuous policy").iter().all(|std| *std < 0.8));
}

#[test]
fn choices_follow_phase_and_exploration() {
    let row = [0.1, 0.6, 0.3];
    let frequencies = |policy: &ClippedPpo, phase, steps| {
        let mut random = RandomStream::new(1, "choices");
        let mut counts = [0.0; 3];
        (0..10_000).for_each(|_| counts[index(policy.choose(&row, phase, &mut random, steps))] += 1e-4);
        counts
    };
    let close = |found: [f64; 3], expected: [f64; 3]| {
        found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 0.02)
    };

    let categorical = discrete(3, PpoHyperparameters::default(), 1);
    assert!(close(frequencies(&categorical, Phase::Train, 0), [0.1, 0.6, 0.3]));
    assert_eq!(index(categorical.choose(&row, Phase::Evaluate, &mut RandomStream::new(1, ""), 0)), 1);

    let exploration = Exploration::EGreedy { final_epsilon: 0.05, steps: 1000 };
    let greedy = discrete(3, PpoHyperparameters { exploration, ..PpoHyperparameters::default() }, 1);
    let third = 1.0 / 3.0;
    assert!(close(frequencies(&greedy, Phase::Train, 0), [third; 3]));
    // Half-way ε is 0.525.
    let share = 0.525 * third;
    assert!(close(frequencies(&greedy, Phase::Train, 500), [share, 0.475 + share, share]));
    assert!(close(frequencies(&greedy, Phase::Train, 5000), [0.05 * third, 0.95 + 0.05 * third, 0.05 * third]));
    assert_eq!(frequencies(&greedy, Phase::Evaluate, 0)[1] as f32, 1.0);

    let gaussian = ClippedPpo::new(spec(ActionSpec::Continuous { num_dims: 2 }), PpoHyperparameters::default(), 1)
        .expect("possible");
    let mut random = RandomStream::new(1, "gaussian");
    assert_eq!(
        gaussian.choose(&[0.3, 1.7], Phase::Evaluate, &mut random, 0),
        Choice::Vector(ActionVector::new(&[0.3, 1.7]))
    );
    let samples: Vec<f32> = (0..10_000)
        .map(|_| match gaussian.choose(&[0.3, 1.7], Phase::Train, &mut random, 0) {
            Choice::Vector(vector) => vector[1],
            Choice::Index(_) => panic!("a continuous policy"),
        })
        .collect();
    let mean = samples.iter().sum::<f32>() / 1e4;
    let std = (samples.iter().map(|sample| (sample - mean).powi(2)).sum::<f32>() / 1e4).sqrt();
    assert!((mean - 1.7).abs() < 0.03 && (std - 1.0).abs() < 0.03, "{mean} {std}");
}

#[test]
fn unusable_rollouts_are_refused() {
    let mut policy = discrete(2, PpoHyperparameters::default(), 1);
    let mut rollout = Rollout::new(policy.spec());
    assert_eq!(policy.train(&rollout), Err(LearnError::EmptyRollout));
    rollout.push(&picture(0, 2), Choice::Index(0), &[0.5, 0.5], 1.0);
    assert_eq!(policy.train(&rollout), Err(LearnError::EmptyRollout), "the episode has not ended");
    rollout.push(&picture(1, 2), Choice::Index(0), &[0.5, 0.5], f32::INFINITY);
    rollout.end_episode();
    assert_eq!(policy.train(&rollout), Err(LearnError::Reward { step: 1, reward: f32::INFINITY }));
    let error =
        discrete(3, PpoHyperparameters::default(), 1).train(&rollout).expect_err("another action space").to_string();
    assert!(error.contains("2 discrete actions") && error.contains("3 discrete actions"), "{error}");
}

#[test]
fn a_loss_that_is_not_a_number_stops_training() {
    let mut policy = discrete(2, PpoHyperparameters::default(), 1);
    set(&mut policy, "policy_fc/bias", &[f32::NAN, 0.0]);
    let mut rollout = Rollout::new(policy.spec());
    rollout.push(&picture(0, 2), Choice::Index(0), &[0.5, 0.5], 1.0);
    rollout.end_episode();
    let error = policy.train(&rollout).expect_err("not a number");
    assert_eq!(error, LearnError::NotANumber { epoch: 0, minibatch: 0 });
    assert!(error.to_string().starts_with("NaN detected in loss function, aborting training."));
}

#[test]
fn impossible_hyperparameters_are_named() {
    let error = |hyperparameters| {
        let spec = spec(ActionSpec::Discrete { num_actions: 2 });
        ClippedPpo::new(spec, hyperparameters, 1).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let default = PpoHyperparameters::default;
    assert!(
        error(PpoHyperparameters { batch_size: 0, ..default() }).starts_with("the hyperparameter batch_size is 0;")
    );
    assert!(error(PpoHyperparameters { lr: -1.0, ..default() }).starts_with("the hyperparameter lr is -1;"));
    assert!(error(PpoHyperparameters { lr: f64::NAN, ..default() }).contains("above 0"));
    assert!(
        error(PpoHyperparameters { discount_factor: 1.1, ..default() })
            .contains("discount_factor is 1.1; it must be from 0 to 1")
    );
    let spec = PolicySpec { inputs: vec![], ..spec(ActionSpec::Discrete { num_actions: 2 }) };
    assert!(matches!(ClippedPpo::new(spec, default(), 1), Err(PolicyError::Spec(_))));
}

#[test]
fn training_can_be_ended_after_an_epoch() {
    let mut policy = discrete(2, PpoHyperparameters { num_epochs: 9, ..PpoHyperparameters::default() }, 1);
    let mut rollout = Rollout::new(policy.spec());
    rollout.push(&picture(0, 2), Choice::Index(0), &[0.5, 0.5], 1.0);
    rollout.end_episode();
    let stop = |epoch: usize, _: &_| if epoch == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    assert_eq!(policy.train_with(&rollout, stop).expect("training").epochs.len(), 3);
}

#[test]
fn rollouts_keep_complete_episodes_only() {
    let spec = spec(ActionSpec::Discrete { num_actions: 2 });
    let step = |rollout: &mut Rollout| rollout.push(&picture(0, 2), Choice::Index(0), &[0.5, 0.5], 1.0);
    let mut rollout = Rollout::new(&spec);
    step(&mut rollout);
    step(&mut rollout);
    rollout.end_episode();
    step(&mut rollout);
    rollout.begin_episode();
    rollout.end_episode();
    assert_eq!((rollout.num_steps(), rollout.num_episodes()), (2, 1));
    let mut other = rollout.clone();
    step(&mut other);
    rollout.append(&mut other);
    assert_eq!((rollout.num_steps(), rollout.num_episodes()), (4, 2));
    assert_eq!((other.num_steps(), other.num_episodes()), (0, 0));
    rollout.clear();
    assert_eq!((rollout.num_steps(), rollout.num_episodes()), (0, 0));
}
