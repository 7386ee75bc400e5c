//! What the car perceives: cameras and the software renderer, and the lidar.
//!
//! A [`Scene`] is a world baked for drawing; a [`Camera`] is a mount and a lens; an [`ObservationCamera`] draws the
//! small pictures that policies see, tens of thousands per second; a [`Lidar`] measures distances. A [`Sensor`] is one of
//! them, asked for its observation of a [`Moment`]. A [`SceneCamera`] draws pictures of any size from anywhere, for
//! spectators.
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

mod appearance;
mod bake;
mod camera;
mod ground;
mod ground_rows;
mod kernel;
mod lidar;
mod lidar_encoding;
mod mesh;
mod moment;
mod observation;
pub mod oracle;
mod oracle_meshes;
mod pack;
mod polygon;
mod random;
mod scene;
mod scene_camera;
mod scratch;
mod sensor;
mod spectator;
mod upright;
mod variety;

pub use appearance::Appearance;
pub use camera::{Camera, Pixels, Quality};
pub use lidar::{LIDAR_RANGE_M, LIDAR_RAYS, Lidar, Ranges};
pub use lidar_encoding::LidarEncoding;
pub use moment::Moment;
pub use observation::{HEIGHT, ObservationCamera, WIDTH};
pub use scene::Scene;
pub use scene_camera::{SceneCamera, Viewpoint};
pub use scratch::Scratch;
pub use sensor::Sensor;
pub use spectator::{FollowCamera, top_camera};
pub use variety::Variety;
