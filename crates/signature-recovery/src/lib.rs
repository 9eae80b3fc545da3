//! Recovers and makes signatures: libsecp256k1 for Node.js, nothing else. As a library behind Node-API it needs no other library
//! beside the program that loads it, so one file serves every Linux of its processor; as WebAssembly it serves all others.

#![no_std]

mod curve;
#[cfg(not(target_arch = "wasm32"))]
mod node_api;
#[cfg(not(target_arch = "wasm32"))]
mod node_exports;
#[cfg(target_arch = "wasm32")]
mod wasm_exports;

/// Nothing here panics by design; what can't happen ends the process rather than going on with a wrong answer.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    #[cfg(target_arch = "wasm32")]
    core::arch::wasm32::unreachable();
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::asm!("ud2", options(noreturn))
    }
    #[cfg(target_arch = "aarch64")]
    unsafe {
        core::arch::asm!("brk #1", options(noreturn))
    }
}
