//! Marker objects: their being there is the message.

use deepracer_bucket::{Bucket, BucketError};

use super::layout::ModelLayout;

/// A marker in a model's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Marker {
    /// `.ready`: the first checkpoint is there.
    Ready,
    /// `.finished`: the training has reached its end. One that was stopped or failed can be gone on with and has none.
    Finished,
    /// `.lock`: checkpoint files are being exchanged; readers of the original wait. Our own files are replaced atomically
    /// and can be read at any time; the marker is for other tools.
    Lock,
}

impl Marker {
    fn key(self, model: &ModelLayout) -> String {
        model.in_model(match self {
            Marker::Ready => ".ready",
            Marker::Finished => ".finished",
            Marker::Lock => ".lock",
        })
    }

    /// Puts the marker there.
    pub fn set(self, bucket: &dyn Bucket, model: &ModelLayout) -> Result<(), BucketError> {
        bucket.put(&self.key(model), b"")
    }

    /// Takes the marker away; one that is not there is fine.
    pub fn clear(self, bucket: &dyn Bucket, model: &ModelLayout) -> Result<(), BucketError> {
        bucket.delete(&self.key(model)).map(drop)
    }

    /// Whether the marker is there.
    pub fn is_set(self, bucket: &dyn Bucket, model: &ModelLayout) -> Result<bool, BucketError> {
        bucket.exists(&self.key(model))
    }
}

/// Takes away every marker a run before may have left: at the start of a run, when nobody else can own one.
pub fn clear_all(bucket: &dyn Bucket, model: &ModelLayout) -> Result<(), BucketError> {
    [Marker::Ready, Marker::Finished, Marker::Lock].into_iter().try_for_each(|marker| marker.clear(bucket, model))
}

#[cfg(test)]
mod tests {
    use super::*;
    use deepracer_bucket::MemoryBucket;

    #[test]
    fn markers_come_and_go() {
        let bucket = MemoryBucket::new();
        let model = ModelLayout::new("m").unwrap();
        for (marker, key) in [
            (Marker::Ready, "m/model/.ready"),
            (Marker::Finished, "m/model/.finished"),
            (Marker::Lock, "m/model/.lock"),
        ] {
            marker.clear(&bucket, &model).unwrap();
            assert!(!marker.is_set(&bucket, &model).unwrap());
            marker.set(&bucket, &model).unwrap();
            assert!(marker.is_set(&bucket, &model).unwrap());
            assert_eq!(bucket.get(key).unwrap(), b"");
        }
        clear_all(&bucket, &model).unwrap();
        assert!(!bucket.folder_exists("m").unwrap());
    }
}
