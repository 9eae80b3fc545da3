//! The two fields of BLS12-381 for a machine that multiplies 64 bits to 64 (WebAssembly): Montgomery form in limbs of
//! 29 or 30 bits, so that many products add up before a carry. Elements are always reduced.

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

/// Defines a field of integers modulo a prime.
///
/// - `$words`: of 64 bits, highest first;
/// - `$limbs`, `$bits`: limbs times bits must leave a few bits free above the modulus;
/// - `$before_carry`: after so many limbs of a multiplication the sums have to be carried. A round adds two products of
///   `2 * $bits` bits to each, so that `2 * rounds * 2^(2 * $bits)` stays below 2^64.
macro_rules! prime_field {
    ($name:ident, words: $words:expr, count: $count:expr, limbs: $limbs:expr, bits: $bits:expr, before_carry: $before_carry:expr) => {
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub struct $name([u32; $limbs]);

        impl $name {
            const MODULUS: [u32; $limbs] = {
                let words: [u64; $count] = $words;
                let mut limbs = [0; $limbs];
                let mut bit = 0;
                while bit < 64 * $count {
                    let one = (words[$count - 1 - bit / 64] >> (bit % 64)) & 1;
                    limbs[bit / $bits] |= (one as u32) << (bit % $bits);
                    bit += 1;
                }
                limbs
            };
            const MASK: u32 = (1 << $bits) - 1;
            /// -1 / modulus, modulo a limb: each step doubles how many of its bits are right.
            const NEGATED_INVERSE: u32 = {
                let mut inverse = 1u32;
                let mut step = 0;
                while step < 5 {
                    inverse = inverse.wrapping_mul(2u32.wrapping_sub(Self::MODULUS[0].wrapping_mul(inverse)));
                    step += 1;
                }
                inverse.wrapping_neg() & Self::MASK
            };
            const MODULUS_MINUS_TWO: [u32; $limbs] = {
                let mut limbs = Self::MODULUS;
                let mut borrow = 2;
                let mut i = 0;
                while i < $limbs {
                    let difference = limbs[i] as i32 - borrow;
                    limbs[i] = difference as u32 & Self::MASK;
                    borrow = -(difference >> $bits);
                    i += 1;
                }
                limbs
            };
            /// 2 to twice the bits of all limbs: brings an integer into Montgomery form.
            const ENTRY: Self = Self::power_of_two(2 * $limbs * $bits);
            const BYTES: usize = 8 * $count;

            const fn power_of_two(exponent: usize) -> Self {
                let mut limbs = [0; $limbs];
                limbs[0] = 1;
                let mut step = 0;
                while step < exponent {
                    let mut carry = 0;
                    let mut i = 0;
                    while i < $limbs {
                        let sum = 2 * limbs[i] + carry;
                        limbs[i] = sum & Self::MASK;
                        carry = sum >> $bits;
                        i += 1;
                    }
                    limbs = Self::reduced_once(limbs);
                    step += 1;
                }
                Self(limbs)
            }

            /// Takes the modulus away where that leaves something.
            #[inline(always)]
            const fn reduced_once(limbs: [u32; $limbs]) -> [u32; $limbs] {
                let mut less = [0; $limbs];
                let mut borrow = 0i32;
                let mut i = 0;
                while i < $limbs {
                    let difference = limbs[i] as i32 - Self::MODULUS[i] as i32 + borrow;
                    less[i] = difference as u32 & Self::MASK;
                    borrow = difference >> $bits;
                    i += 1;
                }
                if borrow == 0 { less } else { limbs }
            }

            /// Reads an integer, lowest byte first. Modulo the field; at most 8 times the modulus.
            fn from_integer(bytes: &[u8; Self::BYTES]) -> Self {
                let mut limbs = [0; $limbs];
                for (i, &byte) in bytes.iter().enumerate() {
                    let (limb, shift) = (8 * i / $bits, 8 * i % $bits);
                    let spread = (byte as u64) << shift;
                    limbs[limb] |= spread as u32 & Self::MASK;
                    if spread >> $bits != 0 {
                        limbs[limb + 1] |= (spread >> $bits) as u32;
                    }
                }
                Self(limbs).mul(&Self::ENTRY)
            }

            /// The integer, lowest byte first.
            fn to_integer(self) -> [u8; Self::BYTES] {
                let mut one = [0; $limbs];
                one[0] = 1;
                let limbs = self.mul(&Self(one)).0;
                let mut bytes = [0; Self::BYTES];
                for (i, byte) in bytes.iter_mut().enumerate() {
                    let (limb, shift) = (8 * i / $bits, 8 * i % $bits);
                    let mut both = limbs[limb] as u64;
                    if limb + 1 < $limbs {
                        both |= (limbs[limb + 1] as u64) << $bits;
                    }
                    *byte = (both >> shift) as u8;
                }
                bytes
            }

            #[inline(always)]
            fn rounds(sums: &mut [u64; $limbs], a: &[u32; $limbs], b: &[u32; $limbs], from: usize, to: usize) {
                for i in from..to {
                    let x = a[i] as u64;
                    let lowest = sums[0] + x * b[0] as u64;
                    let m = ((lowest as u32).wrapping_mul(Self::NEGATED_INVERSE) & Self::MASK) as u64;
                    let carry = (lowest + m * Self::MODULUS[0] as u64) >> $bits;
                    for j in 1..$limbs {
                        sums[j - 1] = sums[j] + x * b[j] as u64 + m * Self::MODULUS[j] as u64;
                    }
                    sums[0] += carry;
                    sums[$limbs - 1] = 0;
                }
            }

            /// Raises to the modulus minus two.
            fn inverse(&self) -> Self {
                let exponent = Self::MODULUS_MINUS_TWO;
                let mut result = Self::ONE;
                for bit in (0..$limbs * $bits).rev() {
                    result = result.square();
                    if exponent[bit / $bits] >> (bit % $bits) & 1 == 1 {
                        result = result.mul(self);
                    }
                }
                result
            }
        }

        impl Field for $name {
            const ZERO: Self = Self([0; $limbs]);
            const ONE: Self = Self::power_of_two($limbs * $bits);

            #[inline]
            fn add(&self, other: &Self) -> Self {
                let mut sums = [0; $limbs];
                let mut carry = 0;
                for i in 0..$limbs {
                    let sum = self.0[i] + other.0[i] + carry;
                    sums[i] = sum & Self::MASK;
                    carry = sum >> $bits;
                }
                Self(Self::reduced_once(sums))
            }

            #[inline]
            fn sub(&self, other: &Self) -> Self {
                let mut limbs = [0; $limbs];
                let mut borrow = 0i32;
                for i in 0..$limbs {
                    let difference = self.0[i] as i32 - other.0[i] as i32 + borrow;
                    limbs[i] = difference as u32 & Self::MASK;
                    borrow = difference >> $bits;
                }
                let missing = borrow as u32;
                let mut carry = 0;
                for i in 0..$limbs {
                    let sum = limbs[i] + (Self::MODULUS[i] & missing) + carry;
                    limbs[i] = sum & Self::MASK;
                    carry = sum >> $bits;
                }
                Self(limbs)
            }

            #[inline(never)]
            fn mul(&self, other: &Self) -> Self {
                let mut sums = [0u64; $limbs];
                Self::rounds(&mut sums, &self.0, &other.0, 0, $before_carry);
                if $before_carry < $limbs {
                    for j in 1..$limbs {
                        sums[j] += sums[j - 1] >> $bits;
                        sums[j - 1] &= Self::MASK as u64;
                    }
                    Self::rounds(&mut sums, &self.0, &other.0, $before_carry, $limbs);
                }
                let mut limbs = [0; $limbs];
                let mut carry = 0;
                for j in 0..$limbs {
                    let sum = sums[j] + carry;
                    limbs[j] = sum as u32 & Self::MASK;
                    carry = sum >> $bits;
                }
                // The sum is hardly ever as large as the modulus.
                if limbs[$limbs - 1] < Self::MODULUS[$limbs - 1] {
                    return Self(limbs);
                }
                Self(Self::reduced_once(limbs))
            }

            fn invert(&self) -> Self {
                self.inverse()
            }
        }
    };
}

