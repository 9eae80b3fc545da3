/**
 * The password hash of key files: scrypt (RFC 7914) from `node:crypto`, which runs off the main thread, or from
 * scrypt-js if the runtime refuses the memory (protocol/command-line §4.1).
 */

import { scrypt as nativeScrypt } from "node:crypto";

/** Parameters of a derivation, named as in key files. */
export interface ScryptParameters {
	/** Cost, a power of two above 1. */
	readonly n: number;
	readonly r: number;
	readonly p: number;
	/** Length of the derived key in bytes. */
	readonly dklen: number;
}

/** A derivation function; both implementations give the same bytes. */
type ScryptEngine = (
	password: Uint8Array,
	salt: Uint8Array,
	parameters: ScryptParameters,
) => Promise<Uint8Array>;

/** Memory that a derivation needs, in bytes. */
export function scryptMemory({ n, r, p }: ScryptParameters): number {
	return 128 * r * (n + p + 2);
}

export const scryptByRuntime: ScryptEngine = (password, salt, parameters) =>
	new Promise((resolve, reject) => {
		const { n, r, p, dklen } = parameters;
		// The runtime's default limit is 32 MiB; the standard cost needs 256 MiB.
		const options = { N: n, r, p, maxmem: scryptMemory(parameters) + 1024 * 1024 };
		nativeScrypt(password, salt, dklen, options, (error, key) => (error ? reject(error) : resolve(key)));
	});

export const scryptByLibrary: ScryptEngine = async (password, salt, { n, r, p, dklen }) => {
	const { default: library } = await import("scrypt-js");
	return library.scrypt(password, salt, n, r, p, dklen);
};

/**
 * Derives a key.
 * @throws whatever the fallback throws when both engines refuse the parameters
 */
export const scrypt: ScryptEngine = async (password, salt, parameters) => {
	try {
		return await scryptByRuntime(password, salt, parameters);
	} catch (error) {
		if (!isRefusal(error)) throw error;
		return scryptByLibrary(password, salt, parameters);
	}
};

/** Whether an error is due to a memory limit or a build without scrypt; anything else is a bug and must surface. */
function isRefusal(error: unknown): boolean {
	const code = (error as { code?: unknown }).code;
	return (
		typeof code === "string" &&
		(code === "ERR_CRYPTO_INVALID_SCRYPT_PARAMS" ||
			code === "ERR_CRYPTO_SCRYPT_NOT_SUPPORTED" ||
			code === "ERR_CRYPTO_OPERATION_FAILED" ||
			code.startsWith("ERR_OSSL"))
	);
}

let underWay = 0;

/**
 * Whether a key is being derived now. The runtime does that on another thread and waits for it when the
 * process exits, so a caller that wants to exit at once must know.
 */
export function isDeriving(): boolean {
	return underWay > 0;
}

/** Runs a derivation, which {@link isDeriving} reports meanwhile. */
export async function deriving<T>(derive: () => Promise<T>): Promise<T> {
	underWay++;
	try {
		return await derive();
	} finally {
		underWay--;
	}
}
