/** A device that answers as it was recorded: each request must be the next one, byte by byte. */

import { createRequire } from "node:module";
import type { ConnectLedger, LedgerApp } from "../../../src/wallet/signers/ledger.js";

const require = createRequire(import.meta.url);

interface TransportBase {
	exchange(apdu: Buffer): Promise<Buffer>;
}

// The vendor's library is CommonJS; the program loads it in the same way.
const { default: App } = require("@ledgerhq/hw-app-trx") as { default: new (transport: object) => LedgerApp };
const appRequire = createRequire(require.resolve("@ledgerhq/hw-app-trx"));
const { default: Transport } = appRequire("@ledgerhq/hw-transport") as { default: new () => TransportBase };

export class RecordedDevice extends Transport {
	private next = 0;
	closed = false;

	/** @param lines alternately `=> request` and `<= answer`, in hexadecimal */
	constructor(private readonly lines: readonly string[]) {
		super();
	}

	override async exchange(apdu: Buffer): Promise<Buffer> {
		const request = this.lines[this.next];
		const answer = this.lines[this.next + 1];
		if (request !== `=> ${apdu.toString("hex")}` || !answer)
			throw new Error(`unexpected request ${apdu.toString("hex")}, not ${request ?? "one more"}`);
		this.next += 2;
		return Buffer.from(answer.slice("<= ".length), "hex");
	}

	get isDone(): boolean {
		return this.next === this.lines.length;
	}

	readonly connect: ConnectLedger = async () => ({
		app: new App(this),
		close: async () => {
			this.closed = true;
		},
	});
}
