/**
 * Child process of the storage soak: a chain with the network's schedule that produces blocks continuously,
 * writes its database as often as possible, and prints on stdout what it would have answered.
 */

import { writeSync } from "node:fs";
import { between, randomFrom } from "./random.js";
import { openStressed, stressBlock, stressTransfer } from "./stressed-chain.js";

const [directory, seed] = process.argv.slice(2) as [string, string];
const random = randomFrom(Number(seed));
const open = await openStressed(directory);
writeSync(1, "ready\n");
for (;;) {
	const count = between(random, 0, 6);
	for (let i = 0; i < count; i++) {
		const id = stressTransfer(open, random);
		if (id !== undefined) writeSync(1, `transaction ${id}\n`);
	}
	if (random() < 0.8) {
		const { number, idHex } = stressBlock(open);
		writeSync(1, `block ${number} ${idHex}\n`);
	}
	while (open.chain.executeWaiting());
	// Flushes concurrently, like a node.
	if (random() < 0.5) await new Promise((resolve) => setImmediate(resolve));
	if (random() < 0.1) await open.throttle();
}