prime_field!(
    Fp,
    words: [
        0x1a0111ea397fe69a, 0x4b1ba7b6434bacd7, 0x64774b84f38512bf,
        0x6730d2a0f6b0f624, 0x1eabfffeb153ffff, 0xb9feffffffffaaab,
    ],
    count: 6,
    limbs: 13,
    bits: 30,
    before_carry: 7
);

prime_field!(
    Fr,
    words: [0x73eda753299d7d48, 0x3339d80809a1d805, 0x53bda402fffe5bfe, 0xffffffff00000001],
    count: 4,
    limbs: 9,
    bits: 29,
    before_carry: 9
);

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
        let mut result = Self::ONE;
        for bit in (0..64).rev() {
            result = result.square();
            if exponent >> bit & 1 == 1 {
                result = result.mul(self);
            }
        }
        result
    }

    /// A root of one whose order is 2^`exponent`.
    pub fn root_of_unity(exponent: u32) -> Self {
        // The generator to (order of the group / 2^32), from the limbs of the modulus above its lowest 32 bits.
        let mut root = Self::ONE;
        let integer = Self::MODULUS;
        for bit in (Self::TWO_ADICITY as usize..9 * 29).rev() {
            root = root.square();
            if integer[bit / 29] >> (bit % 29) & 1 == 1 {
                root = root.mul(&Self::generator());
            }
        }
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
    use rand_core::SeedableRng;

    fn ours(scalar: &Scalar) -> Fr {
        Fr::from_bytes(&scalar.to_bytes())
    }

    #[test]
    fn scalars_are_calculated_as_by_the_library_of_the_curve() {
        let mut random = ChaCha20Rng::from_seed([3; 32]);
        let mut scalars: Vec<Scalar> = (0..40).map(|_| Scalar::random(&mut random)).collect();
        scalars.extend([Scalar::ZERO, Scalar::ONE, -Scalar::ONE, -Scalar::from(2), Scalar::from(1 << 63)]);
        for a in &scalars {
            assert_eq!(ours(a).to_bytes(), a.to_bytes());
            for b in &scalars {
                assert_eq!(ours(a).mul(&ours(b)).to_bytes(), (a * b).to_bytes());
                assert_eq!(ours(a).add(&ours(b)).to_bytes(), (a + b).to_bytes());
                assert_eq!(ours(a).sub(&ours(b)).to_bytes(), (a - b).to_bytes());
            }
        }
        let a = scalars[0];
        assert_eq!(ours(&a).invert().to_bytes(), a.invert().unwrap().to_bytes());
        let root = Fr::root_of_unity(5);
        assert!(root.power(32) == Fr::ONE && root.power(16) == Fr::ONE.neg());
    }
}
