//! What the WebAssembly module offers. Byte strings are passed by address and size in its memory; results are lists of
//! byte strings behind a handle that the caller drops.

use crate::assignment::Assignment;
use crate::points::Group;
use crate::proof::{prove, Sums, VerifyingKey};
use crate::{assign, generate, Circuit};
use bls12_381::Scalar;

/// Every random byte comes from the caller: a dependency that asks for one gets an error.
fn no_randomness(_: &mut [u8]) -> Result<(), getrandom::Error> {
    Err(getrandom::Error::UNSUPPORTED)
}
getrandom::register_custom_getrandom!(no_randomness);

/// Results of a call; a failure has a number and no lists.
pub struct Results {
    failure: u32,
    lists: Vec<Vec<u8>>,
    assignment: Option<Assignment>,
}

/// A failure that is not of a witness.
const MALFORMED: u32 = 100;

impl Results {
    fn lists(lists: Vec<Vec<u8>>) -> *mut Self {
        Box::into_raw(Box::new(Self { failure: 0, lists, assignment: None }))
    }

    fn failed(failure: u32) -> *mut Self {
        Box::into_raw(Box::new(Self { failure, lists: vec![], assignment: None }))
    }

    fn list(bytes: Option<Vec<u8>>) -> *mut Self {
        match bytes {
            Some(bytes) => Self::lists(vec![bytes]),
            None => Self::failed(MALFORMED),
        }
    }
}

impl Drop for Results {
    fn drop(&mut self) {
        // They may be a witness.
        for list in &mut self.lists {
            erase(list);
        }
    }
}

fn erase(bytes: &mut [u8]) {
    bytes.fill(0);
    std::hint::black_box(bytes);
}

#[no_mangle]
pub extern "C" fn allocate(size: usize) -> *mut u8 {
    Box::leak(vec![0; size].into_boxed_slice()).as_mut_ptr()
}

/// # Safety
/// What `allocate` gave, with the same size.
#[no_mangle]
pub unsafe extern "C" fn release(bytes: *mut u8, size: usize) {
    let mut bytes = Box::from_raw(std::ptr::slice_from_raw_parts_mut(bytes, size));
    erase(&mut bytes);
}

/// # Safety
/// A handle that has not been dropped, as in the next functions.
#[no_mangle]
pub unsafe extern "C" fn failure(results: *const Results) -> u32 {
    (*results).failure
}

/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn list_address(results: *const Results, index: usize) -> *const u8 {
    (&(*results).lists)[index].as_ptr()
}

/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn list_size(results: *const Results, index: usize) -> usize {
    (&(*results).lists)[index].len()
}

/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn drop_results(results: *mut Results) {
    drop(Box::from_raw(results));
}

fn circuit_of(number: u32) -> Circuit {
    if number == 0 { Circuit::Spend } else { Circuit::Output }
}

fn group_of(number: u32) -> Group {
    if number == 1 { Group::First } else { Group::Second }
}

unsafe fn bytes<'a>(address: *const u8, size: usize) -> &'a [u8] {
    std::slice::from_raw_parts(address, size)
}

/// Lists: the public inputs after a one, then the scalars for l, a and b.
///
/// # Safety
/// An address and a size in the module's memory, as in the next functions.
#[no_mangle]
pub unsafe extern "C" fn assign_witness(circuit: u32, witness: *const u8, size: usize) -> *mut Results {
    match assign(circuit_of(circuit), bytes(witness, size)) {
        Ok(assignment) => {
            let scalars = assignment.scalars();
            let lists = vec![scalars.inputs, scalars.l, scalars.a, scalars.b];
            Box::into_raw(Box::new(Results { failure: 0, lists, assignment: Some(assignment) }))
        }
        Err(invalid) => Results::failed(invalid as u32),
    }
}

/// One list: the scalars for h. To be asked for once.
///
/// # Safety
/// The handle of an assignment.
#[no_mangle]
pub unsafe extern "C" fn quotient(results: *mut Results) -> *mut Results {
    Results::list((*results).assignment.take().map(Assignment::quotient))
}

/// One list: the sum of points times scalars.
///
/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn sum(group: u32, points: *const u8, scalars: *const u8, count: usize) -> *mut Results {
    let group = group_of(group);
    Results::list(group.sum(bytes(points, count * group.size()), bytes(scalars, count * 32)))
}

/// One list: the sum of points.
///
/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn add(group: u32, points: *const u8, count: usize) -> *mut Results {
    let group = group_of(group);
    Results::list(group.add(bytes(points, count * group.size())))
}

/// One list: a point times each scalar.
///
/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn multiples(group: u32, base: *const u8, scalars: *const u8, count: usize) -> *mut Results {
    let group = group_of(group);
    Results::list(group.multiples(bytes(base, group.size()), bytes(scalars, count * 32)))
}

/// One list: the proof. Fails if it doesn't hold.
///
/// @param blinding two times 64 random bytes
///
/// # Safety
/// As above.
#[no_mangle]
pub unsafe extern "C" fn make_proof(
    key: *const u8,
    key_size: usize,
    sums: *const u8,
    inputs: *const u8,
    inputs_size: usize,
    blinding: *const u8,
) -> *mut Results {
    let key = VerifyingKey::read(bytes(key, key_size));
    let sums = Sums::read(bytes(sums, Sums::SIZE));
    let inputs = crate::proof::read_inputs(bytes(inputs, inputs_size));
    let blinding = [0, 64].map(|at| {
        let mut wide = [0; 64];
        wide.copy_from_slice(bytes(blinding.add(at), 64));
        Scalar::from_bytes_wide(&wide)
    });
    let proof = match (key, sums, inputs) {
        (Some(key), Some(sums), Some(inputs)) => prove(&key, &sums, &inputs, blinding),
        _ => None,
    };
    Results::list(proof.map(|proof| proof.to_vec()))
}

/// Lists: the head of the verifying key, the bases of both groups, then scalars of the points of ic, h, l, a and b.
///
/// # Safety
/// 32 bytes in the module's memory.
#[no_mangle]
pub unsafe extern "C" fn generate_parameters(circuit: u32, seed: *const u8) -> *mut Results {
    let mut own = [0; 32];
    own.copy_from_slice(bytes(seed, 32));
    match generate(circuit_of(circuit), own) {
        Some(it) => {
            Results::lists(vec![it.head, it.base_g1, it.base_g2, it.inputs, it.h, it.l, it.a, it.b])
        }
        None => Results::failed(MALFORMED),
    }
}
