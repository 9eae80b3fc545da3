//! The two fields of BLS12-381: Montgomery form in limbs of a size that the machine multiplies well. Elements are always
//! reduced.

#[cfg(target_arch = "wasm32")]
pub use crate::narrow_limbs::{Fp, Fr};
#[cfg(not(target_arch = "wasm32"))]
pub use crate::wide_limbs::{Fp, Fr};

/// Of the coordinates; words of 64 bits, highest first.
pub const FP_MODULUS: [u64; 6] = [
    0x1a0111ea397fe69a, 0x4b1ba7b6434bacd7, 0x64774b84f38512bf,
    0x6730d2a0f6b0f624, 0x1eabfffeb153ffff, 0xb9feffffffffaaab,
];
/// Of the scalars.
pub const FR_MODULUS: [u64; 4] = [0x73eda753299d7d48, 0x3339d80809a1d805, 0x53bda402fffe5bfe, 0xffffffff00000001];

pub trait Field: Copy + PartialEq {
    const ZERO: Self;
    const ONE: Self;
    fn add(&self, other: &Self) -> Self;
    fn sub(&self, other: &Self) -> Self;
    fn mul(&self, other: &Self) -> Self;
    /// What no element but zero lacks.
    fn invert(&self) -> Self;

    fn double(&self) -> Self {
        self.add(self)
    }
    fn square(&self) -> Self {
        self.mul(self)
    }
    fn neg(&self) -> Self {
        Self::ZERO.sub(self)
    }
    fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }
}

/// @param exponent words, highest first
fn power<F: Field>(base: &F, exponent: &[u64]) -> F {
    let mut result = F::ONE;
    for word in exponent {
        for bit in (0..64).rev() {
            result = result.square();
            if word >> bit & 1 == 1 {
                result = result.mul(base);
            }
        }
    }
    result
}

/// Raises to the modulus minus two.
pub fn inverse<F: Field, const WORDS: usize>(element: &F, modulus: &[u64; WORDS]) -> F {
    let mut exponent = *modulus;
    // Both moduli end in more than two.
    exponent[WORDS - 1] -= 2;
    power(element, &exponent)
}

impl Fr {
    /// Generates the multiplicative group.
    const GENERATOR: u64 = 7;
    /// 2^32 divides the order of the multiplicative group.
    const TWO_ADICITY: u32 = 32;

    pub fn from_u64(value: u64) -> Self {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&value.to_le_bytes());
        Self::from_integer(&bytes)
    }

    pub fn generator() -> Self {
        Self::from_u64(Self::GENERATOR)
    }

    /// @param bytes lowest first
    pub fn from_bytes(bytes: &[u8; 32]) -> Self {
        Self::from_integer(bytes)
    }

    pub fn to_bytes(self) -> [u8; 32] {
        self.to_integer()
    }

    pub fn power(&self, exponent: u64) -> Self {
        power(self, &[exponent])
    }

    /// A root of one whose order is 2^`exponent`.
    pub fn root_of_unity(exponent: u32) -> Self {
        // The generator to (order of the group / 2^32): the modulus without its lowest 32 bits.
        let mut quotient = [0; 4];
        for (i, word) in FR_MODULUS.iter().enumerate() {
            quotient[i] |= word >> Self::TWO_ADICITY;
            if i + 1 < quotient.len() {
                quotient[i + 1] = word << (64 - Self::TWO_ADICITY);
            }
        }
        let mut root = power(&Self::generator(), &quotient);
        for _ in exponent..Self::TWO_ADICITY {
            root = root.square();
        }
        root
    }
}

impl Fp {
    pub const SIZE: usize = Self::BYTES;

    /// @param bytes highest first; taken modulo the field
    pub fn from_be_bytes(bytes: &[u8]) -> Self {
        let mut little = [0; Self::BYTES];
        for (to, from) in little.iter_mut().zip(bytes.iter().rev()) {
            *to = *from;
        }
        Self::from_integer(&little)
    }

    pub fn write_be_bytes(self, bytes: &mut [u8]) {
        let little = self.to_integer();
        for (to, from) in bytes.iter_mut().zip(little.iter().rev()) {
            *to = *from;
        }
    }
}

/// c0 + c1 u, u^2 = -1.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fp2 {
    pub c0: Fp,
    pub c1: Fp,
}

impl Field for Fp2 {
    const ZERO: Self = Self { c0: Fp::ZERO, c1: Fp::ZERO };
    const ONE: Self = Self { c0: Fp::ONE, c1: Fp::ZERO };

