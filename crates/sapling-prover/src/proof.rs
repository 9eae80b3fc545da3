//! A Groth16 proof from its five sums, and its check with the verifying key.

use bls12_381::{multi_miller_loop, G1Affine, G1Projective, G2Affine, G2Prepared, G2Projective, Gt, Scalar};
use group::Curve;

const G1: usize = 96;
const G2: usize = 192;
pub const PROOF: usize = 192;

/// The beginning of a file of parameters.
pub struct VerifyingKey {
    alpha_g1: G1Affine,
    beta_g1: G1Affine,
    beta_g2: G2Affine,
    gamma_g2: G2Affine,
    delta_g1: G1Affine,
    delta_g2: G2Affine,
    inputs: Vec<G1Affine>,
}

/// Reads points that are trusted to be in their group.
struct Points<'a>(&'a [u8]);

impl Points<'_> {
    fn g1(&mut self) -> Option<G1Affine> {
        let (point, rest) = self.0.split_first_chunk::<G1>()?;
        self.0 = rest;
        G1Affine::from_uncompressed_unchecked(point).into()
    }

    fn g2(&mut self) -> Option<G2Affine> {
        let (point, rest) = self.0.split_first_chunk::<G2>()?;
        self.0 = rest;
        G2Affine::from_uncompressed_unchecked(point).into()
    }
}

impl VerifyingKey {
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut points = Points(bytes);
        let (alpha_g1, beta_g1) = (points.g1()?, points.g1()?);
        let (beta_g2, gamma_g2) = (points.g2()?, points.g2()?);
        let (delta_g1, delta_g2) = (points.g1()?, points.g2()?);
        let (count, rest) = points.0.split_first_chunk::<4>()?;
        let count = u32::from_be_bytes(*count) as usize;
        if rest.len() != count * G1 {
            return None;
        }
        points.0 = rest;
        let inputs = (0..count).map(|_| points.g1()).collect::<Option<Vec<_>>>()?;
        Some(Self { alpha_g1, beta_g1, beta_g2, gamma_g2, delta_g1, delta_g2, inputs })
    }

    /// @param inputs a one and the public inputs
    fn holds(&self, inputs: &[Scalar], a: G1Affine, b: G2Affine, c: G1Affine) -> bool {
        let mut sum = G1Projective::identity();
        for (point, input) in self.inputs.iter().zip(inputs) {
            sum += point * input;
        }
        let [beta, gamma, delta, b] = [self.beta_g2, self.gamma_g2, self.delta_g2, b].map(G2Prepared::from);
        let product = multi_miller_loop(&[
            (&a, &b),
            (&-self.alpha_g1, &beta),
            (&-sum.to_affine(), &gamma),
            (&-c, &delta),
        ]);
        inputs.len() == self.inputs.len() && product.final_exponentiation() == Gt::identity()
    }
}

/// The sums over h, l, a and b in the first group, and over b in the second, uncompressed.
pub struct Sums {
    h: G1Affine,
    l: G1Affine,
    a: G1Affine,
    b_g1: G1Affine,
    b_g2: G2Affine,
}

impl Sums {
    pub const SIZE: usize = 4 * G1 + G2;

    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut points = Points(bytes);
        Some(Self { h: points.g1()?, l: points.g1()?, a: points.g1()?, b_g1: points.g1()?, b_g2: points.g2()? })
    }
}

/// @param inputs a one and the public inputs
/// @param blinding two random scalars
/// Nothing, if the proof does not hold.
pub fn prove(key: &VerifyingKey, sums: &Sums, inputs: &[Scalar], blinding: [Scalar; 2]) -> Option<[u8; PROOF]> {
    let [r, s] = blinding;
    let a = G1Projective::from(sums.a) + key.alpha_g1 + key.delta_g1 * r;
    let b_g1 = G1Projective::from(sums.b_g1) + key.beta_g1 + key.delta_g1 * s;
    let b = (G2Projective::from(sums.b_g2) + key.beta_g2 + key.delta_g2 * s).to_affine();
    let c = a * s + b_g1 * r - key.delta_g1 * (r * s) + sums.h + sums.l;
    let (a, c) = (a.to_affine(), c.to_affine());
    if !key.holds(inputs, a, b, c) {
        return None;
    }
    let mut proof = [0; PROOF];
    proof[..48].copy_from_slice(&a.to_compressed());
    proof[48..144].copy_from_slice(&b.to_compressed());
    proof[144..].copy_from_slice(&c.to_compressed());
    Some(proof)
}

/// Scalars of 32 bytes, lowest first; none if one is not reduced.
pub fn read_inputs(bytes: &[u8]) -> Option<Vec<Scalar>> {
    let scalars = bytes.chunks_exact(32).map(|chunk| {
        let mut scalar = [0; 32];
        scalar.copy_from_slice(chunk);
        Option::from(Scalar::from_bytes(&scalar))
    });
    scalars.collect()
}
