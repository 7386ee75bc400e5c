//! How a race is seen: a baked world and the sensors that look at it.

use std::sync::Arc;

use deepracer_sensor::{Appearance, Moment, ObservationCamera, Pixels, Scene, Scratch, Sensor, Variety};

use crate::race::Race;

/// A baked world and the agent's sensors. Shared by all races in that world; cheap to clone.
///
/// One observation is a run of [`observation_bytes`](Self::observation_bytes) bytes: the sensors' observations one
/// after the other, in alphabetical order of their names, as the networks take them.
#[derive(Clone, Debug)]
pub struct View {
    scene: Arc<Scene>,
    sensors: Arc<[(String, Sensor)]>,
    observation_bytes: usize,
    variety: Option<Arc<Variety>>,
}

impl View {
    /// The view of named sensors, given in any order.
    pub fn new(scene: Arc<Scene>, mut sensors: Vec<(String, Sensor)>) -> Self {
        sensors.sort_by(|a, b| a.0.cmp(&b.0));
        let observation_bytes = sensors.iter().map(|(_, sensor)| sensor.num_bytes()).sum();
        Self { scene, sensors: sensors.into(), observation_bytes, variety: None }
    }

    /// The view through a single camera.
    pub fn through(scene: Arc<Scene>, camera: Arc<ObservationCamera>, pixels: Pixels) -> Self {
        Self::new(scene, vec![("camera".to_owned(), Sensor::Camera { camera, pixels })])
    }

    /// The same view, in which episodes differ: everything is drawn from their seeds.
    #[must_use]
    pub fn with_variety(self, variety: Variety) -> Self {
        let variety = (variety != Variety::default()).then(|| Arc::new(variety));
        Self { variety, ..self }
    }

    /// How the world looks in the episode of a race, for spectators.
    pub fn appearance(&self, race: &Race) -> Appearance {
        match &self.variety {
            Some(variety) => variety.appearance(&self.scene, race.seed()),
            None => Appearance::of(&self.scene),
        }
    }

    /// The baked world.
    pub fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }

    /// The sensors with their names, in alphabetical order.
    pub fn sensors(&self) -> &[(String, Sensor)] {
        &self.sensors
    }

    /// Bytes of one observation.
    pub fn observation_bytes(&self) -> usize {
        self.observation_bytes
    }

    /// Writes what the car of `race` observes now.
    ///
    /// # Panics
    /// When `out` is not [`observation_bytes`](Self::observation_bytes) long.
    pub fn observe(&self, race: &Race, scratch: &mut Scratch, out: &mut [u8]) {
        assert_eq!(out.len(), self.observation_bytes, "the observation's buffer has the wrong length");
        let moment = Moment {
            origin: race.vehicle().origin(),
            yaw_rad: race.vehicle().yaw_rad(),
            bodies: race.bodies(),
            step: race.num_steps(),
            seed: race.seed(),
            variety: self.variety.as_deref(),
        };
        let mut rest = out;
        for (_, sensor) in &*self.sensors {
            let (own, others) = std::mem::take(&mut rest).split_at_mut(sensor.num_bytes());
            sensor.observe(&self.scene, &moment, scratch, own);
            rest = others;
        }
    }
}
