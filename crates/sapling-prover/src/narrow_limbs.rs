//! The two fields for a machine that multiplies 64 bits to 64 (WebAssembly): limbs of 29 or 30 bits, so that many products
//! add up before a carry.

use crate::field::{inverse, Field, FP_MODULUS, FR_MODULUS};

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
            /// 2 to twice the bits of all limbs: brings an integer into Montgomery form.
            const ENTRY: Self = Self::power_of_two(2 * $limbs * $bits);
            pub const BYTES: usize = 8 * $count;

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
            pub fn from_integer(bytes: &[u8; Self::BYTES]) -> Self {
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
            pub fn to_integer(self) -> [u8; Self::BYTES] {
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
                inverse(self, &$words)
            }
        }
    };
}

prime_field!(
    Fp,
    words: FP_MODULUS,
    count: 6,
    limbs: 13,
    bits: 30,
    before_carry: 7
);

prime_field!(
    Fr,
    words: FR_MODULUS,
    count: 4,
    limbs: 9,
    bits: 29,
    before_carry: 9
);
