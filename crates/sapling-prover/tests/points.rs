//! Sums and multiples against the library of the curve.

use bls12_381::{G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use ff::Field;
use group::{Curve, Group as _};
use rand_chacha::ChaCha20Rng;
use rand_core::{RngCore, SeedableRng};
use sapling_prover::points::Group;

fn random() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([7; 32])
}

/// Scalars of all kinds that witnesses have: bits, small and large numbers, and those next to the modulus.
fn scalars(count: usize) -> Vec<Scalar> {
    let mut random = random();
    (0..count)
        .map(|i| match i % 8 {
            0 => Scalar::ZERO,
            1 | 2 => Scalar::ONE,
            3 => -Scalar::from(u64::from(random.next_u32() % 3)),
            4 => Scalar::from(random.next_u64()),
            _ => Scalar::random(&mut random),
        })
        .collect()
}

fn bytes_of(scalars: &[Scalar]) -> Vec<u8> {
    scalars.iter().flat_map(Scalar::to_bytes).collect()
}

#[test]
fn sums_in_the_first_group() {
    for count in [0, 1, 2, 3, 40, 700] {
        let scalars = scalars(count);
        let mut random = random();
        let points: Vec<G1Projective> = (0..count).map(|_| G1Projective::random(&mut random)).collect();
        let expected: G1Projective = points.iter().zip(&scalars).map(|(point, scalar)| point * scalar).sum();
        let bytes: Vec<u8> = points.iter().flat_map(|point| point.to_affine().to_uncompressed()).collect();
        let sum = Group::First.sum(&bytes, &bytes_of(&scalars)).unwrap();
        assert_eq!(sum, expected.to_affine().to_uncompressed().to_vec(), "{count} points");
    }
}

#[test]
fn sums_of_equal_and_opposite_points() {
    let point = G1Projective::generator();
    let scalars: Vec<Scalar> = scalars(64);
    let points: Vec<G1Projective> = (0..64).map(|i| if i % 3 == 0 { -point } else { point }).collect();
    let expected: G1Projective = points.iter().zip(&scalars).map(|(point, scalar)| point * scalar).sum();
    let bytes: Vec<u8> = points.iter().flat_map(|point| point.to_affine().to_uncompressed()).collect();
    let sum = Group::First.sum(&bytes, &bytes_of(&scalars)).unwrap();
    assert_eq!(sum, expected.to_affine().to_uncompressed().to_vec());
}

#[test]
fn sums_in_the_second_group() {
    let scalars = scalars(60);
    let mut random = random();
    let points: Vec<G2Projective> = (0..60).map(|_| G2Projective::random(&mut random)).collect();
    let expected: G2Projective = points.iter().zip(&scalars).map(|(point, scalar)| point * scalar).sum();
    let bytes: Vec<u8> = points.iter().flat_map(|point| point.to_affine().to_uncompressed()).collect();
    let sum = Group::Second.sum(&bytes, &bytes_of(&scalars)).unwrap();
    assert_eq!(sum, expected.to_affine().to_uncompressed().to_vec());
}

#[test]
fn sums_without_scalars_take_points_at_infinity() {
    let point = G1Affine::from(G1Projective::generator().double());
    let bytes = [point.to_uncompressed(), G1Affine::identity().to_uncompressed(), point.to_uncompressed()].concat();
    let expected = G1Affine::from(G1Projective::from(point).double());
    assert_eq!(Group::First.add(&bytes).unwrap(), expected.to_uncompressed().to_vec());
    let opposite = [point.to_uncompressed(), (-point).to_uncompressed()].concat();
    assert_eq!(Group::First.add(&opposite).unwrap(), G1Affine::identity().to_uncompressed().to_vec());
}

#[test]
fn points_at_infinity_and_other_encodings_are_refused() {
    let scalar = bytes_of(&[Scalar::ONE]);
    assert!(Group::First.sum(&G1Affine::identity().to_uncompressed(), &scalar).is_none());
    assert!(Group::Second.sum(&G2Affine::identity().to_uncompressed(), &scalar).is_none());
    let mut compressed = G1Affine::generator().to_uncompressed();
    compressed[0] |= 0x80;
    assert!(Group::First.sum(&compressed, &scalar).is_none());
}

#[test]
fn multiples_of_a_point() {
    let mut scalars = scalars(200);
    scalars.push(-Scalar::ONE);
    let base = G1Projective::random(&mut random()).to_affine();
    let expected: Vec<u8> = scalars.iter().flat_map(|scalar| (base * scalar).to_affine().to_uncompressed()).collect();
    assert_eq!(Group::First.multiples(&base.to_uncompressed(), &bytes_of(&scalars)).unwrap(), expected);
    let base = G2Projective::random(&mut random()).to_affine();
    let expected: Vec<u8> = scalars.iter().flat_map(|scalar| (base * scalar).to_affine().to_uncompressed()).collect();
    assert_eq!(Group::Second.multiples(&base.to_uncompressed(), &bytes_of(&scalars)).unwrap(), expected);
}
