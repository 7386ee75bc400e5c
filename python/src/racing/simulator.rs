//! Races for an environment.

use deepracer_race::{Action, Batch, EpisodeStatus, Race, Step};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray1, PyReadwriteArray2, PyReadwriteArray3};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;

use super::entrant::{Entrant, Wish, is_ending};
use super::objects::{self, Position};
use super::observation::{ObservationLayout, Slices};
use super::options::RaceOptions;
use super::reward::{self, Reward};
use super::{columns, spectators, state, threads};
use crate::params::{self, Waypoints};

/// Fewer races than this are stepped on the calling thread: waking others would take longer.
const FEW: usize = 32;

/// What the latest step of a race is worth judging.
enum Judged {
    /// Nothing: the episode has only begun.
    Nothing,
    /// The latest step.
    Latest,
    /// The step that ended the episode before; a new one has begun since.
    Final(Box<Final>),
}

/// The end of an episode.
struct Final {
    step: Step,
    direction: deepracer_track::Direction,
}

/// Races that are stepped together. One thread at a time may use it.
#[pyclass(module = "deepracer_native._native")]
pub(crate) struct Simulator {
    batch: Batch,
    field: Field,
    actions: Vec<Action>,
    steps: Vec<Step>,
    raw: Vec<u8>,
    layout: ObservationLayout,
    num_threads: usize,
}

/// The races apart from what the batch holds, and what judges them.
struct Field {
    entrants: Vec<Entrant>,
    judged: Vec<Judged>,
    rewards: Vec<Reward>,
    /// Converts or refuses what a reward function returned when that is not a finite float.
    checked: Py<PyAny>,
    waypoints: Waypoints,
}

#[pymethods]
#[expect(clippy::needless_pass_by_value, reason = "arguments from Python are owned")]
impl Simulator {
    #[new]
    #[pyo3(signature = (races, rewards, checked, num_threads=None))]
    fn new(
        py: Python<'_>,
        races: Vec<RaceOptions>,
        rewards: Vec<Bound<'_, PyAny>>,
        checked: Py<PyAny>,
        num_threads: Option<usize>,
    ) -> PyResult<Self> {
        if rewards.len() != races.len() {
            return Err(PyValueError::new_err("there must be a reward for each race"));
        }
        let built = races.into_iter().map(|race| race.build(py)).collect::<PyResult<Vec<_>>>()?;
        let Some((_, first)) = built.first() else {
            return Err(PyValueError::new_err("there must be at least one race"));
        };
        let layout = ObservationLayout::of(first);
        if built.iter().any(|(_, view)| !ObservationLayout::of(view).is_same(&layout)) {
            return Err(PyValueError::new_err("all races of a simulator need the same sensors"));
        }
        let num_races = built.len();
        let (entrants, views): (Vec<Entrant>, Vec<_>) = built.into_iter().unzip();
        let races = entrants.iter().map(|entrant| Race::new(entrant.scenario.clone())).zip(views).collect();
        Ok(Self {
            batch: Batch::new(races),
            field: Field {
                entrants,
                judged: (0..num_races).map(|_| Judged::Nothing).collect(),
                rewards: rewards.iter().map(Reward::from_python).collect::<PyResult<_>>()?,
                checked,
                waypoints: Waypoints::default(),
            },
            actions: vec![Action::default(); num_races],
            steps: vec![Step::default(); num_races],
            raw: vec![0; num_races * layout.num_bytes()],
            layout,
            num_threads: num_threads.unwrap_or_else(threads::num_available).clamp(1, num_races),
        })
    }

    #[getter]
    fn num_races(&self) -> usize {
        self.field.entrants.len()
    }

    #[getter]
    fn num_threads(&self) -> usize {
        self.num_threads
    }

    #[getter]
    fn sensors(&self) -> Vec<(String, Vec<usize>, &'static str)> {
        self.layout.describe()
    }

    fn set_reward(&mut self, race: usize, reward: &Bound<'_, PyAny>) -> PyResult<()> {
        self.check(race)?;
        self.field.rewards[race] = Reward::from_python(reward)?;
        Ok(())
    }

    fn seed(&mut self, race: usize, seed: u64) -> PyResult<()> {
        self.check(race)?;
        self.field.entrants[race].seed(seed);
        Ok(())
    }

    #[pyo3(signature = (race, start=None, anywhere=false, reversed=None, objects=None))]
    fn begin(
        &mut self,
        race: usize,
        start: Option<f64>,
        anywhere: bool,
        reversed: Option<bool>,
        objects: Option<Vec<Position>>,
    ) -> PyResult<()> {
        self.check(race)?;
        if start.is_some_and(|start| !(0.0..1.0).contains(&start)) {
            return Err(PyValueError::new_err("a start is a fraction of the track from 0 up to 1"));
        }
        let chosen = self.field.entrants[race].choose_obstacles(objects.as_deref().map(objects::places));
        if let Some(scenario) = chosen.map_err(|error| PyValueError::new_err(error.to_string()))? {
            self.batch.race_mut(race).enter(scenario);
        }
        self.begin_episode(race, Wish { ndist: start, anywhere, reversed });
        self.field.judged[race] = Judged::Nothing;
        Ok(())
    }

