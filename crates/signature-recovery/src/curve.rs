//! Signatures of secp256k1 by libsecp256k1: recovering, making, and points of the curve.

use core::mem::MaybeUninit;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use secp256k1_sys as library;
use secp256k1_sys::recovery as recoverable;
use sha3::{Digest, Keccak256};

/// r, s and the header byte.
pub const SIGNATURE: usize = 65;
/// 04, x, y.
pub const PUBLIC_KEY: usize = 65;
/// The network's prefix and the last twenty bytes of the public key's hash.
pub const ADDRESS: usize = 21;
/// x and y.
pub const KEY: usize = 64;
/// What is told of a signer: 1, the address, the public key.
pub const SIGNER: usize = 1 + ADDRESS + KEY;
/// Hash, r, s, header byte, 16 bytes of a factor, 2 bytes of the key's index.
pub const CLAIM: usize = 32 + SIGNATURE + 16 + 2;

// src/check.c
extern "C" {
    fn signature_check_room() -> usize;
    fn signature_check(count: usize, claims: *const u8, keys: usize, key_bytes: *const u8, room: *mut u8) -> i32;
}

/// The library needs no tables of its own for what is public.
fn public_context() -> *const library::Context {
    unsafe { library::secp256k1_context_no_precomp }
}

/// The uncompressed public key that made a signature; None where r, s or the result is out of the ordinary.
pub fn recover(hash: &[u8; 32], compact: &[u8; 64], recovery: i32) -> Option<[u8; PUBLIC_KEY]> {
    if !(0..4).contains(&recovery) {
        return None;
    }
    let context = public_context();
    unsafe {
        let mut signature = recoverable::RecoverableSignature::new();
        let parsed = recoverable::secp256k1_ecdsa_recoverable_signature_parse_compact(
            context,
            &mut signature,
            compact.as_ptr(),
            recovery,
        );
        if parsed != 1 {
            return None;
        }
        let mut key = library::PublicKey::new();
        if recoverable::secp256k1_ecdsa_recover(context, &mut key, &signature, hash.as_ptr()) != 1 {
            return None;
        }
        let mut bytes = [0; PUBLIC_KEY];
        let mut length = PUBLIC_KEY;
        library::secp256k1_ec_pubkey_serialize(
            context,
            bytes.as_mut_ptr(),
            &mut length,
            &key,
            library::SECP256K1_SER_UNCOMPRESSED,
        );
        Some(bytes)
    }
}

/// The recovery id that a header byte stands for, as the network reads it; None outside of 27 to 34.
fn recovery_id(header: u8) -> Option<i32> {
    let mut value = i32::from(header as i8);
    if value < 27 {
        value += 27;
    }
    match value {
        27..=30 => Some(value - 27),
        31..=34 => Some(value - 31),
        _ => None,
    }
}

/// Who made a signature: 1, the address and the key, or zeros where the whole rule has to decide.
pub fn signer(prefix: u8, question: &[u8; 32 + SIGNATURE]) -> [u8; SIGNER] {
    let mut answer = [0; SIGNER];
    let (mut hash, mut compact) = ([0; 32], [0; 64]);
    hash.copy_from_slice(&question[..32]);
    compact.copy_from_slice(&question[32..96]);
    let key = recovery_id(question[96]).and_then(|recovery| recover(&hash, &compact, recovery));
    if let Some(key) = key {
        answer[0] = 1;
        answer[1] = prefix;
        answer[2..1 + ADDRESS].copy_from_slice(&Keccak256::digest(&key[1..])[12..]);
        answer[1 + ADDRESS..].copy_from_slice(&key[1..]);
    }
    answer
}

/// Bytes of memory that a check works in.
pub fn check_room() -> usize {
    unsafe { signature_check_room() }
}

/// Whether each of at most 512 claims holds: its signature was made by its key. False where one doesn't, and where one is of a kind
/// that [`signer`] has to look at. `room` has [`check_room`] bytes, which nothing else uses meanwhile.
pub unsafe fn check(claims: &[u8], keys: &[u8], room: *mut u8) -> bool {
    let (count, key_count) = (claims.len() / CLAIM, keys.len() / KEY);
    if claims.len() != count * CLAIM || keys.len() != key_count * KEY {
        return false;
    }
    signature_check(count, claims.as_ptr(), key_count, keys.as_ptr(), room) == 1
}

/// Whether 33 bytes are a point of the curve in its compressed form.
pub fn is_point(compressed: &[u8; 33]) -> bool {
    unsafe {
        let mut key = library::PublicKey::new();
        library::secp256k1_ec_pubkey_parse(public_context(), &mut key, compressed.as_ptr(), compressed.len()) == 1
    }
}

/// Room for the library's context of secrets, whose size it tells only when asked; 64-bit targets need about 200 bytes.
const CONTEXT_ROOM: usize = 1024;
/// Turns of waiting for another thread; a thread that gave up signs with the other library.
const MOST_WAITING: u32 = 100_000_000;

#[repr(C, align(16))]
struct ContextRoom(MaybeUninit<[u8; CONTEXT_ROOM]>);

static mut ROOM: ContextRoom = ContextRoom(MaybeUninit::uninit());
static ROOM_TAKEN: AtomicBool = AtomicBool::new(false);
static SECRET_CONTEXT: AtomicPtr<library::Context> = AtomicPtr::new(core::ptr::null_mut());

/// Makes the context of secrets. Each thread of Node.js registers the library; the first of them makes the context, and
/// one that comes meanwhile waits the microseconds that this takes.
pub fn prepare() {
    if ROOM_TAKEN.swap(true, Ordering::AcqRel) {
        for _ in 0..MOST_WAITING {
            if !SECRET_CONTEXT.load(Ordering::Acquire).is_null() {
                return;
            }
            core::hint::spin_loop();
        }
        return;
    }
    unsafe {
        if library::secp256k1_context_preallocated_size(library::SECP256K1_START_SIGN) > CONTEXT_ROOM {
            return;
        }
        let room = NonNull::new_unchecked((&raw mut ROOM).cast());
        let context = library::secp256k1_context_preallocated_create(room, library::SECP256K1_START_SIGN);
        SECRET_CONTEXT.store(context.as_ptr(), Ordering::Release);
    }
}

/// Signs a hash with the nonce of RFC 6979 and a low s: r, s and the recovery id. None for a key out of range.
pub fn sign(hash: &[u8; 32], private_key: &[u8; 32]) -> Option<([u8; 64], i32)> {
    let context = SECRET_CONTEXT.load(Ordering::Acquire);
    if context.is_null() {
        return None;
    }
    unsafe {
        let mut signature = recoverable::RecoverableSignature::new();
        let signed = recoverable::secp256k1_ecdsa_sign_recoverable(
            context,
            &mut signature,
            hash.as_ptr(),
            private_key.as_ptr(),
            library::secp256k1_nonce_function_rfc6979,
            core::ptr::null(),
        );
        if signed != 1 {
            return None;
        }
        let (mut compact, mut recovery) = ([0; 64], 0);
        recoverable::secp256k1_ecdsa_recoverable_signature_serialize_compact(
            context,
            compact.as_mut_ptr(),
            &mut recovery,
            &signature,
        );
        Some((compact, recovery))
    }
}
