//! One proof by native code: reads a request from the standard input up to its end, writes the answer to the standard
//! output. Nothing of it stands in arguments, and errors have a number alone.
//!
//! Request, numbers lowest byte first: circuit (1: 0 spends, 1 outputs), threads (1), size of the path (2), path of the
//! file of parameters, bytes of its verifying key (4), for h, l, a and b in both groups the offset of the first point (8)
//! and the count (4), 128 random bytes, and the witness.
//!
//! Answer: a byte that is 0, the public inputs after a one, and the proof; or the number of a failure: those of witnesses,
//! 100 for parameters or a proof that doesn't hold, 101 for a malformed request.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

use bls12_381::Scalar;
use sapling_prover::points::Group;
use sapling_prover::proof::{prove, read_inputs, Sums, VerifyingKey};
use sapling_prover::{assign, Circuit};

const PARAMETERS: u8 = 100;
const MALFORMED: u8 = 101;
const LISTS: usize = 5;
const SCALAR: usize = 32;

fn main() {
    let mut request = vec![];
    let answer = match std::io::stdin().read_to_end(&mut request) {
        Ok(_) => answer(&request),
        Err(_) => Err(MALFORMED),
    };
    let bytes = match answer {
        Ok(bytes) => [vec![0], bytes].concat(),
        Err(failure) => vec![failure],
    };
    if std::io::stdout().write_all(&bytes).is_err() {
        std::process::exit(1);
    }
}

struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, size: usize) -> Result<&'a [u8], u8> {
        let (part, rest) = self.0.split_at_checked(size).ok_or(MALFORMED)?;
        self.0 = rest;
        Ok(part)
    }

    fn number(&mut self, size: usize) -> Result<u64, u8> {
        Ok(self.take(size)?.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }
}

/// A list of points in the file.
#[derive(Clone, Copy)]
struct List {
    offset: u64,
    count: usize,
    group: Group,
}

fn answer(request: &[u8]) -> Result<Vec<u8>, u8> {
    let mut cursor = Cursor(request);
    let circuit = if cursor.number(1)? == 0 { Circuit::Spend } else { Circuit::Output };
    let threads = cursor.number(1)?.max(1) as usize;
    let path_size = cursor.number(2)? as usize;
    let path = std::str::from_utf8(cursor.take(path_size)?).map_err(|_| MALFORMED)?;
    let key_size = cursor.number(4)? as usize;
    let mut lists = vec![];
    for i in 0..LISTS {
        let group = if i == LISTS - 1 { Group::Second } else { Group::First };
        lists.push(List { offset: cursor.number(8)?, count: cursor.number(4)? as usize, group });
    }
    let random = cursor.take(128)?;
    let assignment = assign(circuit, cursor.0).map_err(|invalid| invalid as u8)?;

    let scalars = assignment.scalars();
    let scalars_of = [&[][..], &scalars.l, &scalars.a, &scalars.b, &scalars.b];
    let early: Vec<Part> = (1..LISTS).rev().flat_map(|i| parts(path, lists[i], i, scalars_of[i], threads)).collect();
    let done = Mutex::new(vec![vec![]; LISTS]);
    let next = AtomicUsize::new(0);
    let mut h = vec![];
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|| work(&early, &next, &done));
        }
        h = assignment.quotient();
        work(&early, &next, &done);
    });
    let late: Vec<Part> = parts(path, lists[0], 0, &h, threads).collect();
    next.store(0, Ordering::SeqCst);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(&late, &next, &done));
        }
    });

    let done = done.into_inner().map_err(|_| PARAMETERS)?;
    let mut totals = vec![];
    for (list, sums) in lists.iter().zip(done) {
        totals.extend(list.group.add(&sums).ok_or(PARAMETERS)?);
    }
    let key = read_at(path, 0, key_size).and_then(|bytes| VerifyingKey::read(&bytes)).ok_or(PARAMETERS)?;
    let sums = Sums::read(&totals).ok_or(PARAMETERS)?;
    let inputs = read_inputs(&scalars.inputs).ok_or(PARAMETERS)?;
    let blinding = [0, 64].map(|at| {
        let mut wide = [0; 64];
        wide.copy_from_slice(&random[at..at + 64]);
        Scalar::from_bytes_wide(&wide)
    });
    let proof = prove(&key, &sums, &inputs, blinding).ok_or(PARAMETERS)?;
    Ok([scalars.inputs.clone(), proof.to_vec()].concat())
}

/// A part of a list, and the scalars of its points.
#[derive(Clone, Copy)]
struct Part<'a> {
    path: &'a str,
    list: List,
    index: usize,
    from: usize,
    scalars: &'a [u8],
}

fn parts<'a>(
    path: &'a str,
    list: List,
    index: usize,
    scalars: &'a [u8],
    threads: usize,
) -> impl Iterator<Item = Part<'a>> {
    let size = list.count.div_ceil(threads).max(1);
    // A list of another length is no list of this circuit: its missing parts make a proof that doesn't hold.
    let scalars = if scalars.len() == list.count * SCALAR { scalars } else { &[] };
    scalars.chunks(size * SCALAR).enumerate().map(move |(i, scalars)| Part {
        path,
        list,
        index,
        from: i * size,
        scalars,
    })
}

/// Takes parts until none is left. What fails leaves no sum, and the proof doesn't hold.
fn work(parts: &[Part], next: &AtomicUsize, done: &Mutex<Vec<Vec<u8>>>) {
    while let Some(part) = parts.get(next.fetch_add(1, Ordering::SeqCst)) {
        let Part { path, list, index, from, scalars } = *part;
        let offset = list.offset + (from * list.group.size()) as u64;
        let points = read_at(path, offset, scalars.len() / SCALAR * list.group.size());
        let sum = points.and_then(|points| list.group.sum(&points, scalars));
        if let (Some(sum), Ok(mut done)) = (sum, done.lock()) {
            done[index].extend(sum);
        }
    }
}

fn read_at(path: &str, offset: u64, size: usize) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut bytes = vec![0; size];
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}
