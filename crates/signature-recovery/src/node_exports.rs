//! What Node.js finds in the library.

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
    node_api::export(env, exports, b"recover\0", recover);
    node_api::export(env, exports, b"isPoint\0", is_point);
    node_api::export(env, exports, b"sign\0", sign);
    exports
}

/// recoverSigners(questions, prefix, answers): 97 bytes a question (hash, r, s, header), 22 an answer (1 and the
/// address, or zeros).
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
