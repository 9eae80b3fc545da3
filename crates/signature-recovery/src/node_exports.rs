//! What Node.js finds in the library.

use core::slice;

use crate::curve;
use crate::node_api::{self, CallbackInfo, Env, Value};

/// Node.js calls this when it loads the library.
///
/// # Safety
/// `env` and `exports` are what Node.js handed over.
#[no_mangle]
pub unsafe extern "C" fn napi_register_module_v1(env: Env, exports: Value) -> Value {
    curve::prepare();
    node_api::export(env, exports, b"recoverSigners\0", recover_signers);
    node_api::export(env, exports, b"checkSigners\0", check_signers);
    node_api::export(env, exports, b"checkRoom\0", check_room);
    node_api::export(env, exports, b"recover\0", recover);
    node_api::export(env, exports, b"isPoint\0", is_point);
    node_api::export(env, exports, b"sign\0", sign);
    exports
}

/// recoverSigners(questions, prefix, answers): 97 bytes a question (hash, r, s, header), 86 an answer (1, the address and
/// the public key, or zeros).
unsafe extern "C" fn recover_signers(env: Env, info: CallbackInfo) -> Value {
    let done = (|| {
        let [questions, prefix, answers] = node_api::arguments::<3>(env, info)?;
        let prefix = u8::try_from(node_api::number(env, prefix)?).ok()?;
        node_api::for_each_entry(env, questions, answers, |question| curve::signer(prefix, question)).then_some(())
    })();
    match done {
        Some(()) => node_api::int32(env, 1),
        None => node_api::wrong_arguments(env, c"recoverSigners(questions, prefix, answers)"),
    }
}

/// checkRoom(): bytes of memory that checkSigners works in.
unsafe extern "C" fn check_room(env: Env, _: CallbackInfo) -> Value {
    node_api::int32(env, curve::check_room() as i32)
}

/// checkSigners(claims, keys, room): 1 if each claim (115 bytes: hash, r, s, header, factor, index of its key) holds, else 0.
unsafe extern "C" fn check_signers(env: Env, info: CallbackInfo) -> Value {
    let holds = (|| {
        let [claims, keys, room] = node_api::arguments::<3>(env, info)?;
        let (claims, keys) = (node_api::bytes_of(env, claims)?, node_api::bytes_of(env, keys)?);
        let (room, length) = node_api::bytes_of(env, room)?;
        if length < curve::check_room() || claims.1 == 0 || keys.1 == 0 {
            return None;
        }
        let (claims, keys) = (slice::from_raw_parts(claims.0, claims.1), slice::from_raw_parts(keys.0, keys.1));
        Some(i32::from(curve::check(claims, keys, room)))
    })();
    match holds {
        Some(number) => node_api::int32(env, number),
        None => node_api::wrong_arguments(env, c"checkSigners(claims, keys, room)"),
    }
}

/// recover(hash, r‖s, recovery, publicKey): 1 and 65 bytes of public key, or 0.
unsafe extern "C" fn recover(env: Env, info: CallbackInfo) -> Value {
    let found = (|| {
        let [hash, compact, recovery, public_key] = node_api::arguments::<4>(env, info)?;
        let hash = node_api::fixed_bytes(env, hash)?;
        let compact = node_api::fixed_bytes(env, compact)?;
        let recovery = i32::try_from(node_api::number(env, recovery)?).ok()?;
        match curve::recover(&hash, &compact, recovery) {
            Some(key) => node_api::write_bytes(env, public_key, &key).then_some(1),
            None => Some(0),
        }
    })();
    match found {
        Some(number) => node_api::int32(env, number),
        None => node_api::wrong_arguments(env, c"recover(hash, signature, recovery, publicKey)"),
    }
}

/// isPoint(compressed): 1 or 0.
unsafe extern "C" fn is_point(env: Env, info: CallbackInfo) -> Value {
    let point = (|| {
        let [compressed] = node_api::arguments::<1>(env, info)?;
        Some(i32::from(curve::is_point(&node_api::fixed_bytes(env, compressed)?)))
    })();
    match point {
        Some(number) => node_api::int32(env, number),
        None => node_api::wrong_arguments(env, c"isPoint(compressed)"),
    }
}

/// sign(hash, privateKey, r‖s): the recovery id, or -1 for a key out of range.
unsafe extern "C" fn sign(env: Env, info: CallbackInfo) -> Value {
    let signed = (|| {
        let [hash, private_key, compact] = node_api::arguments::<3>(env, info)?;
        let hash = node_api::fixed_bytes(env, hash)?;
        let private_key = node_api::fixed_bytes(env, private_key)?;
        match curve::sign(&hash, &private_key) {
            Some((bytes, recovery)) => node_api::write_bytes(env, compact, &bytes).then_some(recovery),
            None => Some(-1),
        }
    })();
    match signed {
        Some(number) => node_api::int32(env, number),
        None => node_api::wrong_arguments(env, c"sign(hash, privateKey, signature)"),
    }
}
