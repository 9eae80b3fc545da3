//! A circuit with a witness: the values of all variables, and the scalars that the proof's five sums are made with.

use bellman::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use bls12_381::Scalar;
use ff::Field;

use crate::field::Fr;
use crate::polynomial::Domain;
use crate::witness::Invalid;

/// Lists of scalars of 32 bytes, lowest byte first, for the lists of points in a file of parameters.
pub struct Scalars {
    /// The public inputs, after a one.
    pub inputs: Vec<u8>,
    pub h: Vec<u8>,
    pub l: Vec<u8>,
    pub a: Vec<u8>,
    /// For both lists of points.
    pub b: Vec<u8>,
}

/// What a witness makes of a circuit.
pub struct Assignment {
    inputs: Vec<Scalar>,
    auxiliary: Vec<Scalar>,
    /// Variables that have a place in one of the constraints' first factors, and in the second ones.
    in_first: Vec<bool>,
    in_second: Vec<bool>,
    inputs_in_second: Vec<bool>,
    /// Both factors and the product, of each constraint.
    values: [Vec<Scalar>; 3],
    holds: bool,
}

impl Assignment {
    /// Fails if a constraint does not hold.
    pub fn new<C: Circuit<Scalar>>(circuit: C) -> Result<Self, Invalid> {
        let mut assignment = Self {
            inputs: vec![Scalar::ONE],
            auxiliary: vec![],
            in_first: vec![],
            in_second: vec![],
            inputs_in_second: vec![false],
            values: [vec![], vec![], vec![]],
            holds: true,
        };
        circuit.synthesize(&mut assignment).map_err(|_| Invalid::Contradiction)?;
        for i in 0..assignment.inputs.len() {
            // x * 0 = 0 gives each input a place of its own among the first factors.
            assignment.enforce(|| "", |lc| lc + Variable::new_unchecked(Index::Input(i)), |lc| lc, |lc| lc);
        }
        if assignment.holds { Ok(assignment) } else { Err(Invalid::Contradiction) }
    }

    /// The scalars of all lists but `h`, which takes longer.
    pub fn scalars(&self) -> Scalars {
        let dense = |values: &[Scalar], places: &[bool]| -> Vec<u8> {
            values.iter().zip(places).filter(|(_, has)| **has).flat_map(|(value, _)| value.to_bytes()).collect()
        };
        let inputs: Vec<u8> = self.inputs.iter().flat_map(Scalar::to_bytes).collect();
        let mut a = inputs.clone();
        a.extend(dense(&self.auxiliary, &self.in_first));
        let mut b = dense(&self.inputs, &self.inputs_in_second);
        b.extend(dense(&self.auxiliary, &self.in_second));
        let l = self.auxiliary.iter().flat_map(Scalar::to_bytes).collect();
        Scalars { inputs, h: vec![], l, a, b }
    }

    /// The scalars of the list `h`.
    pub fn quotient(self) -> Vec<u8> {
        let domain = Domain::new(self.values[0].len());
        let values = self.values.map(|list| list.iter().map(|value| Fr::from_bytes(&value.to_bytes())).collect());
        domain.quotient(values).into_iter().flat_map(Fr::to_bytes).collect()
    }

    fn evaluate(&mut self, combination: &LinearCombination<Scalar>, factor: usize) -> Scalar {
        let minus_one = -Scalar::ONE;
        let mut sum = Scalar::ZERO;
        for (variable, coefficient) in combination.as_ref() {
            if bool::from(coefficient.is_zero()) {
                continue;
            }
            let value = match variable.get_unchecked() {
                Index::Input(i) => {
                    self.inputs_in_second[i] |= factor == 1;
                    self.inputs[i]
                }
                Index::Aux(i) => {
                    self.in_first[i] |= factor == 0;
                    self.in_second[i] |= factor == 1;
                    self.auxiliary[i]
                }
            };
            if *coefficient == Scalar::ONE {
                sum += value;
            } else if *coefficient == minus_one {
                sum -= value;
            } else {
                sum += value * coefficient;
            }
        }
        sum
    }
}

impl ConstraintSystem<Scalar> for Assignment {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.auxiliary.push(value()?);
        self.in_first.push(false);
        self.in_second.push(false);
        Ok(Variable::new_unchecked(Index::Aux(self.auxiliary.len() - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs.push(value()?);
        self.inputs_in_second.push(false);
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
        let first = self.evaluate(&a(LinearCombination::zero()), 0);
        let second = self.evaluate(&b(LinearCombination::zero()), 1);
        let product = self.evaluate(&c(LinearCombination::zero()), 2);
        self.holds &= first * second == product;
        self.values[0].push(first);
        self.values[1].push(second);
        self.values[2].push(product);
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