    fn add(&self, other: &Self) -> Self {
        Self { c0: self.c0.add(&other.c0), c1: self.c1.add(&other.c1) }
    }

    fn sub(&self, other: &Self) -> Self {
        Self { c0: self.c0.sub(&other.c0), c1: self.c1.sub(&other.c1) }
    }

    fn mul(&self, other: &Self) -> Self {
        let low = self.c0.mul(&other.c0);
        let high = self.c1.mul(&other.c1);
        let cross = self.c0.add(&self.c1).mul(&other.c0.add(&other.c1));
        Self { c0: low.sub(&high), c1: cross.sub(&low).sub(&high) }
    }

    fn square(&self) -> Self {
        let product = self.c0.mul(&self.c1);
        Self { c0: self.c0.add(&self.c1).mul(&self.c0.sub(&self.c1)), c1: product.double() }
    }

    fn invert(&self) -> Self {
        let inverse = self.c0.square().add(&self.c1.square()).invert();
        Self { c0: self.c0.mul(&inverse), c1: self.c1.neg().mul(&inverse) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bls12_381::Scalar;
    use ff::Field as _;
    use rand_chacha::ChaCha20Rng;
    use rand_core::{RngCore, SeedableRng};

    /// The scalars in wide and in narrow limbs, each against the library of the curve.
    macro_rules! agrees {
        ($name:ident, $fr:path) => {
            #[test]
            fn $name() {
                type Ours = $fr;
                let ours = |scalar: &Scalar| Ours::from_integer(&scalar.to_bytes());
                let mut random = ChaCha20Rng::from_seed([3; 32]);
                let mut scalars: Vec<Scalar> = (0..40).map(|_| Scalar::random(&mut random)).collect();
                scalars.extend([Scalar::ZERO, Scalar::ONE, -Scalar::ONE, -Scalar::from(2), Scalar::from(1 << 63)]);
                for a in &scalars {
                    assert_eq!(ours(a).to_integer(), a.to_bytes());
                    for b in &scalars {
                        assert_eq!(ours(a).mul(&ours(b)).to_integer(), (a * b).to_bytes());
                        assert_eq!(ours(a).add(&ours(b)).to_integer(), (a + b).to_bytes());
                        assert_eq!(ours(a).sub(&ours(b)).to_integer(), (a - b).to_bytes());
                    }
                }
                let a = scalars[0];
                assert_eq!(ours(&a).invert().to_integer(), a.invert().unwrap().to_bytes());
                // Any integer is read modulo the field.
                let most = Ours::from_integer(&[255; 32]);
                let one_more = Scalar::from_raw([u64::MAX; 4]);
                assert_eq!(most.to_integer(), one_more.to_bytes());
            }
        };
    }
    agrees!(scalars_in_wide_limbs, crate::wide_limbs::Fr);
    agrees!(scalars_in_narrow_limbs, crate::narrow_limbs::Fr);

    #[test]
    fn coordinates_are_the_same_in_both_limbs() {
        use crate::{narrow_limbs, wide_limbs};
        let mut random = ChaCha20Rng::from_seed([4; 32]);
        let mut integers: Vec<[u8; 48]> = vec![[0; 48], [255; 48]];
        let mut modulus = [0; 48];
        for (bytes, word) in modulus.chunks_mut(8).zip(FP_MODULUS.iter().rev()) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        for last in [0xaa, 0xab, 0xac] {
            modulus[0] = last;
            integers.push(modulus);
        }
        for _ in 0..40 {
            let mut bytes = [0; 48];
            random.fill_bytes(&mut bytes);
            integers.push(bytes);
        }
        let wide = |bytes: &[u8; 48]| wide_limbs::Fp::from_integer(bytes);
        let narrow = |bytes: &[u8; 48]| narrow_limbs::Fp::from_integer(bytes);
        for a in &integers {
            assert_eq!(wide(a).to_integer(), narrow(a).to_integer());
            assert_eq!(wide(a).invert().to_integer(), narrow(a).invert().to_integer());
            for b in &integers {
                assert_eq!(wide(a).mul(&wide(b)).to_integer(), narrow(a).mul(&narrow(b)).to_integer());
                assert_eq!(wide(a).add(&wide(b)).to_integer(), narrow(a).add(&narrow(b)).to_integer());
                assert_eq!(wide(a).sub(&wide(b)).to_integer(), narrow(a).sub(&narrow(b)).to_integer());
            }
        }
    }

    #[test]
    fn roots_of_one_have_their_order() {
        let root = Fr::root_of_unity(5);
        assert!(root.power(32) == Fr::ONE && root.power(16) == Fr::ONE.neg());
    }
}
