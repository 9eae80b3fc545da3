//! Parameters of a circuit from a seed: whoever knows the seed can make false proofs, so they are for development alone.
//! The same seed gives what bellman's `generate_random_parameters` makes of `ChaCha20Rng::from_seed`.

use bellman::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use bls12_381::{G1Projective, G2Projective, Scalar};
use ff::Field;
use group::{Curve, Group};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::field::{Field as _, Fr};
use crate::polynomial::Domain;

/// What the points of a file of parameters are multiples of, and which.
pub struct Generated {
    /// The verifying key without its last list, as the file begins.
    pub head: Vec<u8>,
    /// Bases of the two groups, uncompressed.
    pub base_g1: Vec<u8>,
    pub base_g2: Vec<u8>,
    /// Scalars of 32 bytes, lowest first, of the points of the lists.
    pub inputs: Vec<u8>,
    pub h: Vec<u8>,
    pub l: Vec<u8>,
    pub a: Vec<u8>,
    pub b: Vec<u8>,
}

/// None if the seed leads to a zero, or a variable has no constraint.
pub fn generate<C: Circuit<Scalar> + Clone>(circuit: C, seed: [u8; 32]) -> Option<Generated> {
    let mut random = ChaCha20Rng::from_seed(seed);
    let g1 = G1Projective::random(&mut random);
    let g2 = G2Projective::random(&mut random);
    let [alpha, beta, gamma, delta, tau] = std::array::from_fn(|_| Scalar::random(&mut random));
    let delta_inverse = Option::<Scalar>::from(delta.invert())?;
    let gamma_inverse = Option::<Scalar>::from(gamma.invert())?;

    let mut count = Evaluation::new(None);
    synthesize(circuit.clone(), &mut count)?;
    let domain = Domain::new(count.constraints);
    let tau = Fr::from_bytes(&tau.to_bytes());
    let mut at_tau = Evaluation::new(Some(domain.lagrange_at(&tau).into_iter().map(to_scalar).collect()));
    synthesize(circuit, &mut at_tau)?;

    let factor = domain.vanishing_at(&tau).mul(&Fr::from_bytes(&delta_inverse.to_bytes()));
    let h = domain.powers_at(&tau).iter().flat_map(|power| power.mul(&factor).to_bytes()).collect();
    let shares = |variables: &[[Scalar; 3]], inverse: Scalar| -> Vec<Scalar> {
        variables.iter().map(|[a, b, c]| (beta * a + alpha * b + c) * inverse).collect()
    };
    let l = shares(&at_tau.auxiliary, delta_inverse);
    if l.iter().any(|share| bool::from(share.is_zero())) {
        return None;
    }
    let dense = |which: usize| -> Vec<u8> {
        let variables = at_tau.inputs.iter().chain(&at_tau.auxiliary);
        bytes_of(variables.map(|values| values[which]).filter(|value| !bool::from(value.is_zero())))
    };
    Some(Generated {
        head: head(g1, g2, [alpha, beta, gamma, delta]),
        base_g1: g1.to_affine().to_uncompressed().to_vec(),
        base_g2: g2.to_affine().to_uncompressed().to_vec(),
        inputs: bytes_of(shares(&at_tau.inputs, gamma_inverse)),
        h,
        l: bytes_of(l),
        a: dense(0),
        b: dense(1),
    })
}

fn head(g1: G1Projective, g2: G2Projective, [alpha, beta, gamma, delta]: [Scalar; 4]) -> Vec<u8> {
    let mut bytes = vec![];
    let first = |factor: Scalar| (g1 * factor).to_affine().to_uncompressed();
    let second = |factor: Scalar| (g2 * factor).to_affine().to_uncompressed();
    bytes.extend(first(alpha));
    bytes.extend(first(beta));
    bytes.extend(second(beta));
    bytes.extend(second(gamma));
    bytes.extend(first(delta));
    bytes.extend(second(delta));
    bytes
}

fn to_scalar(value: Fr) -> Scalar {
    Option::from(Scalar::from_bytes(&value.to_bytes())).unwrap_or_default()
}

fn bytes_of(scalars: impl IntoIterator<Item = Scalar>) -> Vec<u8> {
    scalars.into_iter().flat_map(|scalar| scalar.to_bytes()).collect()
}

fn synthesize<C: Circuit<Scalar>>(circuit: C, evaluation: &mut Evaluation) -> Option<()> {
    circuit.synthesize(evaluation).ok()?;
    for i in 0..evaluation.inputs.len() {
        // x * 0 = 0 gives each input a place of its own among the first factors.
        evaluation.enforce(|| "", |lc| lc + Variable::new_unchecked(Index::Input(i)), |lc| lc, |lc| lc);
    }
    Some(())
}

/// The three polynomials of each variable at one point: sums over the constraints, of coefficients times the value of
/// the constraint's Lagrange polynomial. Without these values it counts.
struct Evaluation {
    lagrange: Option<Vec<Scalar>>,
    inputs: Vec<[Scalar; 3]>,
    auxiliary: Vec<[Scalar; 3]>,
    constraints: usize,
}

impl Evaluation {
    fn new(lagrange: Option<Vec<Scalar>>) -> Self {
        Self { lagrange, inputs: vec![[Scalar::ZERO; 3]], auxiliary: vec![], constraints: 0 }
    }

    fn collect(&mut self, combination: &LinearCombination<Scalar>, factor: usize, value: Scalar) {
        for (variable, coefficient) in combination.as_ref() {
            let sum = match variable.get_unchecked() {
                Index::Input(i) => &mut self.inputs[i][factor],
                Index::Aux(i) => &mut self.auxiliary[i][factor],
            };
            *sum += if *coefficient == Scalar::ONE { value } else { value * coefficient };
        }
    }
}

impl ConstraintSystem<Scalar> for Evaluation {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.auxiliary.push([Scalar::ZERO; 3]);
        Ok(Variable::new_unchecked(Index::Aux(self.auxiliary.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs.push([Scalar::ZERO; 3]);
        Ok(Variable::new_unchecked(Index::Input(self.inputs.len() - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        if let Some(value) = self.lagrange.as_ref().map(|values| values[self.constraints]) {
            self.collect(&a(LinearCombination::zero()), 0, value);
            self.collect(&b(LinearCombination::zero()), 1, value);
            self.collect(&c(LinearCombination::zero()), 2, value);
        }
        self.constraints += 1;
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self::Root {
        self
    }
}
