//! Transforms and convolutions.

mod convolution;
mod fft;
mod spatial;
mod strided;
