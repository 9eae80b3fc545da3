//! Polynomials by their values at the powers of a root of one, and by their coefficients.

use crate::field::{Field, Fr};

/// The powers of a root of one whose order is a power of two.
pub struct Domain {
    exponent: u32,
    /// The first half of the powers of the root, and of its inverse.
    powers: Vec<Fr>,
    inverse_powers: Vec<Fr>,
    /// 1 / how many points there are.
    scale: Fr,
}

fn powers_of(base: &Fr, count: usize) -> Vec<Fr> {
    let mut power = Fr::ONE;
    let mut powers = Vec::with_capacity(count);
    for _ in 0..count {
        powers.push(power);
        power = power.mul(base);
    }
    powers
}

impl Domain {
    /// The smallest one with so many points.
    pub fn new(points: usize) -> Self {
        let exponent = points.next_power_of_two().trailing_zeros();
        let root = Fr::root_of_unity(exponent);
        let half = 1 << (exponent - 1);
        Self {
            exponent,
            powers: powers_of(&root, half),
            inverse_powers: powers_of(&root.invert(), half),
            scale: Fr::from_u64(1 << exponent).invert(),
        }
    }

    pub fn size(&self) -> usize {
        1 << self.exponent
    }

    /// X^size - 1, which is zero at all points of the domain.
    pub fn vanishing_at(&self, x: &Fr) -> Fr {
        x.power(self.size() as u64).sub(&Fr::ONE)
    }

    /// From values to coefficients.
    pub fn interpolate(&self, values: &mut [Fr]) {
        self.transform(values, &self.inverse_powers);
        for value in values.iter_mut() {
            *value = value.mul(&self.scale);
        }
    }

    /// From coefficients to values at the points times the group's generator.
    fn evaluate_beside(&self, coefficients: &mut [Fr]) {
        scale_by_powers(coefficients, &Fr::generator());
        self.transform(coefficients, &self.powers);
    }

    fn interpolate_beside(&self, values: &mut [Fr]) {
        self.interpolate(values);
        scale_by_powers(values, &Fr::generator().invert());
    }

    /// Radix two, decimation in time.
    fn transform(&self, values: &mut [Fr], powers: &[Fr]) {
        let size = self.size();
        for i in 0..size {
            let reversed = i.reverse_bits() >> (usize::BITS - self.exponent);
            if i < reversed {
                values.swap(i, reversed);
            }
        }
        let mut half = 1;
        while half < size {
            let stride = size / (2 * half);
            for block in values.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                for (i, (a, b)) in low.iter_mut().zip(high).enumerate() {
                    let product = if i == 0 { *b } else { b.mul(&powers[i * stride]) };
                    *b = a.sub(&product);
                    *a = a.add(&product);
                }
            }
            half *= 2;
        }
    }

    /// (a b - c) / (X^size - 1) of three polynomials that are given by their values. One coefficient less than there are
    /// points: the highest is zero where a b = c at all points.
    pub fn quotient(&self, [mut a, mut b, mut c]: [Vec<Fr>; 3]) -> Vec<Fr> {
        for polynomial in [&mut a, &mut b, &mut c] {
            polynomial.resize(self.size(), Fr::ZERO);
            self.interpolate(polynomial);
            self.evaluate_beside(polynomial);
        }
        let divisor = self.vanishing_at(&Fr::generator()).invert();
        for ((a, b), c) in a.iter_mut().zip(&b).zip(&c) {
            *a = a.mul(b).sub(c).mul(&divisor);
        }
        self.interpolate_beside(&mut a);
        a.truncate(self.size() - 1);
        a
    }

    /// The Lagrange polynomials of the points, each at x.
    pub fn lagrange_at(&self, x: &Fr) -> Vec<Fr> {
        let mut powers = powers_of(x, self.size());
        self.interpolate(&mut powers);
        powers
    }

    /// 1, x, x^2, ..., one less than there are points.
    pub fn powers_at(&self, x: &Fr) -> Vec<Fr> {
        powers_of(x, self.size() - 1)
    }
}

fn scale_by_powers(values: &mut [Fr], base: &Fr) {
    let mut power = Fr::ONE;
    for value in values {
        *value = value.mul(&power);
        power = power.mul(base);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_at(lagrange: &[Fr], values: &[Fr]) -> Fr {
        lagrange.iter().zip(values).fold(Fr::ZERO, |sum, (l, value)| sum.add(&l.mul(value)))
    }

    #[test]
    fn quotients_times_the_vanishing_polynomial_are_what_was_divided() {
        let domain = Domain::new(13);
        assert_eq!(domain.size(), 16);
        let values = |seed: u64| -> Vec<Fr> { (0..16).map(|i| Fr::from_u64(seed + i * i).power(seed + 3)).collect() };
        let (a, b) = (values(5), values(11));
        let c: Vec<Fr> = a.iter().zip(&b).map(|(a, b)| a.mul(b)).collect();
        let quotient = domain.quotient([a.clone(), b.clone(), c.clone()]);
        assert_eq!(quotient.len(), 15);
        let x = Fr::from_u64(123_456_789).power(77);
        let lagrange = domain.lagrange_at(&x);
        let [a, b, c] = [a, b, c].map(|list| value_at(&lagrange, &list));
        let q = value_at(&domain.powers_at(&x), &quotient);
        assert!(a.mul(&b).sub(&c) == q.mul(&domain.vanishing_at(&x)));
        assert!(!q.is_zero());
    }
}
