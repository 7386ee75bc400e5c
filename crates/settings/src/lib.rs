//! What the user asked for: env files, every DR_ variable, model metadata, hyperparameters.
