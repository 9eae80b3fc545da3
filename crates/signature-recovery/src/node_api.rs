//! The few functions of Node-API that the exports need, resolved in the program that loads this library. Their
//! interface is stable across releases of Node.js (https://nodejs.org/api/n-api.html), so that one library serves all.

use core::ffi::{c_char, c_void};
use core::ptr;

pub type Env = *mut c_void;
pub type Value = *mut c_void;
pub type CallbackInfo = *mut c_void;
pub type Callback = unsafe extern "C" fn(Env, CallbackInfo) -> Value;

const OK: i32 = 0;
/// `napi_uint8_array` of `napi_typedarray_type`; a Buffer is one too.
const UINT8_ARRAY: i32 = 1;
/// `NAPI_AUTO_LENGTH`: the text ends with a zero byte.
const AUTO_LENGTH: usize = usize::MAX;

extern "C" {
    fn napi_create_function(
        env: Env,
        name: *const c_char,
        length: usize,
        callback: Callback,
        data: *mut c_void,
        result: *mut Value,
    ) -> i32;
    fn napi_set_named_property(env: Env, object: Value, name: *const c_char, value: Value) -> i32;
    fn napi_get_cb_info(
        env: Env,
        info: CallbackInfo,
        count: *mut usize,
        arguments: *mut Value,
        this: *mut Value,
        data: *mut *mut c_void,
    ) -> i32;
    fn napi_is_typedarray(env: Env, value: Value, result: *mut bool) -> i32;
    fn napi_get_typedarray_info(
        env: Env,
        array: Value,
        kind: *mut i32,
        length: *mut usize,
        data: *mut *mut c_void,
        buffer: *mut Value,
        offset: *mut usize,
    ) -> i32;
    fn napi_get_value_uint32(env: Env, value: Value, result: *mut u32) -> i32;
    fn napi_create_int32(env: Env, value: i32, result: *mut Value) -> i32;
    fn napi_throw_type_error(env: Env, code: *const c_char, message: *const c_char) -> i32;
}

/// Adds a function to the library's exports. `name` ends with a zero byte.
pub unsafe fn export(env: Env, exports: Value, name: &'static [u8], callback: Callback) {
    let mut function = ptr::null_mut();
    let name = name.as_ptr().cast::<c_char>();
    if napi_create_function(env, name, AUTO_LENGTH, callback, ptr::null_mut(), &mut function) == OK {
        napi_set_named_property(env, exports, name, function);
    }
}

/// The arguments of a call; those that the caller left out are `undefined`.
pub unsafe fn arguments<const N: usize>(env: Env, info: CallbackInfo) -> Option<[Value; N]> {
    let mut values = [ptr::null_mut(); N];
    let mut count = N;
    let status = napi_get_cb_info(env, info, &mut count, values.as_mut_ptr(), ptr::null_mut(), ptr::null_mut());
    (status == OK).then_some(values)
}

/// Address and length of a Uint8Array's bytes.
pub unsafe fn bytes_of(env: Env, value: Value) -> Option<(*mut u8, usize)> {
    let mut is_array = false;
    if napi_is_typedarray(env, value, &mut is_array) != OK || !is_array {
        return None;
    }
    let (mut kind, mut length, mut data) = (0, 0, ptr::null_mut());
    let status =
        napi_get_typedarray_info(env, value, &mut kind, &mut length, &mut data, ptr::null_mut(), ptr::null_mut());
    // An empty array may have no address.
    if status != OK || kind != UINT8_ARRAY || (data.is_null() && length > 0) {
        return None;
    }
    Some((data.cast(), length))
}

/// A Uint8Array's bytes, if it has exactly N of them: a copy, so that arguments may overlap.
pub unsafe fn fixed_bytes<const N: usize>(env: Env, value: Value) -> Option<[u8; N]> {
    let (data, length) = bytes_of(env, value)?;
    if length != N {
        return None;
    }
    let mut copy = [0; N];
    ptr::copy_nonoverlapping(data, copy.as_mut_ptr(), N);
    Some(copy)
}

/// Writes bytes into a Uint8Array of just that length; whether it was one.
pub unsafe fn write_bytes(env: Env, value: Value, bytes: &[u8]) -> bool {
    match bytes_of(env, value) {
        Some((data, length)) if length == bytes.len() && length > 0 => {
            ptr::copy_nonoverlapping(bytes.as_ptr(), data, length);
            true
        }
        _ => false,
    }
}

/// Runs `entry` for each pair of entries of two Uint8Arrays that hold equally many; false if they don't. Entries are
/// copied in and out: nothing of Rust's rules depends on the arrays being apart from each other.
pub unsafe fn for_each_entry<const IN: usize, const OUT: usize>(
    env: Env,
    from: Value,
    to: Value,
    entry: impl Fn(&[u8; IN]) -> [u8; OUT],
) -> bool {
    let (Some((source, source_length)), Some((target, target_length))) = (bytes_of(env, from), bytes_of(env, to))
    else {
        return false;
    };
    let count = source_length / IN;
    if source_length != count * IN || target_length != count * OUT {
        return false;
    }
    for index in 0..count {
        let mut question = [0; IN];
        ptr::copy_nonoverlapping(source.add(index * IN), question.as_mut_ptr(), IN);
        let answer = entry(&question);
        ptr::copy_nonoverlapping(answer.as_ptr(), target.add(index * OUT), OUT);
    }
    true
}

/// A number from 0 on.
pub unsafe fn number(env: Env, value: Value) -> Option<u32> {
    let mut number = 0;
    (napi_get_value_uint32(env, value, &mut number) == OK).then_some(number)
}

/// A small number as a value.
pub unsafe fn int32(env: Env, number: i32) -> Value {
    let mut value = ptr::null_mut();
    napi_create_int32(env, number, &mut value);
    value
}

/// Throws a TypeError that says what the arguments are.
pub unsafe fn wrong_arguments(env: Env, usage: &'static core::ffi::CStr) -> Value {
    napi_throw_type_error(env, ptr::null(), usage.as_ptr());
    ptr::null_mut()
}
