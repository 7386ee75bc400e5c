//! What the car perceives: cameras and the software renderer.
//!
//! A [`Scene`] is a world baked for drawing; a [`Camera`] is a mount and a lens; an [`ObservationCamera`] draws the
//! small pictures that policies see, tens of thousands per second.
//!
//! ```
//! use deepracer_sensor::{Camera, Moment, Pixels, Quality, Scene, Scratch};
//! use deepracer_track::Library;
//! use deepracer_world::{World, look};
//!
//! let route = Library::new(None).load("reinvent_base")?;
//! let scene = Scene::bake(&World::build(&route, &look::find("reinvent_base")));
//! let camera = Camera::front(0.0).observation(&scene, Quality::Standard);
//!
//! let mut picture = vec![0; camera.num_bytes(Pixels::Rgb)];
//! let moment = Moment::alone(route.center[0], 0.0);
//! camera.draw(&scene, &moment, Pixels::Rgb, &mut Scratch::new(), &mut picture);
//! assert_eq!(picture.len(), 120 * 160 * 3);
//! # Ok::<(), deepracer_track::TrackError>(())
//! ```

mod bake;
mod camera;
mod ground;
mod kernel;
mod mesh;
mod moment;
mod observation;
pub mod oracle;
mod oracle_meshes;
mod pack;
mod polygon;
mod scene;
mod sensor;
mod upright;

pub use camera::{Camera, Pixels, Quality};
pub use moment::Moment;
pub use observation::{HEIGHT, ObservationCamera, Scratch, WIDTH};
pub use scene::Scene;
pub use sensor::Sensor;
