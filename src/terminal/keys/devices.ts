/** Devices given to a command: each is opened once, and closed when the command ends; a signer opens one for each signature. */

import { listKeystore } from "../../keystore/keystore.js";
import type { DeviceKey } from "../../keystore/private-key.js";
import { equalBytes } from "../../protocol/bytes.js";
import { Transaction, TransactionRaw } from "../../protocol/messages.js";
import { SignedTransaction } from "../../protocol/transaction.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import {
	type DeviceSigner,
	devicePath,
	LEDGER,
	namesDevice,
	type SigningKey,
} from "../../wallet/signers/signer.js";
import { keyNamed } from "../../wallet/transaction/signing.js";
import { withProgress } from "../progress/progress.js";

export class Devices {
	private readonly opened = new Map<string, DeviceSigner>();

	/** @throws {Failure} `bad_value`, `ambiguous`, `signer_unavailable` */
	async open(settings: Settings, name: string): Promise<DeviceSigner> {
		const path = devicePath(name);
		const known = this.opened.get(path);
		if (known) return known;
		if (this.opened.size > 0)
			throw new Failure("conflicting_flags", "one key of a device at a time: sign again with the other one");
		const { entries } = await listKeystore(settings.keystoreDirectory);
		if (entries.some((entry) => entry.name === name)) {
			throw new Failure("ambiguous", `"${name}" is the label of a key and means a device`, {
				hint: `${LEDGER}:0 means the device; coin keystore rename gives the key another label`,
			});
		}
		const [{ ledgerConnector }, { openLedger }] = await Promise.all([
			import("../../wallet/signers/ledger-library.js"),
			import("../../wallet/signers/ledger.js"),
		]);
		const device = await openLedger(name, path, ledgerConnector());
		this.opened.set(path, device);
		return device;
	}

	/** A key of the keystore, or of a device. @throws {Failure | KeystoreError} */
	async keyNamed(settings: Settings, name: string): Promise<SigningKey> {
		return namesDevice(name) ? this.open(settings, name) : keyNamed(settings, name);
	}

	async close(): Promise<void> {
		const devices = [...this.opened.values()];
		this.opened.clear();
		await Promise.all(devices.map((device) => device.close()));
	}
}

/** A device's key that a signer serves. */
export type ServedDevice = DeviceKey &
	Pick<DeviceSigner, "name" | "base58"> & { readonly scheme?: undefined };

/**
 * A device's key for a signer. The device is opened for each signature, so that it may be unplugged or used by others in between.
 * @param open opens it with this key
 * @param confirmMs how long the signer waits for the person
 * @throws {Failure} as {@link Devices.open}
 */
export async function servedDevice(
	open: () => Promise<DeviceSigner>,
	confirmMs: number,
): Promise<ServedDevice> {
	const using = async <T>(work: (device: DeviceSigner) => T | Promise<T>): Promise<T> => {
		const device = await open();
		try {
			return await work(device);
		} finally {
			// Fails, too, if the device was unplugged.
			await device.close().catch(() => undefined);
		}
	};
	const { name, address, base58 } = await using((device) => device);
	const confirm: DeviceKey["confirm"] = (asked, bytes) =>
		using((device) => {
			if (!equalBytes(device.address, address))
				throw new Failure("signer_unavailable", `the device has another key than ${base58}`);
			if (asked === "message") return device.signMessage(bytes);
			const raw_data = TransactionRaw.decode(bytes);
			return device.signTransaction(new SignedTransaction(Transaction.create({ raw_data })));
		}).catch((error: unknown) => {
			if (!(error instanceof Failure)) throw error;
			if (error.code === "confirmation_refused") return undefined;
			const { hint } = error.facts;
			throw new Error(hint === undefined ? error.message : `${error.message}: ${hint}`, { cause: error });
		});
	return { name, address, base58, confirmMs, confirm };
}

/** Waits for the user's approval on a device. @param chatty whether to print a line about it @param what it says */
export function onDevice<T>(
	chatty: boolean,
	work: () => Promise<T>,
	what = "compare and agree on the device",
): Promise<T> {
	return withProgress(what, chatty, work);
}

/** What is said while a signer is asked. */
export const AT_SIGNER = "waiting for the signer, where somebody may have to agree on a device";

/** Processes a list sequentially, since a device handles one request at a time. */
export async function oneByOne<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
	const results: R[] = [];
	for (const item of items) results.push(await work(item));
	return results;
}
