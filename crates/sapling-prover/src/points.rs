//! Lists of points as files of parameters have them, uncompressed.

use crate::curve::{Affine, Coordinate, Extended};
use crate::field::{Fp, Fp2};
use crate::multiexp::multiexp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    First,
    Second,
}

impl Group {
    /// Bytes of a point.
    pub const fn size(self) -> usize {
        match self {
            Group::First => 96,
            Group::Second => 192,
        }
    }

    /// The sum of the points, each times its scalar (32 bytes, lowest first, reduced). None if a point has another form
    /// or is at infinity; points are trusted to be in their group.
    pub fn sum(self, points: &[u8], scalars: &[u8]) -> Option<Vec<u8>> {
        match self {
            Group::First => sum::<Fp>(points, scalars),
            Group::Second => sum::<Fp2>(points, scalars),
        }
    }

    /// The sum of points, which may be at infinity.
    pub fn add(self, points: &[u8]) -> Option<Vec<u8>> {
        match self {
            Group::First => add::<Fp>(points),
            Group::Second => add::<Fp2>(points),
        }
    }

    /// The base times each scalar.
    pub fn multiples(self, base: &[u8], scalars: &[u8]) -> Option<Vec<u8>> {
        match self {
            Group::First => multiples::<Fp>(base, scalars),
            Group::Second => multiples::<Fp2>(base, scalars),
        }
    }
}

fn sum<F: Coordinate>(points: &[u8], scalars: &[u8]) -> Option<Vec<u8>> {
    let points = points.chunks_exact(Affine::<F>::SIZE).map(Affine::<F>::read).collect::<Option<Vec<_>>>()?;
    Some(bytes_of(&[multiexp(&points, scalars)]))
}

fn add<F: Coordinate>(points: &[u8]) -> Option<Vec<u8>> {
    let mut total = Extended::<F>::INFINITY;
    for bytes in points.chunks_exact(Affine::<F>::SIZE) {
        let point = if bytes[0] == Affine::<F>::INFINITY_FLAG { Affine::INFINITY } else { Affine::read(bytes)? };
        total = total.add_affine(&point);
    }
    Some(bytes_of(&[total.to_affine()]))
}

fn multiples<F: Coordinate>(base: &[u8], scalars: &[u8]) -> Option<Vec<u8>> {
    Some(bytes_of(&crate::multiples::multiples(&Affine::<F>::read(base)?, scalars)))
}

fn bytes_of<F: Coordinate>(points: &[Affine<F>]) -> Vec<u8> {
    let mut bytes = vec![0; points.len() * Affine::<F>::SIZE];
    for (point, bytes) in points.iter().zip(bytes.chunks_exact_mut(Affine::<F>::SIZE)) {
        point.write(bytes);
    }
    bytes
}
