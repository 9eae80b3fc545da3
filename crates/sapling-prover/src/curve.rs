//! Points of the two groups of BLS12-381: y^2 = x^3 + b.

use crate::field::{Field, Fp, Fp2};

/// The coordinates of a group as files of parameters have them: highest byte first, uncompressed.
pub trait Coordinate: Field {
    const SIZE: usize;
    fn read(bytes: &[u8]) -> Self;
    fn write(&self, bytes: &mut [u8]);
}

impl Coordinate for Fp {
    const SIZE: usize = Fp::SIZE;
    fn read(bytes: &[u8]) -> Self {
        Fp::from_be_bytes(&bytes[..Fp::SIZE])
    }
    fn write(&self, bytes: &mut [u8]) {
        self.write_be_bytes(&mut bytes[..Fp::SIZE]);
    }
}

impl Coordinate for Fp2 {
    const SIZE: usize = 2 * Fp::SIZE;
    fn read(bytes: &[u8]) -> Self {
        Fp2 { c0: Fp::read(&bytes[Fp::SIZE..]), c1: Fp::read(bytes) }
    }
    fn write(&self, bytes: &mut [u8]) {
        self.c1.write(bytes);
        self.c0.write(&mut bytes[Fp::SIZE..]);
    }
}

/// Three flags in the highest bits of an encoded point; the second marks the point at infinity.
const FLAGS: u8 = 0xe0;
/// Alone in the first byte.
const INFINITY: u8 = 0x40;

/// A point by its coordinates; both are zero at infinity, which no point of the curves has.
#[derive(Clone, Copy, PartialEq)]
pub struct Affine<F> {
    pub x: F,
    pub y: F,
}

impl<F: Coordinate> Affine<F> {
    pub const INFINITY: Self = Self { x: F::ZERO, y: F::ZERO };
    pub const SIZE: usize = 2 * F::SIZE;
    pub const INFINITY_FLAG: u8 = INFINITY;

    pub fn is_infinity(&self) -> bool {
        self.x.is_zero() && self.y.is_zero()
    }

    /// Reads an uncompressed point, which is trusted to be on the curve. None if it is at infinity or has another form.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        if bytes[0] & FLAGS != 0 {
            return None;
        }
        Some(Self { x: F::read(bytes), y: F::read(&bytes[F::SIZE..]) })
    }

    pub fn write(&self, bytes: &mut [u8]) {
        self.x.write(bytes);
        self.y.write(&mut bytes[F::SIZE..]);
        if self.is_infinity() {
            bytes[0] |= INFINITY;
        }
    }

    pub fn neg(&self) -> Self {
        Self { x: self.x, y: self.y.neg() }
    }
}

/// x = X / ZZ, y = Y / ZZZ, ZZ^3 = ZZZ^2 (the formulas "xyzz" of the Explicit-Formulas Database); ZZ is zero at infinity.
#[derive(Clone, Copy)]
pub struct Extended<F> {
    x: F,
    y: F,
    zz: F,
    zzz: F,
}

impl<F: Coordinate> Extended<F> {
    pub const INFINITY: Self = Self { x: F::ONE, y: F::ONE, zz: F::ZERO, zzz: F::ZERO };

    pub fn from_affine(point: &Affine<F>) -> Self {
        if point.is_infinity() {
            return Self::INFINITY;
        }
        Self { x: point.x, y: point.y, zz: F::ONE, zzz: F::ONE }
    }

    pub fn to_affine(self) -> Affine<F> {
        if self.zz.is_zero() {
            return Affine::INFINITY;
        }
        let inverse = self.zzz.invert();
        let z_inverse = self.zz.mul(&inverse);
        Affine { x: self.x.mul(&z_inverse.square()), y: self.y.mul(&inverse) }
    }

    pub fn double(&self) -> Self {
        if self.zz.is_zero() {
            return *self;
        }
        let u = self.y.double();
        let v = u.square();
        let w = u.mul(&v);
        let s = self.x.mul(&v);
        let square = self.x.square();
        let m = square.double().add(&square);
        let x = m.square().sub(&s.double());
        let y = m.mul(&s.sub(&x)).sub(&w.mul(&self.y));
        Self { x, y, zz: v.mul(&self.zz), zzz: w.mul(&self.zzz) }
    }