    /// Begins the next episode of every race whose episode has ended, and keeps the final step to be judged.
    fn begin_ended(&mut self) {
        for race in 0..self.field.entrants.len() {
            let entrant = &self.field.entrants[race];
            if entrant.step.done {
                let last = Final { step: entrant.step.clone(), direction: entrant.direction };
                self.begin_episode(race, Wish::default());
                self.field.judged[race] = Judged::Final(Box::new(last));
            }
        }
    }

    fn drive(&mut self, race: usize, index: i64) -> PyResult<(bool, bool)> {
        self.check(race)?;
        let action = self.field.entrants[race].actions.at(index);
        self.drive_one(race, action)
    }

    fn drive_values(&mut self, race: usize, steering: f64, speed: f64) -> PyResult<(bool, bool)> {
        self.check(race)?;
        let action = self.field.entrants[race].actions.of([steering, speed]);
        self.drive_one(race, action)
    }

    fn step(
        &mut self,
        py: Python<'_>,
        actions: PyReadonlyArray1<'_, i64>,
        begin_ended: bool,
        terminated: PyReadwriteArray1<'_, bool>,
        truncated: PyReadwriteArray1<'_, bool>,
    ) -> PyResult<usize> {
        let actions = actions.as_array();
        self.check_number(actions.len())?;
        for (race, index) in actions.iter().enumerate() {
            let action = self.field.entrants[race].actions.at(*index);
            self.plan(race, action, begin_ended)?;
        }
        self.step_all(py, terminated, truncated)
    }

    fn step_values(
        &mut self,
        py: Python<'_>,
        actions: PyReadonlyArray2<'_, f64>,
        begin_ended: bool,
        terminated: PyReadwriteArray1<'_, bool>,
        truncated: PyReadwriteArray1<'_, bool>,
    ) -> PyResult<usize> {
        let actions = actions.as_array();
        self.check_number(actions.nrows())?;
        if actions.ncols() != 2 {
            return Err(PyValueError::new_err("a continuous action has 2 numbers"));
        }
        for (race, values) in actions.outer_iter().enumerate() {
            let action = self.field.entrants[race].actions.of([values[0], values[1]]);
            self.plan(race, action, begin_ended)?;
        }
        self.step_all(py, terminated, truncated)
    }

    /// Asks the sensors of all races; with `rewards`, judges the latest step of each meanwhile.
    #[pyo3(signature = (arrays, rewards=None))]
    fn observe(
        &mut self,
        py: Python<'_>,
        arrays: Vec<Bound<'_, PyAny>>,
        rewards: Option<PyReadwriteArray1<'_, f64>>,
    ) -> PyResult<()> {
        let num_races = self.field.entrants.len();
        let mut arrays = self.layout.arrays(&arrays, num_races)?;
        let mut out = arrays.slices()?;
        let Self { batch, raw, layout, field, .. } = self;
        let Some(mut rewards) = rewards else {
            let threads = Threads::for_races(py, num_races, self.num_threads)?;
            py.detach(|| threads.install(|| draw(batch, layout, raw, &mut out)));
            return Ok(());
        };
        let rewards = rewards.as_slice_mut()?;
        if rewards.len() != num_races {
            return Err(PyValueError::new_err(format!("{} rewards for {num_races} races", rewards.len())));
        }
        if num_races == 1 || field.rewards.iter().all(|reward| matches!(reward, Reward::BuiltIn(_))) {
            let threads = Threads::for_races(py, num_races, self.num_threads)?;
            py.detach(|| threads.install(|| draw(batch, layout, raw, &mut out)));
            return field.judge(py, rewards);
        }
        // The user's code runs here, on this thread, while the pool draws.
        let pool = threads::pool(py, self.num_threads)?;
        pool.in_place_scope(|scope| {
            scope.spawn(|_| draw(batch, layout, raw, &mut out));
            field.judge(py, rewards)
        })
    }

    fn observe_one(&mut self, py: Python<'_>, race: usize, arrays: Vec<Bound<'_, PyAny>>) -> PyResult<()> {
        self.check(race)?;
        let mut arrays = self.layout.arrays(&arrays, 1)?;
        let mut out = arrays.slices()?;
        let Self { batch, raw, layout, .. } = self;
        py.detach(|| {
            let raw = &mut raw[..layout.num_bytes()];
            batch.observe_one(race, raw);
            layout.scatter(raw, &mut out);
        });
        Ok(())
    }

