/**
 * Repeatedly kills commands that write to a keystore: `npm run tool soak:keystore -- <rounds>`. Each round
 * kills each command once, at times spread over its whole run.
 */

import { killOnce, WRITERS } from "../commands/keystore-kill.js";

const rounds = Number(process.argv[2] ?? 50);
let killed = 0;
for (let round = 0; round < rounds; round++) {
	for (const writer of WRITERS) {
		const outcome = await killOnce(writer, Math.random());
		if (outcome.killed) killed++;
	}
	process.stdout.write(`round ${round + 1} of ${rounds}: ${killed} commands killed, no keystore damaged\n`);
}