    pub fn add(&self, other: &Self) -> Self {
        if self.zz.is_zero() {
            return *other;
        }
        if other.zz.is_zero() {
            return *self;
        }
        let u = self.x.mul(&other.zz);
        let s = self.y.mul(&other.zzz);
        let p = other.x.mul(&self.zz).sub(&u);
        let r = other.y.mul(&self.zzz).sub(&s);
        if p.is_zero() {
            return if r.is_zero() { self.double() } else { Self::INFINITY };
        }
        let pp = p.square();
        let ppp = p.mul(&pp);
        let q = u.mul(&pp);
        let x = r.square().sub(&ppp).sub(&q.double());
        let y = r.mul(&q.sub(&x)).sub(&s.mul(&ppp));
        Self { x, y, zz: self.zz.mul(&other.zz).mul(&pp), zzz: self.zzz.mul(&other.zzz).mul(&ppp) }
    }

    pub fn add_affine(&self, other: &Affine<F>) -> Self {
        if other.is_infinity() {
            return *self;
        }
        if self.zz.is_zero() {
            return Self::from_affine(other);
        }
        let p = other.x.mul(&self.zz).sub(&self.x);
        let r = other.y.mul(&self.zzz).sub(&self.y);
        if p.is_zero() {
            return if r.is_zero() { self.double() } else { Self::INFINITY };
        }
        let pp = p.square();
        let ppp = p.mul(&pp);
        let q = self.x.mul(&pp);
        let x = r.square().sub(&ppp).sub(&q.double());
        let y = r.mul(&q.sub(&x)).sub(&self.y.mul(&ppp));
        Self { x, y, zz: self.zz.mul(&pp), zzz: self.zzz.mul(&ppp) }
    }
}

/// What a sum of two points by their coordinates is divided by.
enum Slope {
    Chord,
    Tangent,
    /// One is at infinity or they are opposite: nothing is divided.
    None,
}

fn slope_of<F: Coordinate>(a: &Affine<F>, b: &Affine<F>) -> (Slope, F) {
    if a.x == b.x {
        if a.y == b.y && !a.y.is_zero() {
            return (Slope::Tangent, a.y.double());
        }
        return (Slope::None, F::ONE);
    }
    if a.is_infinity() || b.is_infinity() {
        return (Slope::None, F::ONE);
    }
    (Slope::Chord, b.x.sub(&a.x))
}

/// Adds many pairs of points with one inversion (Montgomery's trick): about six multiplications a pair.
pub struct Adder<F> {
    products: Vec<F>,
}

impl<F: Coordinate> Adder<F> {
    /// Pairs that share an inversion: it costs as much as some 570 multiplications.
    pub const BATCH: usize = 1024;

    pub fn new() -> Self {
        Self { products: vec![F::ONE; Self::BATCH] }
    }

    /// Adds the two points of each pair; at most [`Self::BATCH`] pairs.
    pub fn add_all<'a>(&mut self, sums: &mut [Affine<F>], pair: impl Fn(usize) -> (&'a Affine<F>, &'a Affine<F>))
    where
        F: 'a,
    {
        let mut product = F::ONE;
        for i in 0..sums.len() {
            let (a, b) = pair(i);
            self.products[i] = product;
            let (slope, divisor) = slope_of(a, b);
            if !matches!(slope, Slope::None) {
                product = product.mul(&divisor);
            }
        }
        let mut inverse = product.invert();
        for i in (0..sums.len()).rev() {
            let (a, b) = pair(i);
            let (slope, divisor) = slope_of(a, b);
            let dividend = match slope {
                Slope::Chord => b.y.sub(&a.y),
                Slope::Tangent => {
                    let square = a.x.square();
                    square.double().add(&square)
                }
                Slope::None => {
                    sums[i] = sum_without_slope(a, b);
                    continue;
                }
            };
            let slope = dividend.mul(&inverse.mul(&self.products[i]));
            inverse = inverse.mul(&divisor);
            let x = slope.square().sub(&a.x).sub(&b.x);
            sums[i] = Affine { x, y: slope.mul(&a.x.sub(&x)).sub(&a.y) };
        }
    }
}

fn sum_without_slope<F: Coordinate>(a: &Affine<F>, b: &Affine<F>) -> Affine<F> {
    if a.is_infinity() {
        *b
    } else if b.is_infinity() {
        *a
    } else {
        Affine::INFINITY
    }
}
