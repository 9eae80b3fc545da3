/** Devices given to a command: each is opened once, and closed when the command ends. */

import { listKeystore } from "../../keystore/keystore.js";
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

/** Waits for the user's approval on a device. @param chatty whether to print a line about it */
export function onDevice<T>(chatty: boolean, work: () => Promise<T>): Promise<T> {
	return withProgress("compare and agree on the device", chatty, work);
}

/** Processes a list sequentially, since a device handles one request at a time. */
export async function oneByOne<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
	const results: R[] = [];
	for (const item of items) results.push(await work(item));
	return results;
}