    /// Lets a camera follow every car from now on.
    fn watch(&mut self) {
        for (race, entrant) in self.field.entrants.iter_mut().enumerate() {
            entrant.watch(self.batch.race(race).vehicle());
        }
    }

    /// Columns and rows of spectators' pictures.
    #[classattr]
    const SPECTATOR_SIZE: [usize; 2] = spectators::SIZE;

    /// Draws a race as a spectator's camera sees it, into `[480, 640, 3]`.
    fn spectate(&self, race: usize, camera: &str, mut out: PyReadwriteArray3<'_, u8>) -> PyResult<()> {
        self.check(race)?;
        let out = out.as_slice_mut()?;
        if out.len() != spectators::SIZE.iter().product::<usize>() * 3 {
            return Err(PyValueError::new_err("the array for the picture has the wrong size"));
        }
        spectators::draw(camera, &self.field.entrants[race], self.batch.race(race), out)
    }

    /// Judges the latest step of each race.
    fn judge(&mut self, py: Python<'_>, mut rewards: PyReadwriteArray1<'_, f64>) -> PyResult<()> {
        let rewards = rewards.as_slice_mut()?;
        self.check_number(rewards.len())?;
        self.field.judge(py, rewards)
    }

    fn states(&self, py: Python<'_>, mut out: PyReadwriteArray2<'_, f32>) -> PyResult<()> {
        let out = out.as_slice_mut()?;
        let num_races = self.field.entrants.len();
        if out.len() != num_races * state::NAMES.len() {
            return Err(PyValueError::new_err("the array for the states has the wrong size"));
        }
        let (entrants, batch) = (&self.field.entrants, &self.batch);
        let write = |(race, out): (usize, &mut [f32])| state::write(&entrants[race], batch.race(race), out);
        let threads = Threads::for_races(py, num_races / FEW, self.num_threads)?;
        py.detach(|| match &threads {
            Threads::Calling => out.chunks_exact_mut(state::NAMES.len()).enumerate().for_each(write),
            Threads::Pool(pool) => pool.install(|| {
                out.par_chunks_exact_mut(state::NAMES.len()).enumerate().with_min_len(FEW).for_each(write);
            }),
        });
        Ok(())
    }

    fn state_of(&self, race: usize, mut out: PyReadwriteArray1<'_, f32>) -> PyResult<()> {
        self.check(race)?;
        let out = out.as_slice_mut()?;
        if out.len() != state::NAMES.len() {
            return Err(PyValueError::new_err("the array for the state has the wrong size"));
        }
        state::write(&self.field.entrants[race], self.batch.race(race), out);
        Ok(())
    }

    fn reward_params<'py>(&mut self, py: Python<'py>, race: usize) -> PyResult<Bound<'py, PyDict>> {
        self.check(race)?;
        let Field { entrants, waypoints, .. } = &mut self.field;
        let entrant = &entrants[race];
        let waypoints = waypoints.list(py, entrant.track())?;
        params::dictionary(py, &entrant.step.params, waypoints)
    }

    fn episode_status<'py>(&self, py: Python<'py>, race: usize) -> PyResult<Bound<'py, PyDict>> {
        self.check(race)?;
        let status = self.field.entrants[race].step.status;
        let dictionary = PyDict::new(py);
        for state in EpisodeStatus::ALL {
            dictionary.set_item(state.code(), state == status && is_ending(state))?;
        }
        Ok(dictionary)
    }

    fn reward_params_columns<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns::reward_params(py, &self.field.entrants, &mut self.field.waypoints)
    }

    fn episode_status_columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        columns::episode_status(py, &self.field.entrants)
    }

    /// Name and length of the track a race is on.
    fn track(&self, race: usize) -> PyResult<(String, f64)> {
        self.check(race)?;
        let track = self.field.entrants[race].track();
        Ok((track.name().to_owned(), track.length_m()))
    }

    /// Whether the waypoints of a race's track run counter-clockwise.
    fn runs_counterclockwise(&self, race: usize) -> PyResult<bool> {
        self.check(race)?;
        Ok(self.field.entrants[race].scenario.forward.is_ccw())
    }
}

impl Simulator {
    fn check(&self, race: usize) -> PyResult<()> {
        let num_races = self.field.entrants.len();
        if race < num_races {
            return Ok(());
        }
        Err(PyIndexError::new_err(format!("there is no race {race}: the simulator has {num_races}")))
    }

    fn check_number(&self, number: usize) -> PyResult<()> {
        let num_races = self.field.entrants.len();
        if number == num_races {
            return Ok(());
        }
        Err(PyValueError::new_err(format!("{number} values for {num_races} races")))
    }

