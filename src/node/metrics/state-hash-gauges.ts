/** The hash of the state in Prometheus, on nodes that follow it: the network's node has no such families. */

import { Gauge, type Registry } from "prom-client";
import type { Dialect } from "../../protocol/dialect.js";
import type { FollowedHash } from "../state/state-hash/followed-hash.js";

/** As many bytes of a hash as a number of a page holds. */
const SHOWN_BYTES = 6;

export function registerStateHashGauges(
	registry: Registry,
	dialect: Dialect,
	hash: Pick<FollowedHash, "kept" | "progress" | "hasFailed">,
): void {
	const brand = dialect === "deployed" ? "tron" : "coin";
	const gauge = (name: string, help: string, value: () => number): void => {
		new Gauge({
			name: `${brand}:state_hash_${name}`,
			help,
			registers: [registry],
			collect() {
				this.set(value());
			},
		});
	};
	gauge("up", "1: the hash of the state follows final blocks.", () =>
		hash.hasFailed || hash.progress !== undefined ? 0 : 1,
	);
	gauge("block", "Final block after which the newest hash is.", () => Number(hash.kept.newest?.number ?? 0n));
	gauge("value", "First six bytes of that hash: the same at nodes with the same state.", () =>
		Buffer.from(hash.kept.newest?.hash ?? new Uint8Array(SHOWN_BYTES)).readUIntBE(0, SHOWN_BYTES),
	);
}
