//! The statistics, through the public interface of the crate.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "numbers in tests are small"
)]
#![expect(clippy::float_cmp, reason = "some laws hold to the last digit")]

mod curvature;
mod published;
mod random;
mod rates;
mod sprt;
mod stats;
mod stopping;
mod tune;
mod validation;