    /// Begins the next episode of a race, the motionless first step included.
    fn begin_episode(&mut self, race: usize, wish: Wish) {
        let entrant = &mut self.field.entrants[race];
        let (start, seed) = entrant.next_start(wish);
        self.batch.reset(race, start, seed);
        let step = &mut self.steps[race];
        self.batch.race_mut(race).step_into(Action::default(), step);
        entrant.note(step);
        entrant.show(self.batch.race(race).vehicle());
    }

    fn drive_one(&mut self, race: usize, action: Option<Action>) -> PyResult<(bool, bool)> {
        let action = action.ok_or_else(|| no_such_action(race))?;
        let entrant = &mut self.field.entrants[race];
        if !entrant.is_running {
            return Err(not_running(race));
        }
        let step = &mut self.steps[race];
        self.batch.race_mut(race).step_into(action, step);
        entrant.note(step);
        entrant.show(self.batch.race(race).vehicle());
        self.field.judged[race] = Judged::Latest;
        Ok((entrant.is_terminated(), entrant.is_truncated()))
    }

    /// What a race does in the step to come: begin its next episode if it has none and may, else drive.
    fn plan(&mut self, race: usize, action: Option<Action>, begin_ended: bool) -> PyResult<()> {
        let entrant = &mut self.field.entrants[race];
        if entrant.is_running {
            self.actions[race] = action.ok_or_else(|| no_such_action(race))?;
            self.field.judged[race] = Judged::Latest;
        } else if begin_ended && entrant.step.done {
            let (start, seed) = entrant.next_start(Wish::default());
            self.batch.reset(race, start, seed);
            // The first step of an episode is motionless, whatever the action.
            self.actions[race] = Action::default();
            self.field.judged[race] = Judged::Nothing;
        } else {
            return Err(not_running(race));
        }
        Ok(())
    }

    /// Steps all races as planned; returns how many episodes ended.
    fn step_all(
        &mut self,
        py: Python<'_>,
        mut terminated: PyReadwriteArray1<'_, bool>,
        mut truncated: PyReadwriteArray1<'_, bool>,
    ) -> PyResult<usize> {
        let (terminated, truncated) = (terminated.as_slice_mut()?, truncated.as_slice_mut()?);
        self.check_number(terminated.len())?;
        self.check_number(truncated.len())?;
        let threads = Threads::for_races(py, self.field.entrants.len() / FEW, self.num_threads)?;
        let Self { batch, actions, steps, field, .. } = self;
        Ok(py.detach(|| {
            threads.install(|| batch.advance(actions, steps));
            let mut num_ended = 0;
            for (race, (entrant, step)) in field.entrants.iter_mut().zip(steps).enumerate() {
                entrant.note(step);
                entrant.show(batch.race(race).vehicle());
                terminated[race] = entrant.is_terminated();
                truncated[race] = entrant.is_truncated();
                num_ended += usize::from(entrant.step.done);
            }
            num_ended
        }))
    }
}

impl Field {
    /// The reward of each race's latest step, in order.
    fn judge(&mut self, py: Python<'_>, rewards: &mut [f64]) -> PyResult<()> {
        for (race, out) in rewards.iter_mut().enumerate() {
            let entrant = &self.entrants[race];
            let (params, track) = match &self.judged[race] {
                Judged::Nothing => {
                    *out = 0.0;
                    continue;
                }
                Judged::Latest => (&entrant.step.params, entrant.track()),
                Judged::Final(last) => (&last.step.params, entrant.scenario.track(last.direction)),
            };
            *out = match &self.rewards[race] {
                Reward::BuiltIn(reward) => reward.of(params),
                Reward::Function(function) => {
                    reward::call(py, function, &self.checked, params, track, &mut self.waypoints)?
                }
            };
        }
        Ok(())
    }
}

/// Where work is done.
enum Threads {
    /// On the thread that asks: there is too little of it.
    Calling,
    Pool(std::sync::Arc<rayon::ThreadPool>),
}

impl Threads {
    fn for_races(py: Python<'_>, num_portions: usize, num_threads: usize) -> PyResult<Self> {
        if num_portions <= 1 { Ok(Self::Calling) } else { Ok(Self::Pool(threads::pool(py, num_threads)?)) }
    }

    fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match self {
            Self::Calling => work(),
            Self::Pool(pool) => pool.install(work),
        }
    }
}

fn draw(batch: &mut Batch, layout: &ObservationLayout, raw: &mut [u8], out: &mut Slices<'_>) {
    batch.observe(raw);
    layout.scatter(raw, out);
}

fn no_such_action(race: usize) -> PyErr {
    PyValueError::new_err(format!("race {race} has no such action"))
}

fn not_running(race: usize) -> PyErr {
    PyRuntimeError::new_err(format!("race {race} runs no episode: begin one first"))
}
