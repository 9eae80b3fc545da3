//! Groth16 proofs of the Sapling circuits, in parts that many threads can do at once without sharing memory: the witness
//! ([`assign`]), the quotient polynomial, ranges of the five sums ([`points::sum`]), and the proof from these.

pub mod assignment;
mod curve;
mod field;
mod generation;
mod multiexp;
mod multiples;
#[cfg(any(target_arch = "wasm32", test))]
mod narrow_limbs;
pub mod points;
mod polynomial;
pub mod proof;
#[cfg(not(target_arch = "wasm32"))]
mod wide_limbs;
pub mod witness;

#[cfg(target_arch = "wasm32")]
mod exports;

use assignment::Assignment;
use sapling_crypto::circuit::{Output, Spend};
use witness::{read_output, read_spend, Invalid, DEPTH};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Circuit {
    Spend,
    Output,
}

/// @param witness as `read_spend` or `read_output` takes it
pub fn assign(circuit: Circuit, witness: &[u8]) -> Result<Assignment, Invalid> {
    match circuit {
        Circuit::Spend => Assignment::new(read_spend(witness)?),
        Circuit::Output => Assignment::new(read_output(witness)?),
    }
}

pub use generation::Generated;

pub fn generate(circuit: Circuit, seed: [u8; 32]) -> Option<Generated> {
    match circuit {
        Circuit::Spend => generation::generate(
            Spend {
                value_commitment_opening: None,
                proof_generation_key: None,
                payment_address: None,
                commitment_randomness: None,
                ar: None,
                auth_path: vec![None; DEPTH],
                anchor: None,
            },
            seed,
        ),
        Circuit::Output => generation::generate(
            Output {
                value_commitment_opening: None,
                payment_address: None,
                commitment_randomness: None,
                esk: None,
            },
            seed,
        ),
    }
}
