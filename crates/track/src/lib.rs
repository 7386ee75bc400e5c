//! Where the car drives: route files, the catalogue of track names, lines, projection, progress.
