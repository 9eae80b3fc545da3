//! Many multiples of one point, by tables of its multiples.

use crate::curve::{Adder, Affine, Coordinate};
use crate::multiexp::Digits;

/// Of a window: tables of 2^10 points stay in a processor's cache, and there are 24 of them.
const WINDOW: usize = 11;

/// 1 to 2^(WINDOW - 1) times the base, and 2^WINDOW times.
fn table<F: Coordinate>(adder: &mut Adder<F>, base: &Affine<F>) -> (Vec<Affine<F>>, Affine<F>) {
    let count = 1 << (WINDOW - 1);
    let mut multiples = vec![*base; count];
    let mut known = 1;
    while known < count {
        let (lower, upper) = multiples.split_at_mut(known);
        adder.add_all(&mut upper[..known], |i| (&lower[known - 1], &lower[i]));
        known *= 2;
    }
    let highest = multiples[count - 1];
    let mut doubled = [highest];
    adder.add_all(&mut doubled, |_| (&highest, &highest));
    (multiples, doubled[0])
}

/// The base times each of the scalars. @param scalars 32 bytes each, lowest first, below 2^255
pub fn multiples<F: Coordinate>(base: &Affine<F>, scalars: &[u8]) -> Vec<Affine<F>> {
    let digits = Digits::new(scalars, WINDOW);
    let mut adder = Adder::new();
    let mut results = vec![Affine::INFINITY; digits.count];
    let mut addends = vec![Affine::INFINITY; Adder::<F>::BATCH];
    let mut sums = addends.clone();
    let mut base = *base;
    for window in 0..digits.windows {
        let (table, next) = table(&mut adder, &base);
        base = next;
        for (results, digits) in results.chunks_mut(addends.len()).zip(digits.window(window).chunks(addends.len())) {
            for (addend, digit) in addends.iter_mut().zip(digits) {
                *addend = match digit.unsigned_abs() as usize {
                    0 => Affine::INFINITY,
                    size if *digit > 0 => table[size - 1],
                    size => table[size - 1].neg(),
                };
            }
            let sums = &mut sums[..results.len()];
            adder.add_all(sums, |i| (&results[i], &addends[i]));
            results.copy_from_slice(sums);
        }
    }
    results
}
