//! The same functions for WebAssembly: what goes in and out lies in one block of the module's memory, whose address is asked once.

use core::mem::MaybeUninit;

use crate::curve::{self, CLAIM, KEY, PUBLIC_KEY, SIGNATURE, SIGNER};

/// Signatures that one call recovers.
const MAX_QUESTIONS: usize = 256;
const QUESTION: usize = 32 + SIGNATURE;

#[repr(C)]
struct Exchange {
    questions: [u8; MAX_QUESTIONS * QUESTION],
    answers: [u8; MAX_QUESTIONS * SIGNER],
}

static mut EXCHANGE: Exchange = Exchange {
    questions: [0; MAX_QUESTIONS * QUESTION],
    answers: [0; MAX_QUESTIONS * SIGNER],
};

/// The only thread of the module calls one function at a time.
fn exchange() -> &'static mut Exchange {
    unsafe { &mut *(&raw mut EXCHANGE) }
}

/// Prepares the module. Returns the address of the questions; the answers lie behind them.
#[no_mangle]
pub extern "C" fn exchange_address() -> *mut u8 {
    curve::prepare();
    exchange().questions.as_mut_ptr()
}

#[no_mangle]
pub extern "C" fn max_questions() -> usize {
    MAX_QUESTIONS
}

/// Answers the first `count` questions: hash, r, s, header; 1, the address and the key, or zeros.
#[no_mangle]
pub extern "C" fn recover_signers(count: usize, prefix: u32) {
    let Exchange { questions, answers } = exchange();
    let pairs = questions.chunks_exact(QUESTION).zip(answers.chunks_exact_mut(SIGNER));
    for (question, answer) in pairs.take(count) {
        let mut bytes = [0; QUESTION];
        bytes.copy_from_slice(question);
        answer.copy_from_slice(&curve::signer(prefix as u8, &bytes));
    }
}

/// Claims that one call checks.
const MAX_CLAIMS: usize = 512;

#[repr(C, align(16))]
struct Check {
    claims: [u8; MAX_CLAIMS * CLAIM],
    keys: [u8; MAX_CLAIMS * KEY],
}

static mut CHECK: Check = Check { claims: [0; MAX_CLAIMS * CLAIM], keys: [0; MAX_CLAIMS * KEY] };

/// As much as src/check.c asks for; its size is compared before it is used.
const ROOM: usize = 1_300_000;

static mut CHECK_ROOM: MaybeUninit<[u8; ROOM]> = MaybeUninit::uninit();

/// Returns the address of 512 claims; 512 keys lie behind them.
#[no_mangle]
pub extern "C" fn check_address() -> *mut u8 {
    (&raw mut CHECK).cast()
}

/// Whether the first `count` claims hold, for the first `key_count` keys: 1 or 0.
#[no_mangle]
pub extern "C" fn check_signers(count: usize, key_count: usize) -> i32 {
    if count > MAX_CLAIMS || key_count > MAX_CLAIMS || curve::check_room() > ROOM {
        return 0;
    }
    let Check { claims, keys } = unsafe { &*(&raw const CHECK) };
    let room = (&raw mut CHECK_ROOM).cast();
    i32::from(unsafe { curve::check(&claims[..count * CLAIM], &keys[..key_count * KEY], room) })
}

fn input<const LENGTH: usize>(offset: usize) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    bytes.copy_from_slice(&exchange().questions[offset..offset + LENGTH]);
    bytes
}

/// From hash and r‖s: 1 and the public key as the first answer's 65 bytes, or 0.
#[no_mangle]
pub extern "C" fn recover(recovery: i32) -> i32 {
    match curve::recover(&input(0), &input(32), recovery) {
        Some(key) => {
            exchange().answers[..PUBLIC_KEY].copy_from_slice(&key);
            1
        }
        None => 0,
    }
}

/// Whether 33 bytes are a point of the curve: 1 or 0.
#[no_mangle]
pub extern "C" fn is_point() -> i32 {
    i32::from(curve::is_point(&input(0)))
}

/// From hash and private key: r‖s as the first answer's 64 bytes, and the recovery id, or -1. The key is wiped.
#[no_mangle]
pub extern "C" fn sign() -> i32 {
    let signed = curve::sign(&input(0), &input(32));
    exchange().questions[32..64].fill(0);
    match signed {
        Some((bytes, recovery)) => {
            exchange().answers[..bytes.len()].copy_from_slice(&bytes);
            recovery
        }
        None => -1,
    }
}
