//! The two fields for a machine that multiplies 64 bits to 128: limbs of 64 bits.

use crate::field::{inverse, Field, FP_MODULUS, FR_MODULUS};

/// The limbs of `a + x * y + carry`.
#[inline(always)]
const fn multiply_add(a: u64, x: u64, y: u64, carry: u64) -> (u64, u64) {
    let sum = a as u128 + x as u128 * y as u128 + carry as u128;
    (sum as u64, (sum >> 64) as u64)
}

#[inline(always)]
const fn add_carry(a: u64, b: u64, carry: u64) -> (u64, u64) {
    let sum = a as u128 + b as u128 + carry as u128;
    (sum as u64, (sum >> 64) as u64)
}

/// @return the borrow as all bits
#[inline(always)]
const fn sub_borrow(a: u64, b: u64, borrow: u64) -> (u64, u64) {
    let difference = (a as u128).wrapping_sub(b as u128 + (borrow >> 63) as u128);
    (difference as u64, (difference >> 64) as u64)
}

/// Defines a field of integers modulo a prime whose highest bit is free.
macro_rules! prime_field {
    ($name:ident, words: $words:expr, count: $count:expr) => {
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub struct $name([u64; $count]);

        impl $name {
            pub const BYTES: usize = 8 * $count;
            const MODULUS: [u64; $count] = {
                let words: [u64; $count] = $words;
                let mut limbs = [0; $count];
                let mut i = 0;
                while i < $count {
                    limbs[i] = words[$count - 1 - i];
                    i += 1;
                }
                limbs
            };
            /// -1 / modulus, modulo a limb: each step doubles how many of its bits are right.
            const NEGATED_INVERSE: u64 = {
                let mut inverse = 1u64;
                let mut step = 0;
                while step < 6 {
                    inverse = inverse.wrapping_mul(2u64.wrapping_sub(Self::MODULUS[0].wrapping_mul(inverse)));
                    step += 1;
                }
                inverse.wrapping_neg()
            };
            /// 2 to twice the bits of all limbs: brings an integer into Montgomery form.
            const ENTRY: Self = Self::power_of_two(2 * 64 * $count);

            const fn power_of_two(exponent: usize) -> Self {
                let mut element = [0; $count];
                element[0] = 1;
                let mut step = 0;
                while step < exponent {
                    element = Self::sum(&element, &element);
                    step += 1;
                }
                Self(element)
            }

            #[inline(always)]
            const fn sum(a: &[u64; $count], b: &[u64; $count]) -> [u64; $count] {
                let mut sums = [0; $count];
                let mut carry = 0;
                let mut i = 0;
                while i < $count {
                    (sums[i], carry) = add_carry(a[i], b[i], carry);
                    i += 1;
                }
                Self::reduced_once(sums)
            }

            /// Takes the modulus away where that leaves something.
            #[inline(always)]
            const fn reduced_once(limbs: [u64; $count]) -> [u64; $count] {
                let mut less = [0; $count];
                let mut borrow = 0;
                let mut i = 0;
                while i < $count {
                    (less[i], borrow) = sub_borrow(limbs[i], Self::MODULUS[i], borrow);
                    i += 1;
                }
                if borrow == 0 { less } else { limbs }
            }

            /// Reads an integer, lowest byte first, modulo the field.
            pub fn from_integer(bytes: &[u8; Self::BYTES]) -> Self {
                let mut limbs = [0; $count];
                for (limb, bytes) in limbs.iter_mut().zip(bytes.chunks_exact(8)) {
                    *limb = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
                }
                Self(limbs).mul(&Self::ENTRY)
            }

            /// The integer, lowest byte first.
            pub fn to_integer(self) -> [u8; Self::BYTES] {
                let mut one = [0; $count];
                one[0] = 1;
                let limbs = self.mul(&Self(one)).0;
                let mut bytes = [0; Self::BYTES];
                for (bytes, limb) in bytes.chunks_exact_mut(8).zip(limbs) {
                    bytes.copy_from_slice(&limb.to_le_bytes());
                }
                bytes
            }
        }

        impl Field for $name {
            const ZERO: Self = Self([0; $count]);
            const ONE: Self = Self::power_of_two(64 * $count);

            #[inline]
            fn add(&self, other: &Self) -> Self {
                Self(Self::sum(&self.0, &other.0))
            }

            #[inline]
            fn sub(&self, other: &Self) -> Self {
                let mut limbs = [0; $count];
                let mut borrow = 0;
                for i in 0..$count {
                    (limbs[i], borrow) = sub_borrow(self.0[i], other.0[i], borrow);
                }
                let mut carry = 0;
                for i in 0..$count {
                    (limbs[i], carry) = add_carry(limbs[i], Self::MODULUS[i] & borrow, carry);
                }
                Self(limbs)
            }

            /// Product and reduction in one: since the highest bit of the modulus is free, the carries of both fit one limb.
            /// The first factor may be any integer of so many limbs.
            #[inline]
            fn mul(&self, other: &Self) -> Self {
                let mut sums = [0; $count];
                for i in 0..$count {
                    let x = self.0[i];
                    let (lowest, mut of_product) = multiply_add(sums[0], x, other.0[0], 0);
                    let m = lowest.wrapping_mul(Self::NEGATED_INVERSE);
                    let (_, mut of_modulus) = multiply_add(lowest, m, Self::MODULUS[0], 0);
                    for j in 1..$count {
                        let sum;
                        (sum, of_product) = multiply_add(sums[j], x, other.0[j], of_product);
                        (sums[j - 1], of_modulus) = multiply_add(sum, m, Self::MODULUS[j], of_modulus);
                    }
                    sums[$count - 1] = of_product + of_modulus;
                }
                Self(Self::reduced_once(sums))
            }

            fn invert(&self) -> Self {
                inverse(self, &$words)
            }
        }
    };
}

prime_field!(Fp, words: FP_MODULUS, count: 6);
prime_field!(Fr, words: FR_MODULUS, count: 4);
