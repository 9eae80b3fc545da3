/** Processes of the program that go on until they are killed, and the configuration of a node whose key is at a signer. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import type { Home } from "./coin-process.js";

export const program = fileURLToPath(new URL("../../bin/coin.js", import.meta.url));

/** A file of mutual TLS. */
export const certificate = (name: string): string =>
	fileURLToPath(new URL(`../keystore/signer/certificates/${name}`, import.meta.url));

/** Of a chain of one witness. */
export const nodeConfiguration = (witness: string, signer: string): string => `
storage.db.directory = database
node { http { fullNodePort = 0, solidityPort = 0, PBFTPort = 0 }, rpc { port = 0, solidityPort = 0, PBFTPort = 0 } }
localwitness {
  signer = "${signer}"
  signerCertificate = "${certificate("payroll.pem")}", signerKey = "${certificate("payroll.key")}", signerCa = "${certificate("ca.pem")}"
}
genesis.block {
  timestamp = "0", parentHash = "0x00"
  assets = [
    { accountName = Zion, accountType = AssetIssue, address = TErGVpctkrkeAoEbYpDito5edEKsQDYt9X, balance = "95000000000000000" }
    { accountName = Blackhole, accountType = AssetIssue, address = TBTVUiQsfEzSsZe7SxEDJ5j95pasVRrDWU, balance = "-9223372036854775808" }
  ]
  witnesses = [{ address: ${witness}, url = "http://witness", voteCount = 10 }]
}`;

/** A process of the program that goes on until it is killed. */
export class Endless {
	private text = "";
	private readonly child;
	readonly closed: Promise<number | null>;

	constructor(home: Home, words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
		this.child = spawn(process.execPath, [program, ...words], {
			cwd: home.path,
			env: {
				PATH: process.env["PATH"] ?? "",
				HOME: home.path,
				COIN_TTY: join(home.path, "none"),
				...environment,
			},
			stdio: ["ignore", "pipe", "pipe"],
		});
		for (const stream of [this.child.stdout, this.child.stderr]) {
			stream.setEncoding("utf8").on("data", (part: string) => {
				this.text += part;
			});
		}
		this.closed = new Promise((resolve) => this.child.once("close", resolve));
	}

	/** Waits for words. @returns all that it has said so far */
	async says(what: string | RegExp, times = 1): Promise<string> {
		await expect.poll(() => this.text.split(what).length - 1).toBeGreaterThanOrEqual(times);
		return this.text;
	}

	hangUp(): void {
		this.child.kill("SIGHUP");
	}

	end(signal: NodeJS.Signals): Promise<number | null> {
		this.child.kill(signal);
		return this.closed;
	}
}
