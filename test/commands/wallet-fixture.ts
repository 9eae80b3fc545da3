/** A home with the key of `ann`, beside a fake node that knows her account. */

import { toBase58Check } from "../../src/protocol/address.js";
import { fromHex } from "../../src/protocol/bytes.js";
import { addressOfPrivateKey } from "../../src/protocol/signature.js";
import { Home, type Outcome } from "./coin-process.js";
import { FakeNode } from "./fake-node.js";

export const KEYS = { ann: "11".repeat(32), bob: "22".repeat(32), carol: "33".repeat(32) };
export type Person = keyof typeof KEYS;

export const ADDRESSES = Object.fromEntries(
	Object.entries(KEYS).map(([name, key]) => [name, addressOfPrivateKey(fromHex(key))]),
) as Record<Person, Uint8Array>;

export const BASE58 = Object.fromEntries(
	Object.entries(ADDRESSES).map(([name, address]) => [name, toBase58Check(address)]),
) as Record<Person, string>;

export const RECIPIENT = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
export const send = ["wallet", "send", "--to", RECIPIENT, "--amount", "25coin"];

export class Wallet {
	readonly home = new Home();

	private constructor(public node: FakeNode) {}

	static async open(): Promise<Wallet> {
		const wallet = new Wallet(await FakeNode.start());
		wallet.node.fund(ADDRESSES.ann, 1_000_000_000n);
		await wallet.addKey("ann");
		return wallet;
	}

	async close(): Promise<void> {
		await this.node.stop();
		this.home.remove();
	}

	async addKey(name: Person): Promise<void> {
		const words = ["keystore", "import", "key", name, "-", "--light", ...this.password()];
		const { code, stderr } = await this.home.run(words, KEYS[name]);
		if (code !== 0) throw new Error(stderr);
	}

	/** A command against the fake node. */
	coin(words: readonly string[], stdin?: string): Promise<Outcome> {
		return this.home.run(words, stdin, { COIN_NODE: this.node.url });
	}

	password(): string[] {
		return ["--password-file", this.home.write("pw", "password")];
	}
}
