//! Sums of multiples of many points: buckets (Pippenger's algorithm), filled by pairwise sums of affine points.

use crate::curve::{Adder, Affine, Coordinate, Extended};

pub const SCALAR_BYTES: usize = 32;
const SCALAR_BITS: usize = 8 * SCALAR_BYTES;

/// Bits of a window, by what is cheapest for so many points: a window costs a sum for each point and about two and a half
/// for each of its 2^(bits - 1) buckets.
fn window_bits(count: usize) -> usize {
    (2..=15)
        .min_by_key(|bits| SCALAR_BITS.div_ceil(*bits) * (2 * count + 5 * (1 << (bits - 1))))
        .unwrap_or(2)
}

/// The digits of scalars, from -2^(bits - 1) to 2^(bits - 1), window after window.
pub struct Digits {
    digits: Vec<i16>,
    pub count: usize,
    pub windows: usize,
}

impl Digits {
    /// @param scalars 32 bytes each, lowest first, below 2^255
    pub fn new(scalars: &[u8], bits: usize) -> Self {
        let count = scalars.len() / SCALAR_BYTES;
        let windows = SCALAR_BITS.div_ceil(bits);
        let mut digits = vec![0; count * windows];
        for (i, scalar) in scalars.chunks_exact(SCALAR_BYTES).enumerate() {
            let mut carry = 0;
            for window in 0..windows {
                let value = digit_at(scalar, window * bits, bits) + carry;
                carry = (value > 1 << (bits - 1)) as i32;
                digits[window * count + i] = (value - (carry << bits)) as i16;
            }
        }
        Self { digits, count, windows }
    }

    pub fn window(&self, window: usize) -> &[i16] {
        &self.digits[window * self.count..(window + 1) * self.count]
    }
}

fn digit_at(scalar: &[u8], bit: usize, bits: usize) -> i32 {
    let mut value = 0u32;
    for i in 0..4 {
        value |= (scalar.get(bit / 8 + i).copied().unwrap_or(0) as u32) << (8 * i);
    }
    ((value >> (bit % 8)) & ((1 << bits) - 1)) as i32
}

/// The sum of all points, each times its scalar.
///
/// @param scalars 32 bytes each, lowest first, below 2^255; as many as points
pub fn multiexp<F: Coordinate>(points: &[Affine<F>], scalars: &[u8]) -> Affine<F> {
    let bits = window_bits(points.len());
    let digits = Digits::new(scalars, bits);
    let mut buckets = Buckets::new(1 << (bits - 1));
    let mut total = Extended::INFINITY;
    for window in (0..digits.windows).rev() {
        for _ in 0..bits {
            total = total.double();
        }
        total = total.add(&buckets.sum(points, digits.window(window)));
    }
    total.to_affine()
}

/// The buckets of one window.
struct Buckets<F> {
    count: usize,
    /// Points in the order of their buckets; later the sums of these.
    points: Vec<Affine<F>>,
    sums: Vec<Affine<F>>,
    /// How many points each bucket has.
    sizes: Vec<u32>,
    adder: Adder<F>,
}

impl<F: Coordinate> Buckets<F> {
    fn new(count: usize) -> Self {
        Self {
            count,
            points: vec![],
            sums: vec![Affine::INFINITY; Adder::<F>::BATCH],
            sizes: vec![0; count],
            adder: Adder::new(),
        }
    }

    /// The sum of all points, each times its digit.
    fn sum(&mut self, points: &[Affine<F>], digits: &[i16]) -> Extended<F> {
        self.sort(points, digits);
        while self.sizes.iter().any(|size| *size > 1) {
            self.halve();
        }
        // Bucket k counts k times: the sum of all sums of the buckets from k upwards.
        let mut total = Extended::INFINITY;
        let mut running = Extended::INFINITY;
        let mut at = self.points.len();
        for size in self.sizes.iter().rev() {
            if *size == 1 {
                at -= 1;
                running = running.add_affine(&self.points[at]);
            }
            total = total.add(&running);
        }
        total
    }

    /// Puts the points in the order of their buckets, negative digits' points negated.
    fn sort(&mut self, points: &[Affine<F>], digits: &[i16]) {
        self.sizes.fill(0);
        for digit in digits.iter().filter(|digit| **digit != 0) {
            self.sizes[digit.unsigned_abs() as usize - 1] += 1;
        }
        let mut next = Vec::with_capacity(self.count);
        let mut total = 0;
        for size in &self.sizes {
            next.push(total);
            total += *size as usize;
        }
        self.points.clear();
        self.points.resize(total, Affine::INFINITY);
        for (point, digit) in points.iter().zip(digits).filter(|(_, digit)| **digit != 0) {
            let place = &mut next[digit.unsigned_abs() as usize - 1];
            self.points[*place] = if *digit > 0 { *point } else { point.neg() };
            *place += 1;
        }
    }

    /// Adds the points of each bucket in pairs.
    fn halve(&mut self) {
        let mut batch = Batch::new();
        let (mut from, mut to) = (0, 0);
        for size in self.sizes.iter_mut() {
            let before = *size as usize;
            for pair in 0..before / 2 {
                batch.pairs.push(((from + 2 * pair) as u32, to as u32));
                to += 1;
                if batch.pairs.len() == Adder::<F>::BATCH {
                    batch.add(&mut self.adder, &mut self.points, &mut self.sums);
                }
            }
            if before % 2 == 1 {
                batch.moves.push(((from + before - 1) as u32, to as u32));
                to += 1;
            }
            from += before;
            *size = before.div_ceil(2) as u32;
        }
        batch.add(&mut self.adder, &mut self.points, &mut self.sums);
        self.points.truncate(to);
    }
}

/// Sums and single points on their way to the front of the list. Places are written only after all that is read there
/// has been read: each place lies before what goes there.
struct Batch {
    pairs: Vec<(u32, u32)>,
    moves: Vec<(u32, u32)>,
}

impl Batch {
    fn new() -> Self {
        Self { pairs: vec![], moves: vec![] }
    }

    fn add<F: Coordinate>(&mut self, adder: &mut Adder<F>, points: &mut [Affine<F>], sums: &mut [Affine<F>]) {
        let sums = &mut sums[..self.pairs.len()];
        adder.add_all(sums, |i| {
            let from = self.pairs[i].0 as usize;
            (&points[from], &points[from + 1])
        });
        // Both lists go forward, and so do all places: a single point is read before its place is another's.
        let mut moves = self.moves.drain(..).peekable();
        for ((_, to), sum) in self.pairs.drain(..).zip(sums.iter()) {
            while let Some((from, place)) = moves.next_if(|(_, place)| *place < to) {
                points[place as usize] = points[from as usize];
            }
            points[to as usize] = *sum;
        }
        for (from, place) in moves {
            points[place as usize] = points[from as usize];
        }
    }
}
